"""The JSON documents that only the web has; all others are those of the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo

from ricordo.exchange import Held
from ricordo.memory import Memory
from ricordo.protocols import Survey
from ricordo.render.documents import Document, document

__all__ = ["by_day", "held_document", "near_document", "survey_document"]


def held_document(held: Held) -> Document:
    """How much is held of an origin."""
    origin = held.origin
    return {
        "source": {"kind": origin.kind, "uri": origin.uri, "title": origin.title},
        "memories": held.memories,
        "first": held.first.isoformat(),
        "last": held.last.isoformat(),
        "read": held.read,
    }


def survey_document(namespace: str, survey: Survey, zone: tzinfo) -> Document:
    """A namespace from above, its times by the days of the zone."""
    return {
        "namespace": namespace,
        "current": survey.current,
        "superseded": survey.superseded,
        "undated": survey.undated,
        "events": by_day(survey.events, zone),
        "learned": by_day(survey.learned, zone),
        "tags": dict(survey.tags),
    }


def near_document(neighbours: Iterable[Memory], similar: Iterable[Memory]) -> Document:
    """What stands near a memory."""
    return {"neighbours": [document(item) for item in neighbours], "similar": [document(item) for item in similar]}


def by_day(quarters: Mapping[datetime, int], zone: tzinfo) -> dict[str, int]:
    """Counts by the day in the zone, in order."""
    counts: Counter[str] = Counter()
    for start, number in quarters.items():
        counts[start.astimezone(zone).date().isoformat()] += number
    return dict(sorted(counts.items()))
