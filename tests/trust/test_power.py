"""A power cut at every write of a run: whatever part of the last writes has reached the disk, the file is whole.

With `synchronous = FULL`, SQLite has the log on the disk before a commit is acknowledged, and the log before the pages
of the file that are taken from it. So a cut leaves the file as it was, and of what was appended to the log any part: a
prefix, or blocks of it in any order; or, while the log is folded into the file, the whole log and any of the pages.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from ricordo import sync
from ricordo.stores.sqlite import SqliteStore
from ricordo.testing import HashEmbedder
from trustworthy import LONG, Count

BLOCK = 512
PAGE = 4096
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be copied there")


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """Both files after something was acknowledged, and what must then be there."""

    file: bytes
    log: bytes
    told: frozenset[str]
    folds: bool
    """Whether all that came before was that the log was folded into the file."""


class Unfolded(SqliteStore):
    """What forgetting erases is erased by a step of its own, so that there is a state before it."""

    async def purge(self) -> None:
        return


def states(path: Path, steps: int) -> Iterator[State]:
    """A run of all kinds of writes, step by step."""
    chance, note = Random(steps), path.parent / "note.md"
    with sync.open(Unfolded(path), embedder=HashEmbedder(), clock=lambda: NOW) as memory:
        yield state(path, memory, folds=False)
        for step in range(steps):
            told = [hit.id for hit in memory.recall("garden", limit=50).hits]
            kind = chance.choice(("remember", "revise", "forget", "ingest", "fold"))
            if kind == "remember" or not told:
                memory.remember(f"garden {step} " + "and the cellar beside it " * chance.randrange(60))
            elif kind == "revise":
                memory.revise(chance.choice(told), f"garden {step} was dug over")
            elif kind == "forget":
                memory.forget([chance.choice(told)])
            elif kind == "ingest":
                note.write_text(
                    "".join(f"## Part {n}\n\ngarden of step {step}\n\n" for n in range(chance.randrange(9)))
                )
                memory.ingest([note])
            else:
                fold(path)
            yield state(path, memory, folds=kind == "fold")


def state(path: Path, memory: sync.Engine, *, folds: bool) -> State:
    log = path.with_name(f"{path.name}-wal")
    lines = frozenset(line for line in memory.export() if '"memory"' in line)
    return State(file=path.read_bytes(), log=log.read_bytes() if log.exists() else b"", told=lines, folds=folds)


def fold(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def cuts(before: State, after: State, chance: Random, each: int) -> Iterator[tuple[bytes, bytes]]:
    """What the disk may hold when the power goes between two states."""
    if after.log.startswith(before.log):
        added = after.log[len(before.log) :]
        for _ in range(each if added else 0):
            yield before.file, before.log + added[: chance.randrange(len(added))]
            yield before.file, before.log + scattered(added, chance)
    elif after.folds:
        for _ in range(each):
            yield folded(before.file, after.file, chance), before.log


def scattered(added: bytes, chance: Random) -> bytes:
    """Some blocks were written, others still hold zeros or something older."""
    blocks = [added[start : start + BLOCK] for start in range(0, len(added), BLOCK)]
    junk = (bytes(BLOCK), chance.randbytes(BLOCK))
    return b"".join(block if chance.random() < 0.7 else chance.choice(junk)[: len(block)] for block in blocks)


def folded(before: bytes, after: bytes, chance: Random) -> bytes:
    """Some pages were written, others not yet; and one perhaps in part."""
    pages = []
    for start in range(0, max(len(before), len(after)), PAGE):
        old, new = before[start : start + PAGE], after[start : start + PAGE]
        at = chance.choice((0, PAGE, PAGE, PAGE, chance.randrange(0, PAGE, BLOCK)))
        pages.append(new[:at] + old[at:] if new and old else new or old)
    return b"".join(pages)


def look_at(folder: Path, file: bytes, log: bytes, before: State, after: State) -> None:
    """Open what a cut has left: it is one of the two states, and whole."""

    path = folder / "after.db"
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.write_bytes(file)
    path.with_name(f"{path.name}-wal").write_bytes(log)
    with sync.open(f"sqlite:///{path}", embedder=HashEmbedder()) as memory:
        assert memory.check() == ()
        found = frozenset(line for line in memory.export() if '"memory"' in line)
        stats = memory.stats()
    assert found in (before.told, after.told)
    assert sum(stats.embedders.values()) == stats.chunks


def test_whenever_the_power_is_cut_what_was_acknowledged_is_there(tmp_path: Path, count: Count) -> None:
    chance, tried = Random(11), 0
    run = tmp_path / "run"
    run.mkdir()
    steps, each = (150, 4) if LONG else (25, 2)
    before: State | None = None
    for after in states(run / "memory.db", steps):
        if before is not None:
            for file, log in cuts(before, after, chance, each):
                look_at(tmp_path, file, log, before, after)
                tried += 1
        before = after

    assert tried > steps
    count("crashes injected", tried)
    count("lost", 0)
