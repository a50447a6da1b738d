"""Memories, chunks and vectors as rows, and back."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from ricordo.exchange import Entry
from ricordo.memory import Chunk, EventOrigin, Memory, Origin
from ricordo.query import Filters

__all__ = [
    "chunk_row",
    "filter_values",
    "json_list",
    "memory_row",
    "moment",
    "timestamp",
    "to_bytes",
    "to_chunk",
    "to_entry",
    "to_memory",
    "to_vector",
]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Value = str | int | float | bytes | None


def timestamp(moment: datetime | None) -> int | None:
    """Microseconds since 1970 UTC."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def moment(timestamp: int | None) -> datetime | None:
    """The aware UTC datetime of a number of microseconds since 1970."""
    return None if timestamp is None else _EPOCH + timedelta(microseconds=timestamp)


def json_list(values: object) -> str:
    """A JSON text with its keys in order, so that equal values are equal texts."""
    return json.dumps(values, ensure_ascii=False, sort_keys=True)


def memory_row(namespace: int, memory: Memory) -> dict[str, Value]:
    """The named parameters of `add_memory`."""
    return {
        "namespace": namespace,
        "id": memory.id,
        "origin_uri": memory.origin.uri,
        "text": memory.text,
        "context": memory.context,
        "grouping": memory.group,
        "speaker": memory.speaker,
        "position": memory.position,
        "created_at": timestamp(memory.created_at),
        "updated_at": timestamp(memory.updated_at),
        "event_timestamp": timestamp(memory.event_timestamp),
        "event_end": timestamp(memory.event_end),
        "event_grain": memory.event_grain,
        "event_origin": memory.event_origin,
        "tags": json_list(list(memory.tags)),
        "metadata": json_list(dict(memory.metadata)),
        "supersedes": memory.supersedes,
    }


def to_memory(row: sqlite3.Row) -> Memory:
    """A row of `memory` joined with its origin's kind and title."""
    return Memory(
        id=row["id"],
        text=row["text"],
        origin=Origin(kind=row["kind"], uri=row["origin_uri"], title=row["title"]),
        created_at=_EPOCH + timedelta(microseconds=row["created_at"]),
        updated_at=_EPOCH + timedelta(microseconds=row["updated_at"]),
        event_timestamp=moment(row["event_timestamp"]),
        event_end=moment(row["event_end"]),
        event_grain=row["event_grain"],
        event_origin=EventOrigin(row["event_origin"]) if row["event_origin"] else None,
        context=row["context"],
        group=row["grouping"],
        speaker=row["speaker"],
        position=row["position"],
        tags=tuple(json.loads(row["tags"])),
        metadata=json.loads(row["metadata"]),
        supersedes=row["supersedes"],
        superseded_by=row["superseded_by"],
    )


def chunk_row(namespace: int, entry: Entry) -> dict[str, Value]:
    """The named parameters of `add_chunk`."""
    chunk = entry.chunk
    return {
        "namespace": namespace,
        "id": chunk.id,
        "memory_id": chunk.memory_id,
        "origin_uri": chunk.origin_uri,
        "text": chunk.text,
        "context": chunk.context,
        "position": chunk.position,
        "length": len(entry.lexemes),
        "context_length": len(entry.context_lexemes),
        "lexemes": " ".join(entry.lexemes),
        "context_lexemes": " ".join(entry.context_lexemes),
    }


def to_chunk(row: sqlite3.Row) -> Chunk:
    """A row of `chunks`."""
    return Chunk(
        id=row["chunk_id"],
        memory_id=row["memory_id"],
        origin_uri=row["origin_uri"],
        text=row["chunk_text"],
        context=row["chunk_context"],
        group=row["grouping"],
        speaker=row["speaker"],
        position=row["chunk_position"],
    )


def to_entry(row: sqlite3.Row) -> Entry:
    """A row of `entries`."""
    return Entry(
        chunk=to_chunk(row),
        lexemes=tuple(row["lexemes"].split()),
        context_lexemes=tuple(row["context_lexemes"].split()),
        vector=to_vector(row["vector"]),
        tokens=row["tokens"],
    )


def filter_values(filters: Filters) -> dict[str, Value]:
    """The named parameters that every arm shares."""
    return {
        "superseded": int(filters.superseded or filters.as_of is not None),
        "start": timestamp(filters.time.start) if filters.time else None,
        "end": timestamp(filters.time.end) if filters.time else None,
        "undated": int(filters.undated),
        "true_at": timestamp(filters.as_of.moment) if filters.as_of and not filters.as_of.known else None,
        "known_at": timestamp(filters.as_of.moment) if filters.as_of and filters.as_of.known else None,
        "origin": filters.origin,
        "kinds": json_list(list(filters.kinds)),
        "some_tag": json_list(filters.tags[0]) if filters.tags else None,
        "tags": json_list(list(filters.tags)),
        "metadata": json_list(dict(filters.metadata)),
    }


def to_bytes(vector: NDArray[np.float32]) -> bytes:
    """Little-endian half precision, as pgvector's `halfvec` keeps it."""
    return vector.astype("<f2").tobytes()


def to_vector(data: bytes | None) -> NDArray[np.float32] | None:
    """What `to_bytes` was given, rounded to half precision."""
    return None if data is None else np.frombuffer(data, "<f2").astype(np.float32)
