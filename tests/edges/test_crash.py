"""A process killed while it ingests: the store is whole, and the same ingest again brings it to the same state."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from ricordo import sync
from ricordo.testing import HashEmbedder
from trustworthy import LONG, Count

INGEST = """
import sys
from ricordo import sync
from ricordo.testing import HashEmbedder
with sync.open(sys.argv[1], embedder=HashEmbedder()) as memory:
    print("ready", flush=True)
    memory.ingest([sys.argv[2]])
"""
SECTIONS = 25
AS_SOON_AS_IT_WRITES = 0.0


def write_notes(folder: Path, chunks: int) -> Path:
    """`chunks` sections in files of 25, half of them in Russian."""
    folder.mkdir()
    for file in range(chunks // SECTIONS):
        with (folder / f"{file:04}.md").open("w", encoding="utf-8") as stream:
            for section in range(SECTIONS):
                number = file * SECTIONS + section
                text = (
                    f"Счёт номер {number} оплачен" if number % 2 else f"Invoice {number} was paid in week {number % 52}"
                )
                stream.write(f"## Note {number}\n\n{text}.\n\n")
    return folder


def killed_after(seconds: float, store: Path, notes: Path) -> bool:
    """Ingest in another process and kill it that long after it has opened the store; False if it came to its end.

    `AS_SOON_AS_IT_WRITES` kills it when its first chunks are there, however quick the machine.
    """
    command = [sys.executable, "-c", INGEST, f"sqlite:///{store}", str(notes)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        if seconds == AS_SOON_AS_IT_WRITES:
            wait_for_chunks(store)
        else:
            time.sleep(seconds)
        process.kill()
    return process.returncode != 0


def wait_for_chunks(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        while connection.execute("SELECT count(*) FROM chunk").fetchone() == (0,):
            time.sleep(0.002)


def contents(store: Path) -> dict[str, list[tuple[object, ...]]]:
    """All that a store says, without the times and keys that depend on when it was written."""
    queries = {
        "memories": "SELECT id, origin_uri, position, text FROM memory ORDER BY id",
        "chunks": "SELECT id, memory_id, position, text, lexemes, context_lexemes FROM chunk ORDER BY id",
        "origins": "SELECT uri, revision FROM origin ORDER BY uri",
        "vectors": "SELECT c.id, v.vector FROM embedding v JOIN chunk c ON c.key = v.chunk ORDER BY c.id",
        "counters": "SELECT name, chunks, lexemes, context_lexemes FROM namespace",
        "words": "SELECT term, doc, cnt FROM lexeme_vocabulary ORDER BY term",
    }
    with closing(sqlite3.connect(store)) as connection:
        return {name: connection.execute(query).fetchall() for name, query in queries.items()}


def assert_whole(store: Path) -> int:
    """The number of chunks in a store in which nothing is amiss."""
    with sync.open(f"sqlite:///{store}", embedder=HashEmbedder()) as memory:
        assert memory.check() == ()
        return memory.stats().chunks


def ingest(store: Path, notes: Path) -> None:
    with sync.open(f"sqlite:///{store}", embedder=HashEmbedder()) as memory:
        memory.ingest([notes])


def survive(folder: Path, *, chunks: int, kills: list[float]) -> list[int]:
    """Kill and go on; then compare with a store that nobody disturbed. Chunks found whole after each kill."""
    notes = write_notes(folder / "notes", chunks)
    store = folder / "killed.db"
    found = []
    for seconds in kills:
        if not killed_after(seconds, store, notes):
            break
        found.append(assert_whole(store))
    ingest(store, notes)
    assert assert_whole(store) == chunks
    ingest(folder / "undisturbed.db", notes)
    assert contents(store) == contents(folder / "undisturbed.db")
    return found


def test_an_ingest_killed_once_and_repeated_is_as_if_nothing_had_happened(tmp_path: Path, count: Count) -> None:
    found = survive(tmp_path, chunks=1000, kills=[AS_SOON_AS_IT_WRITES])
    count("crashes injected", len(found))

    assert len(found) == 1, "it was not killed"
    assert 0 < found[0] < 1000


@pytest.mark.slow
def test_an_ingest_killed_again_and_again_goes_on_from_where_it_was(tmp_path: Path, count: Count) -> None:
    chance = random.Random(20261130)
    chunks, longest = (10_000, 1.2) if LONG else (3_000, 0.4)

    moments = [chance.uniform(0.02, longest) for _ in range(7)]
    found = survive(tmp_path, chunks=chunks, kills=[AS_SOON_AS_IT_WRITES, *moments])
    count("crashes injected", len(found))

    assert len(found) > 1, "it was killed but once"
    assert found == sorted(found)
    assert 0 < found[0] < chunks
