"""What asks a SQLite store; each function runs inside one read transaction."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from ricordo.errors import InvalidInput, NotFound
from ricordo.exchange import Entry, Known, Stats, Tombstone
from ricordo.memory import Chunk, Memory
from ricordo.query import Aspects, Candidate, Filters, Variant, WordMatch, WordMatches
from ricordo.stores.candidates import candidate_number, candidate_terms
from ricordo.stores.sqlite.rows import filter_values, moment, to_chunk, to_entry, to_memory, to_vector
from ricordo.stores.sqlite.session import Session
from ricordo.stores.sqlite.vectors import VectorIndex

__all__ = [
    "by_vector",
    "by_words",
    "candidates",
    "dump_memories",
    "dump_tombstones",
    "entries",
    "get",
    "history",
    "memory",
    "reading",
    "timeline",
]

LAST_ID = "ffffffffffffffffffffffff"


def by_words(session: Session, terms: Sequence[str], filters: Filters, limit: int) -> WordMatches:
    """Candidates from FTS5 in the order of its own bm25, with what is needed to score them exactly.

    A term that is given several times counts as often in that order.
    """
    statistics = session.one("namespace_statistics")
    chunks, total, contexts, context_total = tuple(statistics) if statistics else (0, 0, 0, 0)
    frequency = {
        row["term"]: row["frequency"]
        for row in session.all("document_frequencies", terms=json.dumps(list(dict.fromkeys(terms))))
    }
    times = Counter(terms)
    chosen = [term for term in candidate_terms(frequency, chunks, limit) for _ in range(times[term])]
    rows = (
        session.all(
            "word_matches",
            match=_match(session.namespace, chosen),
            limit=candidate_number(chunks, limit),
            **filter_values(filters),
        )
        if chosen
        else []
    )
    wanted = frozenset(frequency)
    return WordMatches(
        matches=tuple(_word_match(row, wanted) for row in rows),
        chunks=chunks,
        mean_length=total / chunks if chunks else 0.0,
        mean_context_length=context_total / contexts if contexts else 0.0,
        document_frequency=frequency,
    )


def _word_match(row: sqlite3.Row, wanted: Collection[str]) -> WordMatch:
    return WordMatch(
        chunk_id=row["chunk_id"],
        length=row["length"],
        counts=_count(row["lexemes"], wanted),
        context_length=row["context_length"],
        context_counts=_count(row["context_lexemes"], wanted),
    )


def _match(namespace: int, terms: Iterable[str]) -> str:
    """An FTS5 expression of quoted terms joined by OR; no question can be a syntax error."""
    return " OR ".join('"{}:{}"'.format(namespace, term.replace('"', '""')) for term in terms)


def _count(lexemes: str, wanted: Collection[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for lexeme in filter(wanted.__contains__, lexemes.split(" ")):
        counts[lexeme] = counts.get(lexeme, 0) + 1
    return counts


def by_vector(
    session: Session, vectors: VectorIndex, variant: Variant, filters: Filters, limit: int
) -> tuple[str, ...]:
    """Chunk ids by cosine, best first, ties by id."""
    found = vectors.search(session, variant, filters, limit)
    ids = {row["key"]: row["id"] for row in session.all("chunk_ids", keys=json.dumps([key for key, _ in found]))}
    ranked = sorted((-round(score, 6), ids[key]) for key, score in found if key in ids)
    return tuple(chunk_id for _, chunk_id in ranked[:limit])


def get(session: Session, chunk_ids: Sequence[str]) -> tuple[tuple[Chunk, Memory], ...]:
    """Chunks with their memories in the order of the ids."""
    return tuple((to_chunk(row), to_memory(row)) for row in session.all("chunks", ids=json.dumps(list(chunk_ids))))


def candidates(session: Session, chunk_ids: Sequence[str], aspects: Aspects) -> tuple[Candidate, ...]:
    """The chunks and their neighbours, with counts of the terms, vectors and token vectors."""
    wanted = frozenset(aspects.terms)
    rows = session.all(
        "candidates",
        ids=json.dumps(list(chunk_ids)),
        reach=aspects.reach,
        fingerprint=aspects.fingerprint,
        token_fingerprint=aspects.token_fingerprint,
    )
    return tuple(
        Candidate(
            chunk=to_chunk(row),
            place=row["position"],
            match=_word_match(row, wanted),
            vector=to_vector(row["vector"]),
            tokens=row["tokens"],
        )
        for row in rows
    )


def timeline(session: Session, filters: Filters, limit: int) -> tuple[Memory, ...]:
    """The latest memories whose event time is known, earliest first."""
    return tuple(to_memory(row) for row in session.all("timeline", limit=limit, **filter_values(filters)))


def memory(session: Session, id_prefix: str) -> Memory:
    """The one memory whose id begins so."""
    prefix = id_prefix.strip().lower()
    if not prefix:
        raise InvalidInput("an id, or the beginning of one, is needed")
    rows = session.all("memories_by_prefix", prefix=prefix, last=prefix + LAST_ID)
    if not rows:
        raise NotFound(f"no memory has the id {id_prefix!r} in this namespace")
    if len(rows) > 1:
        raise InvalidInput(f"several memories have ids that begin with {id_prefix!r}; give more of it")
    return to_memory(rows[0])


def history(session: Session, memory_id: str) -> tuple[Memory, ...]:
    """All versions, first to current."""
    ids = session.ids("versions", [memory_id])
    return tuple(to_memory(row) for row in session.all("memories", ids=json.dumps(sorted(ids))))


def entries(session: Session, memory_ids: Sequence[str], fingerprint: str | None) -> tuple[Entry, ...]:
    """The chunks of these memories with their lexemes, and their vectors by this embedder."""
    rows = session.all("entries", ids=json.dumps(list(memory_ids)), fingerprint=fingerprint)
    return tuple(to_entry(row) for row in rows)


def unread(session: Session, fingerprint: str, token_fingerprint: str | None) -> tuple[str, ...]:
    """The ids of all chunks that lack a vector or token vectors."""
    rows = session.all("unread_chunks", fingerprint=fingerprint, token_fingerprint=token_fingerprint)
    return tuple(row[0] for row in rows)


def reading(session: Session, uri: str) -> Known | None:
    """What is known of an origin since its last whole reading."""
    row = session.one("reading", uri=uri)
    return Known(revision=row["revision"], memories=row["memories"], chunks=row["chunks"]) if row else None


def dump_memories(session: Session, name: str | None, after: int, limit: int) -> list[tuple[int, str, Memory]]:
    """A page of (key, namespace, memory) in the order they were written."""
    rows = session.connection.execute(
        session.sql["dump_memories"], {"namespace": name, "after": after, "limit": limit}
    ).fetchall()
    return [(row["key"], row["namespace_name"], to_memory(row)) for row in rows]


def dump_tombstones(session: Session, name: str | None) -> list[tuple[str, Tombstone]]:
    """All tombstones with their namespaces."""
    rows = session.connection.execute(session.sql["dump_tombstones"], {"namespace": name}).fetchall()
    return [
        (row["name"], Tombstone(memory_id=row["memory_id"], forgotten_at=forgotten_at))
        for row in rows
        if (forgotten_at := moment(row["forgotten_at"])) is not None
    ]


def stats(session: Session, store: str, size_bytes: int, schema_version: int) -> Stats:
    """Counts over the whole file."""
    namespaces = {row[0]: row[1] for row in session.all("count_memories")}
    chunks = session.one("count_chunks")
    return Stats(
        memories=sum(namespaces.values()),
        chunks=chunks[0] if chunks else 0,
        namespaces=namespaces,
        store=store,
        schema_version=schema_version,
        size_bytes=size_bytes,
        embedders={row[0]: row[1] for row in session.all("count_vectors")},
        token_embedders={row[0]: row[1] for row in session.all("count_tokens")},
    )
