"""A namespace of a SQLite store seen from above, inside one read transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from ricordo.exchange import QUARTER, Held, Survey
from ricordo.memory import TOLD, Origin
from ricordo.stores.sqlite.session import Session

__all__ = ["survey"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def survey(session: Session) -> Survey:
    """Counts, origins, times and tags of the namespace."""
    counts = session.one("survey_counts")
    current, superseded, undated = tuple(counts) if counts else (0, 0, 0)
    quarter = QUARTER // MICROSECOND
    return Survey(
        current=current,
        superseded=superseded,
        undated=undated,
        origins=tuple(_held(row) for row in session.all("survey_origins", told=TOLD)),
        events=_by_quarter(session.all("survey_events", quarter=quarter)),
        learned=_by_quarter(session.all("survey_learned", quarter=quarter)),
        tags={row["tag"]: row["memories"] for row in session.all("survey_tags")},
    )


def _by_quarter(rows: Iterable[sqlite3.Row]) -> dict[datetime, int]:
    return {EPOCH + timedelta(microseconds=row["quarter"]): row["memories"] for row in rows}


def _held(row: sqlite3.Row) -> Held:
    return Held(
        origin=Origin(kind=row["kind"], uri=row["uri"], title=row["title"]),
        memories=row["memories"],
        first=EPOCH + timedelta(microseconds=row["first"]),
        last=EPOCH + timedelta(microseconds=row["last"]),
        read=bool(row["is_read"]),
    )
