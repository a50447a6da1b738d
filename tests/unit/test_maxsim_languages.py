"""Questions in one language about paragraphs in another, by late interaction alone: the measure of token vectors."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from packagedmodels import opened
from publicdata import DATA
from ricordo.exchange import Encoded, TokenVectors
from ricordo.tokenvectors import maxsim, nearest, pack

pytestmark = pytest.mark.slow

Scores = NDArray[np.float32]

TOGETHER = 20


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
    embedder = opened()
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


def scored(
    questions: Sequence[TokenVectors], weights: Sequence[Scores], nearest_to: Callable[[Scores], Scores]
) -> Scores:
    """What `maxsim` makes of each question, many of them at once, for that is three times as quick."""
    scores = []
    for start in range(0, len(questions), TOGETHER):
        together = slice(start, start + TOGETHER)
        nearest_each = nearest_to(np.concatenate([each.rows for each in questions[together]]))
        ends = np.cumsum([len(each) for each in weights[together]])
        for own, each in zip(np.split(nearest_each, ends[:-1], axis=1), weights[together], strict=True):
            scores.append(own @ (each / each.sum()))
    return np.array(scores)


def exactly(rows: Scores, starts: NDArray[np.intp]) -> Callable[[Scores], Scores]:
    """What `nearest` estimates, in float32; `rows` are of all paragraphs, and `starts` where each begins."""
    return lambda tokens: np.asarray(np.maximum.reduceat(rows @ tokens.T, starts, axis=0))


def ranks(scores: Scores, gold: NDArray[np.intp]) -> Scores:
    own = scores[np.arange(len(gold)), gold][:, None]
    return np.asarray((scores > own).sum(axis=1) + 1, np.float32)


def test_a_question_in_russian_finds_its_paragraph_in_english_by_vectors_alone(asked: Asked) -> None:
    found = ranks(asked.questions.vectors @ asked.paragraphs.vectors.T, asked.gold)

    sys.stdout.write(f"vectors: R@1 {(found == 1).mean():.4f}, MRR {(1 / found).mean():.4f} of {len(found)}\n")
    assert (found == 1).mean() >= 0.80


def test_a_question_in_russian_finds_its_paragraph_in_english_by_signs_alone(asked: Asked) -> None:
    questions, weights, tokens = asked.questions.tokens, asked.weights(), asked.paragraphs.tokens
    texts = [pack(text.rows) for text in tokens]
    rows = np.concatenate([text.rows for text in tokens])
    starts = np.cumsum([0, *(len(text.ids) for text in tokens[:-1])])

    estimated = scored(questions, weights, lambda each: nearest(each, texts))
    by_signs = ranks(estimated, asked.gold)
    by_floats = ranks(scored(questions, weights, exactly(rows, starts)), asked.gold)

    for name, found in (("float32", by_floats), ("signs", by_signs)):
        sys.stdout.write(f"{name}: R@1 {(found == 1).mean():.4f}, MRR {(1 / found).mean():.4f} of {len(found)}\n")
    assert estimated[0] == pytest.approx(maxsim(questions[0].rows, weights[0], texts), abs=1e-5)
    assert (by_floats == 1).mean() >= 0.89
    assert (1 / by_floats).mean() - (1 / by_signs).mean() <= 0.01
