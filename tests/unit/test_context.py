"""What is told unasked: little, surely, and never as an instruction."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

import ricordo
from ricordo.engine import Engine
from ricordo.settings import Settings
from ricordo.testing import HashEmbedder, InMemoryStore

pytestmark = pytest.mark.anyio


@pytest.fixture
async def memory() -> AsyncIterator[Engine]:
    settings = Settings(store="memory:", namespace="test", tz="UTC")
    async with ricordo.open(InMemoryStore(), embedder=HashEmbedder(), settings=settings) as engine:
        yield engine


async def test_what_bears_on_a_prompt_is_told(memory: Engine) -> None:
    await memory.remember("Baikal is deployed on Fridays by Anna")
    found = await memory.context("who deployed Baikal")

    assert found.text.startswith("<ricordo ")
    assert "\n> Baikal is deployed on Fridays by Anna\n" in found.text
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


async def test_a_budget_is_kept_and_what_it_has_no_room_for_is_not_among_the_hits(memory: Engine) -> None:
    for number in range(5):
        await memory.remember(f"Baikal is deployed on Fridays by person number {number}")
    some = await memory.context("who deployed Baikal on Fridays", budget=80)
    none = await memory.context("who deployed Baikal on Fridays", budget=5)

    assert 0 < len(some.recall) < 5
    assert "cut at 80 tokens" in some.text
    assert (none.text, len(none.recall), none.recall.notices[-1].code) == ("", 0, "budget_too_small")
