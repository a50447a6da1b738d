"""Why a text answers a question, word by word."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ricordo
from ricordo.engine import Engine
from ricordo.errors import NotFound
from ricordo.exchange import Entry, TokenVectors
from ricordo.explain import explain
from ricordo.meeting import meetings, places
from ricordo.query import Query
from ricordo.testing import HashEmbedder, InMemoryStore

SAID = "Dana's door code is 4471"


@pytest.fixture
async def memory() -> AsyncIterator[Engine]:
    async with ricordo.open(InMemoryStore(), embedder=HashEmbedder()) as engine:
        yield engine


def tokens(**words: tuple[float, float]) -> TokenVectors:
    rows = np.array(list(words.values()), np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return TokenVectors(ids=np.zeros(len(rows), np.int32), rows=rows, words=tuple(words))


# --- words ---


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        (["dana", "s", "door"], "Dana's door", ["Dana", "s", "door"]),
        (["creme", "brulee"], "Crème brûlée", ["Crème", "brûlée"]),
        (["strasse"], "Die Straße", ["Straße"]),
        (["baikal", "baikal", "lake"], "Baikal: a lake", ["Baikal", "Baikal", "lake"]),
        (["elsewhere", "lake"], "a lake", [None, "lake"]),
        (["the", "pool", "the", "end"], "the pool, the end", ["the", "pool", "the", "end"]),
        (["code?", "lake."], "(Code) of the lake...", ["Code", "lake"]),
        ([], "a lake", []),
    ],
)
def test_words_are_seen_again_in_the_text(words: list[str], text: str, found: list[str | None]) -> None:
    assert [text[where[0] : where[1]] if where else None for where in places(words, text)] == found


@given(text=st.text(), words=st.lists(st.text(max_size=5)))
def test_places_lie_in_the_text_and_in_order(text: str, words: list[str]) -> None:
    found = [where for where in places(words, text) if where]

    assert all(0 <= start < end <= len(text) for start, end in found)
    assert found == sorted(found)


def test_a_word_meets_the_nearest_of_the_text() -> None:
    question = tokens(entry=(1, 0.1), number=(0.1, 1))
    found = meetings(question, tokens(door=(1, 0), code=(0.5, 0.6), is_=(-1, -1), x=(0, 1)), "door code is_ x")

    assert [(each.asked, each.found, each.start) for each in found] == [("entry", "door", 0), ("number", "x", 14)]
    assert all(0 <= each.strength <= 1 for each in found)


def test_what_stands_in_the_context_has_no_place_in_the_text() -> None:
    (found,) = meetings(tokens(a=(1, 0)), tokens(title=(1, 0), body=(0, 1)), "title\nbody", begins=6)

    assert (found.found, found.start, found.end) == ("title", None, None)


def test_a_text_of_no_tokens_meets_nothing() -> None:
    assert meetings(tokens(a=(1, 0)), TokenVectors.none(2), "...") == ()


# --- an answer ---


@pytest.mark.anyio
async def test_an_answer_is_explained_by_its_terms_and_its_words(memory: Engine) -> None:
    await memory.remember("the pool has 20 connections")
    told = await memory.remember(SAID)

    found = await explain(memory.reader, Query(text="what is the code of the door"), told.id)

    assert {"door", "code"} <= {term.term for term in found.terms}
    assert [term.score for term in found.terms] == sorted((term.score for term in found.terms), reverse=True)
    assert {("door", "door"), ("code", "code")} <= {
        (each.asked, SAID[each.start : each.end]) for each in found.meetings if each.start is not None
    }
    assert not {"what", "is", "the"} & {each.asked for each in found.meetings}


@pytest.mark.anyio
async def test_the_scores_of_its_terms_are_what_the_words_arm_ranks_by(memory: Engine) -> None:
    long, short = await memory.remember(f"{SAID}, says the note on the fridge"), await memory.remember("the door code")
    query = Query(text="door code")
    totals = {
        each.id: sum(term.score for term in (await explain(memory.reader, query, each.id)).terms)
        for each in (long, short)
    }
    ranked = sorted(await memory.recall("door code"), key=lambda hit: hit.arms["words"])

    assert sorted(totals, key=lambda memory_id: -totals[memory_id]) == [hit.id for hit in ranked]


@pytest.mark.anyio
async def test_without_a_model_only_terms_explain() -> None:
    async with ricordo.open(InMemoryStore(), embedder="none") as memory:
        told = await memory.remember(SAID)
        found = await explain(memory.reader, Query(text="door"), told.id)

    assert (found.meetings, "door" in {term.term for term in found.terms}) == ((), True)


@pytest.mark.anyio
async def test_a_chunk_of_another_memory_explains_nothing(memory: Engine) -> None:
    told = await memory.remember(SAID)
    with pytest.raises(NotFound, match="chunk"):
        await explain(memory.reader, Query(text="door"), told.id, "0" * 24)


class Forgetful(InMemoryStore):
    """Where somebody forgets a memory as soon as its entries were read."""

    async def entries(self, namespace: str, memory_ids: Sequence[str], fingerprint: str | None) -> tuple[Entry, ...]:
        found = await super().entries(namespace, memory_ids, fingerprint)
        await self.forget(namespace, memory_ids, datetime.now(UTC))
        return found


@pytest.mark.anyio
async def test_what_is_forgotten_meanwhile_is_not_found() -> None:
    async with ricordo.open(Forgetful(), embedder="none") as memory:
        told = await memory.remember(SAID)
        with pytest.raises(NotFound, match="meanwhile"):
            await explain(memory.reader, Query(text="door"), told.id)
