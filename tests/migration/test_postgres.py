"""The schema of a PostgreSQL store: its migrations, one after another, by several processes, and never backwards."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import Iterator

import pytest

from postgres_servers import TcpServer, connect, fresh_database
from ricordo.errors import StoreError
from ricordo.stores.postgres.address import address
from ricordo.stores.postgres.database import PACKAGE, Database
from ricordo.stores.postgres.store import PostgresStore
from ricordo.stores.sql import Migration, load_migrations, load_queries, load_schema

pytestmark = pytest.mark.anyio


@pytest.fixture
def database(tcp_postgres: TcpServer) -> Iterator[str]:
    with fresh_database(tcp_postgres.conninfo()) as name:
        yield name


def shape(server: TcpServer, database: str) -> str:
    """The whole schema as the server's own tool tells it."""
    command = [str(server.binaries / "pg_dump"), "--schema-only", "--dbname", server.conninfo(database)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.sub(r"^\\(un)?restrict .*$", "", told, flags=re.MULTILINE)  # a new word each time


def open_with(server: TcpServer, database: str, migrations: tuple[Migration, ...]) -> PostgresStore:
    return PostgresStore(Database(address(server.url(database))), migrations=migrations)


def test_the_schema_is_the_sum_of_the_migrations(tcp_postgres: TcpServer, database: str) -> None:
    with fresh_database(tcp_postgres.conninfo()) as whole:
        for name, texts in ((whole, [load_schema(PACKAGE)]), (database, [m.sql for m in load_migrations(PACKAGE)])):
            with connect(tcp_postgres.conninfo(name)) as connection:
                connection.execute("CREATE EXTENSION vector")
                for text in texts:
                    connection.execute(text.encode())
        assert shape(tcp_postgres, whole) == shape(tcp_postgres, database)


def test_every_arm_states_the_filters_in_the_same_words() -> None:
    stated = [text for text in load_queries(PACKAGE).values() if "%(metadata)s::jsonb = " in text]
    last = "starts_with(o.uri, %(origin)s::text)"
    filters = [
        " ".join(text[text.index("(%(superseded)s OR m.") : text.index(last)].replace("{{}}", "{}").split())
        for text in stated
    ]

    assert len(filters) == 4
    assert len(set(filters)) == 1


async def test_a_migration_that_fails_changes_nothing(tcp_postgres: TcpServer, database: str) -> None:
    known = load_migrations(PACKAGE)
    broken = Migration(version=len(known) + 1, name="broken", sql="CREATE TABLE ricordo.more (x int); SELECT nonsense")
    with pytest.raises(StoreError, match="nonsense"):
        await open_with(tcp_postgres, database, (*known, broken)).open()

    with connect(tcp_postgres.conninfo(database)) as connection:
        assert connection.execute("SELECT max(version) FROM ricordo.schema_version").fetchone() == (len(known),)
        assert connection.execute("SELECT to_regclass('ricordo.more')").fetchone() == (None,)


async def test_processes_that_open_a_new_database_together_migrate_it_once(
    tcp_postgres: TcpServer, database: str
) -> None:
    known = load_migrations(PACKAGE)
    step = Migration(version=len(known) + 1, name="more", sql="CREATE TABLE ricordo.more (x int)")
    stores = [open_with(tcp_postgres, database, (*known, step)) for _ in range(6)]
    await asyncio.gather(*(store.open() for store in stores))
    for store in stores:
        assert (await store.stats()).schema_version == step.version
        await store.close()
