"""Exports of claude.ai as its site writes them, in each packaging, with invented content."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

__all__ = [
    "ROOT",
    "block",
    "conversation",
    "design",
    "folder",
    "manifest",
    "memories",
    "message",
    "one_zip",
    "page",
    "project",
    "split",
    "uid",
    "write_json",
    "write_zip",
]

Record = dict[str, Any]

ROOT = "00000000-0000-4000-8000-000000000000"
BEGAN = datetime(2026, 5, 4, 9, tzinfo=UTC)
OWNER = {"uuid": str(uuid5(NAMESPACE_URL, "owner"))}
NEVER_SHOWN = "https://export.invalid/once/secret-token"


def uid(name: str) -> str:
    """The same name, the same uuid."""
    return str(uuid5(NAMESPACE_URL, ascii(name)))


def block(kind: str, **fields: object) -> Record:
    """A content block."""
    return {"type": kind, "start_timestamp": None, "stop_timestamp": None, "flags": None, **fields}


def message(
    name: str, said: str | Sequence[Record] | None, *, after: str | None = ROOT, minute: int = 0, **fields: object
) -> Record:
    """A message, of a person if its name ends with `?`. `said` are its words, its blocks, or nothing."""
    time = (BEGAN + timedelta(minutes=minute)).isoformat().replace("+00:00", "Z")
    blocks = [block("text", text=said, citations=[])] if isinstance(said, str) else list(said or ())
    return {
        "uuid": uid(name),
        "text": said if isinstance(said, str) else "",
        "content": blocks,
        "sender": "human" if name.endswith("?") else "assistant",
        "created_at": time,
        "updated_at": time,
        "attachments": [],
        "files": [],
        "parent_message_uuid": after if after in (ROOT, None) else uid(after),
        **fields,
    }


def conversation(name: str, messages: Sequence[Any], /, *, updated: int = 60, **fields: object) -> Record:
    """A conversation, last touched so many minutes after it began."""
    return {
        "uuid": uid(name),
        "name": name,
        "summary": "",
        "created_at": BEGAN.isoformat(),
        "updated_at": (BEGAN + timedelta(minutes=updated)).isoformat(),
        "account": OWNER,
        "chat_messages": list(messages),
        **fields,
    }


def project(name: str, docs: Mapping[str, str]) -> Record:
    """A project with documents."""
    return {
        "uuid": uid(name),
        "name": name,
        "description": f"All about {name}",
        "is_private": True,
        "is_starter_project": False,
        "prompt_template": "Answer in short sentences.",
        "created_at": "2026-02-01T10:00:00.000000+00:00",
        "updated_at": "2026-06-11T10:00:00.000000+00:00",
        "creator": OWNER | {"full_name": "Ida Lund"},
        "docs": [
            {"uuid": uid(path), "filename": path, "content": content, "created_at": "2026-02-02T10:00:00+00:00"}
            for path, content in docs.items()
        ],
    }


def memories(files: Mapping[str, str] | None = None) -> Record:
    """What is remembered of the account; with files as since 2026, without them as before."""
    known: Record = {
        "account_uuid": OWNER["uuid"],
        "conversations_memory": "**Work**\n\nIda repairs clocks.",
        "project_memories": {uid("Clocks"): "The oldest clock is from 1790."},
    }
    if files is not None:
        written = "2026-09-02T10:00:00+00:00"
        known["memory_files"] = [{"path": path, "content": text, "updated_at": written} for path, text in files.items()]
    return known


def design(name: str) -> Record:
    """A design chat, with a row that is there twice."""

    def row(key: str, role: str, **content: object) -> Record:
        return {
            "uuid": uid(f"{name} row {key}"),
            "role": role,
            "created_at": "2026-07-01T09:00:00.123456+00:00",
            "content": {"id": uid(key.rstrip("'")), "role": role, "timestamp": "2026-07-01T09:00:00.123456789Z"}
            | content,
        }

    blocks = [{"type": "thinking", "text": "three blues?"}, {"type": "text", "text": "It uses three blues."}]
    return {
        "uuid": uid(name),
        "title": "Chat",
        "project": {"uuid": uid("its own"), "name": name},
        "created_at": "2026-07-01T09:00:00.000000+00:00",
        "updated_at": "2026-09-01T00:00:00.000000+00:00",
        "messages": [
            row("ask", "user", kind="chat", content="Make a calm page"),
            row("ask'", "user", kind="chat", content="Make a calm page"),
            row("answer", "assistant", content="It uses three blues.", contentBlocks=blocks),
        ],
    }


def page(name: str, said: str, *, kind: str = "page") -> dict[str, object]:
    """The files of a published page, or of an artifact in HTML, with a comment."""
    version, folder = "1789000000-0001", f"artifacts/{uid(name)}"
    about = {
        "id": uid(name),
        "kind": kind,
        "visibility": "private",
        "owner_account": OWNER["uuid"],
        "updated_at": "2026-09-10T08:00:00+00:00",
        "active_version": version,
        "versions": [
            {"id": version, "title": name, "description": "A plan", "created_at": "2026-09-10T08:00:00+00:00"},
            {"id": "1789000001-0002", "title": "Not shown", "created_at": "2026-09-10T09:00:00+00:00"},
        ],
    }
    comment = {"body": "Checked.", "author": {"full_name": "Ida Lund"}, "created_at": "2026-09-10T09:00:00.000Z"}
    return {
        f"{folder}/artifact.json": about,
        f"{folder}/{'page.md' if kind == 'page' else f'versions/{version}.html'}": said.encode(),
        f"{folder}/comments.json": [{"resolved": False, "quoted_text": "nine", "comments": [comment]}],
    }


ACCOUNT = [
    {"uuid": OWNER["uuid"], "full_name": "Ida Lund", "email_address": "ida@example.org", "verified_phone_number": None}
]
SIGN_INS = {"login_events": [{"account_uuid": OWNER["uuid"], "timestamp": "2026-09-18T10:00:00+00:00"}]}


def write_json(path: Path, value: object, *, escaped: bool = False) -> Path:
    """Write a value as JSON, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass"))
    return path


def write_zip(path: Path, files: Mapping[str, object]) -> Path:
    """Write values, as JSON, or bytes as they are, as the members of an archive."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path


def _contents(conversations: Sequence[Any]) -> dict[str, object]:
    return {
        "conversations.json": list(conversations),
        "users.json": ACCOUNT,
        "memories.json": [memories()],
        f"projects/{uid('Clocks')}.json": project("Clocks", {"tools.md": "# Tools\n\nA loupe and two files."}),
        f"design_chats/{uid('Shop window')}.json": design("Shop window"),
    }


def one_zip(path: Path, conversations: Sequence[Any]) -> Path:
    """Everything in one archive."""
    return write_zip(path, _contents(conversations))


def folder(path: Path, conversations: Sequence[Any]) -> Path:
    """The same, unpacked."""
    for name, value in _contents(conversations).items():
        write_json(path / name, value)
    return path


def manifest(path: Path, names: Sequence[str]) -> Path:
    """The list of files of an export in parts."""
    parts = [
        {"batch_index": index, "category": name.split("-")[0], "part": 0, "filename": name, "export_url": NEVER_SHOWN}
        for index, name in enumerate(names)
    ]
    return write_json(
        path / f"manifest-{uid('export')}-1789750787-deadbeef-2026-09-18-16-59-47.json",
        {"instructions": "Each URL works once.", "created_at": "2026-09-18T16:59:47+00:00", "version": "1.0"}
        | {"total_files": len(parts), "data_files": parts},
    )


def split(path: Path, conversations: Sequence[Any]) -> Path:
    """A manifest and one archive for each category, the conversations in two parts."""
    half = len(conversations) // 2
    whole = _contents(())
    parts: dict[str, dict[str, object]] = {
        "conversations-000.zip": {"conversations.json": list(conversations[:half])},
        "conversations-001.zip": {"conversations.json": list(conversations[half:])},
        "light_metadata-000.zip": {"users.json": ACCOUNT, "login_history.json": SIGN_INS},
        "memories-000.zip": {
            f"memories/{OWNER['uuid']}.json": memories({"/people/ole.md": "- [stated] Ole is a tailor"})
        },
        "projects-000.zip": {name: value for name, value in whole.items() if name.startswith("projects/")},
        "design_chats-000.zip": {name: value for name, value in whole.items() if name.startswith("design_chats/")},
    }
    for name, files in parts.items():
        write_zip(path / name, files)
    manifest(path, list(parts))
    return path
