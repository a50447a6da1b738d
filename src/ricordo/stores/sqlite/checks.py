"""Is the file whole? What `ricordo doctor` asks a SQLite store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from ricordo.protocols import Fault
from ricordo.stores.sqlite.mending import damage
from ricordo.stores.sqlite.session import Session

__all__ = ["faults"]

RESTORE = "`ricordo doctor --repair` saves what can be read; `ricordo restore` brings a backup back"
REPAIR = "`ricordo doctor --repair`"


def faults(session: Session, *, words: bool = True) -> Iterator[Fault]:
    """Everything found wrong, the gravest first; without `words` nothing that takes the right to write."""
    if found := damage(session.connection):
        yield from (Fault(what=f"the file is damaged: {what}", mend=RESTORE) for what in found)
        return  # what else is asked of it could not be answered
    broken = session.connection.execute("PRAGMA foreign_key_check").fetchall()
    if broken:
        yield Fault(what=f"{len(broken)} rows refer to rows that are not there", mend=REPAIR)
    if words:
        yield from _word_faults(session)
    yield from _odd_rows(session)
    yield from _count_faults(session)


def _word_faults(session: Session) -> Iterator[Fault]:
    try:
        session.run("check_words")
    except sqlite3.DatabaseError as error:
        yield Fault(what=f"the full-text index is damaged: {error}", mend=REPAIR)


def _odd_rows(session: Session) -> Iterator[Fault]:
    for query, what in (
        ("hidden_memories", "memories are hidden by a version that is not here"),
        ("memories_without_chunks", "memories cannot be found because they have no chunks"),
        ("chunks_without_words", "chunks are missing from the full-text index"),
        ("words_without_chunks", "entries of the full-text index belong to no chunk"),
    ):
        row = session.one(query)
        if row and row[0]:
            yield Fault(what=f"{row[0]} {what}", mend=REPAIR)


def _count_faults(session: Session) -> Iterator[Fault]:
    for row in session.all("wrong_counters"):
        yield Fault(what=f"the counters of namespace {row[0]!r} do not add up", mend=REPAIR)
