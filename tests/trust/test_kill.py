"""Killed at any moment of any write: what was acknowledged is there, what was forgotten is not, and all is whole."""

from __future__ import annotations

import gzip
import shutil
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
from trustworthy import LONG, Count, compare
from zygote import Acknowledged, Spec, Zygote, acknowledged, said, under_way, zygote

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor SIGKILL")

ON_A_SERVER = ("remember", "remember", "revise", "forget", "bury", "ingest", "load", "vectors", "move")
DOINGS = (*ON_A_SERVER, "backup", "purge", "repair")
OLDER = Path(__file__).parents[1] / "migration" / "stores"
PAGE = 4096


@pytest.fixture(scope="module")
def forker() -> Iterator[Zygote]:
    with zygote() as process:
        yield process


def survive(forker: Zygote, url: str, folder: Path, doings: tuple[str, ...], kills: int, count: Count) -> None:
    """Kill so many processes that write, one after the other, and count how many were killed in the midst of it."""
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
            compare(count, lost(url, acknowledged(folder)), [])
    if (folder / "moved.db").exists():
        compare(count, lost(f"sqlite:///{folder / 'moved.db'}", Acknowledged()), [])
    count("crashes injected", killed)


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
        for memory_id, buried in known.buried.items():
            if memory_id not in known.gone | known.open and buried not in (None, memory.show(memory_id).buried):
                wrong.append(memory_id)
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

    survive(forker, f"sqlite:///{path}", tmp_path, DOINGS, 200 if LONG else 16, count)

    assert orphans(path) == 0
    for backup in tmp_path.glob("kept*.backup"):
        assert anyio.run(SqliteStore(backup).examine, backup).faults == ()


def test_a_server_survives_the_kill_of_any_client(
    forker: Zygote, postgres_url: str, tmp_path: Path, count: Count
) -> None:
    survive(forker, postgres_url, tmp_path, ON_A_SERVER, 40 if LONG else 3, count)


# --- what is put in the place of a whole file ---


def killed_at(forker: Zygote, folder: Path, doing: str, kills: int) -> Iterator[tuple[list[str], bool]]:
    """Kill so many processes that do one thing again and again; what each had begun last, and whether that was done."""
    for seed in range(kills):
        journal = folder / f"{seed:04}.journal"
        spec = {
            "url": "memory:",
            "seed": seed,
            "seconds": 20,
            "folder": str(folder),
            "journal": str(journal),
            "doings": [doing],
        }
        assert forker.killed_after(Random(seed).uniform(0, 0.15), spec)
        with telling(spec):
            yield said(journal)


def filled(path: Path, facts: int) -> list[str]:
    """A store with so many memories; its export."""
    with sync.open(f"sqlite:///{path}", embedder=HashEmbedder()) as memory:
        for number in range(facts):
            memory.remember(f"Garden {number} of {path.name} is watered by pump {number % 7} " * 20)
    return held(path)


def held(path: Path) -> list[str]:
    """The export of a store in which nothing is amiss."""
    with sync.open(f"sqlite:///{path}", embedder=HashEmbedder()) as memory:
        assert memory.check() == ()
        return list(memory.export(everything=True))


def backed_up(folder: Path, name: str, facts: int) -> list[str]:
    lines = filled(folder / f"{name}.db", facts)
    anyio.run(_back_up, folder / f"{name}.db", folder / f"{name}.backup")
    return lines


async def _back_up(path: Path, backup: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    await store.copy_to(backup)
    await store.close()


def test_a_restore_that_is_killed_leaves_the_one_store_or_the_other(
    forker: Zygote, tmp_path: Path, count: Count
) -> None:
    told = {"old": backed_up(tmp_path, "old", 20), "new": backed_up(tmp_path, "new", 60)}
    path, killed = tmp_path / "memory.db", 0
    shutil.copy(tmp_path / "old.backup", path)
    before = "old"

    for names, done in killed_at(forker, tmp_path, "restore", 100 if LONG else 4):
        lines = held(path)
        compare(count, lines, *told.values())
        now = "old" if lines == told["old"] else "new"
        if names:
            assert now in (names[:1] if done else [*names, before][:2])
        for kept in tmp_path.glob("memory.db.replaced-*.backup"):
            compare(count, held(kept), *told.values())
            kept.unlink()
        before, killed = now, killed + 1
    count("crashes injected", killed)


def test_an_upgrade_that_is_killed_is_made_the_next_time(forker: Zygote, tmp_path: Path, count: Count) -> None:
    (tmp_path / "older.db").write_bytes(gzip.decompress((OLDER / "schema-1.db.gz").read_bytes()))
    told, killed = (OLDER / "schema-1.jsonl").read_text(encoding="utf-8").splitlines(), 0

    for names, _ in killed_at(forker, tmp_path, "upgrade", 60 if LONG else 5):
        for name in names[:2]:
            compare(count, held(tmp_path / name), told)
            copies = sorted(tmp_path.glob(f"{name}.schema-1-*.backup"))
            assert holds_schema(copies[-1]) == 1
        killed += 1
        clear(tmp_path, "older.*.db*")
    count("crashes injected", killed)


def holds_schema(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_a_damaged_file_whose_saving_is_killed_is_saved_the_next_time(
    forker: Zygote, tmp_path: Path, count: Count
) -> None:
    path, killed = tmp_path / "damaged.db", 0
    filled(path, 40)
    whole = path.read_bytes()
    with path.open("r+b") as file:
        file.seek(len(whole) // 2 // PAGE * PAGE)
        file.write(bytes(PAGE))
    damaged = path.read_bytes()
    shutil.copy(path, tmp_path / "saved.db")
    told = saved(tmp_path / "saved.db")
    assert len(told) > 20

    for names, done in killed_at(forker, tmp_path, "save", 40 if LONG else 3):
        for number, name in enumerate(names[:2]):
            compare(count, saved(tmp_path / name, again=number == 0 and not done), told)
            assert damaged in [kept.read_bytes() for kept in tmp_path.glob(f"{name}.damaged-*.backup")]
        killed += 1
        clear(tmp_path, "damaged.*.db*")
    count("crashes injected", killed)


def saved(path: Path, *, again: bool = True) -> list[str]:
    """Save what can be read, and cut anew what has lost its chunks, as the command line does; what is held then."""
    if again:
        anyio.run(SqliteStore(path).repair)
    with sync.open(f"sqlite:///{path}", embedder=HashEmbedder()) as memory:
        memory.load(list(memory.export(everything=True)))
    return held(path)


def clear(folder: Path, pattern: str) -> None:
    for path in folder.glob(pattern):
        path.unlink()
