"""The SQLite store: the promises of `protocols.Store` on one file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from anyio import to_thread

from ricordo.errors import InvalidInput, StoreBusy, StoreError
from ricordo.exchange import Added, Backup, Batch, Claim, Entry, Fault, Known, Stats, Survey, Tombstone
from ricordo.memory import Chunk, Memory
from ricordo.query import Aspects, Candidate, Filters, Variant, WordMatches
from ricordo.stores.sql import load_queries
from ricordo.stores.sqlite import checks, copies, queue, reads, surveys, words, writes
from ricordo.stores.sqlite.database import PACKAGE, Database
from ricordo.stores.sqlite.mending import Damaged, is_damage, mended
from ricordo.stores.sqlite.session import Session
from ricordo.stores.sqlite.vectors import VectorIndex

__all__ = ["SqliteStore"]

DUMP_PAGE = 500

R = TypeVar("R")


class SqliteStore:
    """One file in WAL mode. Several processes may use it at once."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path)
        self._sql = {**load_queries(PACKAGE), **load_queries(PACKAGE, "mending.sql")}
        self._vectors = VectorIndex()

    @classmethod
    def from_url(cls, url: str) -> SqliteStore:
        """`sqlite:///relative.db`, `sqlite:////absolute.db` or `sqlite:///C:/windows.db`."""
        parts = urlsplit(url)
        path = unquote(parts.path.removeprefix("/"))
        if parts.netloc or not path:
            raise InvalidInput(f"{url!r} names no file; write sqlite:///memory.db or sqlite:////home/me/memory.db")
        return cls(Path(path).expanduser())

    async def open(self) -> None:
        await to_thread.run_sync(self._database.open)

    async def close(self) -> None:
        await to_thread.run_sync(self._database.close)

    # --- writing ---

    async def add(self, namespace: str, batch: Batch) -> Added:
        return await self._write(namespace, lambda session: writes.add(session, batch))

    async def add_vectors(self, namespace: str, batch: Batch) -> None:
        await self._write(namespace, lambda session: writes.add_vectors(session, batch))

    async def drop_vectors(self, namespace: str, fingerprint: str) -> int:
        return await self._write(namespace, lambda session: writes.drop_vectors(session, fingerprint))

    async def forget(self, namespace: str, ids: Sequence[str], now: datetime) -> frozenset[str]:
        return await self._write(namespace, lambda session: writes.forget(session, ids, now))

    async def bury(self, namespace: str, tombstones: Sequence[Tombstone]) -> frozenset[str]:
        return await self._write(namespace, lambda session: writes.bury(session, tombstones))

    async def purge(self) -> None:
        await to_thread.run_sync(self._purge)

    # --- work that waits ---

    async def enqueue(self, namespace: str, items: Sequence[str]) -> int:
        return await self._write(namespace, lambda session: queue.enqueue(session, items))

    async def claim(self, namespace: str, claim: Claim, limit: int) -> tuple[str, ...]:
        return await self._write(namespace, lambda session: queue.claim(session, claim, limit))

    async def settle(self, namespace: str, claimant: str, items: Sequence[str]) -> None:
        await self._write(namespace, lambda session: queue.settle(session, claimant, items))

    async def waiting(self, namespace: str) -> int:
        return await self._read(namespace, queue.waiting)

    # --- reading ---

    async def reading(self, namespace: str, uri: str) -> Known | None:
        return await self._read(namespace, lambda session: reads.reading(session, uri))

    async def tombstones(self, namespace: str, ids: Sequence[str]) -> frozenset[str]:
        return await self._read(namespace, lambda session: session.ids("tombstones", ids))

    async def missing(self, namespace: str, ids: Sequence[str], fingerprint: str) -> frozenset[str]:
        return await self._read(namespace, lambda session: session.ids("missing_vectors", ids, fingerprint=fingerprint))

    async def unread(self, namespace: str, fingerprint: str, token_fingerprint: str | None) -> tuple[str, ...]:
        return await self._read(namespace, lambda session: reads.unread(session, fingerprint, token_fingerprint))

    async def by_words(self, namespace: str, terms: Sequence[str], filters: Filters, limit: int) -> WordMatches:
        return await self._read(namespace, lambda session: reads.by_words(session, terms, filters, limit))

    async def by_vector(self, namespace: str, variant: Variant, filters: Filters, limit: int) -> tuple[str, ...]:
        return await self._read(
            namespace, lambda session: reads.by_vector(session, self._vectors, variant, filters, limit)
        )

    async def get(self, namespace: str, chunk_ids: Sequence[str]) -> tuple[tuple[Chunk, Memory], ...]:
        return await self._read(namespace, lambda session: reads.get(session, chunk_ids))

    async def candidates(self, namespace: str, chunk_ids: Sequence[str], aspects: Aspects) -> tuple[Candidate, ...]:
        return await self._read(namespace, lambda session: reads.candidates(session, chunk_ids, aspects))

    async def timeline(self, namespace: str, filters: Filters, limit: int) -> tuple[Memory, ...]:
        return await self._read(namespace, lambda session: reads.timeline(session, filters, limit))

    async def entries(self, namespace: str, memory_ids: Sequence[str], fingerprint: str | None) -> tuple[Entry, ...]:
        return await self._read(namespace, lambda session: reads.entries(session, memory_ids, fingerprint))

    async def memory(self, namespace: str, id_prefix: str) -> Memory:
        return await self._read(namespace, lambda session: reads.memory(session, id_prefix))

    async def history(self, namespace: str, memory_id: str) -> tuple[Memory, ...]:
        return await self._read(namespace, lambda session: reads.history(session, memory_id))

    async def dump(self, namespace: str | None = None) -> AsyncIterator[tuple[str, Memory | Tombstone]]:
        after = 0
        dump_page = partial(reads.dump_memories, name=namespace, limit=DUMP_PAGE)
        while page := await self._read("", partial(dump_page, after=after)):
            for _, name, memory in page:
                yield name, memory
            after = page[-1][0]
        for name, tombstone in await self._read("", lambda session: reads.dump_tombstones(session, namespace)):
            yield name, tombstone

    async def survey(self, namespace: str) -> Survey:
        return await self._read(namespace, surveys.survey)

    async def stats(self) -> Stats:
        database = self._database
        return await self._read(
            "",
            lambda session: reads.stats(
                session, f"sqlite:///{database.path}", database.size_bytes(), len(database.migrations)
            ),
        )

    async def check(self) -> tuple[Fault, ...]:
        return await to_thread.run_sync(self._check)

    # --- copies ---

    async def copy_to(self, file: Path) -> Backup:
        """Write all that the open store holds at this moment to one file, while others go on writing."""
        return await to_thread.run_sync(self._copy_to, file)

    async def replace_by(self, file: Path) -> Path | None:
        """Put a backup in the place of all that the open store holds; where that is kept, if it was anything."""
        return await to_thread.run_sync(self._replace_by, file)

    async def examine(self, file: Path) -> Backup:
        """What a backup holds, and what is not whole in it; the store need not be open."""
        return await to_thread.run_sync(copies.examined, file, self._database, self._sql)

    async def repair(self) -> tuple[str, ...]:
        """Make all that is derived anew, and save what can be read of a damaged file; what was done, in words.

        The store is not open. Raises StoreError.
        """
        return await to_thread.run_sync(self._repair)

    # --- in a worker thread ---

    async def _read(self, namespace: str, work: Callable[[Session], R]) -> R:
        def run() -> R:
            with self._database.reading() as connection:
                return work(Session.within(connection, self._sql, namespace))

        return await to_thread.run_sync(run)

    async def _write(self, namespace: str, work: Callable[[Session], R]) -> R:
        def run() -> R:
            with self._database.writing() as connection:
                connection.execute(self._sql["add_namespace"], {"namespace": namespace})
                return work(Session.within(connection, self._sql, namespace))

        return await to_thread.run_sync(run)

    def _purge(self) -> None:
        with self._database.writing() as connection:
            words.leave_no_trace(connection, self._sql)
        self._database.empty_log()

    def _copy_to(self, file: Path) -> Backup:
        with self._database.reading() as connection:
            return copies.copy(connection, file, self._database, self._sql)

    def _replace_by(self, file: Path) -> Path | None:
        found = copies.examined(file, self._database, self._sql)
        if found.faults:
            raise StoreError(f"{file} is not whole, and nothing was changed: {found.faults[0].what}")
        with self._database.reading() as connection:
            holds = connection.execute(self._sql["holds_anything"]).fetchone()[0]
            kept = copies.beside(self._database.path, "replaced") if holds else None
            if kept is not None:
                copies.copy(connection, kept, self._database, self._sql)
        self._database.take_over(file)
        return kept

    def _repair(self) -> tuple[str, ...]:
        try:
            self._database.open()
            with self._database.writing() as connection:
                return mended(Session(connection=connection, sql=self._sql))
        except StoreBusy:
            raise
        except StoreError as error:
            if not (isinstance(error, Damaged) or is_damage(error.__cause__)):
                raise
        finally:
            self._database.close()
        return tuple(copies.saved(self._database, self._sql))

    def _check(self) -> tuple[Fault, ...]:
        with self._database.writing() as connection:
            return tuple(checks.faults(Session(connection=connection, sql=self._sql)))
