"""Many writers and readers at once: nothing is lost, no deadlock surfaces, and the counts are right at the end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from postgres_servers import tell
from ricordo.memory import Memory, Origin, told
from ricordo.protocols import Store
from ricordo.query import EVERYTHING, Query
from ricordo.recall import Reader
from ricordo.remember import Writer
from ricordo.stores import open_store
from ricordo.testing import HashEmbedder, WholeChunker
from trustworthy import LONG

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 1, tzinfo=UTC)
READERS = 8
MANY = 200 if LONG else 30  # transactions: who waits for whom is decided by how many write at once
PAUSE = 0.05  # seconds: readers are others' programs, which would not all compute in this process
SHARED = Origin(kind="text", uri="file:///shared.txt", title="shared")


async def write(store: Store, writer: int, transactions: int) -> list[float]:
    """Some lines of their own, some that every writer writes, and now and then a new version or a forgotten one."""
    into = Writer(store=store, chunker=WholeChunker(), embedder=HashEmbedder(), namespace="a")
    took = []
    for number in range(transactions):
        own = told(f"writer {writer} note {number}", now=NOW)
        common = Memory(text=f"common line {number % 20}", origin=SHARED, created_at=NOW, updated_at=NOW)
        begin = time.perf_counter()
        await into.write([own, common], into.cut([own, common]))
        took.append(time.perf_counter() - begin)
        if number % 10 == 5:
            newer = told(f"writer {writer} note {number}, revised", now=NOW, supersedes=own)
            await into.write([newer], into.cut([newer]))
        if number % 10 == 9:
            await store.forget("a", [own.id], NOW)
    return took


async def read(store: Store, done: asyncio.Event) -> int:
    # Without weighing evidence, which is work for this process and none for the store.
    reader, asked = Reader(store=store, embedder=HashEmbedder(), model=None), 0
    while not done.is_set():
        await reader.recall(Query(text=f"writer {asked % 16} note {asked % 50}", namespace="a"))
        await asyncio.sleep(PAUSE)
        asked += 1
    return asked


async def crowd(stores: Sequence[Store], writers: int, transactions: int) -> tuple[float, float, int]:
    """Transactions a second, their p95 in milliseconds, and the questions answered meanwhile."""
    done = asyncio.Event()
    readers = [asyncio.create_task(read(stores[number % len(stores)], done)) for number in range(READERS)]
    begin = time.perf_counter()
    times = await asyncio.gather(
        *(write(stores[number % len(stores)], number, transactions) for number in range(writers))
    )
    elapsed = time.perf_counter() - begin
    done.set()
    asked = sum(await asyncio.gather(*readers))
    return writers * transactions / elapsed, float(np.percentile(np.concatenate(times), 95)) * 1000, asked


async def check(store: Store, writers: int, transactions: int) -> None:
    everything = [item async for _, item in store.dump("a") if isinstance(item, Memory)]
    tens = transactions // 10
    kept = transactions - tens  # of each writer: every tenth was forgotten
    assert len(everything) == writers * (kept + tens) + min(20, transactions)
    assert await store.check() == ()
    found = await store.by_words("a", ["writer", "common"], EVERYTHING, 10)
    assert found.document_frequency["writer"] == writers * (kept + tens)
    assert found.document_frequency["common"] == min(20, transactions)


@pytest.mark.parametrize(
    ("writers", "transactions"), [(4, 20), pytest.param(16, MANY, marks=pytest.mark.slow)], ids=["few", "many"]
)
async def test_writers_and_readers_do_not_hinder_each_other(
    postgres_url: str, tmp_path: Path, writers: int, transactions: int
) -> None:
    for url in (postgres_url, f"sqlite:///{tmp_path / 'store.db'}"):
        stores = [open_store(url) for _ in range(3)]
        for store in stores:
            await store.open()
        rate, p95, asked = await crowd(stores, writers, transactions)
        tell(f"{url.split(':')[0]}: {rate:.0f} transactions a second, p95 {p95:.0f} ms, {asked} questions meanwhile")
        await check(stores[0], writers, transactions)
        for store in stores:
            await store.close()
