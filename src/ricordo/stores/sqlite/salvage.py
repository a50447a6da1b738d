"""Read what is left of a damaged file, row by row, into a new one: a damaged page costs what was on it."""

from __future__ import annotations

import re
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from ricordo.stores.sqlite.pages import PAGE, table_rows
from ricordo.stores.sqlite.session import Session

__all__ = ["lend_schema", "salvage"]

# Each before those that refer to it. What each chunk's words are is derived from `chunk` by its trigger.
TABLES = ("namespace", "embedder", "origin", "memory", "chunk", "embedding", "token_embedding")
NAMED = ("namespace", "embedder")
ORIGINALS = ("memory", "chunk")
ID = re.compile("[0-9a-f]{24}")
INTERIOR = 5
FAR = 2**62
GUESSED = 1000
"""How many rows are looked for after the last one that was read, where the file does not tell how many it had."""

Row = dict[str, Any]


def salvage(damaged: Path, session: Session) -> Iterator[str]:
    """Save what can be read of the damaged file by a session of a new store; what is lost, in words.

    The session is inside a write transaction that does not hold references to account.
    """
    with closing(sqlite3.connect(damaged, isolation_level=None)) as source:
        source.row_factory = sqlite3.Row
        for table in TABLES:
            if table in NAMED and _save_named(source, session, table):
                continue
            whole = True
            for row in _rows(source, session, table):
                whole = (row is not None and _save(session, f"save_{table}", row)) and whole
            if not whole:
                if table in ORIGINALS:
                    _save_from_pages(damaged, session, table)
                yield f"{_saved(session, table)} rows of {table} were saved; some were on what is damaged"
        for name in ("tombstones_forwards", "tombstones_backwards"):
            for row in _readable(source, session.sql[name], {}):
                _save(session, "save_tombstone", row)
    session.run("read_all_again")


def _save_named(source: sqlite3.Connection, session: Session, table: str) -> bool:
    """Save keys and names from the index over names, which holds both; whether it is whole."""
    try:
        for row in source.execute(session.sql[f"named_{table}"]):
            _save(session, f"save_{table}", dict(row))
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False
    return True


def _save_from_pages(damaged: Path, session: Session, table: str) -> None:
    """Save rows that no tree leads to any more."""
    names = [row[0] for row in session.all("columns", table=table)]
    for rowid, values in table_rows(damaged, len(names)):
        row = dict(zip(names, values, strict=True))
        if isinstance(row["id"], str) and ID.fullmatch(row["id"]):
            _save(session, f"save_{table}", {**row, "key": rowid})


def _saved(session: Session, table: str) -> int:
    row = session.one(f"saved_{table}")
    return row[0] if row else 0


def lend_schema(damaged: Path, whole: Path) -> None:
    """Give a file whose first page is damaged the pages of the schema from a new store: all are laid out alike."""
    with whole.open("rb") as lender, damaged.open("r+b") as file:
        first = bytearray(lender.read(PAGE))
        pages = file.seek(0, 2) // PAGE
        first[28:40] = struct.pack(">III", pages, 0, 0)  # as many pages as there are, and none that is free
        file.seek(0)
        file.write(first)
        for number in _children(bytes(first)):
            lender.seek((number - 1) * PAGE)
            file.seek((number - 1) * PAGE)
            file.write(lender.read(PAGE))


def _children(page: bytes) -> list[int]:
    """The numbers of the pages below the first one of a file, https://sqlite.org/fileformat.html#b_tree_pages."""
    if page[100] != INTERIOR:
        return []
    cells = struct.unpack_from(">H", page, 103)[0]
    places = struct.unpack_from(f">{cells}H", page, 112)
    return [*(struct.unpack_from(">I", page, place)[0] for place in places), struct.unpack_from(">I", page, 108)[0]]


def _rows(source: sqlite3.Connection, session: Session, table: str) -> Iterator[Row | None]:
    """All rows that can be read; None for each place that cannot."""
    query, known, place = session.sql[f"read_{table}"], _last(source, session.sql[f"last_{table}"]), 0
    while True:
        for row in _readable(source, query, {"first": place + 1, "last": known or FAR}):
            place = row["place"]
            yield row
        if _reads(source, query, place + 1, known or FAR):
            return
        end = known or place + GUESSED
        while place < end and not _reads(source, query, place + 1, place + 1):
            place += 1
            yield None
        if place >= end:
            return


def _last(source: sqlite3.Connection, query: str) -> int | None:
    try:
        row = source.execute(query).fetchone()
    except sqlite3.DatabaseError:
        return None
    return row[0] if row else None


def _readable(source: sqlite3.Connection, query: str, values: dict[str, int]) -> Iterator[Row]:
    """The rows of a query up to the first that cannot be read."""
    try:
        for row in source.execute(query, values):
            yield dict(row)
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return


def _reads(source: sqlite3.Connection, query: str, first: int, last: int) -> bool:
    """Whether the next row of the range, if there is one, can be read."""
    try:
        source.execute(query, {"first": first, "last": last}).fetchone()
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False
    return True


def _save(session: Session, query: str, row: Row) -> bool:
    """Whether the row was one that the table takes, and was not there."""
    if any(isinstance(value, str) and "\0" in value for value in row.values()):
        return False  # no text is stored with one: it comes from a page that was overwritten
    values = {name: value for name, value in row.items() if name != "place"}
    try:
        return session.connection.execute(session.sql[query], values).rowcount > 0
    except sqlite3.DatabaseError:
        return False
