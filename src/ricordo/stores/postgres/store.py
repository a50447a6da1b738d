"""The PostgreSQL store: the promises of `protocols.Store` on a server, alone or as a cluster."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from functools import partial

from ricordo.errors import StoreError
from ricordo.exchange import Added, Batch, Claim, Entry, Fault, Known, Stats, Survey, Tombstone
from ricordo.memory import Chunk, Memory
from ricordo.query import Aspects, Candidate, Filters, Variant, WordMatches
from ricordo.stores.postgres import checks, queue, reads, surveys, tallies, vectors, writes
from ricordo.stores.postgres.address import address
from ricordo.stores.postgres.database import PACKAGE, Database
from ricordo.stores.postgres.distribute import distribute
from ricordo.stores.postgres.frozen import frozen
from ricordo.stores.postgres.mending import mend
from ricordo.stores.postgres.migrate import migrate
from ricordo.stores.postgres.rows import embedder_id
from ricordo.stores.postgres.session import Session
from ricordo.stores.sql import Migration, load_migrations

__all__ = ["PostgresStore"]

log = logging.getLogger(__name__)

DUMP_PAGE = 500
DROP_PAGE = 5000
FIRST_ANALYSIS = 200  # chunks
LAST_ANALYSIS = 100_000


@contextmanager
def stored() -> Iterator[None]:
    """Around what only makes searching fast: all is stored whatever comes of it, and the next batch tries again."""
    try:
        yield
    except StoreError as error:
        log.warning("what was added is stored, but searching it may be slow for now: %s", error)


class PostgresStore:
    """One database on a server. Any number of processes may use it at once."""

    def __init__(
        self,
        database: Database,
        *,
        exact_rows: int = vectors.EXACT_ROWS,
        migrations: Sequence[Migration] | None = None,
    ) -> None:
        self._database = database
        self._vectors = vectors.VectorSearch(exact_rows)
        self._unanalysed, self._analysis = 0, FIRST_ANALYSIS
        self._postponed: dict[tuple[str, str], int] | None = None
        self._migrations = load_migrations(PACKAGE) if migrations is None else migrations

    @classmethod
    def from_url(cls, url: str) -> PostgresStore:
        """`postgresql://user:password@host:port/database`, as libpq reads it."""
        return cls(Database(address(url)))

    async def open(self) -> None:
        async with self._database.connected() as connection:
            session = Session(connection=connection, sql=self._database.sql)
            await migrate(session, self._database.address, self._migrations)
            secured = await session.one("row_security")
        self._database.secured = secured is not None and secured["active"]
        await self._database.open()

    async def close(self) -> None:
        await self._database.close()

    # --- writing ---

    async def add(self, namespace: str, batch: Batch) -> Added:
        added = await self._database.write(namespace, partial(writes.add, batch=batch))
        await self._tend(namespace, batch, added.chunks)
        return added

    async def add_vectors(self, namespace: str, batch: Batch) -> None:
        await self._database.write(namespace, partial(writes.add_vectors, batch=batch))
        await self._tend(namespace, batch, len(batch.entries))

    async def drop_vectors(self, namespace: str, fingerprint: str) -> int:
        embedder, removed = embedder_id(fingerprint), 0
        for drop in (writes.drop_vectors, writes.drop_tokens):
            after = ""
            drop_page = partial(drop, embedder=embedder, limit=DROP_PAGE)
            while page := await self._database.write(namespace, partial(drop_page, after=after)):
                removed, after = removed + len(page), page[-1]
        await self._database.maintain(partial(vectors.drop_empty_index, embedder=embedder))
        return removed

    async def forget(self, namespace: str, ids: Sequence[str], now: datetime) -> frozenset[str]:
        return await self._database.write(namespace, partial(writes.forget, ids=ids, now=now))

    async def bury(self, namespace: str, tombstones: Sequence[Tombstone]) -> frozenset[str]:
        return await self._database.write(namespace, partial(writes.bury, tombstones=tombstones))

    async def purge(self) -> None:
        for row in await self._database.read("", lambda session: session.all("namespaces")):
            await self._database.write(row["namespace"], tallies.fold_all)
        async with self._database.connected() as connection:
            await Session(connection=connection, sql=self._database.sql).simple("reclaim")

    # --- work that waits ---

    async def enqueue(self, namespace: str, items: Sequence[str]) -> int:
        return await self._database.write(namespace, partial(queue.enqueue, items=items))

    async def claim(self, namespace: str, claim: Claim, limit: int) -> tuple[str, ...]:
        return await self._database.write(namespace, partial(queue.claim, claim=claim, limit=limit))

    async def settle(self, namespace: str, claimant: str, items: Sequence[str]) -> None:
        await self._database.write(namespace, partial(queue.settle, claimant=claimant, items=items))

    async def waiting(self, namespace: str) -> int:
        return await self._database.read(namespace, queue.waiting)

    # --- reading ---

    async def reading(self, namespace: str, uri: str) -> Known | None:
        return await self._database.read(namespace, partial(reads.reading, uri=uri))

    async def tombstones(self, namespace: str, ids: Sequence[str]) -> frozenset[str]:
        return await self._database.read(namespace, lambda session: session.ids("tombstones", ids))

    async def missing(self, namespace: str, ids: Sequence[str], fingerprint: str) -> frozenset[str]:
        return await self._database.read(namespace, partial(reads.missing, ids=ids, fingerprint=fingerprint))

    async def unread(self, namespace: str, fingerprint: str, token_fingerprint: str | None) -> tuple[str, ...]:
        work = partial(reads.unread, fingerprint=fingerprint, token_fingerprint=token_fingerprint)
        return await self._database.read(namespace, work)

    async def by_words(self, namespace: str, terms: Sequence[str], filters: Filters, limit: int) -> WordMatches:
        work = partial(reads.by_words, terms=terms, filters=filters, limit=limit)
        return await self._database.read(namespace, work, "begin_word_search")

    async def by_vector(self, namespace: str, variant: Variant, filters: Filters, limit: int) -> tuple[str, ...]:
        return await self._database.read(
            namespace, partial(self._vectors.search, variant=variant, filters=filters, limit=limit)
        )

    async def get(self, namespace: str, chunk_ids: Sequence[str]) -> tuple[tuple[Chunk, Memory], ...]:
        return await self._database.read(namespace, partial(reads.get, chunk_ids=chunk_ids))

    async def candidates(self, namespace: str, chunk_ids: Sequence[str], aspects: Aspects) -> tuple[Candidate, ...]:
        return await self._database.read(namespace, partial(reads.candidates, chunk_ids=chunk_ids, aspects=aspects))

    async def timeline(self, namespace: str, filters: Filters, limit: int) -> tuple[Memory, ...]:
        return await self._database.read(namespace, partial(reads.timeline, filters=filters, limit=limit))

    async def entries(self, namespace: str, memory_ids: Sequence[str], fingerprint: str | None) -> tuple[Entry, ...]:
        work = partial(reads.entries, memory_ids=memory_ids, fingerprint=fingerprint)
        return await self._database.read(namespace, work)

    async def memory(self, namespace: str, id_prefix: str) -> Memory:
        return await self._database.read(namespace, partial(reads.memory, id_prefix=id_prefix))

    async def history(self, namespace: str, memory_id: str) -> tuple[Memory, ...]:
        return await self._database.read(namespace, partial(reads.history, memory_id=memory_id))

    async def dump(self, namespace: str | None = None) -> AsyncIterator[tuple[str, Memory | Tombstone]]:
        names = [row["namespace"] for row in await self._database.read("", lambda session: session.all("namespaces"))]
        names = [name for name in names if namespace in (None, name)]
        for name in names:
            async for memory in self._dump_memories(name):
                yield name, memory
        for name in names:
            after = ""
            while page := await self._database.read(name, partial(reads.dump_tombstones, after=after, limit=DUMP_PAGE)):
                for tombstone in page:
                    yield name, tombstone
                after = page[-1].memory_id

    async def survey(self, namespace: str) -> Survey:
        return await self._database.read(namespace, surveys.survey)

    async def stats(self) -> Stats:
        label, version = self._database.address.label, len(self._migrations)
        return await self._database.examine(partial(reads.stats, store=label, schema_version=version))

    async def check(self) -> tuple[Fault, ...]:
        return await self._database.examine(checks.faults)

    async def distribute(self) -> tuple[str, ...] | None:
        """Spread the tables over a Citus cluster, by namespace; the names of those that were not yet.

        The store is open, on the coordinator. On a server without Citus nothing is done, and the answer is None.
        """
        return await self._database.maintain(distribute)

    @asynccontextmanager
    async def loading(self) -> AsyncIterator[None]:
        """While much is written at once: an index over vectors is made at the end, not kept in step all the while."""
        self._postponed = {}
        try:
            yield
            postponed = self._postponed
        finally:
            self._postponed = None
        with stored():
            for (namespace, fingerprint), dimension in postponed.items():
                await self._make_index(namespace, fingerprint, dimension)

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[PostgresStore]:
        """The open store as it is at this moment, to be read alone."""
        async with frozen(self._database) as still:
            yield PostgresStore(still, migrations=self._migrations)

    async def repair(self) -> tuple[str, ...]:
        """Make all that is derived anew, indexes included; what was done, in words. The store is not open."""
        await self.open()
        try:
            done = await self._database.maintain(mend)
            async with self._database.connected() as connection:
                await Session(connection=connection, sql=self._database.sql).simple("reindex")
        finally:
            await self.close()
        return (*done, "all indexes were made anew")

    async def rewrite(self) -> None:
        """Write all tables anew, so that their files hold nothing of what was deleted; others wait meanwhile."""
        async with self._database.connected() as connection:
            await Session(connection=connection, sql=self._database.sql).simple("rewrite")

    # --- inside ---

    async def _dump_memories(self, namespace: str) -> AsyncIterator[Memory]:
        for version in range(await self._database.read(namespace, reads.last_version) + 1):
            after = ""
            dump_page = partial(reads.dump_memories, version=version, limit=DUMP_PAGE)
            while page := await self._database.read(namespace, partial(dump_page, after=after)):
                for memory in page:
                    yield memory
                after = page[-1].id

    async def _tend(self, namespace: str, batch: Batch, chunks: int) -> None:
        """Keep a grown database fast."""
        with stored():
            await self._index(namespace, batch)
            await self._analyse(chunks)

    async def _index(self, namespace: str, batch: Batch) -> None:
        """Make the index that this namespace has come to need for vectors such as the batch holds."""
        vector = next((entry.vector for entry in batch.entries if entry.vector is not None), None)
        fingerprint = batch.fingerprint
        if vector is None or fingerprint is None:
            return
        if self._postponed is None:
            await self._make_index(namespace, fingerprint, len(vector))
        else:
            self._postponed[namespace, fingerprint] = len(vector)

    async def _make_index(self, namespace: str, fingerprint: str, dimension: int) -> None:
        if await self._database.read(namespace, partial(self._vectors.needs_index, fingerprint=fingerprint)):
            make = partial(vectors.make_index, fingerprint=fingerprint, dimension=dimension)
            await self._database.maintain(make)

    async def _analyse(self, chunks: int) -> None:
        """Tell the planner of a growing database: the server's own daemon comes minutes after a first ingest."""
        self._unanalysed += chunks
        if self._unanalysed < self._analysis:
            return
        await self._database.maintain(lambda session: session.simple("analyse"))
        self._unanalysed, self._analysis = 0, min(2 * self._analysis, LAST_ANALYSIS)
