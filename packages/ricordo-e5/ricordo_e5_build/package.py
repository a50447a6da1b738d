"""From the wheel to the files that are shipped. The same choice gives the same bytes, on every machine."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from onnx import ModelProto

from ricordo_e5_build import fetch, source
from ricordo_e5_build.centring import means
from ricordo_e5_build.graph import Form, encoder, plain_encoder
from ricordo_e5_build.languages import Languages, languages
from ricordo_e5_build.reader import Reader
from ricordo_e5_build.scripts import KEPT
from ricordo_e5_build.source import E5Source
from ricordo_e5_build.tokenizer import tokenizer_json
from ricordo_e5_build.verify import OURS, VerificationError, verify
from ricordo_e5_build.vocabulary import Vocabulary, choose

__all__ = ["CACHE", "DATA", "Choice", "build", "is_built"]

HERE = Path(__file__).parent
CACHE = HERE.parent / ".cache"
DATA = HERE.parent / "src" / "ricordo_e5"

MODEL, TOKENIZER, PROVENANCE = "model.onnx", "tokenizer.json", "provenance.json"
PLAIN = "plain.onnx"
FIRST_LAYER = 10
"""Any would do: its states are not in the vectors."""
TOOLS = ("numpy", "onnx", "onnxruntime", "tokenizers")

Files: TypeAlias = dict[str, dict[str, str]]
"""Of each file its `sha256`, and of the model `vectors`, which names the pooled vectors that it gives."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """What to build: the form of the graph, and whether all scripts are kept."""

    form: Form = field(default_factory=Form)
    full: bool = False

    def document(self) -> dict[str, Any]:
        """As it stands in the provenance."""
        return {
            "token_layers": list(self.form.layers),
            "matrix_bits": self.form.bits,
            "scripts": ["all"] if self.full else list(KEPT),
        }


def build(choice: Choice, *, data: Path = DATA, cache: Path = CACHE, references: Sequence[Path] = ()) -> None:
    """Build, verify, and only then put into place. Raises FetchError, SourceError and VerificationError."""
    content = source.read(fetch.fetch(cache))
    vocabulary = choose(content, full=choice.full)
    data.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=data.parent) as folder:
        made = Path(folder)
        (made / TOKENIZER).write_bytes(tokenizer_json(vocabulary, content.normalisation))

        def plain(layer: int) -> Reader:
            (made / PLAIN).write_bytes(serialised(plain_encoder(content, vocabulary, layer, choice.form.bits)))
            return Reader(made / PLAIN, made / TOKENIZER)

        def opened(taken: Languages | None) -> tuple[ModelProto, Reader]:
            whole = encoder(content, vocabulary, choice.form, centres, taken)
            (made / MODEL).write_bytes(serialised(whole))
            return whole, Reader(made / MODEL, made / TOKENIZER)

        centres = means(choice.form.layers, plain)
        spoken = languages(choice.form.output, lambda: opened(None)[1])
        model, reader = opened(spoken)
        verdict = verify(reader, vocabulary.kept, embedded_rows(model), (OURS, *references))
        log.info("%d of %d texts have the right ids", verdict.equal, verdict.spelled)
        log.info("the least of %d cosines is %.5f", len(verdict.cosines), verdict.least)
        files = {name: {"sha256": sha256(made / name)} for name in (MODEL, TOKENIZER)}
        files[MODEL]["vectors"] = vectors_name(content, vocabulary, choice.form.bits, spoken)
        check_pinned(choice, files)
        (made / PROVENANCE).write_bytes(provenance(choice, vocabulary, files))
        for name in (*files, PROVENANCE):
            (made / name).chmod(0o644)
            os.replace(made / name, data / name)


def is_built(choice: Choice, data: Path = DATA) -> bool:
    """Whether the files are there, whole, and made by this very builder of this very choice."""
    try:
        written = json.loads((data / PROVENANCE).read_text("utf-8"))
        whole = all(sha256(data / name) == entry["sha256"] for name, entry in written["files"].items())
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return bool(whole and written["choice"] == choice.document() and written["builder"] == builder())


def serialised(model: ModelProto) -> bytes:
    """The same model as the same bytes."""
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def vectors_name(content: E5Source, vocabulary: Vocabulary, bits: int, spoken: Languages) -> str:
    """A hash that all models share that give the same vectors to the bit and differ in token vectors alone."""
    digest = hashlib.sha256(serialised(plain_encoder(content, vocabulary, FIRST_LAYER, bits)))
    digest.update(spoken.pooled.tobytes())
    return digest.hexdigest()


def embedded_rows(model: ModelProto) -> int:
    """Rows of the word embedding in a model."""
    (rows,) = (tensor.dims[0] for tensor in model.graph.initializer if tensor.name == "words")
    return int(rows)


def check_pinned(choice: Choice, files: Files) -> None:
    """What is shipped must be what its users expect, to the byte. Raises VerificationError."""
    pinned = json.loads((HERE / "pinned.json").read_text("utf-8"))
    if choice == Choice() and files != pinned:
        tools = ", ".join(f"{tool} {version(tool)}" for tool in TOOLS)
        raise VerificationError(f"the files are right, but not the same to the byte as elsewhere ({tools}): {files}")


def provenance(choice: Choice, vocabulary: Vocabulary, files: Files) -> bytes:
    """Where the files come from and what was done to them."""
    document = {
        "model": "intfloat/multilingual-e5-small",
        "licence": "MIT",
        "source": {
            "distribution": fetch.DISTRIBUTION,
            "version": fetch.VERSION,
            "licence": "MIT",
            "wheel": fetch.WHEEL,
            "wheel_sha256": fetch.WHEEL_SHA256,
            "member": fetch.MEMBER,
            "member_sha256": fetch.MEMBER_SHA256,
        },
        "done": [
            "words kept as their 4-bit blocks of 32, float16 scales; so are matrices of 4 bits; those of 8 bits rounded"
            " anew in blocks of 64",
            "pooled output: mean over the mask of the last layer, unit length",
            "neutral output: the same less its part in two directions in which languages differ, of unit length",
            "token vectors: of each layer below the states less their mean, of unit length; summed, less their part in"
            " two directions in which languages differ, of unit length",
            "vocabulary cut to the pieces that the scripts below can spell, in their old order; <mask> left out",
            "tokenizer rebuilt as a Unigram of the tokenizers library, its normalisation as NFKC with exceptions",
            "means of the layers and directions of the languages fitted on sentences of ours",
        ],
        "choice": choice.document(),
        "pieces": len(vocabulary),
        "files": files,
        "tools": {tool: version(tool) for tool in TOOLS},
        "builder": builder(),
    }
    return json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"


def builder() -> str:
    """One hash over all of the builder, so that a changed builder builds again."""
    digest = hashlib.sha256()
    for path in sorted(HERE.iterdir()):
        if path.is_file():
            digest.update(f"{path.name}\n{sha256(path)}\n".encode())
    return digest.hexdigest()


def sha256(path: Path) -> str:
    """Of a file, in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
