"""The last look: a cross-encoder reads the best again, and costs the answer nothing when it cannot."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import ricordo
from ricordo.engine import Engine
from ricordo.errors import ConfigError, InvalidInput, ModelError
from ricordo.query import Query
from ricordo.reread import DeferredReranker, reread, standardised
from ricordo.settings import Settings
from ricordo.testing import HashEmbedder, InMemoryStore, OverlapReranker
from tinymodels import write_cross_encoder

pytestmark = pytest.mark.anyio

PASSAGES = [f"passage {number}" for number in range(30)]


class Slow:
    """A reranker that takes its time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def score(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        time.sleep(self.seconds * len(passages))
        return np.arange(len(passages), dtype=np.float32)


class Broken:
    def score(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        raise ModelError("cross-encoder/x: model.onnx is not there; run: ricordo models fetch cross-encoder/x")


def test_all_passages_are_read_when_there_is_time() -> None:
    assert len(reread(OverlapReranker(), "passage 3", PASSAGES, 5.0).scores) == 30


def test_a_short_time_shortens_the_list() -> None:
    read = reread(Slow(0.01), "x", PASSAGES, 0.15)

    assert 8 <= len(read.scores) < 30
    assert read.notice is None


def test_what_is_too_slow_is_left_out_and_said() -> None:
    read = reread(Slow(0.05), "x", PASSAGES, 0.1)

    assert len(read.scores) == 0
    assert read.notice is not None
    assert read.notice.code == "reranker_too_slow"


def test_what_cannot_be_had_is_left_out_and_said() -> None:
    read = reread(Broken(), "x", PASSAGES, 1.0)

    assert len(read.scores) == 0
    assert read.notice is not None
    assert (read.notice.code, "ricordo models fetch" in read.notice.message) == ("reranker_unavailable", True)


def test_scores_of_any_scale_count_the_same() -> None:
    assert standardised(np.array([1, 2, 3], np.float32)) == pytest.approx(
        standardised(np.array([10, 20, 30], np.float32)), abs=1e-6
    )
    assert standardised(np.array([5, 5], np.float32)) == [0.0, 0.0]


def test_a_reranker_is_loaded_once_and_only_when_it_is_asked() -> None:
    loaded: list[int] = []

    def load() -> OverlapReranker:
        loaded.append(1)
        return OverlapReranker()

    deferred = DeferredReranker(load)
    assert loaded == []
    deferred.score("a", ["a"])
    deferred.score("a", ["a"])
    assert loaded == [1]


# --- through the engine ---


async def opened(reranker: str) -> Engine:
    settings = Settings(store="memory:", namespace="test", reranker=reranker, tz="UTC")
    return ricordo.open(InMemoryStore(), embedder=HashEmbedder(), settings=settings)


async def remember(memory: Engine) -> None:
    for text in ("tea in the garden by the old wall", "violin and tea", "granite"):
        await memory.remember(text)


async def test_a_real_cross_encoder_has_its_say(tmp_path: Path) -> None:
    async with await opened(f"local:{write_cross_encoder(tmp_path)}") as memory:
        await remember(memory)
        found = await memory.recall("tea")

    assert all("read again" in hit.parts for hit in found)
    assert found.timings["rerank"] > 0
    assert not {notice.code for notice in found.notices} & {"reranker_unavailable", "reranker_too_slow"}


async def test_without_the_model_the_order_before_it_stands_and_the_answer_says_so() -> None:
    async with await opened("cross-encoder/ms-marco-MiniLM-L6-v2") as memory:
        await remember(memory)
        found = await memory.recall("violin tea")
        plain = await replace(memory.reader, reranker=None).recall(Query(text="violin tea", namespace="test"))

    assert [hit.text for hit in found] == [hit.text for hit in plain]
    assert "reranker_unavailable" in {notice.code for notice in found.notices}


async def test_a_reranker_that_no_model_is_named_by_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no reranker is named"):
        async with await opened("gpt"):
            pass


def test_settings_of_models_are_checked() -> None:
    with pytest.raises(ConfigError, match="stored, computed, off"):
        Settings(token_vectors="maybe")
    with pytest.raises(ConfigError, match="must not be negative"):
        Settings(rerank_ms=-1)


class NoNumbers:
    def score(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        return np.full(len(passages), np.nan, np.float32)


def test_scores_that_are_no_numbers_are_left_out_and_said() -> None:
    read = reread(NoNumbers(), "x", PASSAGES, 1.0)

    assert len(read.scores) == 0
    assert read.notice is not None
    assert read.notice.code == "reranker_unavailable"
