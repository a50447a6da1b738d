"""The five seams. Whatever keeps these promises can be plugged in; `ricordo.testing` ships a double of each.

Stores are asynchronous. The others compute or read, in worker threads of the core: be safe in several at once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ricordo.memory import Chunk, Memory, Origin, Reading
from ricordo.query import Filters, Variant, WordMatches

__all__ = [
    "Added",
    "Batch",
    "Chunker",
    "Embedder",
    "Encoded",
    "Entry",
    "Fault",
    "Floors",
    "Known",
    "Reranker",
    "Skipped",
    "Source",
    "Stats",
    "Store",
    "TokenVectors",
    "Tombstone",
]


class Source(Protocol):
    """One origin that can be read, for example a file."""

    @property
    def origin(self) -> Origin: ...

    def revision(self) -> str:
        """What the origin holds now, as a short digest. Raises SourceError when it cannot be read."""
        ...

    def memories(self) -> Iterator[Memory | Skipped]:
        """Everything the origin says, in order; a record that cannot be read comes as Skipped.

        Raises SourceError when the origin as a whole cannot be read.
        """
        ...


class Chunker(Protocol):
    """Cuts memories into chunks; pure."""

    @property
    def name(self) -> str:
        """Changes whenever the same memory would be cut differently."""
        ...

    def chunks(self, memory: Memory) -> tuple[Chunk, ...]:
        """At least one chunk; together they hold all of the memory's text."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Floors:
    """Cosine similarities below which a vector match is not worth showing, asked for or unasked."""

    recall: float
    context: float


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenVectors:
    """What a model makes of the tokens of a text, punctuation left out, in the order of the text.

    `ids (tokens,) int32` name the tokens, so that they can be counted over many texts;
    `rows (tokens, dimension) float32` are of unit length.
    """

    ids: NDArray[np.int32]
    rows: NDArray[np.float32]

    @classmethod
    def none(cls, dimension: int) -> Self:
        """Those of a text that says nothing."""
        return cls(ids=np.zeros(0, np.int32), rows=np.zeros((0, dimension), np.float32))

    @classmethod
    def joined(cls, parts: Sequence[TokenVectors]) -> TokenVectors:
        """Those of a text read in parts; at least one."""
        if len(parts) == 1:
            return parts[0]
        return cls(ids=np.concatenate([part.ids for part in parts]), rows=np.concatenate([part.rows for part in parts]))


@dataclass(frozen=True, kw_only=True, slots=True)
class Encoded:
    """Texts as one pass of a model left them: `vectors (texts, dimension) float32`, and the tokens of each text.

    `tokens` is empty when the embedder gives none, which its `token_fingerprint` says beforehand.
    """

    vectors: NDArray[np.float32]
    tokens: tuple[TokenVectors, ...] = ()


class Embedder(Protocol):
    """Text → vectors. Same text, same vector."""

    @property
    def fingerprint(self) -> str:
        """Names model, revision, quantisation, pooling, prefixes and dimension; known before the model is loaded."""
        ...

    @property
    def token_fingerprint(self) -> str | None:
        """The same for token vectors, with their layer and centring; None when the embedder gives none."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """The most tokens of a text that the model reads at once, special tokens left out."""
        ...

    @property
    def floors(self) -> Floors: ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens left out."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dimension) float32`, rows of unit length, in the order given.

        A text longer than `max_tokens` is read in pieces, never cut. Raises ModelError.
        """
        ...

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same for questions, which some models read differently."""
        ...

    def encode_passages(self, texts: Sequence[str]) -> Encoded:
        """What `embed_passages` gives, and the token vectors of each text from the same pass. Raises ModelError."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        """The same for questions."""
        ...


class Reranker(Protocol):
    """Reads question and passage together."""

    def score(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """`(len(passages),) float32`; higher is better. Raises ModelError."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A chunk made ready to be stored: its lexemes, those of its context, and its vector `(dimension,) float32`.

    `vector` is None without an embedder, and when the store already holds the chunk's vector.
    """

    chunk: Chunk
    lexemes: tuple[str, ...]
    context_lexemes: tuple[str, ...] = ()
    vector: NDArray[np.float32] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """What is written in one transaction. `readings` are those of the origins whose last memories it holds.

    What somebody tells `anew` lifts its tombstone; what is read or imported stays forgotten.
    """

    memories: tuple[Memory, ...] = ()
    entries: tuple[Entry, ...] = ()
    fingerprint: str | None = None
    readings: tuple[Reading, ...] = ()
    anew: bool = False

    def without(self, memory_ids: Collection[str]) -> Batch:
        """The batch without these memories and their chunks."""
        return replace(
            self,
            memories=tuple(memory for memory in self.memories if memory.id not in memory_ids),
            entries=tuple(entry for entry in self.entries if entry.chunk.memory_id not in memory_ids),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Added:
    """What a write changed: ids of memories that are new, ids forgotten, and the number of new chunks."""

    memories: frozenset[str] = frozenset()
    forgotten: frozenset[str] = frozenset()
    chunks: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """What a store holds of an origin that was read whole: its revision, and how many memories and chunks."""

    revision: str
    memories: int
    chunks: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Skipped:
    """A record or file that could not be read: where, and why.

    `loses_memories` is False for a fault that costs none: its origin still counts as read whole.
    """

    where: str
    why: str
    loses_memories: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Tombstone:
    """The mark of a forgotten memory: its id alone, so that re-reading its origin does not bring it back."""

    memory_id: str
    forgotten_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """Something a check of the store found wrong, and how to mend it."""

    what: str
    mend: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Stats:
    """Counts over a whole store. `embedders` maps each fingerprint to its number of vectors."""

    memories: int
    chunks: int
    namespaces: Mapping[str, int]
    store: str
    schema_version: int
    size_bytes: int
    embedders: Mapping[str, int] = field(default_factory=dict)


class Store(Protocol):
    """Where chunks live; answers by words, by vectors, by time.

    Every method takes the namespace first and sees nothing outside it. All raise StoreError.
    """

    async def open(self) -> None:
        """Connect and migrate. Raises SchemaTooNew."""
        ...

    async def close(self) -> None: ...

    # --- writing ---

    async def reading(self, namespace: str, uri: str) -> Known | None:
        """What is known of an origin since its last whole reading; None before one."""
        ...

    async def tombstones(self, namespace: str, ids: Sequence[str]) -> frozenset[str]:
        """Those of the memory ids that carry a tombstone."""
        ...

    async def missing(self, namespace: str, ids: Sequence[str], fingerprint: str) -> frozenset[str]:
        """Those of the chunk ids that have no vector of this fingerprint."""
        ...

    async def add(self, namespace: str, batch: Batch) -> Added:
        """Write a batch in one transaction; adding what is there already changes nothing.

        A memory that supersedes another marks it: InvalidInput when one did so before. Chunks that moved to another
        memory of their origin go with it. A memory with a tombstone is left out; told anew, its tombstone is lifted.
        """
        ...

    async def forget(self, namespace: str, ids: Sequence[str], now: datetime) -> frozenset[str]:
        """Remove memories with all their versions, text, lexemes and vectors, and leave tombstones.

        Returns the ids removed; unknown ids are ignored.
        """
        ...

    async def bury(self, namespace: str, tombstones: Sequence[Tombstone]) -> None:
        """Write tombstones alone, for memories that are not here (an import)."""
        ...

    async def purge(self) -> None:
        """Erase what forgotten memories left in the store's files."""
        ...

    # --- reading ---

    async def by_words(self, namespace: str, terms: Sequence[str], filters: Filters, limit: int) -> WordMatches:
        """The most promising chunks that hold any of the terms, weightier ones given repeatedly; the caller ranks."""
        ...

    async def by_vector(self, namespace: str, variant: Variant, filters: Filters, limit: int) -> tuple[str, ...]:
        """Chunk ids by cosine similarity, best first, ties by id, none below the floor."""
        ...

    async def get(self, namespace: str, chunk_ids: Sequence[str]) -> tuple[tuple[Chunk, Memory], ...]:
        """Chunks with their memories in the order of the ids; unknown ids are left out."""
        ...

    async def memory(self, namespace: str, id_prefix: str) -> Memory:
        """The one memory whose id begins so. Raises NotFound, or InvalidInput when several do."""
        ...

    async def history(self, namespace: str, memory_id: str) -> tuple[Memory, ...]:
        """All versions of a memory, first to current."""
        ...

    def dump(self, namespace: str | None = None) -> AsyncIterator[tuple[str, Memory | Tombstone]]:
        """Everything, as (namespace, item), versions before what superseded them."""
        ...

    async def entries(self, namespace: str, memory_ids: Sequence[str], fingerprint: str | None) -> tuple[Entry, ...]:
        """The chunks of these memories as they can be added to another store, with their vectors by this embedder.

        The lexemes come back as often as they were given, in any order.
        """
        ...

    async def stats(self) -> Stats: ...

    async def check(self) -> tuple[Fault, ...]:
        """Look for anything not whole; empty when all is well."""
        ...
