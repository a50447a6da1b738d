"""The embedder that runs a model of the catalog on this machine's processor."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ricordo.models.encoder import Encoder, load_encoder
from ricordo.models.specs import ModelSpec
from ricordo.models.windows import windows
from ricordo.protocols import Encoded, Floors, TokenVectors

__all__ = ["OnnxEmbedder"]


class OnnxEmbedder:
    """Text → unit vectors, by one model of the catalog whose row is ready.

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
    def token_fingerprint(self) -> str | None:
        return self._spec.token_fingerprint

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

    def pieces(self, text: str) -> tuple[tuple[str, int], ...]:
        return self._encoder().pieces(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dimension) float32`, unit rows in the order given. Raises ModelError.

        A text longer than `max_tokens` is read in windows; its vector is the mean of theirs, each
        counted by its number of tokens, brought to unit length.
        """
        return self._embed(texts, self._spec.passage_prefix)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(texts, self._spec.query_prefix)

    def encode_passages(self, texts: Sequence[str]) -> Encoded:
        return self._encode(texts, self._spec.passage_prefix)

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        return self._encode(texts, self._spec.query_prefix)

    def _embed(self, texts: Sequence[str], prefix: str) -> NDArray[np.float32]:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        pieces = self._cut(texts)
        return self._joined(pieces, self._encoder().vectors([piece for _, piece in pieces], prefix))

    def _encode(self, texts: Sequence[str], prefix: str) -> Encoded:
        if self._spec.tokens is None or not texts:
            return Encoded(vectors=self._embed(texts, prefix))
        pieces = self._cut(texts)
        rows, states = self._encoder().vectors_and_tokens([piece for _, piece in pieces], prefix)
        of_text = groupby(zip(pieces, states, strict=True), key=lambda pair: pair[0][0])
        tokens = tuple(TokenVectors.joined([own for _, own in group]) for _, group in of_text)
        return Encoded(vectors=self._joined(pieces, rows), tokens=tokens)

    def _cut(self, texts: Sequence[str]) -> list[tuple[int, Sequence[int]]]:
        """The windows of all texts, each with the position of its text."""
        tokens = self._encoder().tokens(texts)
        return [(row, window) for row, each in enumerate(tokens) for window in windows(each, self.max_tokens)]

    def _joined(self, pieces: Sequence[tuple[int, Sequence[int]]], rows: NDArray[np.float32]) -> NDArray[np.float32]:
        owners = [owner for owner, _ in pieces]
        if len(owners) == owners[-1] + 1:
            return rows
        shares = np.array([max(1, len(window)) for _, window in pieces], np.float32)
        joined = np.zeros((owners[-1] + 1, self.dimension), np.float32)
        np.add.at(joined, owners, rows * shares[:, None])
        joined /= np.linalg.norm(joined, axis=1, keepdims=True)
        return joined

    def _encoder(self) -> Encoder:
        with self._lock:
            if self._loaded is None:
                self._loaded = load_encoder(self._spec, self._threads)
            return self._loaded
