"""The facade: open · remember · recall · revise · forget · ingest · close. Wiring and lifetime only."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from os import PathLike
from types import TracebackType

from anyio import to_thread

from ricordo import transfer
from ricordo.analyzer import STANDARD, Analyzer
from ricordo.chunking import count_words
from ricordo.context import BUDGET, BUDGET_TOO_SMALL, MOST, Context
from ricordo.embedding import Dropped, Embedded, Embedding, drop, embed
from ricordo.equipment import chosen_embedder, reader_for, writer_for
from ricordo.errors import InvalidInput
from ricordo.ingest import Ingested, Progress
from ricordo.intake import Given, take_in
from ricordo.memory import EventTime, Json, Memory, told
from ricordo.protocols import Embedder, Fault, Skipped, Source, Stats, Store
from ricordo.query import EVERYTHING, Filters, Notice, Query, Recall
from ricordo.queued import Queue
from ricordo.quoting import block, fitted, quote
from ricordo.recall import Reader
from ricordo.remember import Remembered
from ricordo.settings import Settings, load_settings
from ricordo.skips import Skip, SkipRecord, record_of
from ricordo.sources import find_sources
from ricordo.stores import open_store
from ricordo.timeline import Timeline, of_namespace, of_topic
from ricordo.watch import Patience, Watched, watch
from ricordo.window import utc_now

__all__ = ["Engine", "Remembered", "open"]


def open(
    store: str | Store | None = None,
    *,
    namespace: str | None = None,
    embedder: str | Embedder | None = None,
    settings: Settings | None = None,
    analyzer: Analyzer = STANDARD,
    clock: Callable[[], datetime] = utc_now,
) -> Engine:
    """A memory, to be used as `async with ricordo.open(...) as memory`.

    `store` is a URL such as `sqlite:///memory.db`, `embedder` the name of a model, `auto` or `none`; both may
    also be objects that keep the promises of `ricordo.protocols`. What is not given comes from the environment
    and `config.toml`; `settings`, when given, stands for all of these. `clock` tells now, in aware UTC;
    `analyzer` must be the one that the namespace was written with.

    Raises InvalidInput for a URL no store has; entering raises StoreError and ModelError.
    """
    chosen = settings or load_settings(
        {
            "store": store if isinstance(store, str) else None,
            "namespace": namespace,
            "embedder": embedder if isinstance(embedder, str) else None,
        }
    )
    opened = open_store(chosen.store) if store is None or isinstance(store, str) else store
    return Engine(
        settings=chosen,
        store=opened,
        skips=None if opened is store else record_of(chosen),
        embedder=None if isinstance(embedder, str) else embedder,
        analyzer=analyzer,
        clock=clock,
    )


class Engine:
    """One namespace of one store, with the models that serve it. Made by `ricordo.open`."""

    def __init__(
        self,
        *,
        settings: Settings,
        store: Store,
        embedder: Embedder | None,
        analyzer: Analyzer,
        clock: Callable[[], datetime],
        skips: SkipRecord | None = None,
    ) -> None:
        self.settings = settings
        self._store = store
        self._embedder = embedder
        self._analyzer = analyzer
        self._clock = clock
        self._skips = skips

    async def __aenter__(self) -> Engine:
        embedder: Embedder | None = self._embedder
        notices: tuple[Notice, ...] = ()
        if embedder is None:
            embedder, notices = await to_thread.run_sync(chosen_embedder, self.settings)
        self._embedder_in_use = embedder
        await self._store.open()
        self._writer = writer_for(self.settings, self._store, embedder, self._analyzer, self._skips)
        self._reader = reader_for(self._writer, self.settings, self._clock, notices)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the store."""
        await self._store.close()

    def within(self, namespace: str) -> Engine:
        """The same open store and models for another namespace; both close as one. Raises ConfigError."""
        other = Engine(
            settings=replace(self.settings, namespace=namespace),
            store=self._store,
            embedder=self._embedder_in_use,
            analyzer=self._analyzer,
            clock=self._clock,
            skips=self._skips,
        )
        other._embedder_in_use, other._reader = self._embedder_in_use, self._reader
        other._writer = replace(self._writer, namespace=namespace)
        return other

    @property
    def namespace(self) -> str:
        return self.settings.namespace

    @property
    def reader(self) -> Reader:
        """The read path in use. `replace(memory.reader, arms=...)` leaves parts out, to measure what they are worth."""
        return self._reader

    @property
    def queue(self) -> Queue:
        """Files that wait to be read into this namespace, by this process or by others."""
        return Queue(writer=self._writer, find=partial(self._find, named=False))

    async def remember(
        self,
        text: str,
        *,
        event_timestamp: datetime | EventTime | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Json] | None = None,
        supersedes: str | None = None,
    ) -> Remembered:
        """Remember a text, perhaps in place of the memory whose id `supersedes` is, or begins.

        When it happened is told by `event_timestamp`, else by the text ("yesterday"), else it is now. Saying the same
        again changes nothing, unless it was replaced since: then it is true again. Raises InvalidInput for an empty
        text, for a time without zone, and when what is to be replaced was replaced before; NotFound.
        """
        old = await self.show(supersedes) if supersedes else None
        memory = self._told(text, event_timestamp, tags=tuple(tags), metadata=metadata, supersedes=old)
        if old is not None and old.superseded_by not in (None, memory.id):
            raise InvalidInput(f"{old.id} was replaced by {old.superseded_by}; that one can be replaced")
        created = await self._add(memory)
        if created:
            return Remembered(memory=memory, created=True)
        versions = await self._store.history(self.namespace, memory.id)
        current = versions[-1]
        if current.text == memory.text:
            return Remembered(memory=current, created=False)
        return Remembered(memory=await self.revise(current.id, text, event_timestamp=event_timestamp), created=True)

    async def recall(
        self, text: str, *, limit: int = 10, filters: Filters = EVERYTHING, history: bool = False
    ) -> Recall:
        """The memories that answer a question, best first; with `history` each with all its versions.

        A time that the question names is a filter, unless the filters name one. Raises InvalidInput for a limit
        outside 1…1000, ModelError, StoreError.
        """
        query = Query(text=text, namespace=self.namespace, limit=limit, filters=filters, history=history)
        return await self._reader.recall(query)

    async def context(
        self, prompt: str, *, limit: int = MOST, budget: int = BUDGET, filters: Filters = EVERYTHING
    ) -> Context:
        """What to put before a prompt unasked: memories that surely bear on it, in `budget` tokens; mostly nothing.

        No second model reads them, and what is not near enough is left out. Raises InvalidInput for a limit
        outside 1…1000, ModelError, StoreError.
        """
        query = Query(text=prompt, namespace=self.namespace, limit=limit, filters=filters)
        found = await self._reader.context(query)
        count = self._embedder_in_use.count_tokens if self._embedder_in_use else count_words
        quotes = [quote(hit, self._clock(), self.settings.zone()) for hit in found.hits]
        told = await to_thread.run_sync(fitted, quotes, budget, count)
        notices = found.notices if told.quotes or not quotes else (*found.notices, BUDGET_TOO_SMALL)
        hits = found.hits[: len(told.quotes)]
        return Context(recall=replace(found, hits=hits, notices=notices), text=block(told))

    async def revise(self, memory_id: str, text: str, *, event_timestamp: datetime | EventTime | None = None) -> Memory:
        """Put a new text in a memory's place; the old version is kept in its history.

        The new version keeps the old one's tags and metadata. Its event time is its own, found as `remember` does:
        what it says became true then. Raises NotFound, and InvalidInput for an empty text.
        """
        current = (await self.history(memory_id))[-1]
        revised = self._told(text, event_timestamp, tags=current.tags, metadata=current.metadata, supersedes=current)
        await self._add(revised)
        return revised

    async def timeline(self, topic: str | None = None, *, limit: int = 20, filters: Filters = EVERYTHING) -> Timeline:
        """What happened, earliest first: the latest memories of the namespace, or those that a topic finds.

        With `filters.superseded` old versions too. Raises InvalidInput for a limit outside 1…1000, ModelError,
        StoreError.
        """
        query = Query(
            text=topic or "", namespace=self.namespace, limit=limit, filters=filters, history=filters.superseded
        )
        if topic is None:
            return await of_namespace(self._store, self.namespace, filters, limit)
        return of_topic(query, await self._reader.recall(query))

    async def forget(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Remove memories for good, with all their versions; each id may be the beginning of one.

        Returns the ids removed. Raises NotFound before anything is removed if one of them is unknown.
        """
        memories = [await self.show(memory_id) for memory_id in ids]
        return tuple(sorted(await self._writer.forget(memories, self._clock())))

    async def bury(self, ids: Sequence[str], *, undo: bool = False) -> tuple[str, ...]:
        """Keep memories, with all their versions, behind everything else that is found, and never tell them unasked.

        With `undo` they are as any other again. Each id may be the beginning of one. Returns the ids of all versions.
        Raises NotFound before anything is changed if one of them is unknown.
        """
        lines = [await self.history(memory_id) for memory_id in ids]
        return await self._writer.bury([version for line in lines for version in line], buried=not undo)

    async def restore(self, memories: Sequence[Memory]) -> tuple[str, ...]:
        """Put memories that were just forgotten back as they were, versions before what superseded them.

        Returns the ids that were not here. Raises StoreError, ModelError.
        """
        chunks = await to_thread.run_sync(self._writer.cut, list(memories))
        added = await self._writer.write(memories, chunks, anew=True)
        return tuple(sorted(added.memories))

    async def ingest(
        self,
        paths: Iterable[Given],
        *,
        tell: Callable[[Progress], None] | None = None,
        dry_run: bool = False,
        prune: bool = False,
    ) -> Ingested:
        """Read files and folders, and then any given as objects that keep the promises of `Source`, or `Skipped`.

        What is known is not read again; what a source no longer says is forgotten, and with `prune` what was read from
        files in these folders that are gone. With `dry_run` nothing is written. `tell` is called after each source
        and each batch. Raises StoreError, ModelError.
        """
        return await take_in(self._writer, paths, self._find, tell, dry_run=dry_run, prune=prune)

    async def skipped(self) -> tuple[Skip, ...]:
        """What the last reading of each source could not take in, where and why, the latest first."""
        return await to_thread.run_sync(self._skips.latest, self.namespace) if self._skips else ()

    async def watch(
        self,
        paths: Iterable[str | PathLike[str]],
        *,
        tell: Callable[[Watched], None] | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Ingest files and folders, and go on with whatever changes there, until cancelled.

        What was read from a file that is moved moves with it, and is forgotten when the file is gone for good. `tell`
        hears of the first reading and of all that changed anything since. Raises MissingExtra without watchfiles,
        InvalidInput for a path that cannot be followed, StoreError, ModelError.
        """
        await watch(self._writer, paths, partial(self._find, named=False), tell, patience)

    async def show(self, memory_id: str) -> Memory:
        """The memory whose id is, or begins with, `memory_id`. Raises NotFound, InvalidInput."""
        return await self._store.memory(self.namespace, memory_id)

    async def history(self, memory_id: str) -> tuple[Memory, ...]:
        """All versions of a memory, first to current. Raises NotFound, InvalidInput."""
        memory = await self.show(memory_id)
        return await self._store.history(self.namespace, memory.id)

    async def stats(self) -> Stats:
        """Counts over the whole store."""
        return await self._store.stats()

    async def check(self) -> tuple[Fault, ...]:
        """What is not whole in the store; empty when all is well."""
        return await self._store.check()

    async def embed(self, *, everything: bool = False, tell: Callable[[Embedding], None] | None = None) -> Embedded:
        """Make the vectors by the embedder in force that memories of this namespace, or of every one, lack.

        Raises InvalidInput without an embedder, ModelError.
        """
        return await embed(self._writer, everything=everything, tell=tell)

    async def drop_vectors(self, name: str, *, everything: bool = False) -> Dropped:
        """Drop the vectors and token vectors, here or everywhere, of a model or of a fingerprint that begins so.

        Raises InvalidInput for those of the embedder in force.
        """
        return await drop(self._writer, name, everything=everything)

    async def export(self, *, everything: bool = False) -> AsyncIterator[str]:
        """This namespace, or every one, as lines of JSON: all but vectors."""
        yield transfer.header()
        async for namespace, item in self._store.dump(None if everything else self.namespace):
            yield transfer.to_line(namespace, item)

    async def load(self, lines: Iterable[str], *, where: str = "import") -> Ingested:
        """Import an export, each line into the namespace it names; importing twice changes nothing.

        Raises InvalidInput when the lines are no export; a bad line is skipped and reported.
        """
        return await transfer.load(self._writer, transfer.read_lines(lines, where))

    def _find(self, paths: Iterable[str | PathLike[str]], *, named: bool = True) -> Iterator[Source | Skipped]:
        read_by = self._reader.calendar
        return find_sources(paths, now=read_by.clock(), zone=read_by.zone, options=read_by.options, named=named)

    def _told(
        self,
        text: str,
        stated: datetime | EventTime | None,
        *,
        tags: tuple[str, ...],
        metadata: Mapping[str, Json] | None,
        supersedes: Memory | None,
    ) -> Memory:
        text, event = self._writer.kept(text), self._reader.calendar.event(text, stated)
        memory = told(text, now=self._clock(), event=event, tags=tags, metadata=metadata, supersedes=supersedes)
        return self._writer.cleaned(memory)

    async def _add(self, memory: Memory) -> bool:
        chunks = await to_thread.run_sync(self._writer.cut, [memory])
        added = await self._writer.write([memory], chunks, anew=True)
        return memory.id in added.memories
