"""What is asked and what is answered: one type for each stage of the read path.

`Query` → `Probe` → `RankedList` → `Hit` → `Recall`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from ricordo.errors import InvalidInput
from ricordo.memory import Chunk, Json, Memory, Origin, as_utc

if TYPE_CHECKING:
    # What only quotes or passes on an answer need not wait for it.
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "EVERYTHING",
    "AsOf",
    "Aspects",
    "Candidate",
    "Filters",
    "Hit",
    "Notice",
    "Probe",
    "Query",
    "RankedList",
    "Recall",
    "TimeRange",
    "TimeUse",
    "Variant",
    "WordMatch",
    "WordMatches",
]

MAX_LIMIT = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeRange:
    """Half-open interval `[start, end)` in aware UTC; either side may be open (None)."""

    start: datetime | None = None
    end: datetime | None = None

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            moment: datetime | None = getattr(self, name)
            if moment is not None:
                object.__setattr__(self, name, as_utc(moment, name))
        if self.start is not None and self.end is not None and self.start >= self.end:
            raise InvalidInput(f"the time range ends ({self.end}) before it starts ({self.start})")

    def __contains__(self, moment: object) -> bool:
        if not isinstance(moment, datetime):
            return False
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)

    def overlaps(self, memory: Memory) -> bool:
        """Whether any moment of the memory's event lies in it; False when the event's time is unknown."""
        start, end = memory.event_timestamp, memory.event_end
        if start is None or (self.end is not None and start >= self.end):
            return False
        return self.start is None or (end > self.start if end is not None else start >= self.start)


@dataclass(frozen=True, kw_only=True, slots=True)
class AsOf:
    """The state of things at a past moment, to be asked for in place of the present one.

    What was `true` then: each version holds from its event time until that of the version that replaced it; one
    without an event time from when it was told, the first of its line from ever. Or what was `known` then: each
    version holds from when the store learned it until it learned the next.
    """

    moment: datetime
    known: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "moment", as_utc(self.moment, "as_of"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Filters:
    """What a memory must be to be considered at all; every arm applies them before it ranks.

    Its event time must overlap `time`, or be unknown where `undated`; `tags` must all be present, `metadata` must
    hold each pair, `origin` is the beginning of the origin's uri, `kinds` are those that the origin may be of, all
    where none is named. Old versions are left out unless `superseded`; `as_of` takes those that were current at that
    moment instead.
    """

    time: TimeRange | None = None
    undated: bool = False
    as_of: AsOf | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)
    origin: str | None = None
    kinds: tuple[str, ...] = ()
    superseded: bool = False

    def allow(self, memory: Memory) -> bool:
        """Whether the memory passes them all but `as_of`, which other memories have a say in."""
        return (
            (self.superseded or self.as_of is not None or memory.superseded_by is None)
            and (self.time is None or self.time.overlaps(memory))
            and not (self.undated and memory.event_timestamp is not None)
            and set(self.tags) <= set(memory.tags)
            and all(key in memory.metadata and memory.metadata[key] == value for key, value in self.metadata.items())
            and (self.origin is None or memory.origin.uri.startswith(self.origin))
            and (not self.kinds or memory.origin.kind in self.kinds)
        )


EVERYTHING = Filters()


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """What was asked, word for word, in which namespace, with which filters, for how many answers.

    With `history` each hit brings all its versions.
    """

    text: str
    namespace: str = "default"
    limit: int = 10
    filters: Filters = EVERYTHING
    history: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MAX_LIMIT:
            raise InvalidInput(f"limit must be between 1 and {MAX_LIMIT}, not {self.limit}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """One wording of the query with its unit vector `(dimension,) float32`.

    The vector may be compared only with those of the same fingerprint; a cosine below `floor` is no match.
    """

    text: str
    vector: NDArray[np.float32]
    fingerprint: str
    floor: float = -1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Probe:
    """A query made ready.

    `terms` are the lexemes to look for with their weights; `identifiers` are those among them that name one
    exact thing (a key, a number, a path). `wordings` are what the embedder makes variants of, while the arms
    that need no vector are searching already.
    """

    query: Query
    terms: Mapping[str, float]
    identifiers: frozenset[str] = frozenset()
    wordings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class WordMatch:
    """A chunk that holds some of the terms: how often each, and how many lexemes it has in all.

    Lexemes of the chunk's context are counted apart, so that they can weigh less.
    """

    chunk_id: str
    length: int
    counts: Mapping[str, int]
    context_length: int = 0
    context_counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class WordMatches:
    """What a store found by words, and the statistics of the namespace that BM25 needs.

    `chunks` is the number of chunks in the namespace and `mean_length` their mean number of lexemes;
    `mean_context_length` is that of the contexts of those chunks that have one; `document_frequency` is
    the number of chunks that hold each term.
    """

    matches: tuple[WordMatch, ...]
    chunks: int
    mean_length: float
    mean_context_length: float
    document_frequency: Mapping[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Aspects:
    """What is wanted to know of the candidates for an answer.

    How often they hold the `terms`, their vectors by `fingerprint` and token vectors by `token_fingerprint`; and
    all of it also of the chunks up to `reach` places before and after them in their group.
    """

    terms: tuple[str, ...]
    fingerprint: str | None = None
    token_fingerprint: str | None = None
    reach: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A chunk that may be an answer, or stands near one, with what can speak for it.

    `place` is its memory's position in its origin; `vector` is `(dimension,) float32`, `tokens` packed token vectors.
    """

    chunk: Chunk
    place: int
    match: WordMatch
    vector: NDArray[np.float32] | None = None
    tokens: bytes | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedList:
    """One arm's opinion: chunk ids, best first. Scores stay inside the arm."""

    arm: str
    ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """One answer: the chunk, the memory it is a piece of, and its rank in each arm that found it.

    `parts` are what its score is the sum of, `versions` its history, first to current, where that was asked for,
    `restated` the ids of older memories that say the same and are left out of the answer.
    """

    rank: int
    score: float
    arms: Mapping[str, int]
    chunk: Chunk
    memory: Memory
    parts: Mapping[str, float] = field(default_factory=dict)
    versions: tuple[Memory, ...] = ()
    restated: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return self.memory.id

    @property
    def text(self) -> str:
        return self.chunk.text

    @property
    def event_timestamp(self) -> datetime | None:
        return self.memory.event_timestamp

    @property
    def origin(self) -> Origin:
        return self.memory.origin


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice:
    """Something that shaped an answer and that the asker should know: a code for programs, a sentence for people."""

    code: str
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeUse:
    """The time range that shaped a recall: the words it came from and how it was applied.

    `applied` is `filter`, `boost` or `widened`.
    """

    range: TimeRange
    text: str
    applied: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Recall:
    """The whole answer: hits, best first, and what shaped them. `timings` are milliseconds by stage."""

    query: Query
    hits: tuple[Hit, ...]
    time: TimeUse | None = None
    notices: tuple[Notice, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)
