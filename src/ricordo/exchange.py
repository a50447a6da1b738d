"""What passes through the seams: what models make of texts, what stores are given and what they tell of themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ricordo.memory import Chunk, Memory, Origin, Reading

__all__ = [
    "QUARTER",
    "Added",
    "Backup",
    "Batch",
    "Claim",
    "Encoded",
    "Entry",
    "Fault",
    "Floors",
    "Held",
    "Known",
    "Skipped",
    "Stats",
    "Survey",
    "TokenVectors",
    "Tombstone",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Floors:
    """Cosine similarities below which a vector match is not worth showing, asked for or unasked."""

    recall: float
    context: float


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenVectors:
    """What a model makes of the tokens of a text, punctuation left out, in the order of the text.

    `ids (tokens,) int32` name the tokens, so that they can be counted over many texts;
    `rows (tokens, dimension) float32` are of unit length; `words` are those that the tokens are pieces of.
    """

    ids: NDArray[np.int32]
    rows: NDArray[np.float32]
    words: tuple[str, ...] = ()

    @classmethod
    def none(cls, dimension: int) -> Self:
        """Those of a text that says nothing."""
        return cls(ids=np.zeros(0, np.int32), rows=np.zeros((0, dimension), np.float32))

    @classmethod
    def joined(cls, parts: Sequence[TokenVectors]) -> TokenVectors:
        """Those of a text read in parts; at least one."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            ids=np.concatenate([part.ids for part in parts]),
            rows=np.concatenate([part.rows for part in parts]),
            words=tuple(word for part in parts for word in part.words),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Encoded:
    """Texts as one pass of a model left them: `vectors (texts, dimension) float32`, and the tokens of each text.

    `tokens` is empty when the embedder gives none, which its `token_fingerprint` says beforehand.
    """

    vectors: NDArray[np.float32]
    tokens: tuple[TokenVectors, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A chunk made ready to be stored: its lexemes, those of its context, and its vectors.

    `vector` is `(dimension,) float32`, `tokens` what `tokenvectors.pack` made of its token vectors. Either is None
    where the embedder gives none, and when the store holds it already.
    """

    chunk: Chunk
    lexemes: tuple[str, ...]
    context_lexemes: tuple[str, ...] = ()
    vector: NDArray[np.float32] | None = None
    tokens: bytes | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """What is written in one transaction. `readings` are those of the origins whose last memories it holds.

    `fingerprint` is the embedder's for the vectors of the entries, `token_fingerprint` for their token vectors.
    What somebody tells `anew` lifts its tombstone; what is read or imported stays forgotten. Written `over`, memories
    that were told take the tags, times and metadata of the batch, too, as those that are read again do.

    A memory that says what superseded it is marked so where that is in the store when the batch is written, and is
    current where it is not. One that was there before is marked by a batch that brings what superseded it.
    """

    memories: tuple[Memory, ...] = ()
    entries: tuple[Entry, ...] = ()
    fingerprint: str | None = None
    token_fingerprint: str | None = None
    readings: tuple[Reading, ...] = ()
    anew: bool = False
    over: bool = False

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

    `loses_memories` is False for a fault that costs none: its origin still counts as read whole. `unusable` is a file
    of a format that is known, in which there was nothing to remember: an error, where one was expected.
    """

    where: str
    why: str
    loses_memories: bool = True
    unusable: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """Who takes up work, and when; after `until`, unless it was claimed anew, it is for others again."""

    claimant: str
    now: datetime
    until: datetime


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
class Backup:
    """What the file of a backup holds, as it was read back, and what is not whole in it."""

    schema_version: int
    size_bytes: int
    memories: int = 0
    chunks: int = 0
    vectors: int = 0
    tombstones: int = 0
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Stats:
    """Counts over a whole store. `embedders` maps each fingerprint to its number of vectors, `token_embedders`
    to the number of chunks that have token vectors by it.
    """

    memories: int
    chunks: int
    namespaces: Mapping[str, int]
    store: str
    schema_version: int
    size_bytes: int
    embedders: Mapping[str, int] = field(default_factory=dict)
    token_embedders: Mapping[str, int] = field(default_factory=dict)


QUARTER = timedelta(minutes=15)
"""How finely a survey counts times: the days of every time zone begin and end with one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """How much a namespace holds of an origin, when the first of it was learned and the last of it changed.

    `read` says whether it was read whole, and is not read again while it stays as it is.
    """

    origin: Origin
    memories: int
    first: datetime
    last: datetime
    read: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Survey:
    """What a namespace holds, from above; old versions count in `superseded` and `origins` only.

    `origins` has one for each that was read, by uri, and one for all that was told. `events` and `learned` count
    memories by the quarter of an hour in UTC in which what they speak of began, and in which they were learned;
    `undated` are those of no known time.
    """

    current: int
    superseded: int
    undated: int
    origins: tuple[Held, ...]
    events: Mapping[datetime, int]
    learned: Mapping[datetime, int]
    tags: Mapping[str, int]
