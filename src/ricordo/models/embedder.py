"""The embedder that runs a model of the catalog on this machine's processor."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ricordo.models.catalog import ModelSpec
from ricordo.models.runtime import Encoder, load
from ricordo.models.windows import windows
from ricordo.protocols import Floors

__all__ = ["OnnxEmbedder"]


class OnnxEmbedder:
    """Text → unit vectors, by one model of the catalog.

    The model is loaded when it is first needed, once, whichever thread comes first. An empty text has a
    vector too: what the model makes of no words. `threads` is the most that one call computes on; 0
    leaves it to the machine.
    """

    def __init__(self, spec: ModelSpec, *, threads: int = 0) -> None:
        self._spec = spec
        self._threads = threads
        self._lock = Lock()
        self._loaded: Encoder | None = None

    @property
    def fingerprint(self) -> str:
        return self._spec.fingerprint

    @property
    def dimension(self) -> int:
        return self._spec.dimension

    @property
    def max_tokens(self) -> int:
        return self._spec.max_tokens - self._spec.reserved_tokens

    @property
    def floors(self) -> Floors:
        return self._spec.floors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(tokens) for tokens in self._encoder().tokens(texts)] if texts else []

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dimension) float32`, unit rows in the order given. Raises ModelError.

        A text longer than `max_tokens` is read in windows; its vector is the mean of theirs, each
        counted by its number of tokens, brought to unit length.
        """
        return self._embed(texts, self._spec.passage_prefix)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(texts, self._spec.query_prefix)

    def _embed(self, texts: Sequence[str], prefix: str) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        if not texts:
            return rows
        encoder = self._encoder()
        cut = [windows(tokens, self.max_tokens) for tokens in encoder.tokens(texts)]
        owners = [row for row, pieces in enumerate(cut) for _ in pieces]
        flat = [piece for pieces in cut for piece in pieces]
        shares = np.array([max(1, len(piece)) for piece in flat], np.float32)
        np.add.at(rows, owners, encoder.vectors(flat, prefix) * shares[:, None])
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def _encoder(self) -> Encoder:
        with self._lock:
            if self._loaded is None:
                self._loaded = load(self._spec, self._threads)
            return self._loaded
