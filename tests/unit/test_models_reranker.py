"""How a cross-encoder is fed: what is cut of a long pair, and which output is the score."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ricordo.errors import ModelError
from ricordo.models import find_reranker, load_reranker
from ricordo.models.reranker import OnnxReranker
from ricordo.models.specs import ready
from tinymodels import MAX_TOKENS, write_cross_encoder

FRAMING = 3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_cross_encoder(tmp_path / "tiny")


def scores(folder: Path, question: str, *passages: str) -> list[float]:
    found: list[float] = OnnxReranker(ready(find_reranker(f"local:{folder}"))).score(question, passages).tolist()
    return found


def test_the_score_of_a_pair_is_what_the_model_puts_out(folder: Path) -> None:
    assert scores(folder, "tea violin", "tea tea violin", "orchid", "tea") == [3.0, 0.0, 1.0]


def test_a_long_passage_loses_its_end_and_the_question_nothing(folder: Path) -> None:
    room = MAX_TOKENS - FRAMING - 2
    fits, too_long = "the " * (room - 1) + "tea", "the " * room + "tea"
    assert scores(folder, "tea violin", fits, too_long) == [1.0, 0.0]


def test_a_question_that_is_too_long_leaves_half_to_the_passage(folder: Path) -> None:
    half = (MAX_TOKENS - FRAMING) // 2
    assert scores(folder, "tea " * 100, "tea") == [half]
    assert scores(folder, "the " * half + "tea", "tea") == [0.0]


def test_of_two_classes_the_second_means_relevant(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path / "two", classes=2)
    assert scores(folder, "tea violin", "tea violin", "orchid") == [2.0, 0.0]


def test_a_model_of_many_classes_is_no_reranker(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path / "three", classes=3)
    with pytest.raises(ModelError, match="puts out 3 numbers a pair, which are no score"):
        scores(folder, "tea", "tea")


def test_a_model_that_must_not_be_batched_gives_the_same_scores(folder: Path) -> None:
    batched = scores(folder, "tea violin", "tea", "tea violin granite")
    (folder / "ricordo.json").write_text(json.dumps({"batched": False}))
    assert scores(folder, "tea violin", "tea", "tea violin granite") == batched


def test_a_hub_reranker_that_was_not_fetched_is_an_error_that_names_the_fix() -> None:
    with pytest.raises(ModelError, match="run: ricordo models fetch cross-encoder/ms-marco-MiniLM-L6-v2, or download"):
        load_reranker("cross-encoder/ms-marco-MiniLM-L6-v2")


def test_a_damaged_file_is_found_when_the_model_is_loaded(folder: Path) -> None:
    reranker = OnnxReranker(ready(find_reranker(f"local:{folder}")))
    (folder / "model.onnx").write_bytes(b"damaged")
    with pytest.raises(ModelError, match="is damaged: its sha256 is"):
        reranker.score("tea", ["tea"])
    assert np.isfinite(scores(write_cross_encoder(folder), "tea", "tea")).all()
