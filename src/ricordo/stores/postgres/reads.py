"""What asks a PostgreSQL store; each function runs inside one read transaction."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from ricordo.errors import InvalidInput, NotFound
from ricordo.exchange import Entry, Known, Stats, Tombstone
from ricordo.memory import Chunk, Memory
from ricordo.query import Aspects, Candidate, Filters, WordMatch, WordMatches
from ricordo.stores.candidates import candidate_number, candidate_terms
from ricordo.stores.postgres import tallies
from ricordo.stores.postgres.lexemes import bands, counted, needles, stored, tsquery
from ricordo.stores.postgres.rows import (
    embedder_id,
    filter_values,
    is_plain,
    origin_id,
    to_chunk,
    to_entry,
    to_memory,
    to_vector,
)
from ricordo.stores.postgres.session import Row, Session

__all__ = [
    "by_words",
    "candidates",
    "dump_memories",
    "dump_tombstones",
    "entries",
    "get",
    "history",
    "last_version",
    "memory",
    "missing",
    "reading",
    "stats",
    "timeline",
]

COSTLY = 4  # a posting costs so many times as much here as in an index that holds what ranking needs
ROUGHLY = 1.5  # the order of candidates is rougher here, so more of them are taken
# BM25's k1 · (1 - b) and k1 · b over what turns ts_rank into a frequency: see `word_matches`.
SLOWLY = 1.5 * 0.25 / 0.645
SLOPE = 1.5 * 0.75 / 0.645
LAST_ID = "ffffffffffffffffffffffff"


async def by_words(session: Session, terms: Sequence[str], filters: Filters, limit: int) -> WordMatches:
    """Candidates from the GIN index in the order of a rough score, with what is needed to score them exactly.

    A term that is given several times counts as often in that order.
    """
    asked = {stored(term): term for term in terms if term}
    times = Counter(stored(term) for term in terms)
    statistics = await session.all("statistics", lexemes=list(asked))
    counters = {row["name"]: row["amount"] for row in statistics if row["name"]}
    frequency = dict.fromkeys(asked, 0) | {row["lexeme"]: row["amount"] for row in statistics if row["lexeme"]}
    chunks, contexts = counters.get(tallies.CHUNKS, 0), counters.get(tallies.CONTEXTS, 0)
    chosen = candidate_terms(frequency, chunks, -(-limit // COSTLY))
    mean_length = counters.get(tallies.LEXEMES, 0) / chunks if chunks else 0.0
    values = {
        "any": tsquery(chosen),
        "limit": round(ROUGHLY * candidate_number(chunks, limit)),
        "slowly": SLOWLY,
        "slope": SLOPE / max(mean_length, 1.0),
        **bands({lexeme: times[lexeme] * math.log(1 + chunks / (frequency[lexeme] + 0.5)) for lexeme in chosen}),
        **filter_values(filters),
    }
    query = "word_matches" if is_plain(filters) else "filtered_word_matches"
    rows = await session.all(query, **values) if chosen else []
    wanted = needles(terms)
    return WordMatches(
        matches=tuple(_match(row, wanted) for row in rows),
        chunks=chunks,
        mean_length=mean_length,
        mean_context_length=counters.get(tallies.CONTEXT_LEXEMES, 0) / contexts if contexts else 0.0,
        document_frequency={asked[lexeme]: number for lexeme, number in frequency.items()},
    )


def _match(row: Row, wanted: Sequence[tuple[str, str]]) -> WordMatch:
    counts, context_counts = counted(row["lexemes"], wanted)
    return WordMatch(
        chunk_id=row["chunk_id"],
        length=row["length"],
        counts=counts,
        context_length=row["context_length"],
        context_counts=context_counts,
    )


async def get(session: Session, chunk_ids: Sequence[str]) -> tuple[tuple[Chunk, Memory], ...]:
    """Chunks with their memories in the order of the ids."""
    rows = {row["chunk_id"]: row for row in await session.all("chunks", ids=list(chunk_ids))}
    return tuple((to_chunk(rows[key]), to_memory(rows[key])) for key in chunk_ids if key in rows)


async def candidates(session: Session, chunk_ids: Sequence[str], aspects: Aspects) -> tuple[Candidate, ...]:
    """The chunks and their neighbours, with counts of the terms, vectors and token vectors."""
    wanted = needles(aspects.terms)
    rows = await session.all(
        "candidates",
        ids=list(chunk_ids),
        reach=aspects.reach,
        embedder_id=embedder_id(aspects.fingerprint or ""),
        token_embedder_id=embedder_id(aspects.token_fingerprint or ""),
    )
    return tuple(
        Candidate(
            chunk=to_chunk(row),
            place=row["position"],
            match=_match(row, wanted),
            vector=to_vector(row),
            tokens=row["tokens"],
        )
        for row in rows
    )


async def timeline(session: Session, filters: Filters, limit: int) -> tuple[Memory, ...]:
    """The latest memories whose event time is known, earliest first."""
    return tuple(to_memory(row) for row in await session.all("timeline", limit=limit, **filter_values(filters)))


async def memory(session: Session, id_prefix: str) -> Memory:
    """The one memory whose id begins so."""
    prefix = id_prefix.strip().lower()
    if not prefix:
        raise InvalidInput("an id, or the beginning of one, is needed")
    rows = await session.all("memories_by_prefix", prefix=prefix, last=prefix + LAST_ID)
    if not rows:
        raise NotFound(f"no memory has the id {id_prefix!r} in this namespace")
    if len(rows) > 1:
        raise InvalidInput(f"several memories have ids that begin with {id_prefix!r}; give more of it")
    return to_memory(rows[0])


async def history(session: Session, memory_id: str) -> tuple[Memory, ...]:
    """All versions, first to current."""
    ids = await session.ids("versions", [memory_id])
    return tuple(to_memory(row) for row in await session.all("memories", ids=list(ids)))


async def entries(session: Session, memory_ids: Sequence[str], fingerprint: str | None) -> tuple[Entry, ...]:
    """The chunks of these memories with their lexemes, and their vectors by this embedder."""
    rows = await session.all("entries", ids=list(memory_ids), embedder_id=embedder_id(fingerprint or ""))
    return tuple(to_entry(row) for row in rows)


async def missing(session: Session, ids: Sequence[str], fingerprint: str) -> frozenset[str]:
    """Those of the chunk ids that this embedder made neither a vector nor token vectors of."""
    embedder = embedder_id(fingerprint)
    found = await session.ids("with_vectors", ids, embedder_id=embedder)
    return frozenset(ids) - found - await session.ids("with_tokens", ids, embedder_id=embedder)


async def unread(session: Session, fingerprint: str, token_fingerprint: str | None) -> tuple[str, ...]:
    """The ids of all chunks that lack a vector or token vectors."""
    tokens = None if token_fingerprint is None else embedder_id(token_fingerprint)
    row = await session.one("unread_chunks", embedder_id=embedder_id(fingerprint), token_embedder_id=tokens)
    return tuple(row["ids"]) if row else ()


async def reading(session: Session, uri: str) -> Known | None:
    """What is known of an origin since its last whole reading."""
    row = await session.one("reading", origin_id=origin_id(uri))
    return Known(revision=row["revision"], memories=row["memories"], chunks=row["chunks"]) if row else None


async def dump_memories(session: Session, version: int, after: str, limit: int) -> list[Memory]:
    """A page of the memories that are so many versions from their first, by id."""
    rows = await session.all("dump_memories", version=version, after=after, limit=limit)
    return [to_memory(row) for row in rows]


async def last_version(session: Session) -> int:
    """The most versions that any memory of the namespace has had before it."""
    row = await session.one("last_version")
    return int(row["version"]) if row else 0


async def dump_tombstones(session: Session, after: str, limit: int) -> list[Tombstone]:
    """A page of the tombstones, by id."""
    return [
        Tombstone(memory_id=row["memory_id"], forgotten_at=row["forgotten_at"])
        for row in await session.all("dump_tombstones", after=after, limit=limit)
    ]


async def stats(session: Session, store: str, schema_version: int) -> Stats:
    """Counts over the whole database."""
    namespaces = {row["namespace"]: row["memories"] for row in await session.all("count_memories")}
    chunks = await session.one("count_chunks")
    on_cluster = await session.one("has_citus") is not None
    size = await session.one("distributed_size" if on_cluster else "size")
    return Stats(
        memories=sum(namespaces.values()),
        chunks=chunks["chunks"] if chunks else 0,
        namespaces=namespaces,
        store=store,
        schema_version=schema_version,
        size_bytes=size["bytes"] if size else 0,
        embedders={row["fingerprint"]: row["vectors"] for row in await session.all("count_vectors")},
        token_embedders={row["fingerprint"]: row["texts"] for row in await session.all("count_tokens")},
    )
