"""Is the file whole? What `ricordo doctor` asks a SQLite store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from ricordo.protocols import Fault
from ricordo.stores.sqlite.session import Session

__all__ = ["faults"]

RESTORE = "restore a backup, or export what can be read with `ricordo export` and import it into a new store"
RE_READ = "export with `ricordo export`, then import into a new store"


def faults(session: Session) -> Iterator[Fault]:
    """Everything found wrong, the gravest first."""
    for row in session.connection.execute("PRAGMA integrity_check(10)"):
        if row[0] != "ok":
            yield Fault(what=f"the file is damaged: {row[0]}", mend=RESTORE)
    broken = session.connection.execute("PRAGMA foreign_key_check").fetchall()
    if broken:
        yield Fault(what=f"{len(broken)} rows refer to rows that are not there", mend=RE_READ)
    yield from _word_faults(session)
    yield from _count_faults(session)


def _word_faults(session: Session) -> Iterator[Fault]:
    try:
        session.run("check_words")
    except sqlite3.DatabaseError as error:
        yield Fault(what=f"the full-text index is damaged: {error}", mend=RE_READ)
    for query, what in (
        ("memories_without_chunks", "memories cannot be found because they have no chunks"),
        ("chunks_without_words", "chunks are missing from the full-text index"),
        ("words_without_chunks", "entries of the full-text index belong to no chunk"),
    ):
        row = session.one(query)
        if row and row[0]:
            yield Fault(what=f"{row[0]} {what}", mend=RE_READ)


def _count_faults(session: Session) -> Iterator[Fault]:
    for row in session.all("wrong_counters"):
        yield Fault(what=f"the counters of namespace {row[0]!r} do not add up", mend=RE_READ)
