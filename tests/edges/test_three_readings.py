"""Every shape: a first reading adds, a second changes nothing, a third after one edit changes one memory."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

import claudefiles
import ricordo
from agentfiles import Session, message, node, rollout, stamp, thread, write, write_lines
from publicdata import SAMPLES
from ricordo.engine import Engine
from ricordo.settings import Settings
from ricordo.testing import HashEmbedder, InMemoryStore

pytestmark = pytest.mark.anyio

Write = Callable[[Path, str], None]


@pytest.fixture
async def memory() -> AsyncIterator[Engine]:
    settings = Settings(store="memory:", namespace="test")
    async with ricordo.open(InMemoryStore(), embedder=HashEmbedder(), settings=settings) as opened:
        yield opened


async def thrice(memory: Engine, folder: Path, edit: Callable[[], None]) -> None:
    """Read a folder, read it again, and once more when something in it was edited."""
    first = await memory.ingest([folder])
    again = await memory.ingest([folder])
    edit()
    third = await memory.ingest([folder])

    assert first.added == first.memories > 1
    assert (again.added, again.unchanged, again.forgotten) == (0, first.memories, 0)
    # What lost something is read each time, in case it has come back.
    assert any(skipped.loses_memories for skipped in first.skipped) or not (again.origins.new or again.origins.changed)
    assert [skipped.why for skipped in again.skipped] == [skipped.why for skipped in first.skipped]
    assert (third.added, third.forgotten, third.origins.changed) == (1, 1, 1)


# --- copies of the shapes ---


def _talk(said: str) -> list[dict[str, object]]:
    turns = [
        claudefiles.message("why?", "Why does it stop?"),
        claudefiles.message("cold", said, after="why?", minute=1),
        claudefiles.message("sent?", None, after="cold", minute=2, files=[{"file_name": "dial.jpg"}]),
    ]
    return [claudefiles.conversation("A clock", turns), claudefiles.conversation("Empty", [])]


def _claude(folder: Path, said: str) -> None:
    claudefiles.write_json(folder / "conversations.json", _talk(said))
    claudefiles.write_json(folder / "projects.json", [claudefiles.project("P", {"d.md": "Oil."})])


def _split(folder: Path, said: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    claudefiles.split(folder, _talk(said))


def _transcript(folder: Path, said: str) -> None:
    session = Session()
    session.user("Weave.")
    session.assistant(said)
    session.compact("Summary")
    session.beside("ai-title", aiTitle="Weaving")
    session.save(folder)


def _rollout(folder: Path, said: str) -> None:
    write_lines(folder / "rollout.jsonl", rollout(("user", "Weave."), ("assistant", said)))


def _chatgpt(folder: Path, said: str) -> None:
    mapping = {
        "root": node("root", None, None, ["a"]),
        "a": node("a", "root", message("a", "user", "How old do corals get?"), ["b", "c"]),
        "b": node("b", "a", message("b", "assistant", said)),
        "c": node("c", "a", message("c", "assistant", "Nobody knows.", second=9)),
    }
    write(folder / "conversations.json", [thread(mapping=mapping, current_node="b")])


def _gemini(folder: Path, said: str) -> None:
    messages = [
        {"id": str(number), "timestamp": stamp(number), "type": kind, "content": each}
        for number, (kind, each) in enumerate((("user", "How bright?"), ("gemini", said)))
    ]
    write(folder / "session.json", {"sessionId": "s", "projectHash": "p", "messages": messages})


def _vault(folder: Path, said: str) -> None:
    for name, text in {
        ".obsidian/app.json": "{}",
        "Templates/day.md": "# {{title}}\n",
        "Daily/2026-10-14.md": f"# 2026-10-14\n\n- [x] Call the harbour\n- [ ] {said}\n",
        "People/Ann.md": "---\naliases: [Captain]\ntags: crew\n---\nJoined in Porto. [[Boats]]\r\n",
        "broken.md": "---\ntitle: a: b\n---\nStill read.\n",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _notes_of_agents(folder: Path, said: str) -> None:
    head = "---\nname: tests\ndescription: How to test\nmetadata: \n  node_type: memory\n---\n"
    for name, text in {
        "MEMORY.md": "- [Tests](tests.md) — how\n- [Gone](gone.md) — dangling\n",
        "tests.md": f"{head}{said}\n",
        "CLAUDE.md": "@AGENTS.md\n\n- Small commits\n",
        "loom.md": "---\ntype: note\npermalink: loom\n---\n- [fact] It weaves #loom\n- part_of [[Mill]]\n",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")


def _statements(folder: Path, said: str) -> None:
    entity = {"type": "entity", "name": "Runa", "entityType": "person", "observations": ["Weaves", said]}
    write_lines(folder / "memory.json", [entity, {"from": "Runa", "to": "Loom", "relationType": "owns"}])
    write(folder / "mem0.json", {"results": [{"id": "m", "memory": "Likes oak", "created_at": stamp(0)}]})
    write_lines(folder / "own.jsonl", [{"text": "The lamp is new.", "date": "2026-10-02"}])


WRITERS = [_claude, _split, _transcript, _rollout, _chatgpt, _gemini, _vault, _notes_of_agents, _statements]


@pytest.mark.parametrize("put", WRITERS, ids=lambda put: put.__name__.lstrip("_"))
async def test_one_edit_changes_one_memory(memory: Engine, put: Write, tmp_path: Path) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    put(folder, "It may be the cold.")
    await thrice(memory, folder, lambda: put(folder, "It may be the damp."))


# --- the public samples ---

EDITS = {
    "agents": ("AGENTS.md", "Dates in ISO form", "Dates in plain words"),
    "basic_memory": ("Tidepool decisions.md", "Uploads come from two tablets", "Uploads come from three tablets"),
    "chatgpt_export": ("conversations.json", "Still readable.", "Quite readable."),
    "claude_code": ("session.jsonl", "Keep the UUID. Add", "Do keep the UUID. Add"),
    "claude_export": ("conversations.json", "Rua das Algas", "Rua dos Peixes"),
    "codex": ("sessions/2026/09/10/*.jsonl", "Renamed in two files.", "Renamed in three files."),
    "memory_dir": ("user_role.md", "works from Porto", "works from Braga"),
    "obsidian_vault": ("Daily/2026-05-14.md", "Order new tablets", "Order old tablets"),
}


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the public samples are not here (RICORDO_TEST_SAMPLES)")
@pytest.mark.parametrize("sample", EDITS)
async def test_one_edit_of_a_sample_changes_one_memory(memory: Engine, sample: str, tmp_path: Path) -> None:
    folder, (pattern, old, new) = tmp_path / sample, EDITS[sample]
    shutil.copytree(SAMPLES / sample, folder)
    if sample == "claude_code":  # the same sessions stand there once more
        shutil.rmtree(folder / "projects")
    (path,) = folder.glob(pattern)

    def edit() -> None:
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8", newline="")

    await thrice(memory, folder, edit)
