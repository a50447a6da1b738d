"""One PostgreSQL database: pooled connections, transactions, retries, deadlines."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeAlias, TypeVar

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg import AsyncCursor
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from ricordo.errors import StoreBusy, StoreError
from ricordo.stores.postgres.address import Address
from ricordo.stores.postgres.failures import is_lost, is_passing, translated
from ricordo.stores.postgres.session import Connection, Session
from ricordo.stores.sql import load_queries

__all__ = ["PACKAGE", "WRITING", "Database", "R", "Work", "statements"]

PACKAGE = "ricordo.stores.postgres"
CONNECTIONS = 8
WAIT_SECONDS = 15.0
DEADLINE_SECONDS = 90.0  # above the server's own statement_timeout: it is for servers that do not answer
ATTEMPTS = 6
PAUSE_SECONDS = 0.05
OPEN_TRANSACTION = (TransactionStatus.INTRANS, TransactionStatus.INERROR)

UNHURRIED = frozenset({"begin_checking", "begin_maintaining"})
WRITING = frozenset({"begin_writing", "begin_maintaining"})

Pool: TypeAlias = AsyncConnectionPool[Connection]
R = TypeVar("R")
Work = Callable[[Session], Awaitable[R]]


def statements() -> Mapping[str, str]:
    """All named statements: those of one namespace and those over all."""
    return {**load_queries(PACKAGE), **load_queries(PACKAGE, "everywhere.sql")}


class Database:
    """A database and its connections. `revive` is called before a connection is tried again."""

    def __init__(
        self,
        address: Address,
        *,
        revive: Callable[[], Awaitable[None]] | None = None,
        cursor: type[AsyncCursor[DictRow]] = AsyncCursor,
        deadline: float = DEADLINE_SECONDS,
    ) -> None:
        self.address = address
        self.sql = statements()
        self.secured = False
        self._revive = revive
        self._cursor = cursor
        self._deadline = deadline
        self._pool: Pool | None = None
        self._recovering = asyncio.Lock()

    # --- life ---

    async def open(self) -> None:
        """Open the pool. The server must answer and the extension be there."""
        pool = self._new_pool()
        await pool.open()
        self._pool = pool

    def _new_pool(self) -> Pool:
        return AsyncConnectionPool(
            self.address.conninfo,
            connection_class=psycopg.AsyncConnection[DictRow],
            kwargs=self._options(),
            min_size=1,
            max_size=CONNECTIONS,
            configure=register_vector_async,
            timeout=WAIT_SECONDS,
            reconnect_timeout=WAIT_SECONDS,
            open=False,
        )

    async def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Connection]:
        """One connection outside the pool, in autocommit, for what no transaction holds. Raises StoreError."""
        try:
            connection = await psycopg.AsyncConnection[DictRow].connect(self.address.conninfo, **self._options())
        except psycopg.Error as error:
            raise translated(error, self.address.label) from error
        async with connection:
            try:
                yield connection
            except psycopg.Error as error:
                raise translated(error, self.address.label) from error

    def _options(self) -> dict[str, Any]:
        # Without server-side prepared statements every plan is made for its values, and pgbouncer may stand between.
        return {
            "autocommit": True,
            "prepare_threshold": None,
            "row_factory": dict_row,
            "cursor_factory": self._cursor,
        }

    # --- use ---

    async def read(self, namespace: str, work: Work[R], begin: str = "begin_reading") -> R:
        """Run inside one read transaction."""
        return await self._repeat(namespace, work, begin)

    async def write(self, namespace: str, work: Work[R]) -> R:
        """Run inside one write transaction, committed at the end, rolled back on any error.

        It is run again when others were in the way or the connection was lost before the commit.
        """
        return await self._repeat(namespace, work, "begin_writing")

    async def maintain(self, work: Work[R]) -> R:
        """Run inside one write transaction that may take as long as it takes."""
        return await self._repeat("", work, "begin_maintaining")

    async def examine(self, work: Work[R]) -> R:
        """Run inside one transaction that sees one moment of the whole database."""
        return await self._repeat("", work, "begin_checking")

    async def _repeat(self, namespace: str, work: Work[R], begin: str) -> R:
        for attempt in range(ATTEMPTS):
            pool = self._pool
            if pool is None:
                raise StoreError(f"{self.address.label}: the store is not open")
            try:
                return await self._once(pool, namespace, work, begin)
            except PoolTimeout as error:
                await self._reach()
                raise StoreBusy(f"{self.address.label}: all {CONNECTIONS} connections were busy; try again") from error
            except psycopg.Error as error:
                if not (is_passing(error) or is_lost(error)) or attempt == ATTEMPTS - 1:
                    raise translated(error, self.address.label) from error
                if is_lost(error):
                    await self._recover(pool)
            await asyncio.sleep(PAUSE_SECONDS * 2**attempt * random.uniform(0.5, 1.5))
        raise StoreBusy(f"{self.address.label}: given up after {ATTEMPTS} attempts")

    async def _once(self, pool: Pool, namespace: str, work: Work[R], begin: str) -> R:
        patience = None if begin in UNHURRIED else self._deadline
        try:
            async with asyncio.timeout(patience), _taken(pool) as connection:
                session = Session(connection=connection, sql=self.sql, namespace=namespace, secured=self.secured)
                await session.simple(begin)
                try:
                    result = await work(session)
                except BaseException:
                    await _roll_back(connection)
                    raise
                await self._commit(connection, safe=begin not in WRITING)
                return result
        except TimeoutError as error:
            message = f"{self.address.label}: no answer within {patience:.0f} seconds; is the server stuck?"
            raise StoreBusy(message) from error

    async def _commit(self, connection: Connection, *, safe: bool) -> None:
        try:
            await connection.commit()
        except psycopg.Error as error:
            if safe or not is_lost(error):
                raise
            raise StoreError(
                f"{self.address.label}: the connection was lost while the change was being committed; "
                "do it again: what is there already is not written twice"
            ) from error

    async def _reach(self) -> None:
        """Connect anew, to revive the server or to learn what is wrong with it. Raises StoreError."""
        if self._revive is not None:
            await self._revive()
        async with self.connected():
            return

    async def _recover(self, lost: Pool) -> None:
        """Put a fresh pool in the place of one that lost its server, which would be slow to try again."""
        async with self._recovering:
            if self._pool is not lost:
                return
            await self._reach()
            await self.open()
            await lost.close(timeout=1.0)


@asynccontextmanager
async def _taken(pool: Pool) -> AsyncIterator[Connection]:
    connection = await pool.getconn()
    try:
        yield connection
    finally:
        await pool.putconn(connection)


async def _roll_back(connection: Connection) -> None:
    if connection.closed or connection.info.transaction_status not in OPEN_TRANSACTION:
        return
    try:
        await connection.rollback()
    except psycopg.Error:
        # The first error tells more, and the pool throws a broken connection away.
        return
