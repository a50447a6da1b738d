"""Chroma in the process, persistent, with vectors given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import chromadb
from chromadb.config import Settings
from seat import Record, Seat

if TYPE_CHECKING:
    from seat import Vector

__all__ = ["Store", "fill", "open"]

NAME = "memories"


class Store:
    """An open collection."""

    model_s = 0.0
    model_mib = 0.0

    def __init__(self, seat: Seat) -> None:
        self.client: Any = chromadb.PersistentClient(str(seat.store), settings=Settings(anonymized_telemetry=False))
        self.collection: Any = self.client.get_or_create_collection(
            NAME, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def ask(self, question: str, vector: Vector | None, limit: int) -> list[str]:
        found = self.collection.query(query_embeddings=[vector], n_results=limit, include=["documents", "metadatas"])
        ids: list[str] = found["ids"][0]
        return ids

    def close(self) -> None:
        self.client.close()


def open(seat: Seat) -> Store:
    """Open what `fill` made."""
    return Store(seat)


def fill(seat: Seat, records: Sequence[Record], vectors: Vector | None) -> float:
    """Add in batches as large as the client allows."""
    assert vectors is not None
    store = Store(seat)
    size = store.client.get_max_batch_size()
    for start in range(0, len(records), size):
        batch = records[start : start + size]
        store.collection.add(
            ids=[record.id for record in batch],
            documents=[record.text for record in batch],
            metadatas=[{"when": record.when} for record in batch],
            embeddings=vectors[start : start + size],
        )
    store.close()
    return 0.0
