"""mcp-memory-service's own store, which its server is a door to: sqlite-vec beside FTS5."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
from collections.abc import Sequence
from datetime import datetime
from importlib import import_module
from typing import Any

from seat import Record, Seat

__all__ = ["Store", "fill", "open"]

BATCH = 500

if not hasattr(sqlite3.Connection, "enable_load_extension"):
    sys.modules["sqlite3"] = import_module("pysqlite3")


class Store:
    """An open store, whose coroutines run to their end one by one."""

    model_s = 0.0
    model_mib = 0.0

    def __init__(self, seat: Seat) -> None:
        os.environ.update(
            MCP_EXTERNAL_EMBEDDING_URL=f"{seat.url}/embeddings",
            MCP_EXTERNAL_EMBEDDING_MODEL=seat.model,
            MCP_MEMORY_STORAGE_BACKEND="sqlite_vec",
            MCP_MEMORY_BASE_DIR=str(seat.store.parent / "mcp"),
        )
        from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage

        seat.store.mkdir(parents=True, exist_ok=True)
        self.runner = asyncio.Runner()
        self.storage: Any = SqliteVecMemoryStorage(str(seat.store / "memory.db"))
        self.runner.run(self.storage.initialize())

    def ask(self, question: str, vector: object, limit: int) -> list[str]:
        found = self.runner.run(self.storage.search_memories(query=question, mode="hybrid", limit=limit))
        if "error" in found:
            raise RuntimeError(found["error"])
        return [each["record"] for each in found["memories"]]

    def close(self) -> None:
        self.runner.run(self.storage.close())
        self.runner.close()


def open(seat: Seat) -> Store:
    """Open what `fill` made."""
    return Store(seat)


def fill(seat: Seat, records: Sequence[Record], vectors: object) -> float:
    """Store in batches, a transaction each."""
    store = Store(seat)
    from mcp_memory_service.models.memory import Memory
    from mcp_memory_service.utils.hashing import generate_content_hash

    for start in range(0, len(records), BATCH):
        batch = [
            Memory(
                content=record.text,
                content_hash=generate_content_hash(record.text),
                created_at=datetime.fromisoformat(record.when).timestamp(),
                metadata={"record": record.id},
            )
            for record in records[start : start + BATCH]
        ]
        refused = [why for stored, why in store.runner.run(store.storage.store_batch(batch)) if not stored]
        if refused:
            raise RuntimeError(f"{len(refused)} were refused, the first because: {refused[0]}")
    store.close()
    return 0.0
