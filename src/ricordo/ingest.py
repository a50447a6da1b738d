"""Reading sources into a store: only what changed is read, batches span files, a bad file stops nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from anyio import to_thread

from ricordo.errors import SourceError
from ricordo.memory import Chunk, Memory, Reading, digest
from ricordo.protocols import Skipped, Source
from ricordo.remember import Writer

__all__ = ["Ingested", "Progress", "ingest"]

BATCH_CHUNKS = 64
READ_AHEAD = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Ingested:
    """What an ingest did.

    `memories` and `chunks` are all that the sources hold; of the memories, `added` are new and `unchanged`
    were known; `forgotten` is how many earlier ones the sources no longer say.
    """

    memories: int = 0
    chunks: int = 0
    added: int = 0
    unchanged: int = 0
    forgotten: int = 0
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """How far an ingest has come: sources done, and what it has done so far."""

    sources: int
    so_far: Ingested


@dataclass(slots=True)
class _Tally:
    memories: int = 0
    chunks: int = 0
    added: int = 0
    forgotten: int = 0
    skipped: list[Skipped] = field(default_factory=list)

    def ingested(self) -> Ingested:
        return Ingested(
            memories=self.memories,
            chunks=self.chunks,
            added=self.added,
            unchanged=self.memories - self.added,
            forgotten=self.forgotten,
            skipped=tuple(self.skipped),
        )


@dataclass(slots=True)
class _Pending:
    """What was read and is not yet written: memories, their chunks, and the readings that end with them."""

    memories: list[Memory] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)


async def ingest(
    writer: Writer, sources: Iterable[Source | Skipped], tell: Callable[[Progress], None] | None = None
) -> Ingested:
    """Read sources into the writer's namespace. Raises StoreError and ModelError; what was written stays.

    A source whose revision is known is not read again. One that loses records is read for what it
    does say, but nothing earlier is forgotten for it, and the next ingest reads it again.
    """
    run = _Run(writer)
    for number, source in enumerate(sources, start=1):
        if isinstance(source, Skipped):
            run.tally.skipped.append(source)
        else:
            await run.take(source)
        if tell is not None:
            tell(Progress(sources=number, so_far=run.tally.ingested()))
    await run.flush()
    if run.tally.forgotten:
        await writer.store.purge()
    return run.tally.ingested()


class _Run:
    """One ingest under way."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.tally = _Tally()
        self.pending = _Pending()
        self.owners: dict[str, str] = {}

    async def take(self, source: Source) -> None:
        try:
            revision = digest(await to_thread.run_sync(source.revision), self.writer.chunker.name)
            known = await self.writer.store.reading(self.writer.namespace, source.origin.uri)
            if known is not None and known.revision == revision:
                self.tally.memories += known.memories
                self.tally.chunks += known.chunks
                return
            await self._read(source, revision)
        except SourceError as error:
            self.tally.skipped.append(Skipped(where=error.where, why=error.why))

    async def _read(self, source: Source, revision: str) -> None:
        said: set[str] = set()
        whole = True
        items = source.memories()
        while page := await to_thread.run_sync(_page, items):
            faults = [item for item in page if isinstance(item, Skipped)]
            self.tally.skipped += faults
            whole = whole and not any(fault.loses_memories for fault in faults)
            memories = [item for item in page if isinstance(item, Memory) and item.id not in said]
            said.update(memory.id for memory in memories)
            await self._queue(memories)
        if whole:
            reading = Reading(origin=source.origin, revision=revision, memory_ids=frozenset(said))
            self.pending.readings.append(reading)

    async def _queue(self, memories: list[Memory]) -> None:
        forgotten = await self.writer.store.tombstones(self.writer.namespace, [memory.id for memory in memories])
        for memory in memories:
            if memory.id in forgotten:
                continue
            chunks = await to_thread.run_sync(self.writer.cut, [memory], self.owners)
            self.pending.memories.append(memory)
            self.pending.chunks += chunks
            if len(self.pending.chunks) >= BATCH_CHUNKS:
                await self.flush()

    async def flush(self) -> None:
        """Write what is pending in one transaction."""
        pending, self.pending = self.pending, _Pending()
        if not pending.memories and not pending.readings:
            return
        chunks = tuple({chunk.id: chunk for chunk in pending.chunks}.values())
        added = await self.writer.write(pending.memories, chunks, pending.readings)
        self.tally.memories += len(pending.memories)
        self.tally.chunks += len(chunks)
        self.tally.added += len(added.memories)
        self.tally.forgotten += len(added.forgotten)


def _page(items: Iterator[Memory | Skipped]) -> list[Memory | Skipped]:
    return list(islice(items, READ_AHEAD))
