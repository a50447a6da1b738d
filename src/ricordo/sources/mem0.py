"""An export of mem0: what `get_all` answers, saved as JSON, or one memory a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ricordo.exchange import Skipped
from ricordo.memory import EventOrigin, EventTime, Json
from ricordo.sources.blobs import Blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.records import Record, elements
from ricordo.sources.shapes import Shape
from ricordo.sources.statements import Statement, StatementSource
from ricordo.sources.values import items, json_value, moment, text

__all__ = ["memories"]

KIND = "mem0"
# Raised whenever the same file would give other memories than before.
READER = "mem0-1"
SHAPE: Shape = {"memory": str, "data": str}

WRAPPERS = ("results", "memories")
KEPT = ("user_id", "agent_id", "app_id", "run_id", "id")


def memories(blob: Blob, circumstances: Circumstances) -> Iterator[StatementSource]:
    """The memories that a file holds."""
    yield StatementSource(
        blob=blob,
        circumstances=circumstances,
        kind=KIND,
        reader=READER,
        records=_unwrapped,
        understand=_understand,
        shape=SHAPE,
    )


def _unwrapped(blob: Blob) -> Iterator[Record | Skipped]:
    """The records; where an answer was saved with what stands around its list, those of the list."""
    for record in elements(blob):
        value = record.value if isinstance(record, Record) else None
        key = next((key for key in WRAPPERS if isinstance(value, dict) and isinstance(value.get(key), list)), None)
        if not isinstance(value, dict) or key is None:
            yield record
        else:
            yield from (Record(number=number, value=item) for number, item in enumerate(items(value[key]), start=1))


def _understand(record: Mapping[str, object], circumstances: Circumstances) -> Iterator[Statement]:
    said = text(record.get("memory")) or text(record.get("data"))
    if not said.strip():
        raise ValueError("has no memory in it")
    made = moment(record.get("created_at"), circumstances.zone)
    known: dict[str, Json] = {key: json_value(record[key]) for key in KEPT if record.get(key) is not None}
    given = json_value(record.get("metadata"))
    categories = items(record.get("categories"))
    yield Statement(
        text=said,
        key=str(record.get("id") or ""),
        group=text(record.get("run_id")) or text(record.get("user_id")) or None,
        event=EventTime(start=made, origin=EventOrigin.SOURCE) if made else None,
        tags=tuple(dict.fromkeys(text(category) for category in categories if text(category))),
        metadata=known | (given if isinstance(given, dict) else {}),
    )
