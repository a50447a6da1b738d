"""Fitting weights: what answers comes to stand first, each kind of text is weighed by itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from ricordo.eval.datasets import EPOCH, Collection, Dataset, Question
from ricordo.eval.fit import Lesson, Pooled, fit, held_out, outcomes, spreads
from ricordo.eval.metrics import means
from ricordo.eval.mixture import MIXTURE, mixture
from ricordo.memory import Memory, Origin
from ricordo.scene import KINDS
from ricordo.weigh import Measured

RANDOM = np.random.default_rng(3)


def pool(kind: int, telling: str, *, number: int = 0) -> Pooled:
    """Ten candidates of a kind; the gold one stands out in one feature, and the other is noise."""
    ids = tuple(f"m{number}-{place}" for place in range(10))
    gold = np.arange(10) == number % 10
    features = {name: RANDOM.standard_normal(10) + 3 * (gold & (name == telling)) for name in ("asks", "words")}
    question = Question(id=f"q{number}", text="?", relevant=frozenset({ids[number % 10]}))
    kinds = np.tile(np.eye(len(KINDS))[kind], (10, 1))
    return Pooled(question=question, measured=Measured(ids=ids, features=features, kinds=kinds), gold=gold)


def lesson(name: str, kind: int, telling: str) -> Lesson:
    pools = [pool(kind, telling, number=number) for number in range(60)]
    return Lesson(name=name, parts={f"{name} 1": pools[:30], f"{name} 2": pools[30:]})


def test_each_kind_of_text_is_weighed_by_what_tells_among_its_own() -> None:
    lessons = [lesson("chats", 0, "asks"), lesson("notes", 1, "words")]
    model = fit(lessons, spreads(lessons))

    assert model.weights["conversation"]["asks"] > 1 > abs(model.weights["conversation"].get("words", 0.0))
    assert model.weights["note"]["words"] > 1 > abs(model.weights["note"]["asks"])
    assert means(outcomes(lessons[1].pools, model))["recall@1"] > 0.8


def test_weights_dare_more_where_more_questions_tell() -> None:
    few, many = (Lesson(name="notes", parts={"all": lesson("notes", 1, "words").pools[:count]}) for count in (6, 60))
    counted = [fit([each], {"asks": 1.0, "words": 3.0}).weights["note"]["words"] for each in (few, many)]

    assert 0 < counted[0] < counted[1]


def test_what_is_not_answered_by_anything_in_its_pool_teaches_nothing() -> None:
    blank = replace(pool(1, "words"), gold=np.zeros(10, np.bool_))
    weights = fit([Lesson(name="notes", parts={"all": [blank]})], {"asks": 1.0, "words": 1.0}).weights["note"]

    assert weights == {"identifiers": weights["identifiers"]}


def test_what_no_lesson_shows_of_a_kind_counts_as_in_a_conversation() -> None:
    lessons = [lesson("chats", 0, "asks")]
    model = fit(lessons, spreads(lessons))

    assert model.weights.keys() == set(KINDS)
    assert model.weights["page"] == model.weights["conversation"]


def test_what_is_left_out_is_left_out_of_the_mixture_too() -> None:
    chats, mixed = lesson("chats", 0, "asks"), lesson("chats", 0, "asks")
    taught = Lesson(name=MIXTURE, parts=mixed.parts)
    usual = spreads([chats])

    found = held_out([chats, taught], usual)
    apart = [
        each
        for name in chats.parts
        for each in outcomes(chats.parts[name], fit([chats.without(name), taught.without(name)], usual))
    ]
    assert found == {"chats": apart}


def dataset(name: str, memories: int, questions: int) -> Dataset:
    said = tuple(
        Memory(
            text=f"{name} says {number}",
            origin=Origin(kind="test", uri=f"test:{name}"),
            created_at=EPOCH,
            updated_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        for number in range(memories)
    )
    asked = tuple(
        Question(id=f"{number}", text=f"{number}?", relevant=frozenset({said[-1 - number].id}))
        for number in range(questions)
    )
    return Dataset(name=name, collections=(Collection(name=name, memories=said, questions=asked),))


@pytest.mark.parametrize(("memories", "questions"), [(10, 3), (4_000, 200)])
def test_a_mixture_holds_the_answers_to_all_it_asks(memories: int, questions: int) -> None:
    mixed = mixture([dataset("one", memories, questions), dataset("other", memories, questions)])
    (collection,) = mixed.collections
    held = {memory.id for memory in collection.memories}

    assert {each.category for each in collection.questions} == {"one", "other"}
    assert len({each.id for each in collection.questions}) == len(collection.questions)
    assert all(each.relevant <= held for each in collection.questions)
    assert {len(each.relevant) for each in collection.questions} == {2}, "both ask the same"
    assert len(collection.memories) <= 2 * 1_600
