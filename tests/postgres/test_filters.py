"""Filters on a large database: every answer is full, and near to the exact one, in namespaces of every size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from postgres_servers import connect, tell
from ricordo.memory import Chunk, Memory, Origin
from ricordo.protocols import Batch, Entry
from ricordo.query import Filters, TimeRange, Variant
from ricordo.stores.postgres.address import address
from ricordo.stores.postgres.database import Database
from ricordo.stores.postgres.store import PostgresStore
from trustworthy import LONG

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MODEL = "clusters/96"
DIMENSION = 96
PAGE = 2000
LIMIT = 10
LARGE = (120_000, 300, 10_000) if LONG else (40_000, 300, 3_300)
SHARES = (0.0001, 0.001, 0.01, 0.1, 0.5, 1.0)


@dataclass(frozen=True, kw_only=True)
class Space:
    """A namespace: its vectors, and the second in which each of them happened."""

    name: str
    vectors: NDArray[np.float32]
    seconds: NDArray[np.int64]

    def exact(self, question: NDArray[np.float32], start: int) -> list[int]:
        allowed = np.flatnonzero(self.seconds >= start)
        return [int(row) for row in allowed[np.argsort(-(self.vectors[allowed] @ question), kind="stable")][:LIMIT]]


def sizes(total: int, namespaces: int) -> list[int]:
    """Three large namespaces, and many of which each next is smaller."""
    large = [total // 3, total // 6, total // 10]
    weights = 1 / np.arange(1, namespaces - 2)
    rest = np.maximum(1, (weights / weights.sum() * (total - sum(large))).astype(int))
    return [*large, *(int(size) for size in rest)]


def make(name: str, size: int, random: np.random.Generator, centres: NDArray[np.float32]) -> Space:
    rows = centres[random.integers(0, len(centres), size)] + random.standard_normal((size, DIMENSION), np.float32)
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16).astype(np.float32)
    return Space(name=name, vectors=rows, seconds=random.integers(0, 10_000_000, size))


def page(space: Space, start: int) -> Batch:
    memories, entries = [], []
    for row in range(start, min(start + PAGE, len(space.vectors))):
        origin = Origin(kind="told", uri=f"told:{row // 1000}")
        moment = NOW + timedelta(seconds=int(space.seconds[row]))
        identity = f"{row:08}"
        memories.append(
            Memory(id=identity, text="x", origin=origin, created_at=NOW, updated_at=NOW, event_timestamp=moment)
        )
        chunk = Chunk(id=identity, memory_id=identity, origin_uri=origin.uri, text="x")
        entries.append(Entry(chunk=chunk, lexemes=("x",), vector=space.vectors[row]))
    return Batch(memories=tuple(memories), entries=tuple(entries), fingerprint=MODEL)


async def fill(url: str, spaces: Sequence[Space]) -> None:
    """Without an index at first, as any large load is done."""
    store = PostgresStore(Database(address(url)), exact_rows=10**9)
    await store.open()
    for space in spaces:
        for start in range(0, len(space.vectors), PAGE):
            await store.add(space.name, page(space, start))
    await store.close()


@pytest.fixture(
    params=[
        pytest.param((3_000, 12, 400), id="small"),
        pytest.param(LARGE, id="large", marks=pytest.mark.slow),
    ]
)
async def filled(request: pytest.FixtureRequest, postgres_url: str) -> AsyncIterator[tuple[PostgresStore, list[Space]]]:
    total, namespaces, exact_rows = request.param
    random = np.random.default_rng(5)
    centres = 2 * random.standard_normal((200, DIMENSION)).astype(np.float32)
    spaces = [make(f"n{number}", size, random, centres) for number, size in enumerate(sizes(total, namespaces))]
    await fill(postgres_url, spaces)
    store = PostgresStore(Database(address(postgres_url)), exact_rows=exact_rows)
    await store.open()
    await store.add(spaces[0].name, page(spaces[0], 0))  # what outgrows the exact search is indexed
    with connect(postgres_url) as connection:
        made = connection.execute("SELECT 1 FROM pg_indexes WHERE indexname LIKE 'embedding_hnsw%'").fetchall()
        assert len(made) == 1
    yield store, spaces
    await store.close()


async def test_every_filtered_search_is_full_and_near_the_exact_one(filled: tuple[PostgresStore, list[Space]]) -> None:
    store, spaces = filled
    random = np.random.default_rng(6)
    recall: defaultdict[int, list[float]] = defaultdict(list)
    for space in [*spaces[:3], *spaces[3::20]]:
        for share in SHARES:
            for _ in range(8):
                question = space.vectors[random.integers(len(space.vectors))] + 0.05 * random.standard_normal(DIMENSION)
                question = (question / np.linalg.norm(question)).astype(np.float32)
                start = int(np.quantile(space.seconds, 1 - share)) if share < 1 else 0
                wanted = space.exact(question, start)
                filters = Filters(time=TimeRange(start=NOW + timedelta(seconds=start)))
                variant = Variant(text="", vector=question, fingerprint=MODEL)
                found = await store.by_vector(space.name, variant, filters, LIMIT)
                assert len(found) == len(wanted)
                recall[len(str(len(space.vectors)))].append(
                    len({int(chunk) for chunk in found} & set(wanted)) / max(1, len(wanted))
                )

    for digits, values in sorted(recall.items()):
        tell(f"namespaces of {digits} digits: recall@10 {np.mean(values):.3f} over {len(values)} searches")
        assert np.mean(values) >= 0.95
