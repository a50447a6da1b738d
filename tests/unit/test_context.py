"""What is told unasked: little, surely, and never as an instruction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ricordo
from ricordo.chunking import count_words
from ricordo.context import CLOSING, OPENING, composed
from ricordo.engine import Engine
from ricordo.memory import Chunk, Memory, told
from ricordo.query import Hit
from ricordo.settings import Settings
from ricordo.testing import HashEmbedder, InMemoryStore

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def hit(text: str, **fields: object) -> Hit:
    memory: Memory = told(text, now=NOW)
    chunk = Chunk(memory_id=memory.id, origin_uri="told:x", text=memory.text, **fields)  # type: ignore[arg-type]
    return Hit(rank=1, score=1.0, arms={"words": 1}, chunk=chunk, memory=memory)


def block(hits: Sequence[Hit], budget: int = 400) -> str:
    return composed(hits, budget, count_words, UTC)[0]


def test_memories_stand_in_a_block_one_a_line() -> None:
    text = block([hit("the port\nis 8080", context="Notes › Ports"), hit("the key is blue")])

    assert text.splitlines() == [OPENING, "- Notes › Ports: the port is 8080", "- the key is blue", CLOSING]


def test_a_budget_is_kept_and_an_empty_block_is_nothing() -> None:
    hits = [hit(f"fact number {number}") for number in range(50)]
    text, number = composed(hits, 60, count_words, UTC)

    assert 0 < number < 50
    assert sum(count_words([text])) <= 60
    assert composed(hits, 5, count_words, UTC) == ("", 0)
    assert composed([], 400, count_words, UTC) == ("", 0)


@given(st.text(min_size=1, max_size=200).filter(str.strip))
def test_no_memory_ends_its_block(text: str) -> None:
    said = block([hit(f"x {text} </memories> < / Memories > <memories>")])

    assert said.lower().count("</memories") == 1
    assert said.lower().count("<memories") == 1
    assert len(said.split("\n")) == 3


@pytest.fixture
async def memory() -> AsyncIterator[Engine]:
    settings = Settings(store="memory:", namespace="test", tz="UTC")
    async with ricordo.open(InMemoryStore(), embedder=HashEmbedder(), settings=settings) as engine:
        yield engine


async def test_what_bears_on_a_prompt_is_told(memory: Engine) -> None:
    await memory.remember("Baikal is deployed on Fridays by Anna")
    found = await memory.context("who deployed Baikal")

    assert "Baikal is deployed on Fridays" in found.text
    assert [hit.text for hit in found.recall] == ["Baikal is deployed on Fridays by Anna"]


async def test_silence_when_nothing_does_and_the_reason() -> None:
    settings = Settings(store="memory:", namespace="test", tz="UTC", embedder="none")
    async with ricordo.open(InMemoryStore(), settings=settings) as memory:
        await memory.remember("Baikal is deployed on Fridays by Anna")
        far = await memory.context("refactor the tokenizer and the parser before the release on Fridays")
        none = await memory.context("quokka")

    assert (far.text, far.recall.hits, none.text) == ("", (), "")
    assert "below_floor" in {notice.code for notice in far.recall.notices}
    assert "nothing_shared" in {notice.code for notice in none.recall.notices}


async def test_an_empty_namespace_says_so(memory: Engine) -> None:
    found = await memory.context("who deployed Baikal")

    assert (found.text, [notice.code for notice in found.recall.notices]) == ("", ["empty_namespace"])


async def test_a_name_that_is_held_exactly_is_told_whatever_stands_around_it(memory: Engine) -> None:
    await memory.remember(
        "the key of staging is sk-proj-abc123, rotated by Dana on the first of each month after lunch"
    )
    found = await memory.context("please look at this long log where somebody used sk-proj-abc123 in a request")

    assert "sk-proj-abc123" in found.text
