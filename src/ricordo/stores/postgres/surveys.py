"""A namespace of a PostgreSQL store seen from above, inside one read transaction."""

from __future__ import annotations

from ricordo.exchange import QUARTER, Held, Survey
from ricordo.memory import TOLD, Origin
from ricordo.stores.postgres.session import Row, Session

__all__ = ["survey"]


async def survey(session: Session) -> Survey:
    """Counts, origins, times and tags of the namespace."""
    counts = await session.one("survey_counts")
    return Survey(
        current=counts["current"] if counts else 0,
        superseded=counts["superseded"] if counts else 0,
        undated=counts["undated"] if counts else 0,
        origins=tuple(_held(row) for row in await session.all("survey_origins", told=TOLD)),
        events={row["start"]: row["memories"] for row in await session.all("survey_events", quarter=QUARTER)},
        learned={row["start"]: row["memories"] for row in await session.all("survey_learned", quarter=QUARTER)},
        tags={row["tag"]: row["memories"] for row in await session.all("survey_tags")},
    )


def _held(row: Row) -> Held:
    return Held(
        origin=Origin(kind=row["kind"], uri=row["uri"], title=row["title"]),
        memories=row["memories"],
        first=row["first"],
        last=row["last"],
        read=row["is_read"],
    )
