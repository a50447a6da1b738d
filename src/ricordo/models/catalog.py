"""The models that ricordo knows, one row each. A model is supported when its row and its contract tests exist."""

from __future__ import annotations

from ricordo.models.files import MINILM_MODEL, MINILM_TOKENIZER
from ricordo.models.hub import HubFile
from ricordo.models.packaged import PackageFile
from ricordo.models.specs import CrossEncoderSpec, ModelSpec, TokenSpec
from ricordo.protocols import Floors

__all__ = ["DEFAULTS", "ENCODERS", "PACKAGED", "RERANKERS"]

EUROPEAN = ("en", "ru", "es", "pt", "de", "fr", "it", "pl", "uk", "el")
MANY = ("en", "ru", "es", "pt", "de", "fr", "it", "pl", "uk", "el", "zh", "ja", "ko", "ar", "hi")

E5_SMALL = "intfloat/multilingual-e5-small"


def e5_file(name: str) -> PackageFile:
    """A file of the package that is built for ricordo from the model's weights."""
    return PackageFile(name=name, package="ricordo_e5", distribution="ricordo-e5", licence="MIT", work=E5_SMALL)


MULTILINGUAL_E5_SMALL = ModelSpec(
    name="multilingual-e5-small",
    model=e5_file("model.onnx"),
    tokenizer=e5_file("tokenizer.json"),
    quantisation="q8",
    pooling="output",
    output="neutral",
    dimension=384,
    max_tokens=512,
    reserved_tokens=5,
    floors=Floors(recall=0.70, context=0.81),
    languages=EUROPEAN,
    query_prefix="query: ",
    passage_prefix="passage: ",
    normalisation="nfc",
    tokens=TokenSpec(layers=(10, 12), output="token_vectors_10_12", centred=True),
)

ALL_MINILM_L6_V2 = ModelSpec(
    name="all-minilm-l6-v2",
    model=MINILM_MODEL,
    tokenizer=MINILM_TOKENIZER,
    quantisation="int8",
    pooling="mean",
    dimension=384,
    max_tokens=256,
    reserved_tokens=2,
    floors=Floors(recall=0.22, context=0.30),
    languages=("en",),
    tokens=TokenSpec(layers=(6,), output="last_hidden_state"),
)

HUB_E5_SMALL = ModelSpec(
    name="intfloat/multilingual-e5-small",
    model=HubFile(name="onnx/model.onnx", repository="intfloat/multilingual-e5-small", licence="MIT"),
    tokenizer=HubFile(name="tokenizer.json", repository="intfloat/multilingual-e5-small", licence="MIT"),
    quantisation="float32",
    pooling="mean",
    dimension=384,
    max_tokens=512,
    reserved_tokens=5,
    floors=Floors(recall=0.70, context=0.81),
    languages=MANY,
    query_prefix="query: ",
    passage_prefix="passage: ",
    normalisation="nfc",
    tokens=TokenSpec(layers=(12,), output="last_hidden_state"),
)

HUB_MINILM = ModelSpec(
    name="sentence-transformers/all-MiniLM-L6-v2",
    model=HubFile(name="onnx/model.onnx", repository="sentence-transformers/all-MiniLM-L6-v2", licence="Apache-2.0"),
    tokenizer=HubFile(name="tokenizer.json", repository="sentence-transformers/all-MiniLM-L6-v2", licence="Apache-2.0"),
    quantisation="float32",
    pooling="mean",
    dimension=384,
    max_tokens=256,
    reserved_tokens=2,
    floors=Floors(recall=0.22, context=0.30),
    languages=("en",),
    tokens=TokenSpec(layers=(6,), output="last_hidden_state"),
)

HUB_BGE_M3 = ModelSpec(
    name="Xenova/bge-m3",
    model=HubFile(name="onnx/model_quantized.onnx", repository="Xenova/bge-m3", licence="MIT"),
    tokenizer=HubFile(name="tokenizer.json", repository="Xenova/bge-m3", licence="MIT"),
    quantisation="int8",
    pooling="cls",
    dimension=1024,
    max_tokens=8192,
    reserved_tokens=2,
    floors=Floors(recall=0.40, context=0.50),
    languages=MANY,
    tokens=TokenSpec(layers=(24,), output="last_hidden_state"),
    batched=False,
)

MS_MARCO_MINILM = CrossEncoderSpec(
    name="cross-encoder/ms-marco-MiniLM-L6-v2",
    model=HubFile(name="onnx/model.onnx", repository="cross-encoder/ms-marco-MiniLM-L6-v2", licence="Apache-2.0"),
    tokenizer=HubFile(name="tokenizer.json", repository="cross-encoder/ms-marco-MiniLM-L6-v2", licence="Apache-2.0"),
    quantisation="float32",
    max_tokens=512,
    languages=("en",),
)

JINA_RERANKER_V2 = CrossEncoderSpec(
    name="jinaai/jina-reranker-v2-base-multilingual",
    model=HubFile(
        name="onnx/model_quantized.onnx",
        repository="jinaai/jina-reranker-v2-base-multilingual",
        licence="CC-BY-NC-4.0",
    ),
    tokenizer=HubFile(
        name="tokenizer.json", repository="jinaai/jina-reranker-v2-base-multilingual", licence="CC-BY-NC-4.0"
    ),
    quantisation="int8",
    max_tokens=1024,
    languages=MANY,
    batched=False,
)

ENCODERS = {spec.name: spec for spec in (MULTILINGUAL_E5_SMALL, ALL_MINILM_L6_V2, HUB_E5_SMALL, HUB_MINILM, HUB_BGE_M3)}

RERANKERS = {spec.name: spec for spec in (MS_MARCO_MINILM, JINA_RERANKER_V2)}

PACKAGED = {name: spec for name, spec in ENCODERS.items() if spec.model.packaging == "package"}
"""Those that need no download at run time."""

DEFAULTS = (MULTILINGUAL_E5_SMALL, ALL_MINILM_L6_V2)
"""What `auto` means: the first of these whose files are here."""
