"""Memories and chunks as rows, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ricordo.exchange import Entry
from ricordo.memory import Chunk, EventOrigin, Json, Memory, Origin, clean, digest
from ricordo.query import EVERYTHING, Filters
from ricordo.stores.postgres.lexemes import tsvector
from ricordo.stores.postgres.session import Row

__all__ = [
    "chunk_row",
    "embedder_id",
    "filter_values",
    "is_plain",
    "memory_row",
    "origin_id",
    "refresh_values",
    "to_chunk",
    "to_entry",
    "to_memory",
    "to_vector",
]


def origin_id(uri: str) -> str:
    """The key of an origin."""
    return digest(uri)


def embedder_id(fingerprint: str) -> str:
    """The key of an embedder."""
    return digest(fingerprint)


def memory_row(namespace: str, memory: Memory, version: int) -> tuple[object, ...]:
    """A row for `add_memories`."""
    return (
        namespace,
        memory.id,
        origin_id(memory.origin.uri),
        memory.text,
        memory.context,
        memory.group,
        memory.speaker,
        memory.position,
        memory.created_at,
        memory.updated_at,
        memory.event_timestamp,
        memory.event_end,
        memory.event_grain,
        memory.event_origin,
        list(memory.tags),
        _json(memory.metadata),
        memory.supersedes,
        version,
    )


def refresh_values(memory: Memory) -> dict[str, object]:
    """The named parameters of `refresh_memory`."""
    return {
        "id": memory.id,
        "grouping": memory.group,
        "speaker": memory.speaker,
        "position": memory.position,
        "event_timestamp": memory.event_timestamp,
        "event_end": memory.event_end,
        "event_grain": memory.event_grain,
        "event_origin": memory.event_origin,
        "tags": list(memory.tags),
        "metadata": _json(memory.metadata),
        "updated_at": memory.updated_at,
    }


def _json(values: Mapping[str, Json]) -> str:
    return json.dumps(_cleaned(dict(values)), ensure_ascii=False)


def _cleaned(value: Json) -> Json:
    """jsonb takes neither NUL nor lone surrogates, not even escaped."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return value


def to_memory(row: Row) -> Memory:
    """A row of `memory` joined with its origin."""
    return Memory(
        id=row["id"],
        text=row["text"],
        origin=Origin(kind=row["kind"], uri=row["uri"], title=row["title"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        event_timestamp=row["event_timestamp"],
        event_end=row["event_end"],
        event_grain=row["event_grain"],
        event_origin=EventOrigin(row["event_origin"]) if row["event_origin"] else None,
        context=row["context"],
        group=row["grouping"],
        speaker=row["speaker"],
        position=row["position"],
        tags=tuple(row["tags"]),
        metadata=row["metadata"],
        supersedes=row["supersedes"],
        superseded_by=row["superseded_by"],
    )


def chunk_row(namespace: str, entry: Entry, *, current: bool) -> tuple[object, ...]:
    """A row for `add_chunks`."""
    chunk = entry.chunk
    return (
        namespace,
        chunk.id,
        chunk.memory_id,
        chunk.text,
        chunk.context,
        chunk.position,
        len(entry.lexemes),
        len(entry.context_lexemes),
        tsvector(entry.lexemes, entry.context_lexemes),
        current,
    )


def to_chunk(row: Row) -> Chunk:
    """A row of `chunks`."""
    return Chunk(
        id=row["chunk_id"],
        memory_id=row["memory_id"],
        origin_uri=row["uri"],
        text=row["chunk_text"],
        context=row["chunk_context"],
        group=row["grouping"],
        speaker=row["speaker"],
        position=row["chunk_position"],
    )


def to_entry(row: Row) -> Entry:
    """A row of `entries`."""
    lexemes = row["lexemes"] or []
    return Entry(
        chunk=to_chunk(row),
        lexemes=_repeated(lexemes, row["counts"] or []),
        context_lexemes=_repeated(lexemes, row["context_counts"] or []),
        vector=to_vector(row),
        tokens=row["tokens"],
    )


def to_vector(row: Row) -> NDArray[np.float32] | None:
    """The column `vector` of a row."""
    return None if row["vector"] is None else row["vector"].to_numpy().astype(np.float32)


def _repeated(lexemes: Sequence[str], counts: Sequence[int]) -> tuple[str, ...]:
    return tuple(lexeme for lexeme, count in zip(lexemes, counts, strict=True) for _ in range(count))


def filter_values(filters: Filters) -> dict[str, object]:
    """The named parameters that every filtered statement shares."""
    as_of = filters.as_of
    return {
        "superseded": filters.superseded or as_of is not None,
        "start": filters.time.start if filters.time else None,
        "end": filters.time.end if filters.time else None,
        "undated": filters.undated,
        "true_at": as_of.moment if as_of and not as_of.known else None,
        "known_at": as_of.moment if as_of and as_of.known else None,
        "origin": filters.origin,
        "kinds": list(filters.kinds),
        "tags": list(filters.tags),
        "metadata": _json(filters.metadata),
    }


def is_plain(filters: Filters) -> bool:
    """Can the flag `current` alone answer these filters?"""
    return filters in (EVERYTHING, Filters(superseded=True))
