"""Models in a folder of their owner: what is read from its files, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ricordo.errors import ModelError
from ricordo.models import find_encoder, load_embedder
from ricordo.protocols import Embedder
from tinymodels import DIMENSION, MAX_TOKENS, write_encoder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "tiny")


def opened(folder: Path) -> Embedder:
    embedder = load_embedder(f"local:{folder}")
    assert embedder is not None
    return embedder


def say(folder: Path, **said: object) -> None:
    (folder / "ricordo.json").write_text(json.dumps(said))


def test_a_folder_is_a_model(folder: Path) -> None:
    embedder = opened(folder)
    assert (embedder.dimension, embedder.max_tokens) == (DIMENSION, MAX_TOKENS - 2)
    assert embedder.fingerprint.startswith("local:tiny/")
    rows = embedder.embed_passages(["tea tea", "orchid", "tea"])
    assert rows[0] @ rows[2] > rows[0] @ rows[1]
    assert embedder.token_fingerprint is None
    assert embedder.encode_passages(["tea"]).tokens == ()


def test_other_files_are_another_fingerprint(folder: Path) -> None:
    before = opened(folder).fingerprint
    (folder / "tokenizer.json").write_text((folder / "tokenizer.json").read_text() + "\n")
    assert opened(folder).fingerprint != before


def test_an_export_may_keep_its_graph_in_a_folder(folder: Path) -> None:
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    assert opened(folder).embed_queries(["tea"]).shape == (1, DIMENSION)


def test_what_a_configuration_does_not_say_can_be_said_beside_it(folder: Path) -> None:
    say(folder, pooling="cls", query_prefix="harbour ", recall_floor=0.7, max_tokens=8, normalisation="nfc")
    embedder = opened(folder)
    assert (embedder.floors.recall, embedder.floors.context, embedder.max_tokens) == (0.7, 0.7, 6)
    spec = find_encoder(f"local:{folder}")
    assert (spec.pooling, spec.query_prefix, spec.normalisation) == ("cls", "harbour ", "nfc")
    np.testing.assert_allclose(embedder.embed_passages(["tea"]), embedder.embed_passages(["orchid"]), atol=1e-6)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"pooling": "max"}, "pooling must be mean or cls or output, not 'max'"),
        ({"max_tokens": "8"}, "max_tokens must be a int, not '8'"),
        ({"floor": 0.5}, "floor is not known; known are pooling, "),
    ],
)
def test_what_is_said_wrongly_is_named(folder: Path, said: dict[str, object], message: str) -> None:
    say(folder, **said)
    with pytest.raises(ModelError, match=message):
        opened(folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelError, match=rf"{name},? (which )?does not exist"):
        opened(folder)


@pytest.mark.parametrize("content", ["{}", "[]", "no json", '{"hidden_size": 0}'])
def test_a_configuration_that_says_nothing_is_named(folder: Path, content: str) -> None:
    (folder / "config.json").write_text(content)
    with pytest.raises(ModelError, match=r"config\.json"):
        opened(folder)


def test_a_tokenizer_that_cannot_be_read_is_a_model_error(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="tokenizers cannot read"):
        opened(folder).embed_queries(["tea"])


def test_a_model_without_the_output_it_needs_is_a_model_error(folder: Path) -> None:
    say(folder, pooling="output")
    with pytest.raises(ModelError, match=r"has no output of rank 2; it has last_hidden_state"):
        opened(folder).embed_queries(["tea"])
