"""txtai with a dense and a sparse index. Vectors come through its external method, out of a table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

os.environ["ALLOW_RESOLVE_TRANSFORM"] = "True"  # a saved index names its transform, which is ours

from seat import Record, Seat
from txtai import Embeddings

if TYPE_CHECKING:
    from seat import Vector

__all__ = ["Store", "fill", "known", "open"]

known: dict[str, Any] = {}
"""Vectors by text: what the transform looks up."""


def looked_up(texts: list[str]) -> list[Any]:
    """The transform."""
    return [known[text] for text in texts]


class Store:
    """An open index."""

    model_s = 0.0
    model_mib = 0.0

    def __init__(self, seat: Seat) -> None:
        self.embeddings: Any = Embeddings()
        self.embeddings.load(str(seat.store))

    def ask(self, question: str, vector: Vector | None, limit: int) -> list[str]:
        known[question] = vector
        return [found["id"] for found in self.embeddings.search(question, limit)]

    def close(self) -> None:
        self.embeddings.close()


def open(seat: Seat) -> Store:
    """Open what `fill` made."""
    return Store(seat)


def fill(seat: Seat, records: Sequence[Record], vectors: Vector | None) -> float:
    """Index all and save."""
    assert vectors is not None
    known.update(zip((record.text for record in records), vectors, strict=True))
    embeddings: Any = Embeddings(method="external", transform="peer_txtai.looked_up", hybrid=True, content=True)
    embeddings.index((record.id, {"text": record.text, "when": record.when}, None) for record in records)
    embeddings.save(str(seat.store))
    embeddings.close()
    return 0.0
