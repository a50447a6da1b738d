"""The store in one SQLite file: FTS5 for words, an exact search in memory for vectors."""

from __future__ import annotations

from ricordo.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
