from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto

from reference_encoder import Array, pooled, states, token_vectors, without
from ricordo_e5_build.graph import Form, encoder, plain_encoder
from ricordo_e5_build.languages import Languages
from ricordo_e5_build.reader import Reader
from ricordo_e5_build.source import E5Source, read
from ricordo_e5_build.tokenizer import tokenizer_json
from ricordo_e5_build.vocabulary import Vocabulary, choose
from synthetic import HIDDEN, source_file

MEANS: dict[int, Array] = {
    layer: np.random.default_rng(layer).normal(0, 0.1, HIDDEN).astype(np.float32) for layer in (1, 2)
}
DIRECTIONS = np.linalg.qr(np.random.default_rng(3).normal(size=(HIDDEN, 4)))[0].T.astype(np.float32)
SPOKEN = Languages(pooled=DIRECTIONS[:2], tokens=DIRECTIONS[2:])
TEXTS = ("ab жук.", "a", "b b b a. 😀")


@pytest.fixture(scope="module")
def source() -> E5Source:
    return read(source_file())


@pytest.fixture(scope="module")
def vocabulary(source: E5Source) -> Vocabulary:
    return choose(source, full=False)


@pytest.fixture(scope="module", params=[4, 8])
def bits(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def folder(source: E5Source, vocabulary: Vocabulary, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnxruntime")
    made: Path = tmp_path_factory.mktemp("built")
    (made / "tokenizer.json").write_bytes(tokenizer_json(vocabulary, source.normalisation))
    return made


@pytest.fixture(scope="module")
def reader(source: E5Source, vocabulary: Vocabulary, folder: Path, bits: int) -> Reader:
    return opened(encoder(source, vocabulary, Form(layers=(1, 2), bits=bits), MEANS, SPOKEN), folder)


@pytest.fixture(scope="module")
def plain(source: E5Source, vocabulary: Vocabulary, folder: Path, bits: int) -> Reader:
    return opened(plain_encoder(source, vocabulary, 1, bits), folder)


def opened(model: ModelProto, folder: Path) -> Reader:
    (folder / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    return Reader(folder / "model.onnx", folder / "tokenizer.json")


@pytest.mark.parametrize("text", TEXTS)
def test_the_graph_computes_what_the_formulas_say(
    reader: Reader, source: E5Source, vocabulary: Vocabulary, text: str
) -> None:
    found = reader.read(text)
    layers = states(source, vocabulary.kept[found.ids].tolist())
    # Activations are rounded to int8 in the graph and not in the formulas.
    expected = without(token_vectors(layers, MEANS), DIRECTIONS[2:].tolist())
    np.testing.assert_allclose(found.tokens, expected, atol=0.03)
    assert found.pooled @ pooled(layers[-1]) > 0.999
    assert reader.neutral(text) @ without(pooled(layers[-1])[None], DIRECTIONS[:2].tolist())[0] > 0.999


@pytest.mark.parametrize("text", TEXTS)
def test_the_pooled_vector_does_not_depend_on_what_is_made_of_the_tokens(
    reader: Reader, plain: Reader, source: E5Source, vocabulary: Vocabulary, text: str
) -> None:
    found = plain.read(text)
    first = states(source, vocabulary.kept[found.ids].tolist())[0]
    np.testing.assert_allclose(found.tokens, first, atol=0.06)
    assert np.array_equal(found.pooled, reader.read(text).pooled)


def test_a_text_has_the_same_vectors_in_every_batch(reader: Reader) -> None:
    alone = [reader.read(text) for text in TEXTS]
    together, tokens = reader.run([each.ids for each in alone])
    for row, each in enumerate(alone):
        assert np.array_equal(together[row], each.pooled)
        assert np.array_equal(tokens[row, : len(each.ids)], each.tokens)


def test_an_id_beyond_the_vocabulary_is_refused(reader: Reader, vocabulary: Vocabulary) -> None:
    assert reader.refuses(len(vocabulary))
    assert not reader.refuses(len(vocabulary) - 1)
