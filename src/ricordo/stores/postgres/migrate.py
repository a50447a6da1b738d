"""Bring a database's schema up to date: one transaction for each migration, under a lock, never backwards."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg

from ricordo.errors import SchemaTooNew, StoreError
from ricordo.stores.postgres.address import Address
from ricordo.stores.postgres.failures import translated
from ricordo.stores.postgres.session import Connection, Session
from ricordo.stores.sql import Migration

__all__ = ["migrate"]

OLDEST_SERVER = 160000
OLDEST_VECTOR = (0, 8)


async def migrate(session: Session, address: Address, migrations: Sequence[Migration]) -> None:
    """Apply what is missing. The session's connection is in autocommit. Raises SchemaTooNew, StoreError."""
    try:
        version = await _version(session)
        if version == len(migrations):
            return
        if version > len(migrations):
            raise SchemaTooNew(
                f"{address.label} has schema {version}, this ricordo knows {len(migrations)}: update ricordo to use it"
            )
        await _check_server(session, address)
        await _make_extension(session, address)
        for migration in migrations:
            await _apply(session, session.connection, migration)
    except psycopg.Error as error:
        raise translated(error, address.label) from error


async def _version(session: Session) -> int:
    present = await session.one("has_schema")
    if present is None or not present["present"]:
        return 0
    row = await session.one("schema_version")
    return int(row["version"]) if row else 0


async def _apply(session: Session, connection: Connection, migration: Migration) -> None:
    async with connection.transaction():
        await session.simple("lock_schema")
        if await _version(session) >= migration.version:
            return
        await connection.execute(migration.sql.encode())
        await session.run("set_schema_version", version=migration.version, name=migration.name)


async def _check_server(session: Session, address: Address) -> None:
    row = await session.one("server_version")
    if row and row["number"] < OLDEST_SERVER:
        raise StoreError(f"{address.label}: PostgreSQL {row['version']} is too old: ricordo needs 16 or newer")


async def _make_extension(session: Session, address: Address) -> None:
    installed = await session.one("installed_extension")
    if installed is None:
        available = await session.one("available_extension")
        if available is None:
            raise StoreError(
                f"{address.label}: the server has no pgvector; install it there "
                "(https://github.com/pgvector/pgvector), version 0.8 or newer"
            )
        async with session.connection.transaction():
            await session.simple("lock_schema")
            await session.simple("make_extension")
        installed = await session.one("installed_extension")
    version = str(installed["version"]) if installed else "0"
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_VECTOR:
        raise StoreError(
            f"{address.label}: pgvector {version} is too old: install 0.8 or newer, then ALTER EXTENSION vector UPDATE"
        )
