"""ricordo as it is installed, through its blocking API; its model runs in the process and has a stop-watch."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray
from seat import Record, Seat, resident_mib

from ricordo import sync
from ricordo.models import load_embedder
from ricordo.protocols import Embedder, Encoded

__all__ = ["Store", "fill", "open"]


class Watched:
    """An embedder, and the seconds that it has spent since it was asked for."""

    def __init__(self, name: str) -> None:
        before, begin = resident_mib(), time.perf_counter()
        real = load_embedder(name)
        assert real is not None
        real.embed_queries(["once, so that it is loaded"])
        self.spent_s = time.perf_counter() - begin
        self.mib = resident_mib() - before
        self._real: Embedder = real
        self.fingerprint = real.fingerprint
        self.token_fingerprint = real.token_fingerprint
        self.dimension = real.dimension
        self.max_tokens = real.max_tokens
        self.floors = real.floors
        self.count_tokens = real.count_tokens
        self.pieces = real.pieces

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.encode_passages(texts).vectors

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.encode_queries(texts).vectors

    def encode_passages(self, texts: Sequence[str]) -> Encoded:
        with self._stop_watch():
            return self._real.encode_passages(texts)

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        with self._stop_watch():
            return self._real.encode_queries(texts)

    @contextmanager
    def _stop_watch(self) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.spent_s += time.perf_counter() - begin


class Store:
    """An open store of ricordo, with its own model."""

    def __init__(self, seat: Seat) -> None:
        self.watched = Watched(seat.model)
        self.model_mib = self.watched.mib
        inner = sync.open(
            f"sqlite:///{seat.store / 'memory.db'}", embedder=self.watched, clock=clock(seat.now), namespace="peers"
        )
        self.memory = inner.__enter__()

    @property
    def model_s(self) -> float:
        return self.watched.spent_s

    def ask(self, question: str, vector: object, limit: int) -> list[str]:
        return [hit.id for hit in self.memory.recall(question, limit=limit)]

    def close(self) -> None:
        self.memory.close()


def open(seat: Seat) -> Store:
    """Open what `fill` made."""
    return Store(seat)


def fill(seat: Seat, records: Sequence[Record], vectors: object) -> float:
    """Ingest the memories by their origins, as `ricordo ingest` does."""
    from ricordo.eval.datasets import given

    seat.store.mkdir(parents=True)
    memories = pickle.loads((seat.folder / "memories.pickle").read_bytes())
    store = Store(seat)
    store.memory.ingest(given(memories))
    store.close()
    return store.model_s


def clock(now: str | None) -> Callable[[], datetime]:
    """Always that time, or the time of day."""
    moment = datetime.fromisoformat(now) if now else None
    return lambda: moment or datetime.now(UTC)
