"""Builds files as assistants leave them: transcripts, rollouts, exports. Names, ids and texts are invented."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid5

import pytest

from publicdata import SAMPLES
from ricordo.memory import Memory
from ricordo.protocols import Skipped, Source
from ricordo.sources import find_sources

NOW = datetime(2026, 11, 16, 15, tzinfo=UTC)
BEGAN = datetime(2026, 9, 7, 9, tzinfo=UTC)
NAMES = UUID("6f6b1f0e-0000-4000-8000-000000000000")

Fields = dict[str, object]


def name(*parts: object) -> str:
    """A uuid that is the same whenever it is made of the same parts."""
    return str(uuid5(NAMES, "/".join(map(str, parts))))


def text_lines(records: Iterable[object], end: str = "\n") -> str:
    """JSON Lines as Node writes them: nothing outside ASCII is escaped."""
    return "".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + end for record in records)


class Session:
    """A transcript of Claude Code under way; each record follows the one before unless it says otherwise."""

    def __init__(self, session: str = "loom", cwd: str = "/home/runa/loom") -> None:
        self.session = name("session", session)
        self.cwd = cwd
        self.records: list[Fields] = []
        self.last: str | None = None
        self.seconds = 0

    def add(self, kind: str, /, **fields: object) -> str:
        """Add a record of the conversation; its uuid."""
        self.seconds += 1
        uuid = str(fields.pop("uuid", None) or name(self.session, len(self.records)))
        record: Fields = {
            "parentUuid": fields.pop("parent", self.last),
            "isSidechain": False,
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": "2.1.300",
            "gitBranch": "warp",
            "type": kind,
            "uuid": uuid,
            "timestamp": f"{BEGAN + timedelta(seconds=self.seconds):%Y-%m-%dT%H:%M:%S.000Z}",
        }
        self.records.append(record | fields)
        self.last = uuid
        return uuid

    def user(self, content: object, **fields: object) -> str:
        return self.add("user", message={"role": "user", "content": content}, **fields)

    def assistant(self, *blocks: object, message: str | None = None, **fields: object) -> str:
        """An answer; a block that is a text stands for a text block."""
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        made = {
            "id": message or f"msg_{len(self.records)}",
            "role": "assistant",
            "model": "claude-x",
            "type": "message",
        }
        return self.add("assistant", message=made | {"content": content}, **fields)

    def beside(self, kind: str, /, **fields: object) -> None:
        """Add a record that is no part of the conversation."""
        self.records.append({"type": kind, "sessionId": self.session, **fields})

    def compact(self, summary: str) -> None:
        """What the tool writes when it sums up a conversation that has grown too long."""
        before = self.last
        self.add("system", parent=None, subtype="compact_boundary", logicalParentUuid=before)
        self.user(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def fork(self, session: str, *, marked: bool = True) -> Session:
        """A session that begins with a copy of this one, as a resumed or forked one does."""
        copy = Session(session, self.cwd)
        for record in self.records:
            mark = {"forkedFrom": {"sessionId": self.session, "messageUuid": record.get("uuid")}} if marked else {}
            copy.records.append(record | {"sessionId": copy.session} | mark)
        copy.last, copy.seconds = self.last, self.seconds
        return copy

    def save(self, folder: Path, end: str = "") -> Path:
        """Write the transcript where the tool keeps it; `end` stands behind its last line."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.session}.jsonl"
        path.write_bytes((text_lines(self.records) + end).encode("utf-8", "surrogatepass"))
        return path


def tool(tool_name: str, **given: object) -> Fields:
    """A block that calls a tool."""
    return {"type": "tool_use", "id": "toolu_1", "name": tool_name, "input": given}


def rollout(*said: tuple[str, str], session: str = "weave", **meta: object) -> list[Fields]:
    """The records of a Codex rollout in which these were said by these, with what Codex adds of its own."""
    about: Fields = {"id": name("rollout", session), "timestamp": stamp(0), "cwd": "/home/runa/loom"}
    records = [
        envelope(0, "session_meta", about | meta),
        envelope(0, "response_item", item("developer", "<permissions instructions>…</permissions instructions>")),
        envelope(0, "response_item", item("user", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>")),
    ]
    for number, (speaker, text) in enumerate(said, start=1):
        shown: Fields = {"type": "user_message" if speaker == "user" else "agent_message", "message": text}
        records.append(envelope(number, "response_item", item(speaker, text)))
        records.append(envelope(number, "event_msg", shown))
        records.append(envelope(number, "response_item", {"type": "function_call", "name": "shell", "arguments": "{}"}))
    return records


def item(role: str, text: str) -> Fields:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def envelope(second: int, kind: str, payload: Fields) -> Fields:
    return {"timestamp": stamp(second), "type": kind, "payload": payload}


def stamp(second: int) -> str:
    return f"{BEGAN + timedelta(seconds=second):%Y-%m-%dT%H:%M:%S.000Z}"


def node(key: str, parent: str | None, message: Fields | None, children: Sequence[str] = ()) -> Fields:
    return {"id": key, "message": message, "parent": parent, "children": list(children)}


def message(key: str, role: str, *parts: object, second: float | None = 0, **fields: object) -> Fields:
    """A message of a ChatGPT export."""
    kind = "text" if all(isinstance(part, str) for part in parts) else "multimodal_text"
    made: Fields = {
        "id": key,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": None if second is None else BEGAN.timestamp() + second,
        "content": {"content_type": kind, "parts": list(parts)},
        "metadata": {},
        "recipient": "all",
    }
    return made | fields


def thread(*said: tuple[str, str], key: str = "reef", **fields: object) -> Fields:
    """A conversation of a ChatGPT export without branches."""
    mapping: dict[str, Fields] = {"root": node("root", None, None, ["0"] if said else [])}
    for number, (role, text) in enumerate(said):
        following = [str(number + 1)] if number + 1 < len(said) else []
        made = message(f"{key}-{number}", role, text, second=number)
        mapping[str(number)] = node(str(number), str(number - 1) if number else "root", made, following)
    made_at = {"create_time": BEGAN.timestamp(), "update_time": BEGAN.timestamp() + len(said)}
    about: Fields = {"title": key.title(), "mapping": mapping, "conversation_id": name("thread", key), **made_at}
    return about | {"current_node": str(len(said) - 1) if said else "root"} | fields


def write(path: Path, value: object) -> Path:
    """A JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return path


def write_lines(path: Path, records: Iterable[object]) -> Path:
    """A file of JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text_lines(records).encode("utf-8", "surrogatepass"))
    return path


def sources(*paths: Path) -> list[Source]:
    """The sources in these files, in order; what could not be read fails the test."""
    found = list(find_sources(paths, now=NOW))
    faults = [each for each in found if isinstance(each, Skipped)]
    assert not faults, faults
    return [each for each in found if not isinstance(each, Skipped)]


def source(path: Path) -> Source:
    (found,) = sources(path)
    return found


def memories(*paths: Path) -> list[Memory]:
    """All memories in these files, in order."""
    return [each for found in sources(*paths) for each in found.memories() if isinstance(each, Memory)]


def read(*paths: Path) -> tuple[list[Memory], list[Skipped]]:
    """All memories in these files, and what could not be read."""
    found = list(find_sources(paths, now=NOW))
    inner = [each for part in found if not isinstance(part, Skipped) for each in part.memories()]
    faults = [each for each in [*found, *inner] if isinstance(each, Skipped)]
    return [each for each in inner if isinstance(each, Memory)], faults


def reported(*paths: Path) -> list[Skipped]:
    """What could not be read in these files."""
    return read(*paths)[1]


def told(found: Iterable[Memory]) -> list[tuple[str | None, str]]:
    """Who said what."""
    return [(memory.speaker, memory.text) for memory in found]


def branches(found: Iterable[Memory]) -> Mapping[str, object]:
    """The branch of each text that does not stand on the main one."""
    return {memory.text: memory.metadata["branch"] for memory in found if "branch" in memory.metadata}


def samples(folder: str) -> Path:
    """A folder of the public samples; the test is skipped where they are not."""
    if not SAMPLES.is_dir():
        pytest.skip(f"the public samples are not here: {SAMPLES} (set RICORDO_TEST_SAMPLES)")
    return SAMPLES / folder
