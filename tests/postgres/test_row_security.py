"""A role for each tenant, and row-level security: the server itself keeps a role to its own namespace."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from postgres_servers import TcpServer, connect, fresh_database
from ricordo import sync
from ricordo.stores.postgres.distribute import TABLES
from ricordo.testing import HashEmbedder

TENANTS = ("atlas", "hermes")


@pytest.fixture
def database(tcp_postgres: TcpServer) -> Iterator[str]:
    with fresh_database(tcp_postgres.conninfo()) as name:
        with sync.open(tcp_postgres.url(name), embedder=HashEmbedder()) as memory:
            memory.within("atlas").remember("The staging database listens on port 6432")
            memory.within("hermes").remember("The staging database listens on port 5433, zyxomma")
        _secure(tcp_postgres.conninfo(name))
        yield name
        with connect(tcp_postgres.conninfo(name)) as connection:
            for tenant in TENANTS:
                connection.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(tenant)))
                connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(tenant)))


def _secure(conninfo: str) -> None:
    with connect(conninfo) as connection:
        for tenant in TENANTS:
            role = sql.Identifier(tenant)
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'x'").format(role))
            connection.execute(sql.SQL("GRANT USAGE ON SCHEMA ricordo TO {}").format(role))
            connection.execute(
                sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ricordo TO {}").format(role)
            )
        for table in TABLES:
            if table.endswith("schema_version"):
                continue
            name = sql.SQL(table)
            connection.execute(sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(name))
            connection.execute(sql.SQL("CREATE POLICY tenant ON {} USING (namespace = current_user)").format(name))


def url_of(server: TcpServer, database: str, tenant: str) -> str:
    return f"postgresql://{tenant}:x@127.0.0.1:{urlsplit(server.url(database)).port}/{database}"


def test_a_role_reads_and_writes_its_own_namespace_and_no_other(tcp_postgres: TcpServer, database: str) -> None:
    with sync.open(url_of(tcp_postgres, database, "atlas"), namespace="atlas", embedder=HashEmbedder()) as memory:
        old = memory.recall("staging database port").hits
        assert [hit.text for hit in old] == ["The staging database listens on port 6432"]
        revised = memory.revise(old[0].id, "The staging database listens on port 7777")
        told = memory.remember("The cellar is damp")
        memory.forget([told.id])

        assert memory.recall("7777").hits[0].id == revised.id
        assert dict(memory.stats().namespaces) == {"atlas": 2}
        assert memory.check() == ()
        assert not any("zyxomma" in line for line in memory.export(everything=True))
        hermes = memory.within("hermes")
        assert hermes.recall("zyxomma").hits == ()
        with pytest.raises(Exception, match="row-level security"):
            hermes.remember("told across the wall")


def test_nothing_that_a_role_sends_itself_shows_it_more(tcp_postgres: TcpServer, database: str) -> None:
    with psycopg.connect(url_of(tcp_postgres, database, "atlas"), autocommit=True) as connection:
        for table in TABLES:
            if not table.endswith("schema_version"):
                query = sql.SQL("SELECT count(*) FROM {} WHERE namespace = 'hermes'").format(sql.SQL(table))
                assert connection.execute(query).fetchone() == (0,)
