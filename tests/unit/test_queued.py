"""Files that wait in a store are read by whoever comes, each once, and nothing of it is lost with a worker."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import numpy as np
import pytest
from numpy.typing import NDArray

import ricordo
from ricordo.engine import Engine
from ricordo.errors import ModelError
from ricordo.exchange import Claim, Encoded
from ricordo.ingest import Ingested
from ricordo.testing import HashEmbedder, InMemoryStore

pytestmark = pytest.mark.anyio

FILES = 40


class BrokenEmbedder(HashEmbedder):
    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise ModelError("the model's file is damaged")

    def encode_passages(self, texts: Sequence[str]) -> Encoded:
        raise ModelError("the model's file is damaged")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    made = [tmp_path / f"{number:02} ü.md" for number in range(FILES)]
    for number, file in enumerate(made):
        file.write_text(f"The garden {number} is watered at six.", encoding="utf-8")
    return made


@pytest.fixture
async def store() -> InMemoryStore:
    return InMemoryStore()


@pytest.fixture
async def memory(store: InMemoryStore) -> AsyncIterator[Engine]:
    async with ricordo.open(store, embedder=HashEmbedder()) as opened:
        yield opened


async def test_workers_share_what_waits(memory: Engine, files: list[Path]) -> None:
    assert await memory.queue.put(files) == FILES
    assert await memory.queue.put(files[:3]) == 0
    told: dict[str, list[Ingested]] = {"one": [], "other": []}
    async with anyio.create_task_group() as tasks:
        for name, heard in told.items():
            tasks.start_soon(memory.queue.work, name, heard.append)

    assert sum(done.added for heard in told.values() for done in heard) == FILES
    assert all(told.values())
    assert (await memory.queue.waiting(), (await memory.stats()).memories) == (0, FILES)


async def test_a_successor_goes_on_with_what_one_of_its_name_left(
    memory: Engine, store: InMemoryStore, files: list[Path]
) -> None:
    await memory.queue.put(files)
    now = datetime.now(UTC)
    await store.claim("default", Claim(claimant="one", now=now, until=now + timedelta(days=1)), 5)
    await memory.queue.work("one", lambda done: None)

    assert (await memory.queue.waiting(), (await memory.stats()).memories) == (0, FILES)


async def test_what_a_dead_worker_had_claimed_is_waited_for(
    memory: Engine, store: InMemoryStore, files: list[Path]
) -> None:
    await memory.queue.put(files)
    now = datetime.now(UTC)
    await store.claim("default", Claim(claimant="dead", now=now, until=now + timedelta(seconds=0.3)), 5)
    await memory.queue.work("living", lambda done: None)

    assert (await memory.queue.waiting(), (await memory.stats()).memories) == (0, FILES)


async def test_a_worker_that_fails_leaves_its_files_to_others_at_once(
    memory: Engine, store: InMemoryStore, files: list[Path]
) -> None:
    await memory.queue.put(files[:2])
    async with ricordo.open(store, embedder=BrokenEmbedder()) as broken:
        with pytest.raises(ModelError, match="damaged"):
            await broken.queue.work("broken", lambda done: None)
    await store.open()
    now = datetime.now(UTC)

    assert len(await store.claim("default", Claim(claimant="next", now=now, until=now), 9)) == 2


async def test_a_file_that_went_away_is_told_of_and_waits_no_longer(memory: Engine, files: list[Path]) -> None:
    files[0].unlink()
    await memory.queue.put(files[:2])
    told: list[Ingested] = []
    await memory.queue.work("one", told.append)

    assert [len(done.skipped) for done in told] == [1]
    assert (await memory.queue.waiting(), (await memory.stats()).memories) == (0, 1)
