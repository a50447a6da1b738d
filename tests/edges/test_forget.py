"""Forgotten means gone: no byte of it is left in the store's files, and nothing but a person brings it back."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Iterable
from contextlib import closing
from pathlib import Path

import pytest

import ricordo
from ricordo.testing import HashEmbedder

pytestmark = pytest.mark.anyio

SECRET = "zyxomma"
RUSSIAN_SECRET = "щукомора"
SECRET_TEXT = f"The {SECRET} of the archive and the {RUSSIAN_SECRET} of the cellar " * 20
FILLING = [f"Note {number}: the {word} of project {word}{number} is due on day {number}" for number in range(300)
           for word in ("invoice", "garden")]  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
async def memory(path: Path) -> AsyncIterator[ricordo.Engine]:
    async with ricordo.open(f"sqlite:///{path}", embedder=HashEmbedder()) as engine:
        yield engine


def left(path: Path, words: Iterable[str]) -> list[tuple[str, str]]:
    """(file, word) wherever a word, in any case its lexemes have, still stands in the store's files.

    The full-text index leaves out the beginning that a term shares with the one before: ends are looked for.
    """
    found = []
    for file in sorted(path.parent.glob(path.name + "*")):
        data = file.read_bytes().lower()
        found += [(file.name, word) for word in words if word[3:].lower().encode() in data]
    return found


async def test_no_byte_of_a_forgotten_memory_is_left(memory: ricordo.Engine, path: Path) -> None:
    told = await memory.remember(
        f"The code of the safe is {SECRET}-4471 ({RUSSIAN_SECRET})",
        tags=[f"tag{SECRET}"],
        metadata={"owner": f"owner{SECRET}"},
    )
    assert left(path, [SECRET, RUSSIAN_SECRET])

    await memory.forget([told.id])

    assert left(path, [SECRET, RUSSIAN_SECRET]) == []


@pytest.mark.slow
@pytest.mark.parametrize("place", ["first", "middle", "last"])
async def test_nor_among_many_others(memory: ricordo.Engine, path: Path, place: str) -> None:
    texts = {"first": [SECRET_TEXT, *FILLING], "middle": [*FILLING[:300], SECRET_TEXT, *FILLING[300:]]}
    told = {text: await memory.remember(text) for text in texts.get(place, [*FILLING, SECRET_TEXT])}

    assert await memory.forget([told[SECRET_TEXT].id])

    assert left(path, [SECRET, RUSSIAN_SECRET]) == []
    assert await memory.check() == ()


async def test_a_long_memory_leaves_no_chunk_behind(memory: ricordo.Engine, path: Path) -> None:
    told = await memory.remember("\n\n".join(f"{SECRET_TEXT} part {number}" for number in range(40)))

    await memory.forget([told.id])

    assert left(path, [SECRET, RUSSIAN_SECRET]) == []
    assert (await memory.stats()).chunks == 0


async def test_every_version_goes(memory: ricordo.Engine, path: Path) -> None:
    told = await memory.remember(f"Mira's old address: {SECRET} street")
    revised = await memory.revise(told.id, f"Mira's new address: {RUSSIAN_SECRET} street")

    gone = await memory.forget([revised.id])

    assert set(gone) == {told.id, revised.id}
    assert left(path, [SECRET, RUSSIAN_SECRET]) == []


async def test_forgetting_all_that_a_file_says_forgets_its_name(memory: ricordo.Engine, path: Path) -> None:
    notes = path.parent / "notes"
    notes.mkdir()
    (notes / f"{SECRET}.md").write_text(f"# Title {RUSSIAN_SECRET}\n\nOne line about sailing.\n", encoding="utf-8")
    await memory.ingest([notes])

    await memory.forget([hit.id for hit in await memory.recall("sailing")])

    assert left(path, [SECRET, RUSSIAN_SECRET]) == []


async def test_what_a_file_says_no_longer_is_gone_after_its_next_reading(memory: ricordo.Engine, path: Path) -> None:
    note = path.parent / "note.md"
    note.write_text(
        f"## Kept\n\nThe garden is watered at six.\n\n## Secret\n\nThe key is {SECRET}.\n", encoding="utf-8"
    )
    await memory.ingest([note])
    assert left(path, [SECRET])

    note.write_text("## Kept\n\nThe garden is watered at six.\n", encoding="utf-8")
    done = await memory.ingest([note])

    assert done.forgotten == 1
    assert left(path, [SECRET]) == []


async def test_only_being_told_again_brings_it_back(memory: ricordo.Engine, path: Path) -> None:
    note = path.parent / "note.md"
    note.write_text(f"The key is {SECRET}.\n", encoding="utf-8")
    await memory.ingest([note])
    hit = (await memory.recall(SECRET)).hits[0]
    await memory.forget([hit.id])

    note.write_text(f"The key is {SECRET}.\n\n## More\n\nAnd a garden.\n", encoding="utf-8")
    await memory.ingest([note])
    assert [found.text for found in await memory.recall(SECRET) if SECRET in found.text] == []

    told = await memory.remember(f"The key is {SECRET}.")
    assert told.created
    assert SECRET in (await memory.recall(SECRET)).hits[0].text


async def test_the_same_words_told_forgotten_and_told_again(memory: ricordo.Engine, path: Path) -> None:
    told = await memory.remember(f"The key is {SECRET}.")
    await memory.forget([told.id])

    again = await memory.remember(f"The key is {SECRET}.")

    assert again.created
    assert again.id == told.id
    assert (await memory.recall(SECRET)).hits[0].id == told.id


async def test_a_reader_in_another_process_does_not_stop_forgetting(memory: ricordo.Engine, path: Path) -> None:
    """What it still reads stays in the write-ahead log; the first purge after it has ended erases that too."""
    told = await memory.remember(f"The key is {SECRET}.")
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memory").fetchone()

        await memory.forget([told.id])

        assert len([hit for hit in await memory.recall(SECRET) if SECRET in hit.text]) == 0
        reader.execute("ROLLBACK")

    other = await memory.remember("Something else")
    await memory.forget([other.id])

    assert left(path, [SECRET]) == []
