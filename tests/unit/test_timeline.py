"""What happened, in order: of a namespace and of a topic, on the shipped doubles."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

import ricordo
from ricordo.engine import Engine
from ricordo.errors import InvalidInput
from ricordo.memory import Memory, Origin
from ricordo.query import AsOf, Filters, TimeRange
from ricordo.testing import HashEmbedder, InMemoryStore, ListSource

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
NOTES = Origin(kind="list", uri="list:notes")


def ago(days: int) -> datetime:
    return NOW - timedelta(days=days)


@pytest.fixture
async def memory() -> AsyncIterator[Engine]:
    """A pool that changed twice, a lake, and a note of no known time."""
    async with ricordo.open(InMemoryStore(), embedder=HashEmbedder(), namespace="n", clock=lambda: NOW) as engine:
        old = await engine.remember("the pool holds 20", event_timestamp=ago(200), tags=["pool"])
        await engine.remember("the pool holds 60", event_timestamp=ago(100), tags=["pool"], supersedes=old.id)
        await engine.remember("the lake is cold", event_timestamp=ago(150))
        note = Memory(text="the pool has a spare key", origin=NOTES, created_at=NOW, updated_at=NOW)
        await engine.ingest([ListSource(NOTES, [note])])
        yield engine


async def test_a_namespace_is_told_in_the_order_of_events(memory: Engine) -> None:
    found = await memory.timeline()

    assert [each.text for each in found.memories] == ["the lake is cold", "the pool holds 60"]
    assert (found.namespace, found.topic, found.undated) == ("n", None, 1)


async def test_filters_hold_for_what_is_told_and_what_is_counted(memory: Engine) -> None:
    recent = await memory.timeline(filters=Filters(time=TimeRange(start=ago(120))))
    tagged = await memory.timeline(filters=Filters(tags=("pool",), superseded=True))

    assert ([each.text for each in recent.memories], recent.undated) == (["the pool holds 60"], 1)
    assert recent.time is not None
    assert ([each.text for each in tagged.memories], tagged.undated) == (
        ["the pool holds 20", "the pool holds 60"],
        0,
    )


async def test_a_past_state_is_told_without_a_count_of_the_undated(memory: Engine) -> None:
    found = await memory.timeline(filters=Filters(as_of=AsOf(moment=ago(120))))

    assert [each.text for each in found.memories] == ["the pool holds 20", "the lake is cold"]
    assert found.undated is None


async def test_a_topic_is_told_in_the_order_of_events(memory: Engine) -> None:
    now = await memory.timeline("pool", limit=2)
    whole = await memory.timeline("pool holds", filters=Filters(superseded=True, tags=("pool",)))

    assert ([each.text for each in now.memories], now.undated, now.topic) == (["the pool holds 60"], 1, "pool")
    assert [each.text for each in whole.memories] == ["the pool holds 20", "the pool holds 60"]


async def test_a_limit_must_make_sense(memory: Engine) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        await memory.timeline(limit=0)
