"""The full-text index: how what was deleted from it comes to leave no trace, and how often that may be done.

FTS5 only marks what is deleted, until it merges its segments. 'optimize' merges them all, and in SQLite 3.40 puts
the outcome one level higher each time. An index of 2,000 levels is malformed to FTS5 itself, and can then not even be
opened; so one that has grown high is written anew from the lexemes that chunks keep.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

__all__ = ["MOST_LEVELS", "leave_no_trace", "levels"]

MOST_LEVELS = 500

_COOKIE = 4
_SECOND_FORMAT = b"\xff\x00\x00\x01"
"""What follows the cookie where SQLite 3.43 or newer wrote the index for 'contentless_delete'."""


def leave_no_trace(connection: sqlite3.Connection, sql: Mapping[str, str]) -> None:
    """Drop what was deleted from the files of the index, within a transaction."""
    row = connection.execute(sql["structure_of_words"]).fetchone()
    if row is not None and levels(row[0]) >= MOST_LEVELS:
        connection.execute(sql["empty_words"])
        connection.execute(sql["fill_words"])
    connection.execute(sql["optimize_words"])


def levels(structure: bytes) -> int:
    """How many levels an index has, by its structure record: the first varint after the cookie."""
    begin = _COOKIE + (len(_SECOND_FORMAT) if structure[_COOKIE:].startswith(_SECOND_FORMAT) else 0)
    number = 0
    for byte in structure[begin : begin + 9]:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return number
