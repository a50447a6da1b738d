"""Bring what is derived in line with the originals: the word index, counters, vectors without a chunk."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from ricordo.errors import StoreError
from ricordo.stores.sqlite.session import Session

__all__ = ["Damaged", "damage", "is_damage", "mend", "mended"]

REMOVED = (
    ("drop_lost_chunks", "chunks of no memory were dropped"),
    ("drop_lost_vectors", "vectors of no chunk were dropped"),
    ("drop_lost_tokens", "token vectors of no chunk were dropped"),
    ("drop_odd_vectors", "vectors of a wrong length were dropped; `ricordo store embed` makes them again"),
)


DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT})


class Damaged(StoreError):
    """The file itself is not whole."""


def is_damage(error: BaseException | None) -> bool:
    """Whether an error of the driver says that the file is damaged."""
    return isinstance(error, sqlite3.DatabaseError) and error.sqlite_errorcode & 0xFF in DAMAGED


def damage(connection: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with the file itself; empty when it is whole."""
    try:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(10)")]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [] if found == ["ok"] else found


def mend(session: Session) -> Iterator[str]:
    """Make all that is derived anew, inside one write transaction; what was done, in words."""
    session.run("reindex")
    wrong = [row[0] for row in session.all("wrong_counters")]
    session.run("empty_words")
    session.run("fill_words")
    chunks = session.one("count_chunks")
    yield f"the word index was made anew from {chunks[0] if chunks else 0} chunks"
    if lost := session.run("add_lost_namespaces"):
        yield f"{lost} namespaces whose names are lost are called 'recovered …' now"
    if lost := session.run("add_lost_origins"):
        yield f"{lost} origins of memories were lost; only their addresses are known"
    for query, what in REMOVED:
        if removed := session.run(query):
            yield f"{removed} {what}"
    if shown := session.run("show_hidden"):
        yield f"{shown} memories that were hidden by a version that is not here are current again"
    session.run("count_anew")
    for name in wrong:
        yield f"the chunks of namespace {name!r} were counted anew"


def mended(session: Session) -> tuple[str, ...]:
    """Mend, and look whether all is whole then. Raises Damaged when it is not, so that what was done is taken back:
    where a tree leads astray, mending drops what can still be read from the pages."""
    done = tuple(mend(session))
    if found := damage(session.connection):
        raise Damaged(found[0])
    return done
