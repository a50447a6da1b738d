"""A move copies everything, leaves its source alone, and can be broken off and begun again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from ricordo.errors import StoreError
from ricordo.memory import Memory, Origin, Reading, told
from ricordo.move import Moving, move
from ricordo.protocols import Added, Batch, Entry, Store, Tombstone
from ricordo.query import EVERYTHING, Variant
from ricordo.remember import Writer
from ricordo.stores import open_store
from ricordo.testing import HashEmbedder, InMemoryStore, WholeChunker

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 1, tzinfo=UTC)
FILE = Origin(kind="text", uri="file:///notes/a.txt", title="a")
OTHER_MODEL = "model-b/2"


@pytest.fixture
async def stores(tmp_path: Path, postgres_url: str) -> AsyncIterator[dict[str, Store]]:
    opened = {
        "memory": open_store("memory:"),
        "sqlite": open_store(f"sqlite:///{tmp_path / 'store.db'}"),
        "postgres": open_store(postgres_url),
    }
    for store in opened.values():
        await store.open()
    yield opened
    for store in opened.values():
        await store.close()


async def fill(store: Store, count: int = 450) -> None:
    """Versions, a file that was read whole, vectors of two models, two namespaces, a tombstone."""
    writer = Writer(store=store, chunker=WholeChunker(), embedder=HashEmbedder(), namespace="a")
    first = told("port 8080", now=NOW, tags=("net",), metadata={"n": 1.5, "big": 1e22, "deep": {"x": [None, "ü"]}})
    second = told("port 9090", now=NOW, supersedes=first)
    lines = [
        Memory(text=f"line {number}", origin=FILE, created_at=NOW, updated_at=NOW, position=number, context="Notes")
        for number in range(count)
    ]
    gone = told("gone", now=NOW)
    for page in ([first, gone], [second]):
        await writer.write(page, writer.cut(page))
    reading = Reading(origin=FILE, revision="1", memory_ids=frozenset(line.id for line in lines))
    await writer.write(lines, writer.cut(lines), [reading])
    elsewhere = replace(writer, namespace="b")
    await elsewhere.write([first], writer.cut([first]))
    (entry,) = await store.entries("a", [second.id], None)
    other = replace(entry, vector=np.array([0, 1], np.float32))
    await store.add("a", Batch(entries=(other,), fingerprint=OTHER_MODEL))
    await store.forget("a", [gone.id], NOW)
    await store.bury("c", [Tombstone(memory_id="never-here", forgotten_at=NOW)])


async def content(store: Store) -> tuple[list[object], dict[str, int], int]:
    stats = await store.stats()
    return sorted([item async for item in store.dump()], key=repr), dict(stats.embedders), stats.chunks


@pytest.mark.parametrize(("start", "end"), list(permutations(("memory", "sqlite", "postgres"), 2)))
async def test_everything_arrives_and_the_source_stays_as_it_was(
    stores: dict[str, Store], start: str, end: str
) -> None:
    source, target = stores[start], stores[end]
    await fill(source)
    before = await content(source)
    told_of: list[Moving] = []
    moved = await move(source, target, tell=told_of.append)

    assert await content(source) == before
    assert await content(target) == before
    assert (moved.memories, moved.present, moved.chunks, moved.vectors, moved.tombstones) == (453, 0, 453, 454, 2)
    assert told_of[-1] == Moving(memories=453, total=453)
    assert await target.reading("a", FILE.uri) == await source.reading("a", FILE.uri)
    assert all(OTHER_MODEL in fault.what for fault in await target.check())  # it has read but one chunk
    (vector,) = HashEmbedder().embed_queries(["port"])
    variant = Variant(text="", vector=vector, fingerprint=HashEmbedder.fingerprint)
    assert await target.by_vector("a", variant, EVERYTHING, 5) == await source.by_vector("a", variant, EVERYTHING, 5)


async def test_moving_again_writes_nothing(stores: dict[str, Store]) -> None:
    await fill(stores["sqlite"])
    first = await move(stores["sqlite"], stores["postgres"])
    second = await move(stores["sqlite"], stores["postgres"])

    assert second == replace(first, present=453)


class Broken(InMemoryStore):
    """A store whose server goes away after some pages."""

    pages = 6

    async def add(self, namespace: str, batch: Batch) -> Added:
        self.pages -= 1
        if self.pages < 0:
            raise StoreError("away")
        return await super().add(namespace, batch)


async def test_a_move_that_was_broken_off_goes_on(stores: dict[str, Store]) -> None:
    await fill(stores["sqlite"])
    target = Broken()
    await target.open()
    with pytest.raises(StoreError, match="away"):
        await move(stores["sqlite"], target)
    target.pages = 1000
    moved = await move(stores["sqlite"], target)

    assert 0 < moved.present < moved.memories == 453
    assert await content(target) == await content(stores["sqlite"])


class Forgetful(InMemoryStore):
    """A store that loses a word of what it was given."""

    async def entries(self, namespace: str, memory_ids: Sequence[str], fingerprint: str | None) -> tuple[Entry, ...]:
        found = await super().entries(namespace, memory_ids, fingerprint)
        return tuple(replace(entry, lexemes=entry.lexemes[1:]) for entry in found)


async def test_a_copy_that_differs_is_told(stores: dict[str, Store]) -> None:
    await fill(stores["memory"])
    target = Forgetful()
    await target.open()
    with pytest.raises(StoreError, match="not what was read"):
        await move(stores["memory"], target)


class Unlinked(InMemoryStore):
    """A store that loses what replaced a memory, where that came with a later page."""

    async def dump(self, namespace: str | None = None) -> AsyncIterator[tuple[str, Memory | Tombstone]]:
        async for name, item in super().dump(namespace):
            yield name, replace(item, superseded_by=None) if isinstance(item, Memory) else item


async def test_a_copy_that_lost_what_replaced_a_memory_is_told(stores: dict[str, Store]) -> None:
    await fill(stores["memory"])
    target = Unlinked()
    await target.open()
    with pytest.raises(StoreError, match="counts as current"):
        await move(stores["memory"], target)


async def test_what_was_forgotten_in_the_target_stays_forgotten(stores: dict[str, Store]) -> None:
    await fill(stores["sqlite"], count=3)
    await move(stores["sqlite"], stores["memory"])
    line = Memory(text="line 1", origin=FILE, created_at=NOW, updated_at=NOW, position=1, context="Notes")
    await stores["memory"].forget("a", [line.id], NOW)
    moved = await move(stores["sqlite"], stores["memory"])

    assert (moved.memories, moved.present) == (5, 5)
    assert await stores["memory"].tombstones("a", [line.id]) == {line.id}


async def test_what_the_target_holds_already_stays(stores: dict[str, Store]) -> None:
    await fill(stores["sqlite"])
    own = [Memory(text="only here", origin=FILE, created_at=NOW, updated_at=NOW)]
    writer = Writer(store=stores["memory"], chunker=WholeChunker(), embedder=None, namespace="a")
    await writer.write(own, writer.cut(own))
    await move(stores["sqlite"], stores["memory"])

    assert await stores["memory"].memory("a", own[0].id) == own[0]


@pytest.mark.parametrize("end", ["memory", "sqlite", "postgres"])
async def test_what_was_replaced_since_a_move_is_replaced_by_the_next(stores: dict[str, Store], end: str) -> None:
    source, target = InMemoryStore(), stores[end]
    await source.open()
    writer = Writer(store=source, chunker=WholeChunker(), embedder=HashEmbedder(), namespace="a")
    notes = [told(f"note {number}", now=NOW) for number in range(210)]
    await writer.write(notes, writer.cut(notes))
    await move(source, target)
    newer = told("note 3 stands no more", now=NOW + timedelta(days=1), supersedes=notes[3])
    await writer.write([newer], writer.cut([newer]))
    await move(source, target)

    assert await content(target) == await content(source)
    assert [version.id for version in await target.history("a", newer.id)] == [notes[3].id, newer.id]


@pytest.mark.parametrize("end", ["memory", "sqlite", "postgres"])
async def test_what_was_replaced_twice_since_a_move_keeps_its_times(stores: dict[str, Store], end: str) -> None:
    source, target = InMemoryStore(), stores[end]
    await source.open()
    writer = Writer(store=source, chunker=WholeChunker(), embedder=None, namespace="a")
    first = told("port 8080", now=NOW)
    second = told("port 9090", now=NOW + timedelta(days=1), supersedes=first)
    third = told("port 7070", now=NOW + timedelta(days=2), supersedes=second)
    for version in (first, second, third):
        await writer.write([version], writer.cut([version]))
        if version is not second:
            await move(source, target)

    assert await target.history("a", first.id) == await source.history("a", first.id)


@pytest.mark.parametrize("end", ["memory", "sqlite", "postgres"])
async def test_vectors_that_the_source_has_dropped_stay_in_the_target(stores: dict[str, Store], end: str) -> None:
    source, target = InMemoryStore(), stores[end]
    await source.open()
    await fill(source, 3)
    await move(source, target)
    vectors = (await target.stats()).embedders
    await source.drop_vectors("a", HashEmbedder.fingerprint)
    await move(source, target)

    assert (await target.stats()).embedders == vectors
