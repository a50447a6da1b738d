"""What changes a PostgreSQL store; each function runs inside one write transaction.

Rows are looked up, then appended by COPY. Two transactions that append the same row collide on its key; the
later one is rolled back and run again, and then finds the row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime

from pgvector import HalfVector

from ricordo.errors import revised_meanwhile
from ricordo.exchange import Added, Batch, Entry, Tombstone
from ricordo.memory import TOLD, Memory, Origin, Reading
from ricordo.stores.postgres.lexemes import stored
from ricordo.stores.postgres.rows import chunk_row, embedder_id, memory_row, origin_id, refresh_values
from ricordo.stores.postgres.session import Row, Session
from ricordo.stores.postgres.tallies import Tally

__all__ = ["add", "add_vectors", "bury", "drop_tokens", "drop_vectors", "forget"]

VECTOR_TYPES = ("text", "text", "text", "text", "bool", "halfvec")
TOKEN_TYPES = ("text", "text", "text", "bytea")


async def add(session: Session, batch: Batch) -> Added:
    """Write memories, chunks and vectors, then close the readings that end here."""
    await session.run("add_namespace")
    ids = [memory.id for memory in batch.memories]
    if batch.anew:
        await session.run("lift_tombstones", ids=ids)
    elif ids:
        batch = batch.without(await session.ids("tombstones", ids))
    tally = Tally()
    created = await _add_memories(session, batch.memories, over=batch.over)
    entries, current = await _owned(session, batch.entries)
    chunks = await _add_chunks(session, entries, current, tally)
    if batch.fingerprint is not None:
        await _add_vectors(session, entries, batch.fingerprint, tally)
    if batch.token_fingerprint is not None:
        await _add_tokens(session, entries, batch.token_fingerprint)
    forgotten: set[str] = set()
    for reading in batch.readings:
        forgotten |= await _close(session, reading, tally)
    await tally.write(session)
    return Added(memories=created, forgotten=frozenset(forgotten), chunks=chunks)


async def _add_memories(session: Session, memories: Sequence[Memory], *, over: bool) -> frozenset[str]:
    if not memories:
        return frozenset()
    await _add_origins(session, {origin_id(memory.origin.uri): memory.origin for memory in memories})
    linked = {each for memory in memories for each in (memory.id, memory.supersedes, memory.superseded_by) if each}
    known = await session.all("known_memories", ids=sorted(linked))
    versions = {row["id"]: row["version"] for row in known}
    successors = {row["id"]: row["superseded_by"] for row in known}
    fresh: dict[str, tuple[object, ...]] = {}
    again: list[Memory] = []
    replaced: list[Memory] = []
    for memory in memories:
        if memory.id in versions:
            again.append(memory)
            continue
        if successors.get(memory.supersedes or "") not in (None, memory.id):
            raise revised_meanwhile(memory.supersedes or "")
        versions[memory.id] = versions.get(memory.supersedes or "", -1) + 1
        fresh[memory.id] = memory_row(session.namespace, memory, versions[memory.id])
        if memory.supersedes is not None:
            replaced.append(memory)
    _one_successor_each(replaced, versions.keys())
    if fresh:
        await session.copy("add_memories", [fresh[key] for key in sorted(fresh)])
    refreshed = [refresh_values(memory) for memory in again if over or memory.origin.kind != TOLD]
    await session.run_many("refresh_memory", refreshed)
    await _mark_superseded(session, _superseded_here(memories, versions.keys(), fresh.keys()))
    await _supersede(session, replaced)
    return frozenset(fresh)


def _one_successor_each(replaced: Iterable[Memory], here: Collection[str]) -> None:
    successors: dict[str, str] = {}
    for new in replaced:
        old = new.supersedes
        if old is not None and old in here and successors.setdefault(old, new.id) != new.id:
            raise revised_meanwhile(old)


def _superseded_here(memories: Iterable[Memory], here: Collection[str], fresh: Collection[str]) -> Iterator[Memory]:
    """Those that tell of a version in their place which is here, where it or they are new."""
    for memory in memories:
        successor = memory.superseded_by
        if successor is not None and successor in here and (memory.id in fresh or successor in fresh):
            yield memory


async def _add_origins(session: Session, origins: dict[str, Origin]) -> None:
    known = {row["id"]: row["title"] for row in await session.all("known_origins", ids=list(origins))}
    rows = [{"id": key, "uri": o.uri, "kind": o.kind, "title": o.title} for key, o in sorted(origins.items())]
    await session.run_many("add_origin", [row for row in rows if row["id"] not in known])
    renamed = [
        {"id": key, "title": o.title} for key, o in sorted(origins.items()) if known.get(key, o.title) != o.title
    ]
    await session.run_many("retitle_origin", renamed)


async def _mark_superseded(session: Session, memories: Iterable[Memory]) -> None:
    rows = [{"id": m.id, "superseded_by": m.superseded_by, "updated_at": m.updated_at} for m in memories]
    if rows:
        await session.run_many("mark_superseded", rows)
        await _mark(session, [str(row["id"]) for row in rows], current=False)


async def _supersede(session: Session, memories: Sequence[Memory]) -> None:
    if not memories:
        return
    rows = [{"id": new.id, "supersedes": new.supersedes, "updated_at": new.updated_at} for new in memories]
    await session.run_many("supersede", rows)
    await _mark(session, [new.supersedes for new in memories if new.supersedes], current=False)


async def _mark(session: Session, memory_ids: Iterable[str], *, current: bool) -> None:
    ids = list(memory_ids)
    if await session.run("mark_chunks", ids=ids, current=current):
        await session.run("mark_vectors", ids=ids, current=current)


async def _owned(session: Session, entries: Sequence[Entry]) -> tuple[list[Entry], dict[str, bool]]:
    """The entries of memories that their origin owns, and which memories are current.

    One that another origin said meanwhile has its chunks already.
    """
    if not entries:
        return [], {}
    memories = await session.all("known_memories", ids=sorted({entry.chunk.memory_id for entry in entries}))
    owners = {row["id"]: row["origin_id"] for row in memories}
    owned = [each for each in entries if owners.get(each.chunk.memory_id) == origin_id(each.chunk.origin_uri)]
    return owned, {row["id"]: row["superseded_by"] is None for row in memories}


async def _add_chunks(session: Session, entries: Sequence[Entry], current: dict[str, bool], tally: Tally) -> int:
    if not entries:
        return 0
    ids = sorted({entry.chunk.id for entry in entries})
    known = {row["id"]: row for row in await session.all("known_chunks", ids=ids)}
    fresh: dict[str, Entry] = {}
    moved: list[Entry] = []
    for entry in entries:
        if entry.chunk.id in known:
            moved.append(entry)
        else:
            fresh.setdefault(entry.chunk.id, entry)
    rows = [
        chunk_row(session.namespace, fresh[key], current=current.get(fresh[key].chunk.memory_id, True))
        for key in sorted(fresh)
    ]
    if rows:
        await session.copy("add_chunks", rows)
    for entry in fresh.values():
        lexemes = {stored(lexeme) for lexeme in (*entry.lexemes, *entry.context_lexemes) if lexeme}
        tally.chunk(len(entry.lexemes), len(entry.context_lexemes), lexemes)
    await _move(session, moved, known, current)
    return len(fresh)


async def _move(session: Session, entries: Sequence[Entry], known: dict[str, Row], current: dict[str, bool]) -> None:
    rows: list[dict[str, object]] = []
    for entry in entries:
        chunk, row = entry.chunk, known[entry.chunk.id]
        state = current.get(chunk.memory_id, True)
        if (chunk.memory_id, chunk.position, state) != (row["memory_id"], row["position"], row["current"]):
            rows.append({"id": chunk.id, "memory_id": chunk.memory_id, "position": chunk.position, "current": state})
    await session.run_many("move_chunk", rows)
    await session.run_many("move_vectors", [{key: row[key] for key in ("id", "memory_id", "current")} for row in rows])


async def _add_vectors(session: Session, entries: Sequence[Entry], fingerprint: str, tally: Tally) -> None:
    vectors = {entry.chunk.id: entry.vector for entry in entries if entry.vector is not None}
    if not vectors:
        return
    embedder = embedder_id(fingerprint)
    await session.run("add_embedder", embedder_id=embedder, fingerprint=fingerprint)
    known = await session.ids("with_vectors", vectors, embedder_id=embedder)
    chunks = {row["id"]: row for row in await session.all("known_chunks", ids=sorted(vectors))}
    rows = [
        (session.namespace, key, embedder, chunks[key]["memory_id"], chunks[key]["current"], HalfVector(vector))
        for key, vector in sorted(vectors.items())
        if key not in known
    ]
    if rows:
        await session.copy("add_vectors", rows, VECTOR_TYPES)
        tally.vectors(embedder, len(rows))


async def _add_tokens(session: Session, entries: Sequence[Entry], fingerprint: str) -> None:
    tokens = {entry.chunk.id: entry.tokens for entry in entries if entry.tokens is not None}
    if not tokens:
        return
    embedder = embedder_id(fingerprint)
    await session.run("add_embedder", embedder_id=embedder, fingerprint=fingerprint)
    known = await session.ids("with_tokens", tokens, embedder_id=embedder)
    rows = [(session.namespace, key, embedder, packed) for key, packed in sorted(tokens.items()) if key not in known]
    if rows:
        await session.copy("add_tokens", rows, TOKEN_TYPES)


async def add_vectors(session: Session, batch: Batch) -> None:
    """Write vectors and token vectors of the chunks that are here, and nothing else."""
    here = await session.ids("known_chunks", sorted({entry.chunk.id for entry in batch.entries}))
    entries = [entry for entry in batch.entries if entry.chunk.id in here]
    tally = Tally()
    if batch.fingerprint is not None:
        await _add_vectors(session, entries, batch.fingerprint, tally)
    if batch.token_fingerprint is not None:
        await _add_tokens(session, entries, batch.token_fingerprint)
    await tally.write(session)


async def drop_vectors(session: Session, embedder: str, after: str, limit: int) -> list[str]:
    """Remove a page of the vectors of an embedder, by chunk; the ids of their chunks, the last one at the end."""
    rows = await session.all("drop_vectors", embedder_id=embedder, after=after, limit=limit)
    tally = Tally()
    tally.vectors(embedder, -len(rows))
    await tally.write(session)
    return sorted(row["id"] for row in rows)


async def drop_tokens(session: Session, embedder: str, after: str, limit: int) -> list[str]:
    """The same for token vectors, which are not counted."""
    rows = await session.all("drop_tokens", embedder_id=embedder, after=after, limit=limit)
    return sorted(row["id"] for row in rows)


async def _close(session: Session, reading: Reading, tally: Tally) -> frozenset[str]:
    origin = reading.origin
    key = origin_id(origin.uri)
    said_before = {row["id"] for row in await session.all("memories_of_origin", origin_id=key)}
    gone = frozenset(said_before - reading.memory_ids)
    await _remove(session, gone, tally)
    await session.run(
        "close_reading", id=key, uri=origin.uri, kind=origin.kind, title=origin.title, revision=reading.revision
    )
    return gone


async def _remove(session: Session, memory_ids: frozenset[str], tally: Tally) -> None:
    if not memory_ids:
        return
    ids = sorted(memory_ids)
    await session.all("known_memories", ids=ids)
    await session.all("lock_chunks", ids=ids)
    for embedder, number in Counter(row["embedder_id"] for row in await session.all("remove_vectors", ids=ids)).items():
        tally.vectors(embedder, -number)
    for row in await session.all("remove_chunks", ids=ids):
        tally.chunk(row["length"], row["context_length"], row["lexemes"], sign=-1)
    origins = {row["origin_id"] for row in await session.all("remove_memories", ids=ids)}
    await session.run("remove_empty_origins", ids=sorted(origins))
    freed = await session.ids("unlink_versions", ids)
    if freed:
        await _mark(session, freed, current=True)


async def forget(session: Session, ids: Sequence[str], now: datetime) -> frozenset[str]:
    """Remove memories with all their versions and leave tombstones."""
    versions = await session.ids("versions", ids)
    if versions:
        tally = Tally()
        await _remove(session, versions, tally)
        await session.run_many("add_tombstone", [{"id": key, "forgotten_at": now} for key in sorted(versions)])
        await tally.write(session)
    return versions


async def bury(session: Session, tombstones: Sequence[Tombstone]) -> frozenset[str]:
    """Write tombstones from elsewhere and remove what they mark, unless it was learned since."""
    await session.run("add_namespace")
    forgotten = {tombstone.memory_id: tombstone.forgotten_at for tombstone in tombstones}
    known = await session.all("known_memories", ids=sorted(forgotten))
    since = {row["id"] for row in known if row["created_at"] > forgotten[row["id"]]}
    gone = frozenset(row["id"] for row in known) - since
    tally = Tally()
    await _remove(session, gone, tally)
    rows = [{"id": key, "forgotten_at": forgotten[key]} for key in sorted(forgotten.keys() - since)]
    await session.run_many("add_tombstone", rows)
    await tally.write(session)
    return gone
