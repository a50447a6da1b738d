"""Files of every known shape, mutated: what is still in a file and is not remembered is told."""

from __future__ import annotations

import json
import os
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import claudefiles
from agentfiles import (
    NOW,
    Fields,
    Session,
    envelope,
    item,
    message,
    node,
    stamp,
    text_lines,
    thread,
    tool,
)
from mutations import changed, places
from ricordo.errors import SourceError
from ricordo.protocols import Skipped
from ricordo.sources import find_sources
from trustworthy import tried

pytestmark = pytest.mark.usefixtures("tries")

EXAMPLES = int(os.environ.get("RICORDO_TEST_EXAMPLES", "100"))
# The same every time, but where somebody looks for more.
FUZZ = settings(max_examples=EXAMPLES, deadline=None, derandomize="RICORDO_TEST_EXAMPLES" not in os.environ)
WORD = re.compile(r"Word[A-Z]+\b")
"""What is said in these files; each of these words once."""
ODD: tuple[object, ...] = (None, True, 0, -1, 1e308, 2**70, [], {}, [[]], [None], {"": None}, {"type": 7, "text": 7})
"""What takes the place of something; no text, for another text is another text."""
STRAYS = ["\n", "---\n", "[", "]]", ": ", "\t", "é", "%", "<!", "`"]


def claude() -> list[Fields]:
    said, block, talk = claudefiles.message, claudefiles.block, claudefiles.conversation
    thought = [block("thinking", thinking="t"), block("text", text="WordB", citations=[])]
    pasted = [{"file_name": "", "extracted_content": "WordD"}]
    turns = [
        said("a?", [block("voice_note", text="WordA")]),
        said("b", thought, after="a?"),
        said("c?", "WordC", after="b", attachments=pasted),
        said("d?", "WordE", after="b", files=[{"file_name": None}]),
    ]
    return [talk("A talk", turns), talk("B", [said("e?", "WordF")])]


def transcript() -> list[Fields]:
    session = Session()
    asked = session.user("WordA.")
    session.assistant("WordB.", tool("Write", file_path="/x"))
    session.user([{"type": "text", "text": "WordC."}], parent=asked)
    session.compact("Summary")
    return session.records


def rollout() -> list[Fields]:
    meta = envelope(0, "session_meta", {"id": "s", "timestamp": stamp(0), "cwd": "/x"})
    said = [item("user", "WordA"), item("assistant", "WordB")]
    return [meta, *(envelope(number, "response_item", each) for number, each in enumerate(said, start=1))]


def export() -> list[Fields]:
    speech = {"content_type": "audio_transcription", "text": "WordB."}
    mapping = {
        "a": node("a", None, message("a", "user", "WordA.", speech), ["b"]),
        "b": node("b", "a", message("b", "assistant", "WordC \ue200cite\ue202x\ue201")),
    }
    return [thread(mapping=mapping, current_node="b"), thread(("user", "WordD."))]


ARRAYS: tuple[list[Fields], ...] = (
    claude(),
    export(),
    [claudefiles.project("P", {"d.md": "WordA"})],
    [claudefiles.memories({"/people/a.md": "---\nname: a\n---\n- WordA"})],
    [{"sessionId": "s", "projectHash": "p", "messages": [{"id": "1", "type": "user", "content": "WordA"}]}],
    [
        {
            "header": "Gemini",
            "title": "Prompted WordA",
            "time": stamp(0),
            "products": ["Gemini"],
            "safeHtmlItem": [{"html": "<p>WordB</p>"}],
        }
    ],
    [{"id": "m", "memory": "WordA", "created_at": stamp(0)}, {"id": "n", "memory": "WordB", "created_at": stamp(0)}],
)
LINES: tuple[list[Fields], ...] = (
    transcript(),
    rollout(),
    [
        {"type": "entity", "name": "Runa", "entityType": "person", "observations": ["WordA", {"content": "WordB"}]},
        {"type": "relation", "from": "Runa", "to": "Loom", "relationType": "WordC"},
    ],
    [{"text": "WordA", "date": "2026-05-03", "tags": ["a"], "speaker": "b"}, {"text": "WordB"}],
)
NOTES = (
    "---\ntitle: Boats\nmetadata: \n  kind: WordA\ntags: [a, b]\n---\nWordB.\n\n## Head\n\n- WordC\n- [ ] WordD #tag\n",
    "---\nname: a\ndescription: b\nmetadata: \n  node_type: memory\n---\nWordA.\n",
    "---\ntitle: A\ntype: note\npermalink: a\n---\n- [fact] WordA #t (c)\n- r [[WordB]] (c)\n\nWordC\n",
    "# Title\n\nWordA\n\n| a | b |\n|---|---|\n| WordB | c |\n\n```\nWordC\n```\n",
)
FILES = [(False, shape) for shape in ARRAYS] + [(True, shape) for shape in LINES]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def silent(path: Path) -> set[str]:
    """The words of the file that nobody remembers, if nothing was told of it."""
    tried()
    text = path.read_bytes().decode("utf-8", "replace")
    said: list[str] = []
    for found in find_sources([path], now=NOW):
        if isinstance(found, Skipped):
            return set()
        try:
            for each in found.memories():
                if isinstance(each, Skipped):
                    return set()
                said.append(f"{each.text} {each.context} {each.metadata} {each.origin.title}")
        except SourceError:
            return set()
    assert sorted(path.parent.iterdir()) == [path]
    return set(WORD.findall(text)) - set(WORD.findall("\n".join(said)))


def written(folder: Path, data: bytes, name: str = "data.json") -> Path:
    for old in folder.iterdir():
        old.unlink()
    path = folder / name
    path.write_bytes(data)
    return path


def encoded(value: object, *, lines: bool) -> bytes:
    if lines and isinstance(value, list):
        return text_lines(value).encode()
    return json.dumps(value).encode()


@FUZZ
@given(st.sampled_from(FILES), st.randoms(use_true_random=False))
def test_what_stands_where_it_should_not_is_told(
    folder: Path, file: tuple[bool, list[Fields]], chance: random.Random
) -> None:
    lines, shape = file
    place, odd = chance.choice(list(places(shape))[1:]), chance.choice(ODD)
    changes: list[Callable[[object], object]] = [
        lambda _: odd,
        lambda value: [value],
        lambda value: {"x": value, "type": value},
    ]
    value = changed(shape, place, chance.choice(changes))
    data = encoded(value, lines=lines)
    assert silent(written(folder, data)) == set(), f"{place}: {data!r}"


def _parses(data: bytes, *, lines: bool) -> bool:
    try:
        text = data.decode("utf-8", "replace")
        for each in text.split("\n") if lines else [text]:
            json.loads(each or "0")
    except ValueError:
        return False
    return True


@FUZZ
@given(st.sampled_from(FILES), st.randoms(use_true_random=False))
def test_what_a_broken_byte_costs_is_told(folder: Path, file: tuple[bool, list[Fields]], chance: random.Random) -> None:
    lines, shape = file
    data = bytearray(encoded(shape, lines=lines))
    place = chance.randrange(len(data))
    match chance.randrange(4):
        case 0:
            data[place] ^= 1 << chance.randrange(8)
        case 1:
            del data[place : place + chance.randrange(1, 60)]
        case 2:
            data[place:place] = data[place : place + chance.randrange(1, 200)]
        case _:
            del data[max(place, 1) :]
    lost = silent(written(folder, bytes(data)))
    # What still is JSON has another name for a field, or another value: that is not for a reader to know.
    assert not lost or _parses(bytes(data), lines=lines)


@FUZZ
@given(st.sampled_from(NOTES), st.sampled_from(["note.md", "CLAUDE.md"]), st.randoms(use_true_random=False))
def test_what_a_stray_mark_costs_a_note_is_told(folder: Path, note: str, name: str, chance: random.Random) -> None:
    text = list(note)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(text))
        text[place : place + chance.randrange(3)] = chance.choice(STRAYS)
    lost = silent(written(folder, "".join(text).encode(), name))
    assert not lost or "<!" in "".join(text) or "%%" in "".join(text)
