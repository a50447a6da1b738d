"""Killed at any moment of any write: what was acknowledged is there, what was forgotten is not, and all is whole."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import anyio
import pytest

from ricordo import sync
from ricordo.errors import NotFound
from ricordo.stores.sqlite import SqliteStore
from ricordo.testing import HashEmbedder
from trustworthy import LONG, Count
from zygote import Acknowledged, Spec, Zygote, acknowledged, under_way, zygote

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor SIGKILL")

DOINGS = ("remember", "remember", "revise", "forget", "ingest", "load", "vectors", "backup", "move")
ON_A_SERVER = ("remember", "remember", "revise", "forget", "ingest", "load", "vectors", "move")


@pytest.fixture(scope="module")
def forker() -> Iterator[Zygote]:
    with zygote() as process:
        yield process


def survive(forker: Zygote, url: str, folder: Path, doings: tuple[str, ...], kills: int) -> int:
    """Kill so many processes that write, one after the other; how many were killed in the midst of it."""
    killed = 0
    for seed in range(kills):
        chance = Random(seed)
        spec = {
            "url": url,
            "seed": seed,
            "seconds": 20,
            "folder": str(folder),
            "journal": str(folder / f"{seed:04}.journal"),
            "doings": [chance.choice(doings), *doings],
        }
        killed += forker.killed_after(chance.uniform(0, 0.25), spec)
        with telling(spec):
            assert lost(url, acknowledged(folder)) == []
    if (folder / "moved.db").exists():
        assert lost(f"sqlite:///{folder / 'moved.db'}", Acknowledged()) == []
    return killed


@contextmanager
def telling(spec: Spec) -> Iterator[None]:
    """Name what was killed, where it did harm."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"killed with seed {spec['seed']} in the midst of {under_way(Path(spec['journal']))}")
        raise


def lost(url: str, known: Acknowledged) -> list[str]:
    """What was acknowledged and is not there, or was forgotten and is; the store itself must be whole."""
    with sync.open(url, embedder=HashEmbedder()) as memory:
        assert memory.check() == ()
        wrong = [gone for gone in known.gone if found(memory, gone) is not None]
        for memory_id, word in known.kept.items():
            if memory_id not in known.gone | known.open and word not in (found(memory, memory_id) or ""):
                wrong.append(memory_id)
        everything = "\n".join(memory.export())
        wrong += [note for note, word in known.notes.items() if word and everything.count(f"# {word}") < 12]
    return wrong


def found(memory: sync.Engine, memory_id: str) -> str | None:
    try:
        return memory.show(memory_id).text
    except NotFound:
        return None


def orphans(path: Path) -> int:
    """Vectors, token vectors and chunks of nothing, and chunks without a vector."""
    with closing(sqlite3.connect(path)) as connection:
        counts = connection.execute(
            """
            SELECT
                (SELECT count(*) FROM embedding WHERE chunk NOT IN (SELECT key FROM chunk))
                + (SELECT count(*) FROM token_embedding WHERE chunk NOT IN (SELECT key FROM chunk))
                + (SELECT count(*) FROM chunk c WHERE NOT EXISTS (
                    SELECT 1 FROM memory m WHERE m.namespace = c.namespace AND m.id = c.memory_id
                ))
                + (SELECT count(*) FROM chunk WHERE key NOT IN (SELECT chunk FROM embedding))
            """
        ).fetchone()
    return int(counts[0])


def test_a_file_survives_any_kill(forker: Zygote, tmp_path: Path, count: Count) -> None:
    path = tmp_path / "memory.db"

    killed = survive(forker, f"sqlite:///{path}", tmp_path, DOINGS, 200 if LONG else 16)

    assert orphans(path) == 0
    for backup in tmp_path.glob("kept*.backup"):
        assert anyio.run(SqliteStore(backup).examine, backup).faults == ()
    count("crashes injected", killed)
    count("lost", 0)


def test_a_server_survives_the_kill_of_any_client(
    forker: Zygote, postgres_url: str, tmp_path: Path, count: Count
) -> None:
    count("crashes injected", survive(forker, postgres_url, tmp_path, ON_A_SERVER, 40 if LONG else 3))
