"""One conversation of a claude.ai export → turns: what was said, in which branch, and the documents that came of it.

The blocks of a message are read before its `text`, a flattened copy in which thinking and placeholders stand among the
words. What the site put into a prompt, what a model thought and what its tools answered is not read.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice

from ricordo.memory import Json, Origin, clean
from ricordo.sources.claude_documents import Documents
from ricordo.sources.conversations import ASSISTANT, USER, Branch, Conversation, Turn
from ricordo.sources.injected import without_injected
from ricordo.sources.lineage import Link, abandoned
from ricordo.sources.values import fields, items, moment, text

__all__ = ["SITE", "Unknown", "one_line", "read_conversation"]

SITE = "https://claude.ai"
SPEAKERS = {"human": USER, "assistant": ASSISTANT}
# The parent of first messages.
ROOTS = frozenset({"00000000-0000-4000-8000-000000000000", "00000000-0000-0000-0000-000000000000"})
ROOT = "root"
SILENT = frozenset(
    {"thinking", "redacted_thinking", "tool_use", "tool_result", "injected_prompt_block", "document", "image"}
    | {"token_budget", "flag", "summaries"}
)
PLACEHOLDER = re.compile(
    r"\n?```\n(?:This block is not supported on your current device yet\.|Viewing artifacts created via[^\n]*)\n```\n*"
)
INLINE_ARTIFACT = re.compile(r"<antArtifact\b([^<>]{0,2000})>|</antArtifact>")
TITLE = re.compile(r'\btitle="([^"]{0,500})"')
THOUGHT_TAG = re.compile(r"</?antThinking>")
MOST_NAMES = 20
LONGEST_TITLE = 200

Unknown = Counter[str]
"""How often each kind of block was met that is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Message:
    uuid: str
    parent: str | None
    speaker: str
    time: datetime | None
    blocks: tuple[Mapping[str, object], ...]
    raw: Mapping[str, object]


def read_conversation(record: Mapping[str, object], unknown: Unknown) -> Conversation:
    """The conversation of a record, whatever is missing in it; one without a `uuid` has no name, and is not given here.

    What was edited or retried later is marked as abandoned: the branch that stands ends with the newest message that
    nothing follows, or with the one that the record names.
    """
    uuid = text(record.get("uuid"))
    began = moment(record.get("created_at")) or moment(record.get("updated_at"))
    messages = _messages(record, began)
    left = _abandoned(messages, text(record.get("current_leaf_message_uuid")))
    documents = Documents()
    for message in messages:
        if message.uuid not in left:
            documents.follow(message.blocks, message.uuid, message.time)
    turns: list[Turn] = []
    for message in messages:
        turns += _turns(message, Branch.ABANDONED if message.uuid in left else Branch.MAIN, unknown)
        turns += documents.written_by(message.uuid)
    return Conversation(
        origin=Origin(kind="claude", uri=f"{SITE}/chat/{clean(uuid)}", title=_title(record, turns)),
        turns=tuple(turns),
        updated_at=moment(record.get("updated_at")),
        link=f"{SITE}/chat/{clean(uuid)}",
        metadata=_project(record),
    )


def _messages(record: Mapping[str, object], began: datetime | None) -> list[_Message]:
    """Each message once, in the order of time; one without a time follows the one above it."""
    messages: dict[str, _Message] = {}
    order: dict[str, float] = {}
    last = began.timestamp() if began else 0.0
    for number, raw in enumerate(map(fields, items(record.get("chat_messages")))):
        uuid = text(raw.get("uuid")) or f"#{number}"
        if not raw or uuid in messages:
            continue
        blocks = tuple(_blocks(raw.get("content")))
        time = _time(raw, blocks)
        last = time.timestamp() if time else last
        order[uuid] = last
        messages[uuid] = _Message(
            uuid=uuid,
            parent=text(raw.get("parent_message_uuid")) or None,
            speaker=_speaker(raw.get("sender")),
            time=time or began,
            blocks=blocks,
            raw=raw,
        )
    return sorted(messages.values(), key=lambda message: order[message.uuid])


def _speaker(sender: object) -> str:
    return SPEAKERS.get(text(sender), clean(text(sender)) or "unknown")


def _blocks(content: object) -> Iterator[Mapping[str, object]]:
    if isinstance(content, str):
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            content = [{"type": "text", "text": content}]
    return (block for block in items(content) if isinstance(block, dict))


def _time(raw: Mapping[str, object], blocks: Iterable[Mapping[str, object]]) -> datetime | None:
    told = [raw.get("created_at")]
    told += (block.get("stop_timestamp") or block.get("start_timestamp") for block in blocks)
    return next((time for time in map(moment, [*told, raw.get("updated_at")]) if time), None)


def _abandoned(messages: list[_Message], leaf: str) -> frozenset[str]:
    """The uuids of messages off the branch that stands. Old exports name no parents: all of theirs stand."""
    known = {message.uuid for message in messages}
    if not any(message.parent in known for message in messages):
        return frozenset()
    parents = {message.parent for message in messages}
    leaves = [message.uuid for message in messages if message.uuid not in parents]
    if leaf not in known:
        leaf = leaves[-1] if leaves else messages[-1].uuid
    links = [Link(id=message.uuid, parent=ROOT if message.parent in ROOTS else message.parent) for message in messages]
    return abandoned([Link(id=ROOT, parent=None), *links], leaf) - {ROOT}


def _turns(message: _Message, branch: Branch, unknown: Unknown) -> Iterator[Turn]:
    """What was said, and the text of what was attached. Some messages hold files alone: of those without a text the
    names are what was said.
    """
    turn = partial(Turn, speaker=message.speaker, time=message.time, branch=branch)
    metadata = _metadata(message)
    attached = [
        turn(key=f"{message.uuid}/attachment/{number}", text=content, context=name or "pasted text")
        for number, (name, content) in enumerate(map(_attachment, items(message.raw.get("attachments"))))
        if content.strip()
    ]
    names = (one_line(str(name)) for name in items(metadata.get("files")))
    read = {each.context for each in attached}
    if said := _said(message, unknown) or ", ".join(name for name in names if name and name not in read):
        yield turn(key=message.uuid, text=said, metadata=metadata)
    yield from attached


def _attachment(raw: object) -> tuple[str, str]:
    """The name of an attached file, and its text."""
    attachment = fields(raw)
    return one_line(text(attachment.get("file_name"))), without_injected(text(attachment.get("extracted_content")))


def _said(message: _Message, unknown: Unknown) -> str:
    parts: list[str] = []
    for block in message.blocks:
        kind = text(block.get("type"))
        if kind == "text":
            parts.append(text(block.get("text")))
        elif kind == "voice_note":
            parts.append(text(block.get("text")) or text(block.get("transcript")))
        elif kind not in SILENT:
            unknown[clean(kind)[:60] or "without a type"] += 1
    said = "\n\n".join(part for part in parts if part.strip()) or _flattened(message)
    return without_injected(THOUGHT_TAG.sub("", INLINE_ARTIFACT.sub(_artifact_title, said))).strip()


def _flattened(message: _Message) -> str:
    """The message's `text` without what its blocks are known to have put there."""
    flat = text(message.raw.get("text"))
    for block in message.blocks:
        if thought := text(block.get("thinking")).strip():
            flat = flat.replace(thought, "")
    return PLACEHOLDER.sub("\n\n", flat).strip()


def _artifact_title(tag: re.Match[str]) -> str:
    title = TITLE.search(tag[1] or "")
    return f"\n{title[1]}\n" if title else "\n"


def _metadata(message: _Message) -> dict[str, Json]:
    citations = (each for block in message.blocks for each in items(block.get("citations")))
    cited = _distinct(text(fields(fields(each).get("details")).get("url")) for each in citations)
    files = _distinct(text(fields(file).get("file_name")) for file in items(message.raw.get("files")))
    return {key: value for key, value in (("cites", cited), ("files", files)) if value}


def _distinct(names: Iterable[str]) -> list[Json]:
    return list[Json](islice(dict.fromkeys(filter(None, names)), MOST_NAMES))


def _title(record: Mapping[str, object], turns: list[Turn]) -> str | None:
    """The conversation's name; without one, its first line."""
    named = record.get("name")
    title = one_line(str(named) if isinstance(named, int) else text(named))
    if not title and turns:
        title = one_line(turns[0].text[: 4 * LONGEST_TITLE].strip().partition("\n")[0])[: LONGEST_TITLE // 2]
    return title or None


def _project(record: Mapping[str, object]) -> dict[str, Json]:
    project = text(record.get("project_uuid"))
    return {"project": project} if project else {}


def one_line(name: str) -> str:
    """A title or a name on one line, as a store can keep it."""
    return " ".join(clean(name[: 4 * LONGEST_TITLE]).split())[:LONGEST_TITLE]
