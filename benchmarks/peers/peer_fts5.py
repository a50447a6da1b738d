"""What a person writes in an evening: a table of SQLite's FTS5, and a question's words joined by OR."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

from seat import Record, Seat

__all__ = ["Store", "fill", "open"]

WORD = re.compile(r"\w+")


class Store:
    """An open table."""

    model_s = 0.0
    model_mib = 0.0

    def __init__(self, seat: Seat) -> None:
        seat.store.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(seat.store / "memory.db")

    def ask(self, question: str, vector: object, limit: int) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in WORD.findall(question))
        found = self.connection.execute(
            "SELECT id FROM memory WHERE memory MATCH ? ORDER BY bm25(memory) LIMIT ?", (words, limit)
        )
        return [row[0] for row in found]

    def close(self) -> None:
        self.connection.close()


def open(seat: Seat) -> Store:
    """Open what `fill` made."""
    return Store(seat)


def fill(seat: Seat, records: Sequence[Record], vectors: object) -> float:
    """Write all in one transaction."""
    store = Store(seat)
    with store.connection as connection:
        connection.execute(
            "CREATE VIRTUAL TABLE memory USING fts5(id UNINDEXED, text, event UNINDEXED, tokenize='porter unicode61')"
        )
        connection.executemany(
            "INSERT INTO memory VALUES (?, ?, ?)", ((record.id, record.text, record.when) for record in records)
        )
    store.close()
    return 0.0
