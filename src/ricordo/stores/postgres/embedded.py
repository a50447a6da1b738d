"""The PostgreSQL store on a private server of its own."""

from __future__ import annotations

from anyio import to_thread

from ricordo.stores.postgres.address import Address, Directory, directory
from ricordo.stores.postgres.database import Database
from ricordo.stores.postgres.server import EmbeddedServer
from ricordo.stores.postgres.session import Session
from ricordo.stores.postgres.store import PostgresStore

__all__ = ["EmbeddedStore"]


class EmbeddedStore(PostgresStore):
    """A PostgreSQL store whose server runs while anybody uses its directory."""

    def __init__(self, place: Directory) -> None:
        self._server = EmbeddedServer(place)
        label = f"postgresql+embedded://{self._server.directory}"
        super().__init__(Database(Address(conninfo=self._server.conninfo, label=label), revive=self._enter))

    @classmethod
    def from_url(cls, url: str) -> EmbeddedStore:
        """`postgresql+embedded:///directory`, with `?bin=` for the programs of another server."""
        return cls(directory(url))

    async def open(self) -> None:
        await self._enter()
        try:
            await super().open()
        except BaseException:
            self._server.leave()
            raise

    async def close(self) -> None:
        try:
            await super().close()
        finally:
            self._server.leave()

    async def rewrite(self) -> None:
        """The same for the server's statistics and its log, which are nobody else's."""
        await super().rewrite()
        async with self._database.connected() as connection:
            session = Session(connection=connection, sql=self._database.sql)
            for statement in ("rewrite_statistics", "end_log", "fold_log"):
                await session.simple(statement)

    async def _enter(self) -> None:
        await to_thread.run_sync(self._server.enter)
