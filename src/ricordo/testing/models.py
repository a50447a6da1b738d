"""An embedder that hashes and a reranker that counts: no model is needed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ricordo.exchange import Encoded, Floors, TokenVectors
from ricordo.memory import clean

__all__ = ["HashEmbedder", "OverlapReranker"]


class HashEmbedder:
    """Words hashed into a small vector: texts that share words are near, and nothing else is."""

    dimension = 64
    max_tokens = 128
    floors = Floors(recall=0.1, context=0.2)
    fingerprint = "hash-words/1/64"
    token_fingerprint = "hash-words/1/64/tokens"

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def pieces(self, text: str) -> tuple[tuple[str, int], ...]:
        return tuple((word, 1) for word in text.split())

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.encode_passages(texts).vectors

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed_passages(texts)

    def encode_passages(self, texts: Sequence[str]) -> Encoded:
        tokens = tuple(self._token_vectors(text.lower().split()) for text in texts)
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, own in zip(vectors, tokens, strict=True):
            row += own.rows.sum(axis=0) if len(own.ids) else self._token_vectors([""]).rows[0]
            row /= np.linalg.norm(row)
        return Encoded(vectors=vectors, tokens=tokens)

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        return self.encode_passages(texts)

    def _token_vectors(self, words: Sequence[str]) -> TokenVectors:
        digests = [hashlib.blake2b(clean(word).encode(), digest_size=8).digest() for word in words]
        ids = np.array([int.from_bytes(digest, "little") % self.dimension for digest in digests], np.int32)
        rows = np.eye(self.dimension, dtype=np.float32)[ids]
        return TokenVectors(ids=ids, rows=rows, words=tuple(words))


class OverlapReranker:
    """The share of the question's words that a passage holds."""

    def score(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        words = frozenset(question.lower().split())
        shares = [len(words & frozenset(passage.lower().split())) / max(1, len(words)) for passage in passages]
        return np.array(shares, np.float32)
