"""A store in which thousands were forgotten: its full-text index must not grow a level for each, nor keep a word."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import ricordo
from ricordo.stores.sqlite import words
from ricordo.testing import HashEmbedder

pytestmark = pytest.mark.anyio

MANY = 300
"""Memories whose index is more than one page: smaller ones do not grow."""


def height(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return words.levels(connection.execute("SELECT block FROM lexeme_index_data WHERE id = 10").fetchone()[0])


@pytest.mark.slow
async def test_the_index_is_written_anew_before_it_is_too_high(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "MOST_LEVELS", 20)
    path = tmp_path / "memory.db"
    async with ricordo.open(f"sqlite:///{path}", embedder=HashEmbedder()) as memory:
        for number in range(MANY):
            await memory.remember(
                f"note {number} about bicycle number {number}, word{number * 7919} other{number * 31}"
            )
        heights = []
        for number in range(50):
            told = await memory.remember(f"ephemerion {number}")
            await memory.forget([told.id])
            heights.append(height(path))

        assert 15 < max(heights) <= 21
        assert len(await memory.recall("bicycle", limit=MANY)) == MANY
        assert await memory.check() == ()
    assert not any(b"merion" in file.read_bytes() for file in tmp_path.glob("memory.db*"))


@pytest.mark.parametrize(
    ("structure", "number"),
    [
        (bytes.fromhex("00000001 02 01 08".replace(" ", "")), 2),
        (bytes.fromhex("00000001 8f52 01 f319".replace(" ", "")), 2002),
        (bytes.fromhex("00000001 ff000001 05 01 08".replace(" ", "")), 5),
    ],
)
def test_the_height_of_an_index_is_in_its_structure_record(structure: bytes, number: int) -> None:
    assert words.levels(structure) == number
