"""Files of every known shape, mutated: nothing crashes or hangs, and what cannot be read is told."""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentfiles import (
    NOW,
    Fields,
    Session,
    message,
    node,
    rollout,
    stamp,
    text_lines,
    thread,
    tool,
)
from mutations import changed, places
from ricordo.errors import SourceError
from ricordo.memory import Memory
from ricordo.protocols import Skipped
from ricordo.sources import find_sources
from trustworthy import tried

pytestmark = pytest.mark.usefixtures("tries")

EXAMPLES = int(os.environ.get("RICORDO_TEST_EXAMPLES", "100"))


def transcript() -> list[Fields]:
    session = Session()
    asked = session.user("Weave.")
    session.assistant("Woven.", tool("Write", file_path="/x"))
    session.user([{"type": "text", "text": "Again."}], parent=asked)
    session.add("attachment", attachment={"type": "queued_command", "prompt": "Now."})
    session.compact("Summary")
    session.beside("ai-title", aiTitle="Weaving")
    return session.records


def export() -> list[Fields]:
    mapping = {
        "a": node(
            "a", None, message("a", "user", "One.", {"content_type": "audio_transcription", "text": "Two."}), ["b"]
        ),
        "b": node("b", "a", message("b", "assistant", "Three \ue200cite\ue202x\ue201")),
    }
    return [thread(mapping=mapping, current_node="b"), thread(("user", "Four."))]


def others() -> list[list[Fields]]:
    said = [{"id": "1", "timestamp": stamp(1), "type": "user", "content": "x"}]
    html: list[Fields] = [{"html": "<p>y</p>"}]
    return [
        [
            {"type": "entity", "name": "Runa", "entityType": "person", "observations": ["Weaves"]},
            {"type": "relation", "from": "Runa", "to": "Loom", "relationType": "owns"},
        ],
        [{"id": "m", "memory": "x", "created_at": stamp(0), "categories": ["a"], "metadata": {"b": 1}}],
        [{"text": "x", "date": "2026-05-03", "tags": ["a"], "speaker": "b", "metadata": {}}],
        [{"sessionId": "s", "projectHash": "p", "messages": said}],
        [{"header": "Gemini", "title": "Prompted x", "time": stamp(0), "products": ["Gemini"], "safeHtmlItem": html}],
    ]


SHAPES = [transcript(), rollout(("user", "Weave."), ("assistant", "Woven.")), export(), *others()]
VALUES: tuple[object, ...] = (
    None, True, 0, -1, 1e308, 2**70, "", " ", "\ud800", "\x00", "x" * 5000, [], {}, [[]], [None], {"": None},
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "<system-reminder>", "\ue200", {"type": "text", "text": 7},
)  # fmt: skip


HEADS = [b"", b"{", b"[", b'{"type":"user","sessionId":"s"}\n', b'[{"title":"x","mapping":{"a":']


def read(data: bytes, folder: Path) -> None:
    """Read a file of these bytes; anything but memories and reports fails."""
    path = folder / "data.jsonl"
    path.write_bytes(data)
    tried()
    for found in find_sources([path], now=NOW):
        if isinstance(found, Skipped):
            continue
        # What is no JSON at all may be no text either.
        with suppress(SourceError):
            assert found.revision()
            assert all(isinstance(item, Memory | Skipped) for item in found.memories())


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def _replaced(value: object) -> Callable[[object], object]:
    return lambda _: value


def _nested(value: object) -> object:
    return [value]


def _wrapped(value: object) -> object:
    return {"x": value, "type": value}


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.sampled_from(SHAPES), st.randoms(use_true_random=False), st.integers(1, 4), st.booleans())
def test_values_of_any_type_anywhere(
    folder: Path,
    shape: list[Fields],
    chance: random.Random,
    times: int,
    array: bool,  # noqa: FBT001
) -> None:
    value: object = shape
    for _ in range(times):
        odd = chance.choice(VALUES)
        value = changed(value, chance.choice(list(places(value))), chance.choice([_replaced(odd), _nested, _wrapped]))
    text = json.dumps(value) if array or not isinstance(value, list) else text_lines(value)
    read(text.encode("utf-8", "surrogatepass"), folder)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.sampled_from(SHAPES), st.randoms(use_true_random=False), st.booleans())
def test_bytes_that_were_cut_flipped_or_doubled(
    folder: Path,
    shape: list[Fields],
    chance: random.Random,
    array: bool,  # noqa: FBT001
) -> None:
    data = bytearray((json.dumps(shape) if array else text_lines(shape)).encode())
    for _ in range(chance.randint(1, 8)):
        place = chance.randrange(len(data))
        kind = chance.randrange(4)
        if kind == 0:
            data[place] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del data[place : place + chance.randrange(1, 60)]
        elif kind == 2:
            data[place:place] = data[place : place + chance.randrange(1, 200)]
        else:
            data = data[: max(place, 1)]
        data = data or bytearray(b"{")
    read(bytes(data), folder)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(HEADS))
def test_random_bytes(folder: Path, data: bytes, head: bytes) -> None:
    read(head + data, folder)


@pytest.mark.parametrize("depth", [100, 5_000, 200_000])
def test_nesting_without_end(folder: Path, depth: int) -> None:
    read(b'{"type":"user","sessionId":"s","message":' + b"[" * depth + b"]" * depth + b"}\n", folder)
    read(b'[{"title":"x","mapping":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}]", folder)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "<command-name>" * 20_000,
        "<system-reminder>" * 20_000,
        "\ue200cite\ue202" * 20_000,
        "\ue200" * 50_000,
        "<br" * 50_000,
        " " * 200_000 + "x",
        "# Context from my IDE setup:\n" * 5_000,
        "\n" * 100_000 + "x",
    ],
)
def test_texts_that_could_take_forever(folder: Path, text: str) -> None:
    session = Session()
    session.user(text)
    read(text_lines(session.records).encode(), folder)
    read(json.dumps([thread(("assistant", text))]).encode(), folder)
    prompt = {"header": "Gemini", "title": "Prompted x", "time": stamp(0), "products": ["Gemini"]}
    read(json.dumps([prompt | {"safeHtmlItem": [{"html": text}]}]).encode(), folder)


NOTES = [
    "---\nname: a\ndescription: b\nmetadata: \n  node_type: memory\n  modified: 2026-09-07T09:05:00Z\n---\nText.\n",
    "- [A](a.md) — first\n- [B](b.md)\n\nText.\n",
    "---\ntitle: A\ntype: note\npermalink: a\ncreated: 2026-09-07\n---\n- [fact] x #t (c) @2026-07-27\n- r [[B]] (c)\n",
    "@AGENTS.md\n\n- Rule one\n",
]
HEADINGS = ["", "---\npermalink: a\ntype: note\n---\n", "---\nname: a\ndescription: b\ntype: user\n---\n", "---\n"]
NAMES = ["a.md", "MEMORY.md", "CLAUDE.md"]
STRAYS = ["\n", "---\n", "[", "]]", ": ", "\t", "@", "\x00", "é"]


def read_note(text: str, folder: Path, file: str) -> None:
    path = folder / file
    path.write_text(text, encoding="utf-8")
    for found in find_sources([path], now=NOW):
        assert not isinstance(found, Skipped)
        assert found.revision()
        assert all(isinstance(item, Memory | Skipped) for item in found.memories())


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.sampled_from(NOTES), st.sampled_from(NAMES), st.randoms(use_true_random=False))
def test_notes_that_were_mutated(folder: Path, note: str, file: str, chance: random.Random) -> None:
    text = list(note)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(text))
        text[place : place + chance.randrange(4)] = chance.choice(STRAYS)
    read_note("".join(text), folder, file)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", ["- [fact] ", "[", "- a [[", "@x[", "a: "])
def test_notes_that_could_take_forever(folder: Path, text: str) -> None:
    for heading in HEADINGS:
        for file in NAMES:
            read_note(heading + text * 20_000, folder, file)
