"""Ready for Citus, proved without it: the schema and every statement, on a database partitioned by namespace.

A partition stands for a node. What PostgreSQL itself can route to one partition, Citus can route to one node;
what it cannot must be among the few statements that are meant for all.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self

import numpy as np
import psycopg
import pytest
from pgvector.psycopg import register_vector
from psycopg import AsyncCopy, AsyncCursor, ClientCursor, sql
from psycopg.abc import Params, Query
from psycopg.copy import AsyncWriter
from psycopg.rows import DictRow

from postgres_servers import TcpServer, connect, fresh_database
from ricordo.memory import Memory, Origin, Reading, told
from ricordo.protocols import Batch, Claim, Tombstone
from ricordo.query import EVERYTHING, AsOf, Aspects, Filters, TimeRange, Variant
from ricordo.remember import Writer
from ricordo.stores.postgres.address import address
from ricordo.stores.postgres.database import PACKAGE, Database
from ricordo.stores.postgres.distribute import TABLES
from ricordo.stores.postgres.store import PostgresStore
from ricordo.stores.postgres.tallies import fold_all
from ricordo.stores.sql import load_migrations, load_queries, load_schema
from ricordo.testing import HashEmbedder, WholeChunker

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NAMESPACE = "one of many"
PARTITIONS = 16
FILE = Origin(kind="text", uri="file:///notes/a.txt", title="a")
OF_ONE_NAMESPACE = load_queries(PACKAGE)
SETTINGS = {name for name, text in OF_ONE_NAMESPACE.items() if re.search(r"^(BEGIN|SET)\b", text, re.MULTILINE)}
WITHOUT_NAMESPACE = SETTINGS | {"has_index", "try_index_lock", "make_index", "drop_index"}
DDL = "\n".join(migration.sql for migration in load_migrations(PACKAGE))
CITUS = os.environ.get("RICORDO_TEST_CITUS_URL", "")  # read before the environment is scrubbed
Recorded = dict[str, list[str]]


# --- the schema ---


@pytest.mark.parametrize(
    "pattern",
    [
        r"\bTRIGGER\b",
        r"CREATE\s+RULE",
        r"\bDOMAIN\b",
        r"SERIAL\b",
        r"SET\s+(NULL|DEFAULT)\b(?!\s*\()",
        r"\bEXCLUDE\b",
        r"IDENTITY",
        r"ADD\s+COLUMN[^;]*\b(CHECK|UNIQUE|REFERENCES)\b",
    ],
)
def test_the_migrations_use_nothing_that_a_cluster_refuses(pattern: str) -> None:
    statements = re.sub(r"--.*", "", DDL)
    assert not re.search(pattern, statements, re.IGNORECASE)


def test_every_table_and_every_key_begins_with_the_namespace() -> None:
    for name, body in re.findall(r"CREATE TABLE (ricordo\.\w+) \((.*?)\n\);", DDL, re.DOTALL):
        if name == "ricordo.schema_version":
            continue
        assert name in TABLES
        assert body.strip().startswith("namespace text NOT NULL,")
        keys = re.findall(r"CONSTRAINT \w+ (?:PRIMARY KEY|UNIQUE|FOREIGN KEY) \((\w+)", body)
        assert keys
        assert set(keys) == {"namespace"}
        assert len(re.findall(r"PRIMARY KEY|UNIQUE|FOREIGN KEY|CHECK", body)) == body.count("CONSTRAINT")


@pytest.mark.parametrize(
    "words", ["set_config(", "force_generic_plan", "MERGE INTO", "now()", "clock_timestamp", "random("]
)
def test_no_statement_holds_what_a_cluster_misreads(words: str) -> None:
    assert not [name for name, text in OF_ONE_NAMESPACE.items() if words in text]


# --- the statements ---


STATEMENTS: list[tuple[Query, Params | None]] = []


class Recorder(AsyncCursor[DictRow]):
    """Keeps what is executed, with its values."""

    async def execute(
        self, query: Query, params: Params | None = None, *, prepare: bool | None = None, binary: bool | None = None
    ) -> Self:
        STATEMENTS.append((query, params))
        return await super().execute(query, params, prepare=prepare, binary=binary)  # type: ignore[misc, arg-type]  # overloads

    async def executemany(self, query: Query, params_seq: Iterable[Params], *, returning: bool = False) -> None:
        rows = list(params_seq)
        STATEMENTS.extend((query, row) for row in rows)
        await super().executemany(query, rows, returning=returning)

    @asynccontextmanager
    async def copy(
        self, statement: Query, params: Params | None = None, *, writer: AsyncWriter | None = None
    ) -> AsyncIterator[AsyncCopy]:
        STATEMENTS.append((statement, params))
        async with super().copy(statement, params, writer=writer) as copying:
            yield copying


async def exercise(url: str) -> None:
    """Every statement at least once, all in one namespace."""
    store = PostgresStore(Database(address(url), cursor=Recorder), exact_rows=20)
    await store.open()
    STATEMENTS.clear()
    writer = Writer(store=store, chunker=WholeChunker(), embedder=HashEmbedder(), namespace=NAMESPACE)
    lines = [
        Memory(text=f"line {number} of the lake", origin=FILE, created_at=NOW, updated_at=NOW, event_timestamp=NOW)
        for number in range(30)
    ]
    reading = Reading(origin=FILE, revision="1", memory_ids=frozenset(line.id for line in lines))
    await writer.write(lines, writer.cut(lines), [reading])
    changed = [replace(line, tags=("new",), origin=replace(FILE, title="b")) for line in lines[1:]]
    chunks = [replace(chunk, position=7) for chunk in writer.cut(changed)]
    await writer.write(changed, chunks, [replace(reading, revision="2", memory_ids=frozenset(m.id for m in changed))])
    first = told("port 8080", now=NOW)
    for version in (first, told("port 9090", now=NOW, supersedes=first), told("a secret", now=NOW)):
        await writer.write([version], writer.cut([version]))
    copied = replace(told("port 8081", now=NOW), superseded_by=first.id)
    await writer.write([copied], writer.cut([copied]))
    await store.by_words(NAMESPACE, ["port", "lake"], EVERYTHING, 10)
    narrow = Filters(time=TimeRange(start=NOW, end=NOW + timedelta(days=1)), tags=("new",), metadata={}, origin="file:")
    await store.by_words(NAMESPACE, ["lake"], narrow, 10)
    past = [Filters(as_of=AsOf(moment=NOW, known=known)) for known in (False, True)]
    for wanted in (EVERYTHING, narrow, Filters(tags=("nowhere",)), Filters(origin="file:"), *past):
        for fingerprint in (HashEmbedder.fingerprint, "model-b/64"):
            vector = np.ones(HashEmbedder.dimension, np.float32) / np.float32(8)
            await store.by_vector(NAMESPACE, Variant(text="", vector=vector, fingerprint=fingerprint), wanted, 5)
    await read_everything(store, first)
    await store._database.write(NAMESPACE, fold_all)
    await store.forget(NAMESPACE, [first.id], NOW)
    await store.bury(NAMESPACE, [Tombstone(memory_id="gone", forgotten_at=NOW)])
    await store.enqueue(NAMESPACE, ["a.md", "b.md"])
    await store.claim(NAMESPACE, Claim(claimant="x", now=NOW, until=NOW), 1)
    await store.settle(NAMESPACE, "x", ["a.md"])
    await store.waiting(NAMESPACE)
    await store.close()


async def read_everything(store: PostgresStore, first: Memory) -> None:
    await store.reading(NAMESPACE, FILE.uri)
    await store.candidates(NAMESPACE, ["x"], Aspects(terms=("lake",), reach=1))
    await store.timeline(NAMESPACE, EVERYTHING, 5)
    await store.survey(NAMESPACE)
    await store.tombstones(NAMESPACE, ["x"])
    await store.missing(NAMESPACE, ["x"], HashEmbedder.fingerprint)
    await store.get(NAMESPACE, ["x"])
    await store.memory(NAMESPACE, first.id)
    await store.history(NAMESPACE, first.id)
    await store.entries(NAMESPACE, [first.id], HashEmbedder.fingerprint)
    _ = [item async for item in store.dump(NAMESPACE)]
    await store.add(NAMESPACE, Batch(anew=True))
    entries = await store.entries(NAMESPACE, [first.id], None)
    with_tokens = tuple(replace(entry, tokens=b"12345678") for entry in entries)
    await store.add(NAMESPACE, Batch(entries=with_tokens, token_fingerprint="tokens"))
    await store.unread(NAMESPACE, HashEmbedder.fingerprint, "tokens")
    await store.add_vectors(NAMESPACE, Batch(entries=with_tokens, token_fingerprint="tokens"))
    await store.drop_vectors(NAMESPACE, "model-b/64")


@pytest.fixture(scope="module")
def recorded(tcp_postgres: TcpServer) -> Recorded:
    """Every statement of one namespace that was executed, with its values in it, by its name."""
    with fresh_database(tcp_postgres.conninfo()) as name:
        asyncio.run(exercise(tcp_postgres.url(name)))
        with psycopg.connect(tcp_postgres.conninfo(name)) as connection:
            register_vector(connection)
            cursor = ClientCursor(connection)
            found: Recorded = {}
            for query, values in STATEMENTS:
                text = query.as_string(connection) if isinstance(query, sql.Composable) else _text(query)
                if (known := name_of(text)) is not None:
                    found.setdefault(known, []).append(cursor.mogrify(query, values))
    return found


def _text(query: Query) -> str:
    return query.decode() if isinstance(query, bytes) else str(query)


def name_of(text: str) -> str | None:
    for name, template in OF_ONE_NAMESPACE.items():
        if text == template:
            return name
        if "{dimension}" in template or "{name}" in template:
            pattern = re.escape(template.replace("{{", "{").replace("}}", "}"))
            for part in ("dimension", "name", "embedder_id"):
                pattern = pattern.replace(re.escape(f"{{{part}}}"), ".+?")
            if re.fullmatch(pattern, text, re.DOTALL):
                return name
    return None


@pytest.fixture(scope="module")
def shadow(tcp_postgres: TcpServer) -> Iterator[psycopg.Connection[Any]]:
    """The same schema, every table of it but one in sixteen partitions."""
    with fresh_database(tcp_postgres.conninfo()) as name, connect(tcp_postgres.conninfo(name)) as connection:
        connection.execute("CREATE EXTENSION vector")
        table = re.compile(r"(CREATE TABLE ricordo\.(?!schema_version)(\w+) \(.*?\n\));", re.DOTALL)
        connection.execute(table.sub(r"\1 PARTITION BY HASH (namespace);", load_schema(PACKAGE)).encode())
        for name in TABLES:
            for number in range(PARTITIONS):
                connection.execute(
                    f"CREATE TABLE {name}_{number:02} PARTITION OF {name} "
                    f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})".encode()
                )
        connection.execute("SET plan_cache_mode = force_custom_plan")
        yield connection


def nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


def partitions(connection: psycopg.Connection[Any], statement: str) -> set[str]:
    """The numbers of the partitions that a statement touches; `removed` where they are chosen only as it runs."""
    row = connection.execute(b"EXPLAIN (FORMAT JSON) " + statement.encode()).fetchone()
    assert row is not None
    found = set()
    for node in nodes(row[0][0]["Plan"]):
        if node.get("Subplans Removed"):
            found.add("removed")
        if (relation := node.get("Relation Name", "")) and node["Node Type"] != "ModifyTable":
            found.add(relation.rsplit("_", 1)[-1])
    return found


def test_every_statement_was_recorded(recorded: Recorded) -> None:
    assert set(OF_ONE_NAMESPACE) - set(recorded) == {name for name in OF_ONE_NAMESPACE if name.startswith("begin_ch")}


def test_every_statement_asks_one_node(recorded: Recorded, shadow: psycopg.Connection[Any]) -> None:
    for name in sorted(set(recorded) - WITHOUT_NAMESPACE):
        for statement in recorded[name]:
            if statement.startswith("COPY"):
                assert re.match(r"COPY ricordo\.\w+ \(\s*namespace,", statement), name
                continue
            assert f"'{NAMESPACE}'" in statement, name
            assert len(partitions(shadow, statement)) <= 1, name


def test_a_statement_without_its_namespace_would_be_found_out(shadow: psycopg.Connection[Any]) -> None:
    assert len(partitions(shadow, "SELECT 1 FROM ricordo.memory m WHERE m.id = 'x'")) == PARTITIONS
    joined = (
        "SELECT 1 FROM ricordo.memory m JOIN ricordo.chunk c ON c.memory_id = m.id WHERE m.namespace = 'one of many'"
    )
    assert len(partitions(shadow, joined)) == PARTITIONS


def test_what_changes_rows_calls_only_functions_that_never_change_their_answer(
    recorded: Recorded, shadow: psycopg.Connection[Any]
) -> None:
    for name in sorted(set(recorded) - WITHOUT_NAMESPACE):
        for statement in recorded[name][:1]:
            if re.match(r"(--[^\n]*\n)*\s*(INSERT|UPDATE|DELETE)", statement):
                assert functions(shadow, statement) <= {"i"}, name


def functions(connection: psycopg.Connection[Any], statement: str) -> set[str]:
    """The volatility of every function that a statement calls, from the tree that PostgreSQL keeps of it."""
    with connection.transaction(force_rollback=True):
        body = f"CREATE FUNCTION pg_temp.checked() RETURNS void BEGIN ATOMIC {statement}; END"
        connection.execute(body.encode())
        row = connection.execute("SELECT prosqlbody::text FROM pg_proc WHERE proname = 'checked'").fetchone()
        assert row is not None
        called = [int(oid) for oid in re.findall(r":(?:funcid|opfuncid) (\d+)", row[0])]
        known = connection.execute("SELECT DISTINCT provolatile::text FROM pg_proc WHERE oid = ANY(%s)", [called])
        return {volatility for (volatility,) in known}


def test_a_function_that_changes_its_answer_would_be_found_out(shadow: psycopg.Connection[Any]) -> None:
    statement = "UPDATE ricordo.memory SET updated_at = clock_timestamp() WHERE namespace = 'a'"
    assert "v" in functions(shadow, statement)


def test_settings_are_local_to_a_transaction_and_sent_on(recorded: Recorded) -> None:
    for name in SETTINGS & set(recorded):
        for setting in re.findall(r"^SET.*", recorded[name][0], re.MULTILINE):
            assert setting.startswith("SET LOCAL"), name
        if name.startswith("begin"):
            assert "SET LOCAL citus.propagate_set_commands = 'local'" in recorded[name][0]


@pytest.mark.anyio
async def test_without_citus_there_is_nothing_to_distribute(tcp_postgres: TcpServer) -> None:
    with fresh_database(tcp_postgres.conninfo()) as name:
        store = PostgresStore.from_url(tcp_postgres.url(name))
        await store.open()
        assert await store.distribute() is None
        await store.close()


@pytest.mark.anyio
async def test_on_a_real_cluster_every_statement_is_one_task(recorded: Recorded) -> None:
    url = CITUS
    if not url:
        pytest.skip("no Citus cluster here: set RICORDO_TEST_CITUS_URL")
    store = PostgresStore.from_url(url)
    await store.open()
    await store.distribute()
    assert await store.distribute() == ()
    with connect(url) as connection:
        for name in sorted(set(recorded) - WITHOUT_NAMESPACE):
            for statement in recorded[name][:1]:
                if statement.startswith("COPY"):
                    continue
                plan = "\n".join(str(row[0]) for row in connection.execute(b"EXPLAIN " + statement.encode()))
                assert re.search(r"Task Count: 1\b", plan) or re.search(r"Custom Scan \(Citus", plan) is None, name
    await store.close()
