"""Copy everything from one store to another: memories with their versions, chunks, vectors, readings, tombstones.

The source is only read. Work goes page by page; a page that the target holds already is passed over, so that a
move which was broken off goes on where it stopped, and each page is read back and compared once it is written.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol, runtime_checkable

from ricordo.errors import StoreError
from ricordo.memory import Json, Memory, Origin, Reading, digest
from ricordo.protocols import Batch, Entry, Store, Tombstone
from ricordo.successions import Successions

__all__ = ["Loadable", "Moved", "Moving", "move"]

PAGE = 200


@runtime_checkable
class Loadable(Protocol):
    """A store that is quicker to fill when it knows that much is coming."""

    def loading(self) -> AbstractAsyncContextManager[None]: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Moving:
    """How far a move has come: memories done, of how many."""

    memories: int
    total: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Moved:
    """What the target holds of the source now; `present` of the memories were there before.

    `checksum` is over all of it, as read back from the target, and equals that of the source.
    """

    memories: int = 0
    present: int = 0
    chunks: int = 0
    vectors: int = 0
    tombstones: int = 0
    checksum: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Page:
    """Memories of one namespace with their entries, once for each embedder."""

    memories: tuple[Memory, ...]
    entries: Mapping[str | None, tuple[Entry, ...]]

    @property
    def chunks(self) -> int:
        return len(self.entries[None])

    @property
    def vectors(self) -> int:
        return sum(entry.vector is not None for entries in self.entries.values() for entry in entries)

    def checksum(self) -> str:
        memories = sorted(_fields_of_memory(memory) for memory in self.memories)
        entries = sorted(
            _fields_of_entry(entry, fingerprint) for fingerprint, found in self.entries.items() for entry in found
        )
        return digest(*memories, *entries)

    def as_far_as(self, source: _Page) -> _Page:
        """What can be compared once the source's page is written.

        That is without what replaced a memory, where that comes on
        a later page, and without vectors that the target has and the source has not."""
        ids = {memory.id for memory in source.memories}
        pending = {memory.id for memory in source.memories if memory.superseded_by not in ids}
        return _Page(
            memories=tuple(
                replace(memory, superseded_by=None, updated_at=memory.created_at) if memory.id in pending else memory
                for memory in self.memories
            ),
            entries={
                key: _made_alike(entries, {entry.chunk.id: entry for entry in source.entries[key]})
                for key, entries in self.entries.items()
            },
        )


@dataclass(slots=True)
class _Run:
    source: Store
    target: Store
    fingerprints: Sequence[str]
    total: int
    tell: Callable[[Moving], None] | None
    moved: Moved = field(default_factory=Moved)
    origins: dict[tuple[str, str], Origin] = field(default_factory=dict)
    said: defaultdict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    replaced: dict[tuple[str, str], str] = field(default_factory=dict)
    successions: Successions = field(default_factory=Successions)

    async def take(self, namespace: str, items: Sequence[Memory | Tombstone]) -> None:
        memories = await self._not_forgotten(namespace, [item for item in items if isinstance(item, Memory)])
        tombstones = [item for item in items if isinstance(item, Tombstone)]
        if memories:
            await self._take_memories(namespace, memories)
        if tombstones:
            await self._take_tombstones(namespace, tombstones)
        if self.tell is not None:
            self.tell(Moving(memories=self.moved.memories, total=self.total))

    async def _not_forgotten(self, namespace: str, memories: Sequence[Memory]) -> list[Memory]:
        """Without what was forgotten in the target, where it stays forgotten."""
        forgotten = await self.target.tombstones(namespace, [memory.id for memory in memories])
        return [memory for memory in memories if memory.id not in forgotten]

    async def _take_memories(self, namespace: str, memories: Sequence[Memory]) -> None:
        page = await self._page(self.source, namespace, memories)
        wanted = page.as_far_as(page).checksum()
        present = await self._checksum_in_target(namespace, page) == wanted
        written = self.successions.complete(namespace, memories)
        if not present:
            for batch in _batches(page, written):
                await self.target.add(namespace, batch)
            if await self._checksum_in_target(namespace, page) != wanted:
                raise StoreError(
                    f"namespace {namespace!r}: what was written near memory {memories[0].id} is not what was read; "
                    "the source is untouched: run `ricordo doctor` on both stores"
                )
        for memory in memories:
            key = (namespace, memory.origin.uri)
            self.origins[key] = memory.origin
            self.said[key].add(memory.id)
            if memory.superseded_by is not None:
                self.replaced[namespace, memory.id] = memory.superseded_by
        self.moved = replace(
            self.moved,
            memories=self.moved.memories + len(memories),
            present=self.moved.present + len(memories) * present,
            chunks=self.moved.chunks + page.chunks,
            vectors=self.moved.vectors + page.vectors,
            checksum=digest(self.moved.checksum, namespace, wanted),
        )

    async def _take_tombstones(self, namespace: str, tombstones: Sequence[Tombstone]) -> None:
        await self.target.bury(namespace, tombstones)
        ids = [tombstone.memory_id for tombstone in tombstones]
        kept = await self.target.tombstones(namespace, ids)
        for memory_id in sorted(frozenset(ids) - kept):
            if not await self.target.history(namespace, memory_id):  # it was told there since
                raise StoreError(
                    f"namespace {namespace!r}: tombstones were not kept; run `ricordo doctor` on the target"
                )
        self.moved = replace(self.moved, tombstones=self.moved.tombstones + len(kept))

    async def _page(self, store: Store, namespace: str, memories: Sequence[Memory]) -> _Page:
        ids = [memory.id for memory in memories]
        entries = {key: await store.entries(namespace, ids, key) for key in (None, *self.fingerprints)}
        return _Page(memories=tuple(memories), entries=entries)

    async def _checksum_in_target(self, namespace: str, page: _Page) -> str:
        chunk_ids = [entry.chunk.id for entry in page.entries[None]]
        found = {memory.id: memory for _, memory in await self.target.get(namespace, chunk_ids)}
        if len(found) != len(page.memories):
            return ""
        there = await self._page(self.target, namespace, list(found.values()))
        return there.as_far_as(page).checksum()

    async def close_readings(self, wanted: str | None) -> None:
        """See that what was replaced is replaced in the target too, which a page by itself cannot tell; and let the
        target know which origins were read whole, but forget nothing there for it.
        """
        async for namespace, item in self.target.dump(wanted):
            if not isinstance(item, Memory):
                continue
            if item.superseded_by is None and (successor := self.replaced.get((namespace, item.id))):
                await self._excuse(namespace, item, successor)
            if (namespace, item.origin.uri) in self.said:
                self.said[namespace, item.origin.uri].add(item.id)
        for (namespace, uri), ids in self.said.items():
            known = await self.source.reading(namespace, uri)
            if known is not None and await self.target.reading(namespace, uri) is None:
                origin = self.origins[namespace, uri]
                reading = Reading(origin=origin, revision=known.revision, memory_ids=frozenset(ids))
                await self.target.add(namespace, Batch(readings=(reading,)))

    async def _excuse(self, namespace: str, memory: Memory, successor: str) -> None:
        """A memory that was replaced may be current again where its successor was forgotten. Raises StoreError."""
        if not await self.target.tombstones(namespace, [successor]):
            raise StoreError(
                f"namespace {namespace!r}: memory {memory.id} was replaced in the source and counts as current in "
                "the target; the source is untouched: run `ricordo doctor` on both stores"
            )


async def move(
    source: Store, target: Store, *, namespace: str | None = None, tell: Callable[[Moving], None] | None = None
) -> Moved:
    """Copy everything, or all of one namespace. Both stores are open; what else the target holds stays,
    and what was forgotten there stays forgotten.

    `tell` is called after each page. Raises StoreError, also when what was read back is not what was written.
    """
    stats = await source.stats()
    total = stats.memories if namespace is None else stats.namespaces.get(namespace, 0)
    run = _Run(
        source=source,
        target=target,
        fingerprints=sorted({*stats.embedders, *stats.token_embedders}),
        total=total,
        tell=tell,
    )
    async with target.loading() if isinstance(target, Loadable) else nullcontext():
        async for name, items in _pages(source.dump(namespace)):
            await run.take(name, items)
    await run.close_readings(namespace)
    return run.moved


async def _pages(
    dump: AsyncIterator[tuple[str, Memory | Tombstone]],
) -> AsyncIterator[tuple[str, list[Memory | Tombstone]]]:
    """The items of a dump by namespace, at most a page at a time, in order."""
    current, items = "", list[Memory | Tombstone]()
    async for namespace, item in dump:
        if items and (namespace != current or len(items) == PAGE):
            yield current, items
            items = []
        current = namespace
        items.append(item)
    if items:
        yield current, items


def _made_alike(entries: Iterable[Entry], wanted: Mapping[str, Entry]) -> tuple[Entry, ...]:
    """The entries with no more vectors than those of the same chunks that are wanted."""
    return tuple(
        replace(
            entry,
            vector=entry.vector if like is not None and like.vector is not None else None,
            tokens=entry.tokens if like is not None and like.tokens is not None else None,
        )
        for entry in entries
        for like in (wanted.get(entry.chunk.id),)
    )


def _batches(page: _Page, memories: tuple[Memory, ...]) -> Iterable[Batch]:
    yield Batch(memories=memories, entries=page.entries[None])
    for fingerprint, entries in page.entries.items():
        made = tuple(entry for entry in entries if entry.vector is not None or entry.tokens is not None)
        if made:
            yield Batch(entries=made, fingerprint=fingerprint, token_fingerprint=fingerprint)


def _fields_of_memory(memory: Memory) -> str:
    return _told(
        memory.id,
        memory.text,
        memory.context,
        memory.origin.kind,
        memory.origin.uri,
        memory.group,
        memory.speaker,
        memory.position,
        memory.created_at,
        memory.updated_at,
        memory.event_timestamp,
        memory.event_end,
        memory.event_grain,
        memory.event_origin,
        list(memory.tags),
        dict(memory.metadata),
        memory.supersedes,
        memory.superseded_by,
    )


def _fields_of_entry(entry: Entry, fingerprint: str | None) -> str:
    chunk, vector = entry.chunk, entry.vector
    return _told(
        chunk.id,
        chunk.memory_id,
        chunk.text,
        chunk.context,
        chunk.position,
        sorted(entry.lexemes),
        sorted(entry.context_lexemes),
        fingerprint if vector is not None or entry.tokens is not None else None,
        None if vector is None else [float(number) for number in vector],
        None if entry.tokens is None else entry.tokens.hex(),
    )


def _told(*values: object) -> str:
    """Equal values make equal texts, whichever store they come from."""
    return json.dumps([_plain(value) for value in values], ensure_ascii=False, sort_keys=True)


def _plain(value: object) -> Json:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if value is None or isinstance(value, bool | int | str):
        return value
    raise TypeError(type(value).__name__)
