"""Rollouts of Codex: JSON lines with an envelope `{timestamp, type, payload}`; older ones hold the items themselves.

What passed between the two stands there twice, as items and as events for the display; the items count, and the
events only where there are none. Instructions, reasoning, calls and their output are not what anybody said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath

from ricordo.exchange import Skipped
from ricordo.memory import Json, Origin, clean, digest
from ricordo.sources import NotText
from ricordo.sources.blobs import Blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.conversations import ASSISTANT, USER, Conversation, ConversationSource, Turn
from ricordo.sources.records import lines
from ricordo.sources.scaffolding import opening_line, spoken
from ricordo.sources.shapes import Faults, Shape, faults_in
from ricordo.sources.values import fields, items, moment, text

__all__ = ["rollouts"]

KIND = "codex"
# Raised whenever the same rollout would give other turns than before.
READER = "codex-1"

ITEM: Shape = {"type!": str, "role!": str, "content!": (str, [{"type!": str, "text": str}])}
EVENT: Shape = {"type!": str, "message!": str}
ENVELOPE: Shape = {"type!": str, "payload": {"type": str}}
LOGGED: Shape = {"payload": {"type!": str}}

SPEAKERS = frozenset({ASSISTANT, USER})
PARTS = frozenset({"input_text", "output_text", "text"})
EVENTS = {"user_message": USER, "agent_message": ASSISTANT}


def rollouts(blob: Blob, circumstances: Circumstances) -> Iterator[ConversationSource]:
    """The session of a rollout, titled by its first prompt. Raises NotText for one without a turn yet."""
    reading, faults = _Reading(), Faults(blob.where)
    for found in lines(blob):
        if isinstance(found, Skipped):
            faults.add(found)
        else:
            reading.take(fields(found.value))
            faults.add(*faults_in(found.value, _shape(found.value), f"{blob.where}, line {found.number}"))
    stem = PurePosixPath(blob.name).name.removesuffix(".jsonl")
    conversation = reading.conversation(stem)
    told = faults.told()
    if not conversation.turns and not told:
        raise NotText(blob.where, "holds a session in which nobody has said anything that can be remembered")
    yield ConversationSource(conversation=conversation, circumstances=circumstances, reader=READER, faults=told)


def _shape(record: object) -> Shape:
    """What a record has to look like, by what it says it is."""
    kind, payload = fields(record).get("type"), fields(fields(record).get("payload"))
    if kind == "message":
        return ITEM
    if kind == "response_item" and payload.get("type") == "message":
        return {"payload": ITEM}
    if kind == "event_msg" and text(payload.get("type")) in EVENTS:
        return {"payload": EVENT}
    if kind in ("response_item", "event_msg"):
        return LOGGED
    return ENVELOPE if "payload" in fields(record) else {"type": str}


@dataclass(slots=True)
class _Log:
    """What one of the two logs says: speaker, text and time of each turn."""

    said: list[tuple[str, str, datetime | None]] = field(default_factory=list)

    def add(self, speaker: str, said: str, at: datetime | None) -> None:
        if said:
            self.said.append((speaker, said, at))


class _Reading:
    """A rollout as far as it was read."""

    def __init__(self) -> None:
        self.items = _Log()
        self.events = _Log()
        self.session = ""
        self.began: datetime | None = None
        self.about: dict[str, str] = {}

    def take(self, record: dict[str, object]) -> None:
        kind, payload, at = record.get("type"), fields(record.get("payload")), moment(record.get("timestamp"))
        if kind == "session_meta":
            self._about(payload)
        elif kind == "response_item":
            self._item(payload, at)
        elif kind == "event_msg":
            speaker = EVENTS.get(text(payload.get("type")))
            self.events.add(speaker or "", spoken(text(payload.get("message"))) if speaker else "", at)
        elif kind == "message":
            self._item(record, at)
        elif "id" in record and kind is None:
            self._about(record)

    def conversation(self, name: str) -> Conversation:
        """The whole; `name` is its name where it has none. A turn is named by what is said, and how often before."""
        session, about = clean(self.session or name), self._known()
        turns = []
        times: dict[tuple[str, str], int] = {}
        for speaker, said, at in self.items.said or self.events.said:
            again = times[speaker, said] = times.get((speaker, said), 0) + 1
            key = digest(speaker, clean(said), str(again))
            turns.append(Turn(key=key, text=said, speaker=speaker, time=at or self.began, metadata=about))
        opening = next((turn.text for turn in turns if turn.speaker == USER), "")
        return Conversation(
            origin=Origin(kind=KIND, uri=f"{KIND}:{session}", title=clean(opening_line(opening)) or None),
            turns=tuple(turns),
            updated_at=max((turn.time for turn in turns if turn.time), default=None),
        )

    def _known(self) -> dict[str, Json]:
        found = {"session": self.session, "cwd": self.about.get("cwd"), "git_branch": self.about.get("branch")}
        return {key: value for key, value in found.items() if value}

    def _about(self, meta: dict[str, object]) -> None:
        """A forked rollout repeats what the one before it said of itself: the first counts."""
        self.session = self.session or text(meta.get("id"))
        self.began = self.began or moment(meta.get("timestamp"))
        for key, value in (("cwd", meta.get("cwd")), ("branch", fields(meta.get("git")).get("branch"))):
            if text(value):
                self.about.setdefault(key, text(value))

    def _item(self, item: dict[str, object], at: datetime | None) -> None:
        if item.get("type") != "message" or text(item.get("role")) not in SPEAKERS:
            return
        content = item.get("content")
        parts = [part for part in map(fields, items(content)) if text(part.get("type")) in PARTS]
        texts = [content] if isinstance(content, str) else [text(part.get("text")) for part in parts]
        self.items.add(text(item.get("role")), "\n\n".join(filter(None, map(spoken, texts))), at)
