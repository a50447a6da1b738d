"""Conversations of any assistant: one memory a turn, each knowing its conversation, its speaker and its branch.

The conversation is the origin. What a newer copy of it no longer says is forgotten, and no other conversation is
touched, whichever export they came in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from ricordo.memory import EventOrigin, EventTime, Json, Memory, Origin, clean, digest
from ricordo.protocols import Skipped
from ricordo.sources.circumstances import Circumstances

__all__ = ["ASSISTANT", "USER", "Branch", "Conversation", "ConversationSource", "Turn", "generation"]

USER, ASSISTANT = "user", "assistant"
"""The speakers of every vendor by one name each."""

# Raised whenever the same conversation would give other memories than before.
READER = "conversation-1"


class Branch(StrEnum):
    """Where a turn stands: in what the conversation came to, before its tool summed it up, in such a summary, in a
    version that was edited or retried later, or beside it, where agents talk to each other.
    """

    MAIN = "main"
    PRE_COMPACT = "pre-compact"
    SUMMARY = "summary"
    ABANDONED = "abandoned"
    SIDECHAIN = "sidechain"


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """What was said at once. `key` names it in its conversation for good, as the vendor does.

    `context` is what its text needs beside the conversation's title: the name of an attached file. `time` is None
    when the vendor does not tell it. Nobody speaks a document: its `speaker` is None.
    """

    key: str
    text: str
    speaker: str | None
    time: datetime | None = None
    branch: Branch = Branch.MAIN
    context: str = ""
    metadata: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """Turns in the order in which they were made, all branches.

    `origin.title` is the title, `link` leads to it, `metadata` goes with every turn. `updated_at` and the number of
    turns tell which of two copies is the later one; None counts as the earliest.
    """

    origin: Origin
    turns: tuple[Turn, ...]
    updated_at: datetime | None = None
    link: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)

    def memories(self, circumstances: Circumstances) -> Iterator[Memory]:
        """One memory for each turn that says something. Their ids change with what is said, not with its place."""
        said = ((turn, clean(turn.text).strip("\n").rstrip()) for turn in self.turns)
        for position, (turn, text) in enumerate(pair for pair in said if pair[1].strip()):
            yield self._memory(turn, text, position, circumstances)

    def _memory(self, turn: Turn, text: str, position: int, circumstances: Circumstances) -> Memory:
        context = " › ".join(filter(None, (self.origin.title, clean(turn.context))))
        memory = Memory(
            id=digest(self.origin.uri, clean(turn.key), context, text),
            text=text,
            origin=self.origin,
            created_at=circumstances.now,
            updated_at=circumstances.now,
            context=context,
            group=self.origin.uri,
            speaker=turn.speaker,
            position=position,
            metadata=self._metadata(turn),
        )
        return memory.happened(EventTime(start=turn.time, origin=EventOrigin.SOURCE) if turn.time else None)

    def _metadata(self, turn: Turn) -> dict[str, Json]:
        known: dict[str, Json] = {**({"link": self.link} if self.link else {}), **self.metadata}
        if turn.branch is not Branch.MAIN:
            known["branch"] = str(turn.branch)
        return known | dict(turn.metadata)

    @property
    def edition(self) -> str:
        """Sorts copies of one conversation, the latest last."""
        updated = self.updated_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f") if self.updated_at else ""
        return f"{updated}/{len(self.turns):07d}"

    def digest(self) -> str:
        """Changes with anything that its memories hold."""
        told = (self.origin.title, self.link, self.metadata, *map(_told, self.turns))
        return digest(clean(repr(told)))


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationSource:
    """A conversation that was read, and what of it could not be; `reader` is the version of what read it."""

    conversation: Conversation
    circumstances: Circumstances
    reader: str = ""
    faults: tuple[Skipped, ...] = ()

    @property
    def origin(self) -> Origin:
        return self.conversation.origin

    def revision(self) -> str:
        edition = f"{generation(READER, self.reader)}/{self.conversation.edition}"
        return f"{edition}@{digest(READER, self.reader, self.conversation.digest())}"

    def memories(self) -> Iterator[Memory | Skipped]:
        yield from self.faults
        yield from self.conversation.memories(self.circumstances)


def generation(*readers: str) -> str:
    """Sorts what newer versions of readers make behind what older ones made, which may have been more."""
    versions = (reader.rpartition("-")[2] for reader in readers)
    return f"{sum(int(version) for version in versions if version.isdecimal()):03d}"


def _told(turn: Turn) -> tuple[object, ...]:
    return turn.key, turn.text, turn.speaker, turn.time, str(turn.branch), turn.context, sorted(turn.metadata.items())
