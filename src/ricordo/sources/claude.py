"""What a data export of claude.ai holds, in any of its packagings: conversations, projects, memories, designs.

Each function reads one kind of file, wherever it lies: in one zip, in one zip a category, unpacked, or alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath

from ricordo.errors import SourceError
from ricordo.memory import Json, Origin, clean
from ricordo.protocols import Skipped
from ricordo.sources.blobs import Blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.claude_turns import SITE, Unknown, one_line, read_conversation
from ricordo.sources.conversations import ASSISTANT, USER, Conversation, ConversationSource, Turn
from ricordo.sources.folder import shown, walk
from ricordo.sources.injected import without_injected
from ricordo.sources.records import elements
from ricordo.sources.shapes import ANY, Shape, faults_in
from ricordo.sources.values import fields, items, moment, text

__all__ = ["conversations", "designs", "manifest", "memories", "projects"]

KIND = "claude"
# Raised whenever the same export would give other memories than before.
READER = "claude-2"
BLOCKS: Shape = [{"type!": str, "text": str, "transcript": str}]
MESSAGE: Shape = {
    "sender": str,
    "text": str,
    "content": (BLOCKS, str),
    "attachments": [{"file_name!": str, "extracted_content": str}],
    "files": [{"file_name": str}],
}
PROJECT: Shape = {"description": str, "prompt_template": str, "docs": [{"filename": str, "content!": str}]}
MEMORIES: Shape = {
    "memory_files": [{"path": str, "content!": str}],
    "conversations_memory": str,
    "project_memories": {ANY: str},
}
DESIGN: Shape = {"role": str, "content!": {"content": str, "contentBlocks": BLOCKS}}
MEMORY = "Claude's memory"
PROPERTY = re.compile(r"(name|description|sources|aliases):[ \t]*(.*)")
PROPERTIES_END = re.compile(r"\n---[ \t]*(?:\n|\Z)")
LONGEST_PROPERTIES = 8_000
# Browsers add a number to the name of a file that is there already: conversations-000 (1).zip
COPY = r"(?: ?\(\d+\))?"


def conversations(blob: Blob, circumstances: Circumstances) -> Iterator[ConversationSource | Skipped]:
    """One source a conversation, those without a word left out; what is broken is told with its place."""
    unknown: Unknown = Counter()
    for found in _objects(blob, within="conversations"):
        if isinstance(found, Skipped):
            yield found
            continue
        record, where = found
        conversation = read_conversation(record, unknown)
        faults = tuple(_broken_messages(record, where))
        if conversation.turns:
            yield _source(conversation, circumstances, faults)
        elif faults:
            yield from faults
        elif not isinstance(record.get("chat_messages"), list):
            yield Skipped(where=where, why="is a conversation without a list of messages")
    if unknown:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in unknown.most_common(10))
        yield Skipped(where=blob.where, why=f"passed over blocks of unknown kinds: {kinds}", loses_memories=False)


def projects(blob: Blob, circumstances: Circumstances) -> Iterator[ConversationSource | Skipped]:
    """One source a project: its description, its instructions, and the text of its documents."""
    for found in _objects(blob):
        if isinstance(found, Skipped):
            yield found
            continue
        record, where = found
        time = moment(record.get("created_at"))
        turns = [
            Turn(key=key, text=text(record.get(key)), speaker=None, time=time, context=context)
            for key, context in (("description", "description"), ("prompt_template", "instructions"))
        ]
        for number, each in enumerate(map(fields, items(record.get("docs")))):
            name, written = one_line(text(each.get("filename"))), moment(each.get("created_at"))
            key = text(each.get("uuid")) or f"#{number}"
            turns.append(Turn(key=key, text=text(each.get("content")), speaker=None, time=written, context=name))
        link = f"{SITE}/project/{clean(text(record.get('uuid')))}"
        title = one_line(text(record.get("name"))) or None
        faults = faults_in(record, PROJECT, where)
        yield from _page(link, title, turns, moment(record.get("updated_at")), circumstances, faults)


def memories(blob: Blob, circumstances: Circumstances) -> Iterator[ConversationSource | Skipped]:
    """What Claude remembers of an account: its memory files, then what it wrote of conversations and projects."""
    for found in _objects(blob, name="account_uuid"):
        if isinstance(found, Skipped):
            yield found
            continue
        record, where = found
        turns = [_memory_file(file) for file in map(fields, items(record.get("memory_files")))]
        updated = max((turn.time for turn in turns if turn.time), default=None)
        turns.append(Turn(key="conversations", text=text(record.get("conversations_memory")), speaker=None))
        for project, told in fields(record.get("project_memories")).items():
            known: dict[str, Json] = {"project": project}
            turns.append(Turn(key=f"projects/{project}", text=text(told), speaker=None, metadata=known))
        uri = f"claude:memory/{clean(text(record.get('account_uuid')))}"
        yield from _page(uri, MEMORY, turns, updated, circumstances, faults_in(record, MEMORIES, where))


def designs(blob: Blob, circumstances: Circumstances) -> Iterator[ConversationSource | Skipped]:
    """One source a chat of Claude Design; a row that is there twice is read once."""
    for found in _objects(blob):
        if isinstance(found, Skipped):
            yield found
            continue
        record, where = found
        turns = {
            turn.key: turn for row in reversed(items(record.get("messages"))) if (turn := _design_turn(fields(row)))
        }
        title = one_line(text(fields(record.get("project")).get("name"))) or one_line(text(record.get("title")))
        conversation = Conversation(
            origin=Origin(kind=KIND, uri=f"claude:design/{clean(text(record.get('uuid')))}", title=title or None),
            turns=tuple(reversed(turns.values())),
            updated_at=moment(record.get("updated_at")),
        )
        faults = tuple(_broken_messages(record, where, "messages", DESIGN))
        if turns:
            yield _source(conversation, circumstances, faults)
        else:
            yield from faults


def manifest(blob: Blob, circumstances: Circumstances) -> Iterator[Path | Skipped]:
    """The files that an export in parts names and that lie beside it, unpacked or not; those missing are told.

    The addresses in it open a whole export once to whoever has them: they are never read.
    """
    del circumstances
    if blob.path is None:
        return
    beside = _beside(blob.path)
    for part in map(fields, items(next(_values(blob), {}).get("data_files"))):
        name = PurePosixPath(text(part.get("filename")))
        pattern = re.compile(re.escape(name.stem) + COPY + f"(?:{re.escape(name.suffix)})?")
        found = [path for path in beside if pattern.fullmatch(path.name)]
        for path in found:
            yield from walk(path)
        if name.stem and not found:
            why = f"names {clean(name.name)}, which is not beside it"
            yield Skipped(where=blob.where, why=why, loses_memories=False)


def _beside(path: Path) -> list[Path]:
    try:
        return sorted(path.parent.iterdir())
    except OSError as error:
        raise SourceError(shown(path.parent), error.strerror or str(error)) from error


def _values(blob: Blob) -> Iterator[Mapping[str, object]]:
    return (fields(record.value) for record in elements(blob) if not isinstance(record, Skipped))


def _objects(
    blob: Blob, name: str = "uuid", within: str | None = None
) -> Iterator[tuple[Mapping[str, object], str] | Skipped]:
    """The records that are objects with a name, each with its place in the file."""
    for record in elements(blob, within):
        if isinstance(record, Skipped):
            yield record
            continue
        where = f"{blob.where}, record {record.number}"
        value = fields(record.value)
        if not value:
            yield Skipped(where=where, why="is no object")
        elif not (uuid := text(value.get(name))):
            yield Skipped(where=where, why=f"has no {name}")
        else:
            yield value, f"{where} ({clean(uuid)[:60]})"


def _broken_messages(
    record: Mapping[str, object], where: str, key: str = "chat_messages", shape: Shape = MESSAGE
) -> Iterator[Skipped]:
    for number, message in enumerate(items(record.get(key)), start=1):
        place = f"{where}, message {number}"
        if message is not None and not isinstance(message, dict):
            yield Skipped(where=place, why="is no object")
        elif message and not {"content", "text"} & set(message):
            yield Skipped(where=place, why="has neither content nor text")
        else:
            yield from faults_in(message, shape, place)


def _source(
    conversation: Conversation, circumstances: Circumstances, faults: tuple[Skipped, ...] = ()
) -> ConversationSource:
    return ConversationSource(conversation=conversation, circumstances=circumstances, reader=READER, faults=faults)


def _page(
    uri: str,
    title: str | None,
    turns: list[Turn],
    updated: datetime | None,
    circumstances: Circumstances,
    faults: tuple[Skipped, ...],
) -> Iterator[ConversationSource | Skipped]:
    """What is written, and said by nobody, at one place, if there is anything, with what of it could not be read."""
    written = tuple(turn for turn in turns if turn.text.strip())
    link = uri if uri.startswith(SITE) else None
    origin = Origin(kind=KIND, uri=uri, title=title)
    page = Conversation(origin=origin, turns=written, updated_at=updated, link=link)
    if written:
        yield _source(page, circumstances, faults)
    else:
        yield from faults


def _memory_file(file: Mapping[str, object]) -> Turn:
    """A memory file: its name, description and other names are what it needs to be understood.

    Its properties look like YAML and often are not, for a description may hold a colon.
    """
    path, content = clean(text(file.get("path"))).strip("/"), without_injected(text(file.get("content")))
    said: dict[str, str] = {}
    end = PROPERTIES_END.search(content, 3, LONGEST_PROPERTIES) if content.startswith("---\n") else None
    if end is not None:
        lines = (PROPERTY.match(line) for line in content[: end.start()].split("\n"))
        said = {line[1]: line[2].strip().strip("[]") for line in lines if line}
        content = content[end.end() :]
    aliases = said.get("aliases", "").replace('"', "")
    about = one_line(" ".join(filter(None, (aliases and f"({aliases})", said.get("description")))))
    known: dict[str, Json] = {"path": path}
    if said.get("sources"):
        known["sources"] = said["sources"]
    return Turn(
        key=f"file/{path}",
        text=content,
        speaker=None,
        time=moment(file.get("updated_at")),
        context=" › ".join(filter(None, (path.removesuffix(".md"), about))),
        metadata=known,
    )


def _design_turn(row: Mapping[str, object]) -> Turn | None:
    content = fields(row.get("content"))
    blocks = (fields(block) for block in items(content.get("contentBlocks")))
    told = [text(block.get("text")) for block in blocks if block.get("type") == "text"]
    said = without_injected("\n\n".join(filter(None, told)) or text(content.get("content"))).strip()
    role = text(row.get("role")) or text(content.get("role"))
    if not said:
        return None
    return Turn(
        key=text(content.get("id")) or text(row.get("uuid")),
        text=said,
        speaker={"user": USER, "human": USER, "assistant": ASSISTANT}.get(role, clean(role) or "unknown"),
        time=moment(row.get("created_at")) or moment(content.get("timestamp")),
    )
