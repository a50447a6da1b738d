"""A database as it was at one moment: every read goes over one connection, inside one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pgvector.psycopg import register_vector_async

from ricordo.errors import StoreError
from ricordo.stores.postgres.address import Address
from ricordo.stores.postgres.database import WRITING, Database, R, Work
from ricordo.stores.postgres.session import Connection, Session

__all__ = ["Frozen", "frozen"]


class Frozen(Database):
    """The reads of a database over one connection, one after the other."""

    def __init__(self, address: Address, connection: Connection) -> None:
        super().__init__(address)
        self._connection = connection
        self._turn = asyncio.Lock()

    async def _repeat(self, namespace: str, work: Work[R], begin: str) -> R:
        if begin in WRITING:
            raise StoreError(f"{self.address.label}: what is read as it was cannot be written")
        async with self._turn:
            return await work(Session(connection=self._connection, sql=self.sql, namespace=namespace))


@asynccontextmanager
async def frozen(database: Database) -> AsyncIterator[Frozen]:
    """The database as it is now. Raises StoreError."""
    async with database.connected() as connection:
        await register_vector_async(connection)
        still = Frozen(database.address, connection)
        session = Session(connection=connection, sql=database.sql)
        await session.simple("begin_checking")
        await session.all("namespaces")  # the moment is that of the first statement that reads
        yield still
