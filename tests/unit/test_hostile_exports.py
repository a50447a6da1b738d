"""Exports of claude.ai, mutated: nothing crashes or hangs, and what cannot be read is told."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claudefiles import block, conversation, design, memories, message, project
from ricordo.errors import SourceError
from ricordo.memory import Memory
from ricordo.protocols import Skipped
from ricordo.sources import find_sources
from trustworthy import tried

pytestmark = pytest.mark.usefixtures("tries")

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
EXAMPLES = int(os.environ.get("RICORDO_TEST_EXAMPLES", "100"))

TALK = conversation(
    "A talk",
    [
        message("a?", [block("voice_note", text="Hm"), block("injected_prompt_block", prompt="x")]),
        message(
            "b", [block("thinking", thinking="t"), block("tool_use", name="artifacts", input={"id": "i"})], after="a?"
        ),
        message("c?", "Edited", after="b", attachments=[{"file_name": "", "extracted_content": "Pasted"}]),
        message("d?", "Again", after="b", files=[{"file_name": None}]),
    ],
)
SHAPES: tuple[object, ...] = (
    [TALK, conversation("B", [])],
    TALK,
    [project("P", {"d.md": "x"})],
    memories({"/people/a.md": "---\nname: a\n---\n- x"}),
    [memories()],
    design("D"),
    {"id": "i", "kind": "page", "versions": [{"id": "v", "title": "t"}], "active_version": "v", "updated_at": "2026"},
    {"data_files": [{"filename": "conversations-000.zip", "category": "conversations"}], "total_files": 1},
)
VALUES: tuple[object, ...] = (
    None, True, 0, -1, 1e308, 10**400, "", " ", "\ud800", "\0", "x" * 5000, [], {}, [[]], [None], {"": None},
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "<ricordo x>", {"type": "text", "text": 7}, "[{]", "../..",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


def read(data: bytes, folder: Path) -> int:
    """Read a file of these bytes, whole; how many memories and reports it gave."""
    path = folder / "data.json"
    path.write_bytes(data)
    tried()
    given = 0
    try:
        for found in find_sources([path], now=NOW):
            given += 1
            if not isinstance(found, Skipped):
                assert found.revision().encode()
                items = list(found.memories())
                assert all(isinstance(item, Memory | Skipped) for item in items)
                assert all(item.text.encode() for item in items if isinstance(item, Memory))
    except SourceError:
        given += 1
    assert list(folder.iterdir()) == [path]
    return given


def mutated(value: object, chance: random.Random) -> object:
    """The value with something in it replaced, put into another, or doubled."""
    if chance.random() < 0.15 or not isinstance(value, dict | list) or not value:
        return chance.choice([chance.choice(VALUES), [value], {"uuid": value}, [value, value]])
    if isinstance(value, dict):
        key = chance.choice(list(value))
        changed = {**value, key: mutated(value[key], chance)}
        if chance.random() < 0.1:
            del changed[key]
        return changed
    place = chance.randrange(len(value))
    return [*value[:place], mutated(value[place], chance), *value[place + 1 :]]


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.sampled_from(SHAPES), st.randoms(use_true_random=False))
def test_values_of_any_type_anywhere(folder: Path, shape: object, chance: random.Random) -> None:
    for _ in range(chance.randrange(1, 5)):
        shape = mutated(shape, chance)
    read(json.dumps(shape).encode(), folder)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.sampled_from(SHAPES), st.randoms(use_true_random=False))
def test_bytes_that_were_cut_flipped_or_doubled(folder: Path, shape: object, chance: random.Random) -> None:
    data = bytearray(json.dumps(shape).encode())
    for _ in range(chance.randrange(1, 6)):
        place = chance.randrange(len(data))
        match chance.randrange(4):
            case 0:
                data[place] ^= 1 << chance.randrange(8)
            case 1:
                del data[place : place + chance.randrange(1, 60)]
            case 2:
                data[place:place] = data[place : place + chance.randrange(1, 200)]
            case _:
                del data[max(1, place) :]
        data = data or bytearray(b"[")
    assert read(bytes(data), folder)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([b"", b"[", b'[{"uuid":"u","chat_messages":[', b"PK\x03\x04"]))
def test_random_bytes_after_a_promising_beginning(folder: Path, data: bytes, head: bytes) -> None:
    read(head + data, folder)


@pytest.mark.parametrize("depth", [100, 200_000])
def test_nesting_without_end_costs_its_record_alone(folder: Path, depth: int) -> None:
    nested = b'{"uuid":"x","chat_messages":' + b"[" * depth + b"]" * depth + b"}"
    assert read(b"[" + json.dumps(TALK).encode() + b"," + nested + b"]", folder) == 2


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "<antArtifact " * 20_000,
        "<ricordo>" * 20_000,
        "```\n" * 50_000,
        "\n```\nThis block is not supported" * 5_000,
        "---\nname:" + " " * 100_000,
        "<antThinking" * 20_000,
    ],
)
def test_texts_that_could_take_forever(folder: Path, text: str) -> None:
    flat = message("a", None, text=text)
    assert read(json.dumps([conversation("t", [message("b?", text), flat])]).encode(), folder)
    assert read(json.dumps(memories({"/a.md": "---\n" + text})).encode(), folder)
