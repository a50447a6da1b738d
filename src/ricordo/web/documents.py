"""The JSON documents that only the web has; all others are those of the command line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from ricordo.exchange import Held
from ricordo.explain import Explanation
from ricordo.memory import Memory
from ricordo.render.documents import Document, document
from ricordo.skips import Skip
from ricordo.web.measures import Measures
from ricordo.web.service import Imported
from ricordo.web.surveys import Overview
from ricordo.web.trash import Binned

__all__ = [
    "binned_document",
    "explanation_document",
    "held_document",
    "imported_document",
    "measures_document",
    "near_document",
    "skip_document",
    "survey_document",
]


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


def skip_document(skip: Skip) -> Document:
    """Something that a reading could not take in; `origin` is null where it is no part of a source that is known."""
    return {"at": skip.at.isoformat(), "where": skip.where, "why": skip.why, "origin": skip.origin}


def survey_document(namespace: str, overview: Overview) -> Document:
    """A namespace from above, its times by the days of the zone."""
    survey = overview.survey
    return {
        "namespace": namespace,
        "current": survey.current,
        "superseded": survey.superseded,
        "undated": survey.undated,
        "events": dict(overview.events),
        "learned": dict(overview.learned),
        "kinds": dict(overview.kinds),
        "tags": dict(survey.tags),
    }


def explanation_document(found: Explanation) -> Document:
    """A chunk word by word; `start` and `end` are places in its text."""
    return {
        "id": found.chunk.memory_id,
        "chunk": found.chunk.id,
        "text": found.chunk.text,
        "terms": [asdict(term) for term in found.terms],
        "meetings": [asdict(meeting) for meeting in found.meetings],
    }


def near_document(neighbours: Iterable[Memory], similar: Iterable[Memory]) -> Document:
    """What stands near a memory."""
    return {"neighbours": [document(item) for item in neighbours], "similar": [document(item) for item in similar]}


def imported_document(imported: Imported) -> Document:
    """One reading: what, when, and what came of it."""
    return {"what": imported.what, "at": imported.at.isoformat(), **document(imported.counts)}


def binned_document(binned: Binned, seconds: int) -> Document:
    """What can be put back by its key, and for how long."""
    return {"key": binned.key, "seconds_left": seconds, "memories": [document(item) for item in binned.memories]}


def measures_document(found: Measures) -> Document:
    """The numbers behind the plots; languages are those of a sample, times are milliseconds."""
    survey, latency = found.survey, found.latency
    return {
        "current": survey.current,
        "superseded": survey.superseded,
        "undated": survey.undated,
        "growth": dict(found.growth),
        "languages": dict(found.languages),
        "sampled": found.sampled,
        "sources": len(survey.origins),
        "stats": document(found.stats),
        "latency": {
            "answers": len(latency.totals),
            "median_ms": round(latency.middle[0], 2),
            "median_outside_models_ms": round(latency.middle[1], 2),
            "totals_ms": [round(each, 2) for each in latency.totals],
        },
    }
