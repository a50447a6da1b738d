"""Variety: what says nearly what a better text has said comes later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ricordo
from ricordo.evidence import Bearing
from ricordo.memory import Chunk, Memory, Origin
from ricordo.query import Filters, Hit, Query
from ricordo.scene import Floats
from ricordo.testing import HashEmbedder, InMemoryStore
from ricordo.variety import varied

pytestmark = pytest.mark.anyio

FLOOR = 0.5
EAST, NORTH = np.array([1.0, 0, 0]), np.array([0, 1.0, 0])


def hit(number: int, score: float, *, withheld: bool = False) -> Hit:
    when = datetime(2026, 3, 5, tzinfo=UTC)
    origin = Origin(kind="test", uri="test:a")
    memory = Memory(text="a note", origin=origin, created_at=when, updated_at=when, id=f"m{number}")
    chunk = Chunk(memory_id=memory.id, origin_uri="test:a", text="a note", id=f"c{number}")
    return Hit(rank=0, score=score, arms={}, chunk=chunk, memory=memory.as_buried(buried=withheld))


def near(vectors: Sequence[Floats], note: float = 1.0) -> dict[str, Bearing]:
    return {
        f"c{number}": Bearing(cosine=0.5, share=0.5, held=frozenset(), note=note, vector=vector)
        for number, vector in enumerate(vectors)
    }


def lost(bearing: dict[str, Bearing], *scores: float) -> list[float]:
    """What each loses; the hits are given best first, as they are arranged."""
    hits = sorted((hit(number, score) for number, score in enumerate(scores)), key=lambda each: -each.score)
    costs = {each.id: -each.parts.get("said before", 0.0) for each in varied(hits, bearing, FLOOR)}
    return [round(costs[f"m{number}"], 6) for number in range(len(scores))]


def test_what_says_the_same_as_a_better_one_loses() -> None:
    assert lost(near([EAST, EAST, NORTH]), 3, 2, 1) == [0, 3, 0]
    assert lost(near([EAST, EAST, NORTH]), 2, 3, 1) == [3, 0, 0]


def test_hits_come_by_what_is_left_and_parts_say_what_was_lost() -> None:
    found = varied([hit(0, 3), hit(1, 2), hit(2, 1)], near([EAST, EAST, NORTH]), FLOOR)

    assert [(each.id, each.score, dict(each.parts)) for each in found] == [
        ("m0", 3, {}),
        ("m2", 1, {}),
        ("m1", -1, {"said before": -3}),
    ]


def test_what_is_near_loses_in_proportion() -> None:
    leaning = (EAST + NORTH / 2) / np.linalg.norm(EAST + NORTH / 2)
    begin = (1 + FLOOR) / 2

    assert lost(near([EAST, leaning]), 2, 1) == [0, pytest.approx(3 * (leaning[0] - begin) / (1 - begin))]


def test_what_is_only_of_the_same_subject_loses_nothing() -> None:
    apart = np.array([0.7, 0.714, 0])

    assert lost(near([EAST, apart, NORTH]), 3, 2, 1) == [0, 0, 0]


def test_pages_and_turns_and_what_is_unknown_are_left_alone() -> None:
    assert lost(near([EAST, EAST], note=0.0), 2, 1) == [0, 0]
    assert lost({}, 2, 1) == [0, 0]
    assert varied([], {}, FLOOR) == []


def test_of_two_equally_good_ones_the_first_keeps_its_place() -> None:
    found = varied([hit(1, 1), hit(0, 1)], near([EAST, EAST]), FLOOR)

    assert [each.id for each in found] == ["m1", "m0"]


def test_what_is_withheld_stays_last_and_takes_nothing_from_others() -> None:
    found = varied([hit(1, 2), hit(0, 3, withheld=True)], near([EAST, EAST]), FLOOR)

    assert [(each.id, each.score) for each in found] == [("m1", 2), ("m0", 3)]


@given(st.lists(st.tuples(st.floats(-20, 20), st.floats(0, 6.3)), min_size=1, max_size=12))
def test_the_best_stays_and_no_text_rises(told: list[tuple[float, float]]) -> None:
    vectors = [np.array([np.cos(angle), np.sin(angle), 0]) for _, angle in told]
    scores = [score for score, _ in told]

    costs = lost(near(vectors), *scores)

    assert costs[int(np.argmax(scores))] == 0
    assert all(0 <= cost <= 3.000001 for cost in costs)


PLAYS = [f"The school play about Mercury is on day {day}, the choir sings" for day in range(14)]
LEAD = "Vera Frost answers for Mercury now"


async def test_what_is_said_over_and_over_leaves_room_for_the_rest() -> None:
    async with ricordo.open(InMemoryStore(), embedder=HashEmbedder()) as memory:
        for text in (*PLAYS, LEAD):
            await memory.remember(text)

        found = await memory.recall("the school play about Mercury")
        alike = await replace(memory.reader, variety=False).recall(Query(text="the school play about Mercury"))

    assert LEAD in [hit.text for hit in found.hits]
    assert LEAD not in [hit.text for hit in alike.hits]
    assert found.hits[0].text == alike.hits[0].text
    assert found.hits[-1].parts["said before"] < 0


async def test_what_is_asked_in_its_order_or_of_a_time_is_told_whole() -> None:
    async with ricordo.open(InMemoryStore(), embedder=HashEmbedder()) as memory:
        for text in (*PLAYS, LEAD):
            await memory.remember(text, event_timestamp=datetime(2026, 3, 5, tzinfo=UTC))

        for asked in ("the first play of Mercury", "the play of Mercury in March 2026"):
            found = await memory.recall(asked)
            assert not any("said before" in hit.parts for hit in found.hits)


async def test_what_is_buried_takes_nothing_from_what_is_right() -> None:
    async with ricordo.open(InMemoryStore(), embedder=HashEmbedder()) as memory:
        wrong = await memory.remember("the gate code of the house is 4711")
        right = await memory.remember("the gate code of the house is 4812")
        await memory.bury([wrong.id])
        found = await memory.recall("the gate code of the house")

    assert [hit.id for hit in found.hits] == [right.id, wrong.id]
    assert "said before" not in found.hits[0].parts


async def test_versions_that_are_asked_for_are_told_whole() -> None:
    async with ricordo.open(InMemoryStore(), embedder=HashEmbedder()) as memory:
        old = await memory.remember("the gate code of the house is 4711")
        await memory.remember("the gate code of the house is 4812", supersedes=old.id)
        found = await memory.recall("the gate code of the house", filters=Filters(superseded=True))

    assert len(found.hits) == 2
    assert not any("said before" in hit.parts for hit in found.hits)
