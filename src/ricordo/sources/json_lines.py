"""JSON Lines of anybody's own making: one object a line, with a text and whatever else is known of it.

The fields are described in the documentation. A field that is not one of them is kept as metadata, so that nothing
has to be renamed before it can be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ricordo.dates import iso_time
from ricordo.memory import EventOrigin, EventTime, Json
from ricordo.sources.blobs import Blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.records import elements
from ricordo.sources.statements import Statement, StatementSource
from ricordo.sources.values import items, json_value, moment, text

__all__ = ["statements"]

KIND = "jsonl"
# Raised whenever the same file would give other memories than before.
READER = "json-lines-1"

TEXT = ("text", "content")
TITLE = ("title", "context")
EVENT = ("event_timestamp", "date", "timestamp", "created_at")
SPEAKER = ("speaker", "role", "author")
GROUP = ("group", "conversation", "conversation_id", "session", "session_id", "thread")
USED = frozenset({*TEXT, *TITLE, *EVENT, *SPEAKER, *GROUP, "id", "metadata", "tags"})


def statements(blob: Blob, circumstances: Circumstances) -> Iterator[StatementSource]:
    """The objects of a file, one a line or in an array."""
    yield StatementSource(
        blob=blob,
        circumstances=circumstances,
        kind=KIND,
        reader=READER,
        records=elements,
        understand=_understand,
    )


def _understand(record: Mapping[str, object], circumstances: Circumstances) -> Iterator[Statement]:
    said = _first(record, TEXT)
    if not said.strip():
        raise ValueError("has no text")
    given = json_value(record.get("metadata"))
    extra: dict[str, Json] = {key: json_value(value) for key, value in record.items() if key not in USED}
    if (name := record.get("id")) is not None:
        extra["id"] = json_value(name)
    yield Statement(
        text=said,
        key=str(name or ""),
        context=_first(record, TITLE),
        group=_first(record, GROUP) or None,
        speaker=_first(record, SPEAKER) or None,
        event=_event(record, circumstances),
        tags=_tags(record.get("tags")),
        metadata=extra | (given if isinstance(given, dict) else {}),
    )


def _first(record: Mapping[str, object], keys: tuple[str, ...]) -> str:
    """The first of the fields that holds something; a number is written out."""
    values = (record.get(key) for key in keys)
    return next((str(value) for value in values if isinstance(value, (int, str)) and str(value).strip()), "")


def _event(record: Mapping[str, object], circumstances: Circumstances) -> EventTime | None:
    """A date is its whole day, as it is everywhere; a time, or a number of seconds since 1970, a moment."""
    for value in (record.get(key) for key in EVENT):
        found = iso_time(value, circumstances.zone, EventOrigin.SOURCE) if isinstance(value, str) else None
        start = moment(value, circumstances.zone) if found is None else None
        if found is not None or start is not None:
            return found or EventTime(start=start or circumstances.now, origin=EventOrigin.SOURCE)
    return None


def _tags(value: object) -> tuple[str, ...]:
    """A list, or one string with commas or blanks between."""
    found = value.replace(",", " ").split() if isinstance(value, str) else map(text, items(value))
    return tuple(dict.fromkeys(filter(None, (tag.strip().lstrip("#") for tag in found))))
