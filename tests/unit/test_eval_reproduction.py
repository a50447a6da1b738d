"""Through the engine, with the analyzer of those who measured them, known numbers come out again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from ricordo.eval.agent_memory import agent_memory
from ricordo.eval.datasets import Dataset
from ricordo.eval.harness import Plan, Rung, evaluate
from ricordo.eval.locomo import read_locomo
from ricordo.eval.metrics import means
from ricordo.eval.squad import read_squad
from ricordo.settings import Settings

pytestmark = pytest.mark.slow

WORDS = (Rung(name="words", arms=frozenset({"words"}), weighed=False, times=False),)


def measured(dataset: Dataset, analyzer: str) -> dict[str, float]:
    plan = Plan(settings=Settings(embedder="none"), analyzer=analyzer, ladder=WORDS)
    return means([answer.outcome for answer in anyio.run(evaluate, dataset, plan).whole])


def test_bm25_on_locomo(data: Path) -> None:
    found = measured(read_locomo(data / "locomo-dev.json", text="plain"), "snowball-english")

    known = {"recall@1": 0.311, "recall@5": 0.512, "recall@10": 0.591, "mrr": 0.430, "ndcg@10": 0.453}
    assert {name: found[name] for name in known} == pytest.approx(known, abs=0.01)


@pytest.mark.parametrize(
    ("language", "stemmer", "known"), [("en", "english", 0.9645), ("es", "spanish", 0.9598), ("ru", "russian", 0.9525)]
)
def test_bm25_on_xquad(data: Path, language: str, stemmer: str, known: float) -> None:
    found = measured(read_squad(data / f"xquad.{language}.json"), f"snowball-{stemmer}")

    assert found["ndcg@10"] == pytest.approx(known, abs=0.005)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_words_tell_an_identifier_from_its_near_duplicates(split: str) -> None:
    whole = agent_memory(split)
    (collection,) = whole.collections
    asked = tuple(question for question in collection.questions if question.category == "identifiers")
    dataset = replace(whole, collections=(replace(collection, questions=asked),))

    assert len(asked) == 120
    assert measured(dataset, "standard")["recall@1"] > 0.95
