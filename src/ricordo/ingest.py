"""Reading sources into a store: only what changed is read, batches span sources, a bad one stops nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from typing import NamedTuple

from anyio import create_task_group, to_thread

from ricordo.errors import SourceError
from ricordo.memory import Chunk, EventOrigin, Memory, Origin, Reading, digest
from ricordo.protocols import Skipped, Source
from ricordo.remember import Made, Writer
from ricordo.skips import Skip, place_uri
from ricordo.taskerrors import one_error

__all__ = ["EDITION", "Ingested", "Origins", "Progress", "gone", "ingest", "is_news", "noted", "plain", "revision_in"]

BATCH_CHUNKS = 64
READ_AHEAD = 64
EDITION = "@"
"""Stands between the edition and the content of a revision, where a source tells its edition."""
NOTED = "+"
"""Ends the revision of what was read whole and had something to tell: that is told again each time it is read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Origins:
    """How many origins were looked at: those not known before, those read again, and those left as they were."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0

    @property
    def total(self) -> int:
        return self.new + self.changed + self.unchanged


@dataclass(frozen=True, kw_only=True, slots=True)
class Ingested:
    """What an ingest did, or, `rehearsed`, would have done.

    `memories` and `chunks` are all that the sources hold; of the memories, `added` are new and `unchanged`
    were known; `forgotten` is how many earlier ones the sources no longer say.
    """

    memories: int = 0
    chunks: int = 0
    added: int = 0
    unchanged: int = 0
    forgotten: int = 0
    origins: Origins = Origins()
    skipped: tuple[Skipped, ...] = ()
    rehearsed: bool = False


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
    unchanged: int = 0
    forgotten: int = 0
    new: int = 0
    changed: int = 0
    same: int = 0
    skipped: list[Skipped] = field(default_factory=list)

    def ingested(self, *, rehearsed: bool = False) -> Ingested:
        return Ingested(
            memories=self.memories,
            chunks=self.chunks,
            added=self.added,
            unchanged=self.unchanged,
            forgotten=self.forgotten,
            origins=Origins(new=self.new, changed=self.changed, unchanged=self.same),
            skipped=tuple(self.skipped),
            rehearsed=rehearsed,
        )


class _Count(NamedTuple):
    memories: int
    chunks: int


@dataclass(slots=True)
class _Pending:
    """What was read and is not yet written: memories, their chunks, and the readings that end with them."""

    memories: list[Memory] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    uris: set[str] = field(default_factory=set)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Ready:
    """A batch that the embedder has read and that is not yet written."""

    batch: _Pending
    chunks: tuple[Chunk, ...]
    made: Mapping[str, Made]


async def ingest(
    writer: Writer,
    sources: Iterable[Source | Skipped],
    tell: Callable[[Progress], None] | None = None,
    places: Collection[str | PathLike[str]] = (),
) -> Ingested:
    """Read sources into the writer's namespace. Raises StoreError and ModelError; what was written stays.

    A source whose revision is known is not read again, unless it had something to tell. One that loses records is read
    for what it does say, but nothing earlier is forgotten for it, and the next ingest reads it again. Of two copies of
    an origin that tell their editions, the later one counts, whichever is read first. A memory that two origins say is
    written once, for the first. `tell` hears of every source and batch. `places` are the files and folders in which the
    sources were found, all of them: what was skipped before of anything there is no longer told.
    """
    run = _Run(writer, tell, places)
    waiting = iter(sources)
    while (source := await to_thread.run_sync(next, waiting, None)) is not None:
        if isinstance(source, Skipped):
            run.skip(source)
        else:
            await run.take(source)
        run.sources += 1
        run.report()
    await run.settle()
    await writer.note(run.read | frozenset(map(place_uri, places)), run.skips)
    if run.tally.forgotten:
        await writer.purge()
    return run.tally.ingested(rehearsed=writer.rehearses)


def gone(origin: Origin) -> Reading:
    """The reading of an origin that is no more: all that it said is forgotten."""
    return Reading(origin=origin, revision="gone", memory_ids=frozenset())


class _Run:
    """One ingest under way."""

    def __init__(
        self, writer: Writer, tell: Callable[[Progress], None] | None, places: Collection[str | PathLike[str]]
    ) -> None:
        self.writer = writer
        self.tell = tell
        self.places = places
        self.sources = 0
        self.tally = _Tally()
        self.pending = _Pending()
        self.ready: _Ready | None = None
        self.counted: dict[str, _Count] = {}
        self.read: set[str] = set()
        self.skips: list[Skip] = []

    def report(self) -> None:
        if self.tell is not None:
            self.tell(Progress(sources=self.sources, so_far=self.tally.ingested(rehearsed=self.writer.rehearses)))

    def skip(self, *found: Skipped, uri: str | None = None) -> None:
        """These could not be taken in; they are part of the origin, where one is named."""
        self.tally.skipped += found
        self.skips += (Skip.of(each, uri, self.places) for each in found)

    async def take(self, source: Source) -> None:
        try:
            revision = revision_in(await to_thread.run_sync(source.revision), self.writer)
            uri = source.origin.uri
            if any(uri in batch.uris for batch in self._unwritten()):
                await self.settle()  # another copy of it was read a moment ago
            known = await self.writer.store.reading(self.writer.namespace, uri)
            if known is not None and not is_news(revision, known.revision):
                if uri not in self.counted:
                    self.tally.unchanged += known.memories
                self._count(uri, _Count(known.memories, known.chunks))
                self.tally.same += 1
                return
            self._count(uri, await self._read(source, revision, again=known is not None))
            same = known is not None and plain(known.revision) == revision
            self.tally.same += same
            self.tally.changed += known is not None and not same
            self.tally.new += known is None
        except SourceError as error:
            self.read.add(source.origin.uri)
            self.skip(Skipped(where=error.where, why=error.why), uri=source.origin.uri)

    def _count(self, uri: str, count: _Count) -> None:
        """Count what an origin holds; of several copies only the last."""
        before = self.counted.get(uri, _Count(0, 0))
        self.counted[uri] = count
        self.tally.memories += count.memories - before.memories
        self.tally.chunks += count.chunks - before.chunks

    async def _read(self, source: Source, revision: str, *, again: bool) -> _Count:
        said: set[str] = set()
        owners: dict[str, str] = {}
        whole, memories, chunks, before = True, 0, 0, len(self.tally.skipped)
        self.read.add(source.origin.uri)
        items = source.memories()
        while page := await to_thread.run_sync(_page, items):
            faults = [item for item in page if isinstance(item, Skipped)]
            self.skip(*faults, uri=source.origin.uri)
            whole = whole and not any(fault.loses_memories for fault in faults)
            heard = (self.writer.cleaned(item) for item in page if isinstance(item, Memory))
            unheard = {memory.id: memory for memory in heard if memory.id not in said}
            said.update(unheard)
            read = list(unheard.values())
            queued = await self._queue(await self._as_kept(read) if again else read, owners)
            memories, chunks = memories + queued.memories, chunks + queued.chunks
        if whole:
            origin = self.writer.cleaned_origin(source.origin)
            revision = noted(revision) if len(self.tally.skipped) > before else revision
            reading = Reading(origin=origin, revision=revision, memory_ids=frozenset(said))
            self.pending.readings.append(reading)
            self.pending.uris.add(source.origin.uri)
        return _Count(memories, chunks)

    async def _as_kept(self, memories: Sequence[Memory]) -> list[Memory]:
        """The memories, where a file says them still, with what only the store knows of them."""
        store, namespace = self.writer.store, self.writer.namespace
        entries = await store.entries(namespace, [memory.id for memory in memories], None)
        chunk_of = {entry.chunk.memory_id: entry.chunk.id for entry in entries}
        known = {memory.id: memory for _, memory in await store.get(namespace, list(chunk_of.values()))}
        return [_as_before(memory, known[memory.id]) if memory.id in known else memory for memory in memories]

    async def _queue(self, memories: Sequence[Memory], owners: dict[str, str]) -> _Count:
        forgotten = await self.writer.store.tombstones(self.writer.namespace, [memory.id for memory in memories])
        elsewhere = await self._elsewhere(memories)
        kept = [memory for memory in memories if memory.id not in forgotten | elsewhere]
        cut = await to_thread.run_sync(self._cut, kept, owners)
        for memory, chunks in zip(kept, cut, strict=True):
            self.pending.memories.append(memory)
            self.pending.chunks += chunks
            self.pending.uris.add(memory.origin.uri)
            if len(self.pending.chunks) >= BATCH_CHUNKS:
                await self.flush()
                self.report()
        return _Count(len(kept), sum(map(len, cut)))

    async def _elsewhere(self, memories: Sequence[Memory]) -> frozenset[str]:
        """Those that another origin said before, as a forked session says what it began with: they stay with that."""
        uris = {memory.id: memory.origin.uri for memory in memories}
        known = await self.writer.owners(list(uris))
        for batch in self._unwritten():
            known |= {memory.id: memory.origin.uri for memory in batch.memories if memory.id in uris}
        return frozenset(memory_id for memory_id, uri in known.items() if uri != uris[memory_id])

    def _cut(self, memories: Sequence[Memory], owners: dict[str, str]) -> list[tuple[Chunk, ...]]:
        return [self.writer.cut([memory], owners) for memory in memories]

    def _unwritten(self) -> tuple[_Pending, ...]:
        return (self.pending, self.ready.batch) if self.ready else (self.pending,)

    async def flush(self) -> None:
        """Let the embedder read what is pending, and write in the meantime what it read before."""
        ready, batch = self.ready, self.pending
        chunks = tuple({chunk.id: chunk for chunk in batch.chunks}.values())
        with one_error():
            async with create_task_group() as tasks:
                if ready is not None:
                    tasks.start_soon(self._write, ready)
                made = await self.writer.encoded(chunks)
        self.ready, self.pending = _Ready(batch=batch, chunks=chunks, made=made), _Pending()

    async def settle(self) -> None:
        """Write all that was read."""
        await self.flush()
        if self.ready is not None:
            await self._write(self.ready)
            self.ready = None

    async def _write(self, ready: _Ready) -> None:
        """Write a batch in one transaction."""
        batch = ready.batch
        if not batch.memories and not batch.readings:
            return
        added = await self.writer.write(batch.memories, ready.chunks, batch.readings, made=ready.made)
        self.tally.added += len(added.memories)
        self.tally.unchanged += len(batch.memories) - len(added.memories)
        self.tally.forgotten += len(added.forgotten)


def _as_before(memory: Memory, before: Memory) -> Memory:
    """What is buried stays so; and what has no time but that of its file was said when it was first read."""
    if memory.event_origin is EventOrigin.SAID and before.event_origin is EventOrigin.SAID:
        memory = memory.happened(before.event)
    return memory.as_buried(buried=True) if before.buried else memory


def _page(items: Iterator[Memory | Skipped]) -> list[Memory | Skipped]:
    return list(islice(items, READ_AHEAD))


def revision_in(told: str, writer: Writer) -> str:
    """What is stored of a source's revision: its edition as it is, its content and the way of cutting as a digest."""
    edition, mark, content = told.rpartition(EDITION)
    return f"{edition}{mark}{digest(content, writer.way)}"


def noted(revision: str) -> str:
    """The revision of what had something to tell, which no source has: so it is read again."""
    return f"{plain(revision)}{NOTED}"


def plain(revision: str) -> str:
    """The revision of a source, whether or not it had something to tell."""
    return revision.removesuffix(NOTED)


def is_news(revision: str, known: str) -> bool:
    """Whether a revision says anything that a known one does not: other content, in an edition that is no earlier."""
    edition, _, content = revision.rpartition(EDITION)
    known_edition, _, known_content = known.rpartition(EDITION)
    return content != known_content and edition >= known_edition
