"""What its owner buried is kept, found last, and told to nobody unasked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import ricordo
from ricordo.engine import Engine
from ricordo.errors import NotFound
from ricordo.hooks.telling import brief
from ricordo.hooks.workplace import Workplace
from ricordo.memory import BURIED
from ricordo.query import Filters
from ricordo.settings import Settings
from ricordo.testing import HashEmbedder, InMemoryStore

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


@pytest.fixture(params=["memory:", "sqlite"])
async def memory(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Engine]:
    store = InMemoryStore() if request.param == "memory:" else f"sqlite:///{tmp_path / 'm.db'}"
    settings = Settings(store="memory:" if request.param == "memory:" else str(store), tz="UTC")
    async with ricordo.open(store, embedder=HashEmbedder(), settings=settings, clock=lambda: NOW) as engine:
        yield engine


async def test_it_is_found_last_and_told_to_nobody_unasked(memory: Engine) -> None:
    old = await memory.remember("the walnut cake is the cake for Ana")
    other = await memory.remember("the cake for Ana: no walnut, hazelnut")
    assert [hit.id for hit in await memory.recall("the walnut cake for Ana")] == [old.id, other.id]
    await memory.bury([old.id[:10]])

    assert [hit.id for hit in await memory.recall("the walnut cake for Ana")] == [other.id, old.id]
    assert [hit.id for hit in (await memory.context("the walnut cake for Ana")).recall] == [other.id]


async def test_a_session_does_not_begin_with_it(memory: Engine) -> None:
    first = await memory.remember("the cake is for Ana")
    await memory.remember("the tea is for Ben")
    await memory.bury([first.id])

    told = await brief(memory, Workplace(personal=memory.namespace), NOW)

    assert ("tea" in told, "cake" in told) == (True, False)


async def test_what_is_unburied_is_as_it_was(memory: Engine) -> None:
    before = (await memory.remember("the cake is for Ana", tags=["food"], metadata={"n": 1})).memory
    await memory.bury([before.id])
    assert (await memory.show(before.id)).metadata == {"n": 1, BURIED: True}
    await memory.bury([before.id], undo=True)

    assert await memory.show(before.id) == before


async def test_all_versions_are_buried_and_when_they_held_is_not_changed(memory: Engine) -> None:
    first = await memory.remember("the cake is for Ana")
    second = await memory.revise(first.id, "the cake is for Ben")
    before = await memory.history(first.id)

    assert await memory.bury([second.id]) == tuple(sorted([first.id, second.id]))
    assert await memory.history(first.id) == tuple(replace(each, metadata={BURIED: True}) for each in before)


async def test_what_is_corrected_stays_buried(memory: Engine) -> None:
    first = await memory.remember("the cake is for Ana")
    await memory.bury([first.id])

    assert (await memory.revise(first.id, "the cake is for Ben")).buried


async def test_it_stays_buried_when_its_file_is_read_again(memory: Engine, tmp_path: Path) -> None:
    file = tmp_path / "cakes.md"
    file.write_text("# Ana\n\nWalnut.\n", encoding="utf-8")
    await memory.ingest([file])
    (hit,) = await memory.recall("walnut")
    await memory.bury([hit.id])
    file.write_text("# Ana\n\nWalnut.\n\n# Ben\n\nLemon.\n", encoding="utf-8")
    await memory.ingest([file])

    found = {hit.text.rpartition("\n")[2]: hit.memory.buried for hit in await memory.recall("walnut lemon")}
    assert found == {"Walnut.": True, "Lemon.": False}


async def test_all_that_is_buried_can_be_listed(memory: Engine) -> None:
    first = await memory.remember("the cake is for Ana")
    await memory.remember("the tea is for Ben")
    await memory.bury([first.id])

    found = await memory.timeline(filters=Filters(metadata={BURIED: True}))

    assert [each.id for each in found.memories] == [first.id]


async def test_nothing_is_buried_when_one_is_unknown(memory: Engine) -> None:
    first = await memory.remember("the cake is for Ana")
    with pytest.raises(NotFound):
        await memory.bury([first.id, "ffff"])

    assert not (await memory.show(first.id)).buried
