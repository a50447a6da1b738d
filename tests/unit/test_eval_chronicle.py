"""The chronicle benchmark: its gold, how varied it is, and that reading times is what it measures."""

from __future__ import annotations

from collections import Counter
from datetime import UTC
from random import Random

import anyio
import pytest

from packagedmodels import opened
from ricordo.eval.chronicle import chronicle
from ricordo.eval.chronicle_times import KINDS, NOW
from ricordo.eval.datasets import Collection, Dataset, Question
from ricordo.eval.harness import TIMES, Plan, evaluate
from ricordo.eval.metrics import means
from ricordo.memory import Memory
from ricordo.settings import Settings
from ricordo.timeparse import read_times


@pytest.fixture(scope="module")
def collection() -> Collection:
    (found,) = chronicle().collections
    return found


def test_there_are_3000_records_of_three_years_in_two_languages(collection: Collection) -> None:
    events = [memory.event_timestamp for memory in collection.memories if memory.event_timestamp]

    assert len({memory.id for memory in collection.memories}) == len(events) == 3000
    assert (min(events).year, max(events) < NOW) == (2023, True)
    assert Counter(is_russian(memory.text) for memory in collection.memories) == {True: 1500, False: 1500}


def test_there_are_25_questions_of_each_of_twelve_kinds_half_of_them_russian(collection: Collection) -> None:
    assert Counter(question.category for question in collection.questions) == dict.fromkeys(KINDS, 25)
    assert len(KINDS) == 12
    assert 140 <= sum(is_russian(question.text) for question in collection.questions) <= 160


def test_it_is_the_same_every_time(collection: Collection) -> None:
    assert chronicle().collections == (collection,)


def test_all_of_a_deed_share_the_words_and_only_some_answer(collection: Collection) -> None:
    by_id = {memory.id: memory for memory in collection.memories}
    by_deed: dict[str, set[str]] = {}
    for memory in collection.memories:
        by_deed.setdefault(deed(memory), set()).add(memory.id)

    for question in collection.questions:
        (asked,) = {deed(by_id[memory_id]) for memory_id in question.relevant}
        assert 1 <= len(question.relevant) <= 10
        assert question.relevant < by_deed[asked]


def test_no_record_tells_its_time(collection: Collection) -> None:
    for memory in collection.memories[::50]:
        assert read_times(memory.text, now=NOW, zone=UTC).times == ()


def test_what_is_meant_lies_in_the_past() -> None:
    random = Random(1)
    for make in filter(None, KINDS.values()):
        ranges = [make(random).range for _ in range(100)]
        assert all(each.start is None or each.start < NOW for each in ranges)


def is_russian(text: str) -> bool:
    return any("а" <= letter <= "я" for letter in text.lower())


def deed(memory: Memory) -> str:
    return memory.origin.uri.rpartition("/")[0]


def run(dataset: Dataset) -> dict[str, float]:
    plan = Plan(settings=Settings(embedder="none"), ladder=TIMES)
    answers = anyio.run(evaluate, dataset, plan).answers
    return {name: means([answer.outcome for answer in each])["recall@10"] for name, each in answers.items()}


@pytest.mark.slow
def test_reading_times_tells_what_happened_then_from_all_else(collection: Collection) -> None:
    some: list[Question] = list(collection.questions[::10])
    small = Dataset(
        name="some",
        collections=(Collection(name="some", memories=collection.memories, questions=tuple(some)),),
        now=NOW,
    )
    found = run(small)

    assert list(found) == ["no time", "all"]
    assert found["all"] >= 0.97
    assert found["no time"] < 0.75


@pytest.mark.slow
def test_of_what_was_said_alike_the_first_and_the_latest_come_first_by_evidence_too(collection: Collection) -> None:
    opened()
    some = collection.memories[:600]
    asked = tuple(
        each
        for each in collection.questions
        if each.category == "order" and each.relevant <= {memory.id for memory in some}
    )
    told = Dataset(name="order", collections=(Collection(name="order", memories=some, questions=asked),), now=NOW)

    whole = anyio.run(evaluate, told, Plan(settings=Settings(), ladder=TIMES[-1:])).whole

    assert [answer.outcome.ranks for answer in whole] == [(1,)] * 5
