"""Variety: what says nearly what a better text has said comes later."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import ricordo
from ricordo.memory import Chunk
from ricordo.query import Candidate, Query, WordMatch, WordMatches
from ricordo.scene import Asked, Scene, build_scene
from ricordo.testing import HashEmbedder, InMemoryStore
from ricordo.variety import said_before

pytestmark = pytest.mark.anyio

FLOOR = 0.5
EAST, NORTH = np.array([1, 0, 0], np.float32), np.array([0, 1, 0], np.float32)

NOTHING = WordMatches(matches=(), chunks=1, mean_length=1.0, mean_context_length=0.0, document_frequency={})


def scene(vectors: list[NDArray[np.float32]], *, text: str = "a note", group: str | None = None) -> Scene:
    candidates = [
        Candidate(
            chunk=Chunk(memory_id=f"m{n}", origin_uri="test:a", text=text, group=group, speaker=group, id=f"c{n}"),
            place=2 * n,
            match=WordMatch(chunk_id=f"c{n}", length=2, counts={}),
            vector=vector,
        )
        for n, vector in enumerate(vectors)
    ]
    asked = Asked(
        text="what", terms={}, identifiers=frozenset(), statistics=NOTHING, lexemes=lambda _: None, vector=EAST
    )
    return build_scene(asked, candidates, {each.chunk.id: 0.0 for each in candidates})


def lost(of: Scene, *scores: float, most: int = 10) -> list[float]:
    costs = said_before(of, {f"c{n}": score for n, score in enumerate(scores)}, FLOOR, most)
    return [round(costs.get(f"c{n}", 0.0), 6) for n in range(len(scores))]


def test_what_says_the_same_as_a_better_one_loses() -> None:
    assert lost(scene([EAST, EAST, NORTH]), 3, 2, 1) == [0, 3, 0]
    assert lost(scene([EAST, EAST, NORTH]), 2, 3, 1) == [3, 0, 0]


def test_what_is_near_loses_in_proportion() -> None:
    leaning = (EAST + NORTH / 2) / np.linalg.norm(EAST + NORTH / 2)
    begin = (1 + FLOOR) / 2

    assert lost(scene([EAST, leaning]), 2, 1) == [0, pytest.approx(3 * (leaning[0] - begin) / (1 - begin))]


def test_what_is_only_of_the_same_subject_loses_nothing() -> None:
    apart = np.array([0.7, 0.714, 0], np.float32)

    assert lost(scene([EAST, apart, NORTH]), 3, 2, 1) == [0, 0, 0]


def test_pages_and_turns_are_left_alone() -> None:
    page = "A page that says much more than a note does. " * 12

    assert lost(scene([EAST, EAST], text=page), 2, 1) == [0, 0]
    assert lost(scene([EAST, EAST], group="talk"), 2, 1) == [0, 0]


def test_beyond_the_best_texts_are_told_apart_from_those_alone() -> None:
    found = scene([EAST, NORTH, NORTH, EAST])

    assert lost(found, 4, 3, 2, 1, most=1) == [0, 0, 0, 3]
    assert lost(found, 4, 3, 2, 1, most=2) == [0, 0, 3, 3]


def test_what_may_not_answer_takes_nothing_from_others() -> None:
    assert said_before(scene([EAST, EAST]), {"c1": 1.0}, FLOOR, 10) == {}


def test_without_vectors_nothing_repeats() -> None:
    bare = replace(scene([EAST, EAST]), vectors=np.zeros((2, 0)))

    assert said_before(bare, {"c0": 2.0, "c1": 1.0}, FLOOR, 10) == {}


@given(st.lists(st.tuples(st.floats(-20, 20), st.floats(0, 6.3)), min_size=1, max_size=12))
def test_the_best_stays_and_no_text_rises(told: list[tuple[float, float]]) -> None:
    vectors = [np.array([np.cos(angle), np.sin(angle), 0], np.float32) for _, angle in told]
    scores = [score for score, _ in told]

    costs = lost(scene(vectors), *scores)

    assert costs[int(np.argmax(scores))] == 0
    assert all(0 <= cost <= 3.000001 for cost in costs)


PLAYS = [f"The school play about Mercury is on day {day}, the choir sings" for day in range(14)]
LEAD = "Vera Frost answers for Mercury now"


async def test_what_is_said_over_and_over_leaves_room_for_the_rest() -> None:
    async with ricordo.open(InMemoryStore(), embedder=HashEmbedder()) as memory:
        for text in (*PLAYS, LEAD):
            await memory.remember(text)

        found = await memory.recall("the play and the lead of Mercury")
        alike = await replace(memory.reader, variety=False).recall(Query(text="the play and the lead of Mercury"))

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
