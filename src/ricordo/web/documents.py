"""The JSON documents that only the web has; all others are those of the command line."""

from __future__ import annotations

from collections.abc import Iterable

from ricordo.exchange import Held
from ricordo.memory import Memory
from ricordo.render.documents import Document, document
from ricordo.web.surveys import Overview

__all__ = ["held_document", "near_document", "survey_document"]


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
        "tags": dict(survey.tags),
    }


def near_document(neighbours: Iterable[Memory], similar: Iterable[Memory]) -> Document:
    """What stands near a memory."""
    return {"neighbours": [document(item) for item in neighbours], "similar": [document(item) for item in similar]}
