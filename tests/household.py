"""A store with a household's and a team's memories in two languages, for pages to be looked at."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from ricordo import sync
from ricordo.dates import iso_time
from ricordo.memory import EventTime, Memory, Origin
from ricordo.settings import Settings
from ricordo.testing import ListSource
from twolanguages import memories

__all__ = ["NOW", "fill", "settings"]

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)


def settings(store: str, embedder: str = "none") -> Settings:
    """Those of a reader in Lisbon."""
    return Settings(store=store, embedder=embedder, tz="Europe/Lisbon")


def fill(chosen: Settings, number: int) -> None:
    """Write generated conversations, and a few facts that were told, one of them twice revised."""
    with sync.open(settings=chosen, clock=lambda: NOW) as memory:
        memory.ingest(
            ListSource(Origin(kind="chat", uri=uri, title=title), tuple(said))
            for (uri, title), said in groupby(memories(number), _origin)
        )
        pool = memory.remember("The connection pool has 20 connections", event_timestamp=day("2026-01-12"), tags=["db"])
        memory.revise(pool.id, "The connection pool has 60 connections", event_timestamp=day("2026-06-09"))
        now = "The connection pool has 40 connections since the move to Lisbon"
        memory.revise(pool.id, now, event_timestamp=day("2026-10-05"))
        keys = "Соня отдала запасные ключи от дачи Марине, код от калитки 4471"
        memory.remember(keys, event_timestamp=datetime(2026, 11, 10, 18, 30, tzinfo=UTC), tags=["дом"])
        door = "Dana's door code is 4471; she is away until the first of December"
        memory.remember(door, event_timestamp=day("2026-11-12"), tags=["home", "codes"], metadata={"project": "atlas"})


def day(text: str) -> EventTime | None:
    """All of a day in Lisbon."""
    return iso_time(text, ZoneInfo("Europe/Lisbon"))


def _origin(memory: Memory) -> tuple[str, str | None]:
    return memory.origin.uri, memory.origin.title
