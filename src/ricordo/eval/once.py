"""An embedder that makes of a question once what all rungs of a ladder ask of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ricordo.protocols import Embedder, Encoded, Floors

__all__ = ["Once"]


class Once:
    """The embedder given, which does not encode the same questions twice. It keeps all of them: for measuring alone."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._encoded: dict[tuple[str, ...], Encoded] = {}
        self._as_passages: dict[str, NDArray[np.float32]] = {}
        self._pieces: dict[str, tuple[tuple[str, int], ...]] = {}

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    @property
    def token_fingerprint(self) -> str | None:
        return self._embedder.token_fingerprint

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    @property
    def floors(self) -> Floors:
        return self._embedder.floors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)

    def pieces(self, text: str) -> tuple[tuple[str, int], ...]:
        if text not in self._pieces:
            self._pieces[text] = self._embedder.pieces(text)
        return self._pieces[text]

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(texts) != 1:
            return self._embedder.embed_passages(texts)
        # A question, read as a passage.
        if texts[0] not in self._as_passages:
            self._as_passages[texts[0]] = self._embedder.embed_passages(texts)
        return self._as_passages[texts[0]]

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.encode_queries(texts).vectors

    def encode_passages(self, texts: Sequence[str]) -> Encoded:
        return self._embedder.encode_passages(texts)

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        asked = tuple(texts)
        if asked not in self._encoded:
            self._encoded[asked] = self._embedder.encode_queries(asked)
        return self._encoded[asked]
