from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reference_encoder import pooled, states
from ricordo_e5_build.graph import Form, encoder
from ricordo_e5_build.reader import Reader
from ricordo_e5_build.source import E5Source, read
from ricordo_e5_build.tokenizer import tokenizer_json
from ricordo_e5_build.vocabulary import Vocabulary, choose
from synthetic import source_file

TEXTS = ("ab жук.", "a", "b b b a. 😀")


@pytest.fixture(scope="module")
def source() -> E5Source:
    return read(source_file())


@pytest.fixture(scope="module")
def vocabulary(source: E5Source) -> Vocabulary:
    return choose(source, full=False)


@pytest.fixture(scope="module", params=[4, 8])
def reader(
    request: pytest.FixtureRequest, source: E5Source, vocabulary: Vocabulary, tmp_path_factory: pytest.TempPathFactory
) -> Reader:
    pytest.importorskip("onnxruntime")
    folder: Path = tmp_path_factory.mktemp("built")
    model = encoder(source, vocabulary, Form(layer=1, bits=request.param))
    (folder / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    (folder / "tokenizer.json").write_bytes(tokenizer_json(vocabulary, source.normalisation))
    return Reader(folder / "model.onnx", folder / "tokenizer.json")


@pytest.mark.parametrize("text", TEXTS)
def test_the_graph_computes_what_the_formulas_say(
    reader: Reader, source: E5Source, vocabulary: Vocabulary, text: str
) -> None:
    found = reader.read(text)
    first, last = states(source, vocabulary.kept[found.ids].tolist())
    # Activations are rounded to int8 in the graph and not in the formulas.
    np.testing.assert_allclose(found.states, first, atol=0.05)
    assert found.pooled @ pooled(last) > 0.999


def test_a_text_has_the_same_vectors_in_every_batch(reader: Reader) -> None:
    alone = [reader.read(text) for text in TEXTS]
    together, token_states = reader.run([each.ids for each in alone])
    for row, each in enumerate(alone):
        assert np.array_equal(together[row], each.pooled)
        assert np.array_equal(token_states[row, : len(each.ids)], each.states)


def test_an_id_beyond_the_vocabulary_is_refused(reader: Reader, vocabulary: Vocabulary) -> None:
    assert reader.refuses(len(vocabulary))
    assert not reader.refuses(len(vocabulary) - 1)
