"""Stores as released versions wrote them are opened, brought up to date, and hold what they held."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from postgres_servers import TcpServer, connect, fresh_database
from ricordo import sync
from ricordo.errors import SchemaTooNew
from ricordo.stores.postgres.address import address
from ricordo.stores.postgres.database import PACKAGE as SERVER
from ricordo.stores.postgres.database import Database
from ricordo.stores.postgres.store import PostgresStore
from ricordo.stores.sql import load_migrations
from ricordo.stores.sqlite.database import PACKAGE
from ricordo.testing import HashEmbedder

FOLDER = Path(__file__).parent / "stores"
STORES = sorted(FOLDER.glob("schema-*.db.gz"))
SERVERS = sorted(FOLDER.glob("schema-*.sql.gz"))
"""What `pg_dump --inserts --no-owner --schema=ricordo` wrote of the same memories."""


def versions(files: list[Path]) -> list[int]:
    return sorted(int(file.name.partition(".")[0].removeprefix("schema-")) for file in files)


def test_every_schema_that_was_ever_released_is_kept() -> None:
    assert versions(STORES) == list(range(1, len(load_migrations(PACKAGE)) + 1))
    assert versions(SERVERS) == list(range(1, len(load_migrations(SERVER)) + 1))


@pytest.mark.parametrize("file", STORES, ids=lambda file: file.name)
def test_a_store_of_an_older_version_holds_what_it_held(file: Path, tmp_path: Path) -> None:
    path, latest = tmp_path / "memory.db", len(load_migrations(PACKAGE))
    path.write_bytes(gzip.decompress(file.read_bytes()))

    holds_what_it_held(f"sqlite:///{path}", file, latest)

    copies = list(tmp_path.glob("memory.db.schema-*.backup"))
    assert len(copies) == (not file.name.startswith(f"schema-{latest}."))


@pytest.fixture
def restored(tcp_postgres: TcpServer, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database with what was dumped from an older one."""
    dump = gzip.decompress(request.param.read_bytes())
    with fresh_database(tcp_postgres.conninfo()) as name:
        with connect(tcp_postgres.conninfo(name)) as connection:
            connection.execute("CREATE EXTENSION vector")
            connection.execute(dump)
        yield tcp_postgres.url(name)


@pytest.mark.parametrize(
    ("restored", "file"), [(file, file) for file in SERVERS], indirect=["restored"], ids=versions(SERVERS)
)
def test_a_server_of_an_older_version_holds_what_it_held(restored: str, file: Path) -> None:
    holds_what_it_held(restored, file, len(load_migrations(SERVER)))


@pytest.mark.parametrize("restored", SERVERS[:1], indirect=True, ids=["1"])
def test_an_older_program_refuses_a_server_that_was_migrated(restored: str) -> None:
    older = PostgresStore(Database(address(restored)), migrations=load_migrations(SERVER)[:1])
    with sync.open(restored, embedder=HashEmbedder()) as memory:
        held = list(memory.export(everything=True))

    with pytest.raises(SchemaTooNew, match="update ricordo"):
        anyio.run(older.open)
    with sync.open(restored, embedder=HashEmbedder()) as memory:
        assert list(memory.export(everything=True)) == held


def holds_what_it_held(url: str, file: Path, latest: int) -> None:
    held = (FOLDER / f"{file.name.partition('.')[0]}.jsonl").read_text(encoding="utf-8").splitlines()
    with sync.open(url, embedder=HashEmbedder()) as memory:
        # A server keeps the properties of metadata in an order of its own.
        assert sorted(map(canonical, memory.export(everything=True))) == sorted(map(canonical, held))
        assert memory.check() == ()
        assert memory.stats().schema_version == latest
        found = memory.recall("pool")
        assert [hit.text for hit in found][:1] == ["The pool is 60"]
        assert found.hits[0].arms.keys() >= {"words", "vectors"}


def canonical(line: str) -> str:
    return json.dumps(json.loads(line), sort_keys=True)
