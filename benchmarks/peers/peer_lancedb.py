"""LanceDB in the process: a table with vectors and a full-text index, asked by both and fused by rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import lancedb
import pyarrow as pa
from lancedb.index import FTS
from lancedb.rerankers import RRFReranker
from seat import Record, Seat

if TYPE_CHECKING:
    from seat import Vector

__all__ = ["Store", "fill", "open"]

NAME = "memories"


class Store:
    """An open table."""

    model_s = 0.0
    model_mib = 0.0

    def __init__(self, seat: Seat) -> None:
        self.table: Any = lancedb.connect(str(seat.store)).open_table(NAME)
        self.reranker = RRFReranker()

    def ask(self, question: str, vector: Vector | None, limit: int) -> list[str]:
        query = self.table.search(query_type="hybrid").vector(vector).text(question).distance_type("cosine")
        return [row["id"] for row in query.rerank(self.reranker).limit(limit).to_list()]

    def close(self) -> None:
        """Nothing is held open."""


def open(seat: Seat) -> Store:
    """Open what `fill` made."""
    return Store(seat)


def fill(seat: Seat, records: Sequence[Record], vectors: Vector | None) -> float:
    """Write the table at once, then index its text. Below 100,000 rows LanceDB advises against an index of vectors."""
    assert vectors is not None
    columns = {
        "id": [record.id for record in records],
        "text": [record.text for record in records],
        "when": [record.when for record in records],
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1]),
    }
    table: Any = lancedb.connect(str(seat.store)).create_table(NAME, pa.table(columns))
    table.create_index("text", config=FTS())
    return 0.0
