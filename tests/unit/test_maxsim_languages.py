"""Questions in one language about paragraphs in another, by late interaction alone: the measure of token vectors."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from publicdata import DATA
from ricordo.errors import ModelError
from ricordo.exchange import Encoded, TokenVectors
from ricordo.models import load_embedder
from ricordo.tokenvectors import maxsim, pack

pytestmark = pytest.mark.slow

Scores = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """All questions, the paragraphs in the other language, and the place of each answer."""

    questions: Encoded
    paragraphs: Encoded
    gold: NDArray[np.intp]

    def weights(self) -> list[Scores]:
        """The inverse document frequency of each token of each question, among the paragraphs and the questions."""
        texts = (*self.paragraphs.tokens, *self.questions.tokens)
        frequency = Counter(token for text in texts for token in set(text.ids.tolist()))
        known = [
            np.array([frequency[token] for token in each.ids.tolist()], np.float32) for each in self.questions.tokens
        ]
        return [np.log(1 + (len(texts) - each + 0.5) / (each + 0.5)) for each in known]


@pytest.fixture(scope="module")
def asked() -> Asked:
    own, other = DATA / "xquad.ru.json", DATA / "xquad.en.json"
    if not own.is_file() or not other.is_file():
        pytest.skip(f"the public test data is not here: {own} and {other} (set RICORDO_TEST_DATA)")
    try:
        embedder = load_embedder("multilingual-e5-small")
    except ModelError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    assert embedder is not None
    told = paragraphs(own)
    questions = [(place, question) for place, (_, each) in enumerate(told) for question in each]
    return Asked(
        questions=embedder.encode_queries([question for _, question in questions]),
        paragraphs=embedder.encode_passages([text for text, _ in paragraphs(other)]),
        gold=np.array([place for place, _ in questions]),
    )


def paragraphs(file: Path) -> list[tuple[str, list[str]]]:
    """Each paragraph with its questions."""
    articles = json.loads(file.read_text(encoding="utf-8"))["data"]
    return [
        (paragraph["context"], [question["question"] for question in paragraph["qas"]])
        for article in articles
        for paragraph in article["paragraphs"]
    ]


def exact(question: TokenVectors, weights: Scores, rows: Scores, starts: NDArray[np.intp]) -> Scores:
    """What `maxsim` estimates, in float32; `rows` are of all paragraphs, and `starts` where each begins."""
    scores: Scores = weights / weights.sum() @ np.maximum.reduceat(question.rows @ rows.T, starts, axis=1)
    return scores


def ranks(scores: Scores, gold: NDArray[np.intp]) -> Scores:
    own = scores[np.arange(len(gold)), gold][:, None]
    return np.asarray((scores > own).sum(axis=1) + 1, np.float32)


def test_a_question_in_russian_finds_its_paragraph_in_english_by_vectors_alone(asked: Asked) -> None:
    found = ranks(asked.questions.vectors @ asked.paragraphs.vectors.T, asked.gold)

    sys.stdout.write(f"vectors: R@1 {(found == 1).mean():.4f}, MRR {(1 / found).mean():.4f} of {len(found)}\n")
    assert (found == 1).mean() >= 0.80


def test_a_question_in_russian_finds_its_paragraph_in_english_by_signs_alone(asked: Asked) -> None:
    weights, tokens = asked.weights(), asked.paragraphs.tokens
    texts = [pack(text.rows) for text in tokens]
    rows = np.concatenate([text.rows for text in tokens])
    starts = np.cumsum([0, *(len(text.ids) for text in tokens[:-1])])
    pairs = list(zip(asked.questions.tokens, weights, strict=True))

    by_signs = ranks(np.array([maxsim(each.rows, own, texts) for each, own in pairs]), asked.gold)
    by_floats = ranks(np.array([exact(each, own, rows, starts) for each, own in pairs]), asked.gold)

    for name, found in (("float32", by_floats), ("signs", by_signs)):
        sys.stdout.write(f"{name}: R@1 {(found == 1).mean():.4f}, MRR {(1 / found).mean():.4f} of {len(found)}\n")
    assert (by_floats == 1).mean() >= 0.89
    assert (1 / by_floats).mean() - (1 / by_signs).mean() <= 0.01
