"""Broken off between two pages, an import and a move leave a store that is whole, and can be begun again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

import ricordo
from ricordo.engine import Engine
from ricordo.move import Moving, move
from ricordo.protocols import Store
from ricordo.stores import open_store
from ricordo.testing import HashEmbedder, InMemoryStore
from trustworthy import NOW

pytestmark = pytest.mark.anyio


class Ticking:
    """A clock that goes on whenever it is looked at."""

    now = NOW

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path / 'memory.db'}"


@pytest.fixture
def source() -> InMemoryStore:
    return InMemoryStore()


@pytest.fixture
async def memory(source: InMemoryStore) -> AsyncIterator[Engine]:
    async with ricordo.open(source, embedder=HashEmbedder(), clock=Ticking()) as engine:
        yield engine


async def revised_far_apart(memory: Engine, between: int) -> str:
    """Three versions of a memory, with so many others between any two; the id of the first."""
    first = await memory.remember("The lake is cold")
    for version in ("The lake is warm", "The lake is frozen"):
        for number in range(between):
            await memory.remember(f"{version}, says witness {number}")
        await memory.revise(first.id, version)
    return first.id


def cut_after(lines: Sequence[str], number: int) -> Iterator[str]:
    yield from lines[:number]
    raise OSError("the disk is gone")


def cut_at(number: int, moving: Moving) -> None:
    if moving.memories == number:
        raise OSError("the disk is gone")


async def content(store: Store) -> list[str]:
    return sorted([repr(item) async for item in store.dump()])


async def test_an_import_that_is_broken_off_hides_nothing(memory: Engine, url: str) -> None:
    await revised_far_apart(memory, between=70)
    lines = [line async for line in memory.export()]

    async with ricordo.open(url, embedder=HashEmbedder()) as other:
        for number in (70, 135):
            with pytest.raises(OSError, match="the disk is gone"):
                await other.load(cut_after(lines, number))
            assert await other.check() == ()
        assert (await other.recall("How is the lake?", limit=1)).hits
        await other.load(lines)
        assert await other.check() == ()
        assert sorted([line async for line in other.export()]) == sorted(lines)


async def test_a_move_that_is_broken_off_hides_nothing(memory: Engine, source: InMemoryStore, url: str) -> None:
    lake = await revised_far_apart(memory, between=210)
    target = open_store(url)
    await target.open()

    for number in (200, 400):
        with pytest.raises(OSError, match="the disk is gone"):
            await move(source, target, tell=partial(cut_at, number))
        assert await target.check() == ()
    await move(source, target)

    assert await target.check() == ()
    assert await target.history("default", lake) == await memory.history(lake)
    assert await content(target) == await content(source)
    await target.close()
