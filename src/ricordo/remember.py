"""The write path: memories → chunks → lexemes and the vectors that are missing → store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from ricordo.analyzer import STANDARD, Analyzer
from ricordo.memory import Chunk, Memory, Reading, digest
from ricordo.protocols import Added, Batch, Chunker, Embedder, Entry, Store

__all__ = ["Writer", "passage"]


def passage(chunk: Chunk) -> str:
    """What the embedder reads of a chunk: its context above its text."""
    return f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text


@dataclass(frozen=True, kw_only=True, slots=True)
class Writer:
    """The write path of one namespace."""

    store: Store
    chunker: Chunker
    embedder: Embedder | None
    namespace: str
    analyzer: Analyzer = STANDARD

    def cut(self, memories: Sequence[Memory], owners: dict[str, str] | None = None) -> tuple[Chunk, ...]:
        """The chunks of the memories, each id once.

        A passage that two memories of one origin share is a chunk of each: the first has its plain id, the
        others one of their own. `owners` tells who is the first over several calls.
        """
        known = {} if owners is None else owners
        chunks = (_owned(chunk, known) for memory in memories for chunk in self.chunker.chunks(memory))
        return tuple({chunk.id: chunk for chunk in chunks}.values())

    async def write(
        self,
        memories: Sequence[Memory],
        chunks: Sequence[Chunk],
        readings: Sequence[Reading] = (),
        *,
        anew: bool = False,
    ) -> Added:
        """Store a batch in one transaction. What the store knows already never reaches the model."""
        vectors = await self._missing_vectors(chunks)
        entries = await to_thread.run_sync(_entries, chunks, vectors, self.analyzer)
        batch = Batch(
            memories=tuple(memories),
            entries=entries,
            fingerprint=self.embedder.fingerprint if self.embedder else None,
            readings=tuple(readings),
            anew=anew,
        )
        return await self.store.add(self.namespace, batch)

    async def _missing_vectors(self, chunks: Sequence[Chunk]) -> dict[str, NDArray[np.float32]]:
        embedder = self.embedder
        if embedder is None or not chunks:
            return {}
        missing = await self.store.missing(self.namespace, [chunk.id for chunk in chunks], embedder.fingerprint)
        unread = [chunk for chunk in chunks if chunk.id in missing]
        if not unread:
            return {}
        embed: Callable[[list[str]], NDArray[np.float32]] = embedder.embed_passages
        rows = await to_thread.run_sync(embed, [passage(chunk) for chunk in unread], abandon_on_cancel=True)
        return {chunk.id: row for chunk, row in zip(unread, rows, strict=True)}


def _owned(chunk: Chunk, owners: dict[str, str]) -> Chunk:
    if owners.setdefault(chunk.id, chunk.memory_id) == chunk.memory_id:
        return chunk
    return replace(chunk, id=digest(chunk.id, chunk.memory_id))


def _entries(chunks: Sequence[Chunk], vectors: dict[str, NDArray[np.float32]], analyzer: Analyzer) -> tuple[Entry, ...]:
    return tuple(
        Entry(
            chunk=chunk,
            lexemes=analyzer.lexemes(chunk.text),
            context_lexemes=analyzer.lexemes(chunk.context),
            vector=vectors.get(chunk.id),
        )
        for chunk in chunks
    )
