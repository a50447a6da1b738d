"""What was forgotten a moment ago can be put back, whole."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import ricordo
from ricordo.engine import Engine
from ricordo.testing import HashEmbedder

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["memory", "sqlite", "embedded"])
async def memory(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Engine]:
    if request.param == "embedded":
        url = request.getfixturevalue("embedded_url")
    else:
        url = {"memory": "memory:", "sqlite": f"sqlite:///{tmp_path / 'store.db'}"}[request.param]
    async with ricordo.open(url, embedder=HashEmbedder()) as engine:
        yield engine


async def test_all_versions_come_back_as_they_were(memory: Engine) -> None:
    first = await memory.remember("the pool has 20 connections", tags=["db"], metadata={"project": "atlas"})
    await memory.revise(first.id, "the pool has 60 connections")
    versions = await memory.history(first.id)
    await memory.forget([first.id])

    assert await memory.restore(versions) == tuple(sorted(version.id for version in versions))
    assert await memory.history(first.id) == versions
    assert [hit.text for hit in await memory.recall("how many connections")] == ["the pool has 60 connections"]


async def test_what_is_here_stays_as_it_is(memory: Engine) -> None:
    first = await memory.remember("the port is 8080")

    assert await memory.restore([first.memory]) == ()
    assert await memory.show(first.id) == first.memory
