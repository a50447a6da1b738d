"""The HNSW index of an embedder goes with the last of its vectors, and comes back with new ones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import psycopg
import pytest

from ricordo.memory import told
from ricordo.protocols import Store
from ricordo.query import EVERYTHING, Variant
from ricordo.remember import Writer
from ricordo.stores.postgres.address import address
from ricordo.stores.postgres.database import Database
from ricordo.stores.postgres.store import PostgresStore
from ricordo.testing import HashEmbedder, WholeChunker

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MANY = 60


@pytest.fixture
async def stores(postgres_url: str) -> AsyncIterator[list[PostgresStore]]:
    """Two users of one database, for whom 20 vectors are many."""
    opened = [PostgresStore(Database(address(postgres_url)), exact_rows=20) for _ in range(2)]
    for store in opened:
        await store.open()
    yield opened
    for store in opened:
        await store.close()


async def fill(store: Store, namespace: str) -> None:
    writer = Writer(store=store, chunker=WholeChunker(), embedder=HashEmbedder(), namespace=namespace)
    memories = [told(f"note {number}", now=NOW) for number in range(MANY)]
    await writer.write(memories, writer.cut(memories))


async def refill(store: Store, namespace: str) -> None:
    writer = Writer(store=store, chunker=WholeChunker(), embedder=HashEmbedder(), namespace=namespace)
    await writer.fill(await store.unread(namespace, HashEmbedder.fingerprint, None))


async def found(store: Store, namespace: str) -> int:
    (vector,) = HashEmbedder().embed_queries(["note 7"])
    variant = Variant(text="", vector=vector, fingerprint=HashEmbedder.fingerprint, floor=0.9)
    return len(await store.by_vector(namespace, variant, EVERYTHING, 5))


async def indexes(url: str) -> int:
    query = "SELECT count(*) FROM pg_indexes WHERE schemaname = 'ricordo' AND indexname LIKE 'embedding_hnsw%'"
    async with await psycopg.AsyncConnection.connect(address(url).conninfo) as connection:
        row = await (await connection.execute(query)).fetchone()
    return row[0] if row else 0


async def test_the_index_goes_with_the_last_vectors(stores: list[PostgresStore], postgres_url: str) -> None:
    store = stores[0]
    for namespace in ("a", "b"):
        await fill(store, namespace)
    assert await indexes(postgres_url) == 1
    assert await store.drop_vectors("a", HashEmbedder.fingerprint) == MANY
    assert (await indexes(postgres_url), await found(store, "b")) == (1, 1)
    assert await store.drop_vectors("b", HashEmbedder.fingerprint) == MANY
    assert (await indexes(postgres_url), await found(store, "b")) == (0, 0)
    assert await store.check() == ()


async def test_who_knew_an_index_that_another_dropped_makes_a_new_one(
    stores: list[PostgresStore], postgres_url: str
) -> None:
    here, there = stores
    await fill(here, "a")
    assert await found(here, "a") == 1
    await there.drop_vectors("a", HashEmbedder.fingerprint)
    assert await indexes(postgres_url) == 0
    await refill(here, "a")

    assert await indexes(postgres_url) == 1
    assert (await found(here, "a"), await found(there, "a")) == (1, 1)


async def test_what_is_stored_is_no_failure_when_the_index_cannot_be_made(
    stores: list[PostgresStore], postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as owner:
        owner.execute(
            "CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no room'; END$$;"
            "CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION refuse()"
        )
        await fill(stores[0], "a")
        async with stores[0].loading():
            await fill(stores[0], "c")
        assert (await indexes(postgres_url), await found(stores[0], "a"), await found(stores[0], "c")) == (0, 1, 1)
        assert caplog.text.count("is stored, but searching it may be slow") >= 2

        owner.execute("DROP EVENT TRIGGER refuse")
        await refill(stores[0], "a")
        await fill(stores[0], "b")
        assert await indexes(postgres_url) == 1


async def test_while_much_is_loaded_the_index_waits(stores: list[PostgresStore], postgres_url: str) -> None:
    store = stores[0]
    async with store.loading():
        await fill(store, "a")
        assert (await indexes(postgres_url), await found(store, "a")) == (0, 1)
    assert (await indexes(postgres_url), await found(store, "a")) == (1, 1)


async def test_a_load_that_is_broken_off_leaves_the_index_to_the_next_write(
    stores: list[PostgresStore], postgres_url: str
) -> None:
    store = stores[0]

    async def load() -> None:
        async with store.loading():
            await fill(store, "a")
            raise TimeoutError

    with pytest.raises(TimeoutError):
        await load()
    assert await indexes(postgres_url) == 0
    await fill(store, "b")
    assert await indexes(postgres_url) == 1
