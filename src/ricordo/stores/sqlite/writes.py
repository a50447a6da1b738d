"""What changes a SQLite store; each function runs inside one write transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from ricordo.errors import revised_meanwhile
from ricordo.exchange import Added, Batch, Entry, Tombstone
from ricordo.memory import TOLD, Memory, Reading
from ricordo.stores.sqlite.rows import chunk_row, json_list, memory_row, timestamp, to_bytes
from ricordo.stores.sqlite.session import Session

__all__ = ["add", "add_vectors", "bury", "drop_vectors", "forget"]


def add(session: Session, batch: Batch) -> Added:
    """Write memories, chunks and vectors, then close the readings that end here."""
    ids = [memory.id for memory in batch.memories]
    if batch.anew:
        for memory_id in ids:
            session.run("lift_tombstone", id=memory_id)
    else:
        batch = batch.without(session.ids("tombstones", ids))
    created = [memory for memory in batch.memories if _add_memory(session, memory, over=batch.over)]
    _link_versions(session, batch.memories, created)
    _add_embedders(session, batch)
    chunks = sum(_add_entry(session, entry, batch) for entry in batch.entries)
    forgotten = frozenset(gone for reading in batch.readings for gone in _close(session, reading))
    return Added(memories=frozenset(memory.id for memory in created), forgotten=forgotten, chunks=chunks)


def _add_memory(session: Session, memory: Memory, *, over: bool) -> bool:
    row = memory_row(session.namespace, memory)
    session.run("add_origin", uri=memory.origin.uri, kind=memory.origin.kind, title=memory.origin.title)
    created = session.connection.execute(session.sql["add_memory"], row).rowcount > 0
    if not created and (over or memory.origin.kind != TOLD):
        session.connection.execute(session.sql["refresh_memory"], row)
    return created


def _link_versions(session: Session, memories: Sequence[Memory], created: Sequence[Memory]) -> None:
    """Mark what was replaced: as the memories themselves tell, and then by those that are new."""
    new = {memory.id for memory in created}
    for memory in memories:
        if memory.superseded_by is not None and not new.isdisjoint((memory.id, memory.superseded_by)):
            updated_at = timestamp(memory.updated_at)
            session.run("mark_superseded", id=memory.id, superseded_by=memory.superseded_by, updated_at=updated_at)
    for memory in created:
        if memory.supersedes is None:
            continue
        session.run("supersede", id=memory.id, supersedes=memory.supersedes, updated_at=timestamp(memory.updated_at))
        successor = session.one("successor", id=memory.supersedes)
        if successor is not None and successor["superseded_by"] != memory.id:
            raise revised_meanwhile(memory.supersedes)


def _add_entry(session: Session, entry: Entry, batch: Batch) -> int:
    added = session.connection.execute(session.sql["add_chunk"], chunk_row(session.namespace, entry)).rowcount
    if not added:
        chunk = entry.chunk
        session.run("move_chunk", id=chunk.id, memory_id=chunk.memory_id, position=chunk.position)
    _add_made(session, entry, batch)
    return added


def add_vectors(session: Session, batch: Batch) -> None:
    """Write vectors and token vectors of the chunks that are here, and nothing else."""
    _add_embedders(session, batch)
    for entry in batch.entries:
        _add_made(session, entry, batch)


def _add_embedders(session: Session, batch: Batch) -> None:
    for fingerprint in filter(None, (batch.fingerprint, batch.token_fingerprint)):
        session.run("add_embedder", fingerprint=fingerprint)


def _add_made(session: Session, entry: Entry, batch: Batch) -> None:
    if entry.vector is not None:
        session.run("add_vector", id=entry.chunk.id, fingerprint=batch.fingerprint, vector=to_bytes(entry.vector))
    if entry.tokens is not None:
        session.run("add_tokens", id=entry.chunk.id, fingerprint=batch.token_fingerprint, tokens=entry.tokens)


def drop_vectors(session: Session, fingerprint: str) -> int:
    """Remove what an embedder made; how many rows."""
    return session.run("drop_vectors", fingerprint=fingerprint) + session.run("drop_tokens", fingerprint=fingerprint)


def _close(session: Session, reading: Reading) -> Iterable[str]:
    origin = reading.origin
    said_before = {row["id"] for row in session.all("memories_of_origin", uri=origin.uri)}
    gone = said_before - reading.memory_ids
    for memory_id in gone:
        _remove(session, memory_id)
    session.run("close_reading", uri=origin.uri, kind=origin.kind, title=origin.title, revision=reading.revision)
    return gone


def _remove(session: Session, memory_id: str) -> None:
    session.run("remove_memory", id=memory_id)
    session.run("unlink_versions", id=memory_id)


def forget(session: Session, ids: Sequence[str], now: datetime) -> frozenset[str]:
    """Remove memories with all their versions and leave tombstones."""
    versions = session.ids("versions", ids)
    for memory_id in versions:
        _remove(session, memory_id)
        session.run("add_tombstone", id=memory_id, forgotten_at=timestamp(now))
    return versions


def bury(session: Session, tombstones: Sequence[Tombstone]) -> frozenset[str]:
    """Write tombstones from elsewhere and remove what they mark, unless it was learned since."""
    ids = json_list([tombstone.memory_id for tombstone in tombstones])
    learned = {row["id"]: row["created_at"] for row in session.all("learned", ids=ids)}
    removed: set[str] = set()
    for tombstone in tombstones:
        memory_id, forgotten_at = tombstone.memory_id, timestamp(tombstone.forgotten_at)
        if memory_id in learned:
            if learned[memory_id] > forgotten_at:
                continue
            _remove(session, memory_id)
            removed.add(memory_id)
        session.run("add_tombstone", id=memory_id, forgotten_at=forgotten_at)
    return frozenset(removed)
