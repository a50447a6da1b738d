"""What is remembered: memories, the chunks they are found by, and where they came from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeAlias, cast
from urllib.parse import SplitResult, urlsplit

from ricordo.errors import InvalidInput

__all__ = [
    "BURIED",
    "Chunk",
    "EventOrigin",
    "EventTime",
    "Json",
    "Memory",
    "Origin",
    "Reading",
    "clean",
    "digest",
    "told",
    "uri_parts",
]

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

TOLD = "told"
BURIED = "buried"
"""The property of a memory that its owner buried: it is true, or it is not there."""
MAX_POSITION = 2**31


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """Where a memory came from. The origin is the unit of replacement: it is read, and forgotten, whole.

    `uri` names it for good (`file:///home/mira/notes/keys.md`, `told:4f…`); `title` is for people.
    """

    kind: str
    uri: str
    title: str | None = None


def uri_parts(uri: str) -> SplitResult:
    """A URI taken apart; one that is malformed (`https://[x`) has a path and nothing else."""
    try:
        return urlsplit(uri)
    except ValueError:
        return SplitResult(scheme="", netloc="", path=uri, query="", fragment="")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One whole reading of an origin, recorded when it ends.

    `revision` changes when the origin's bytes, or the way they are read, change: an origin whose
    revision is already known is not read again. `memory_ids` is all that the origin says now; what it
    said before and says no longer is forgotten.
    """

    origin: Origin
    revision: str
    memory_ids: frozenset[str]


class EventOrigin(StrEnum):
    """How the event time of a memory is known.

    `stated` by whoever told it, by its `source` (front matter, a file's name, a message's time), `inferred` from
    words such as "yesterday", or the moment at which it was `said`, for want of any other.
    """

    STATED = "stated"
    SOURCE = "source"
    INFERRED = "inferred"
    SAID = "said"


@dataclass(frozen=True, kw_only=True, slots=True)
class EventTime:
    """When something happened: `[start, end)` in aware UTC, how coarse that is, and how it is known.

    `end` is None for a moment; `grain` names the unit (`day`, `month`, …), None for a moment.
    """

    start: datetime
    end: datetime | None = None
    grain: str | None = None
    origin: EventOrigin = EventOrigin.STATED


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """One thing remembered.

    `context` is what surrounds the text (title, heading path) and is not part of it; `group` is the
    conversation session or section it stands in, `position` its place in its origin. `created_at` and
    `updated_at` are when the store learned and last changed it, `event_timestamp` when the thing it
    speaks of happened (None: unknown). All times are aware UTC. Where the event took longer than a moment, or
    is known less exactly, `event_end` is the first moment after it and `event_grain` the unit; `event_origin`
    is how it is known, `stated` unless something else is given.

    `id` is derived from origin, context and text when it is not given, and of what somebody said from who said it
    and in which place, so that the same thing read twice is the same memory. Raises InvalidInput for an empty text
    or a naive time.
    """

    text: str
    origin: Origin
    created_at: datetime
    updated_at: datetime
    event_timestamp: datetime | None = None
    event_end: datetime | None = None
    event_grain: str | None = None
    event_origin: EventOrigin | None = None
    context: str = ""
    group: str | None = None
    speaker: str | None = None
    position: int = 0
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)
    supersedes: str | None = None
    superseded_by: str | None = None
    id: str = ""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise InvalidInput("there is nothing to remember: the text is empty")
        for name in ("created_at", "updated_at", "event_timestamp", "event_end"):
            moment: datetime | None = getattr(self, name)
            if moment is not None:
                object.__setattr__(self, name, as_utc(moment, name))
        self._settle_event()
        object.__setattr__(self, "tags", tuple(clean(tag) for tag in self.tags))
        object.__setattr__(self, "metadata", storable(self.metadata))
        if not 0 <= self.position < MAX_POSITION:
            raise InvalidInput(f"position must be between 0 and {MAX_POSITION - 1}, not {self.position}")
        if not self.id:
            # What is said again, or by another, is another memory; what is written twice on a page is one.
            said = (self.speaker, self.group or "", str(self.position)) if self.speaker is not None else ()
            object.__setattr__(self, "id", digest(self.origin.uri, self.context, self.text, *said))

    def _settle_event(self) -> None:
        start, end = self.event_timestamp, self.event_end
        if start is None:
            if end is not None or self.event_grain is not None or self.event_origin is not None:
                raise InvalidInput("event_end, event_grain and event_origin mean nothing without an event_timestamp")
            return
        if end is not None and end <= start:
            raise InvalidInput(f"the event ends ({end}) before it begins ({start})")
        object.__setattr__(self, "event_origin", EventOrigin(self.event_origin or EventOrigin.STATED))

    @property
    def event(self) -> EventTime | None:
        """The event time whole; None when it is unknown."""
        if self.event_timestamp is None:
            return None
        return EventTime(
            start=self.event_timestamp,
            end=self.event_end,
            grain=self.event_grain,
            origin=self.event_origin or EventOrigin.STATED,
        )

    @property
    def abandoned(self) -> bool:
        """Whether whoever said it took it back, by an edit or another try; `metadata["branch"]` says so."""
        return self.metadata.get("branch") == "abandoned"

    @property
    def buried(self) -> bool:
        """Whether its owner wants it kept, and told last and only when asked for; `metadata["buried"]` says so."""
        return self.metadata.get(BURIED) is True

    @property
    def withheld(self) -> bool:
        """Whether it comes behind everything else, and is never told unasked."""
        return self.abandoned or self.buried

    def as_buried(self, *, buried: bool) -> Memory:
        """The same memory, buried or not. `updated_at` stays: that of an old version says when it was replaced."""
        rest = {name: value for name, value in self.metadata.items() if name != BURIED}
        return replace(self, metadata={**rest, BURIED: True} if buried else rest)

    def happened(self, event: EventTime | None) -> Memory:
        """The same memory with this event time."""
        return replace(
            self,
            event_timestamp=event.start if event else None,
            event_end=event.end if event else None,
            event_grain=event.grain if event else None,
            event_origin=event.origin if event else None,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """A piece of a memory small enough to embed and to return.

    `text` is the piece itself and `context` what it needs to be understood, kept apart; `position` is
    its place in its memory. `id` comes from origin and content, not from position, so that an edit
    at the top of a file leaves the chunks below it, and their vectors, as they are.
    """

    memory_id: str
    origin_uri: str
    text: str
    context: str = ""
    group: str | None = None
    speaker: str | None = None
    position: int = 0
    id: str = ""

    def __post_init__(self) -> None:
        if not self.id:
            object.__setattr__(self, "id", digest(self.origin_uri, self.context, self.text))


def told(
    text: str,
    *,
    now: datetime,
    event: EventTime | None = None,
    tags: tuple[str, ...] = (),
    metadata: Mapping[str, Json] | None = None,
    supersedes: Memory | None = None,
) -> Memory:
    """Make the memory of something said directly, perhaps in place of an older one.

    Telling the same thing twice, with the same event time stated, makes the same memory. Raises InvalidInput
    for an empty text.
    """
    text = clean(text).strip()
    previous = supersedes.id if supersedes else None
    stated = ""
    if event is not None and event.origin is EventOrigin.STATED:
        stated = as_utc(event.start, "event_timestamp").isoformat()
    memory = Memory(
        text=text,
        origin=Origin(kind=TOLD, uri=f"{TOLD}:{digest(text, stated, previous or '')}"),
        created_at=supersedes.created_at if supersedes else now,
        updated_at=now,
        tags=tags,
        metadata=metadata or {},
        supersedes=previous,
    )
    return memory.happened(event)


def digest(*parts: str) -> str:
    """24 hexadecimal digits of BLAKE2b over the parts, each prefixed by its length."""
    state = hashlib.blake2b(digest_size=12)
    for part in parts:
        data = part.encode()
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def clean(text: str) -> str:
    """Replace what no store can keep (NUL, lone surrogates) by U+FFFD."""
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def storable(metadata: Mapping[str, Json]) -> Mapping[str, Json]:
    """The metadata with its texts cleaned. Raises InvalidInput for what JSON has no form for."""
    try:
        text = json.dumps(dict(metadata), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"metadata must be made of JSON values: {error}") from error
    mended = clean(text)
    return metadata if mended == text else cast("Mapping[str, Json]", json.loads(mended))


def as_utc(moment: datetime, name: str) -> datetime:
    """The same moment in UTC. Raises InvalidInput for a naive datetime, or one beyond the calendar."""
    if moment.tzinfo is None:
        raise InvalidInput(f"{name} {moment.isoformat()} has no time zone; give one, for example {moment.isoformat()}Z")
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise InvalidInput(f"{name} {moment.isoformat()} lies beyond the calendar") from error
