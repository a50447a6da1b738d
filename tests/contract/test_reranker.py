"""What every reranker promises, held against the overlap double and a real cross-encoder."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ricordo.models import load_reranker
from ricordo.protocols import Reranker
from ricordo.testing import OverlapReranker
from tinymodels import write_cross_encoder


def cross_encoder(folder: Path) -> Reranker:
    return load_reranker(f"local:{write_cross_encoder(folder)}")


MAKERS: dict[str, Callable[[Path], Reranker]] = {
    "overlap": lambda _: OverlapReranker(),
    "cross-encoder": cross_encoder,
}

QUESTION = "harbour lantern orchid"
PASSAGES = ("granite violin", "the harbour", "orchid harbour lantern", "", "lantern orchid tea", "tea " * 50)


@pytest.fixture(params=sorted(MAKERS))
def reranker(request: pytest.FixtureRequest, tmp_path: Path) -> Reranker:
    return MAKERS[request.param](tmp_path)


def test_one_score_of_float32_for_each_passage(reranker: Reranker) -> None:
    scores = reranker.score(QUESTION, PASSAGES)
    assert scores.shape == (len(PASSAGES),)
    assert scores.dtype == np.float32
    assert np.isfinite(scores).all()


def test_no_passages_are_no_scores(reranker: Reranker) -> None:
    assert reranker.score(QUESTION, []).shape == (0,)


def test_the_passage_that_answers_best_scores_highest(reranker: Reranker) -> None:
    scores = reranker.score(QUESTION, PASSAGES)
    assert np.argmax(scores) == 2
    assert scores[2] > scores[4] > scores[1] > scores[0]


def test_a_passage_has_the_same_score_alone_and_in_any_company(reranker: Reranker) -> None:
    together = reranker.score(QUESTION, PASSAGES)
    alone = [reranker.score(QUESTION, [passage])[0] for passage in PASSAGES]
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(together[::-1], reranker.score(QUESTION, PASSAGES[::-1]), atol=1e-5)


@pytest.mark.parametrize("odd", ["", "   ", "\0", "a\ud800b", "🌲", "harbour " * 400], ids=ascii)
def test_odd_texts_have_scores_too(reranker: Reranker, odd: str) -> None:
    assert np.isfinite(reranker.score(odd, ["the harbour", odd])).all()


def test_threads_share_a_reranker_that_is_not_yet_loaded(reranker: Reranker) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: reranker.score(QUESTION, PASSAGES), range(16)))
    for answer in answers:
        np.testing.assert_allclose(answer, answers[0], atol=1e-5)
