"""What surrounds a store fails: disks fill, folders lock, clocks jump, paths are odd. Nothing is lost by it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from urllib.parse import quote

import pytest
from click.testing import Result

from ricordo import sync
from ricordo.errors import StoreBusy, StoreError
from ricordo.testing import HashEmbedder
from trustworthy import LONG, Count
from zygote import REFUSED, acknowledged, zygote

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
ODD = {
    "spaces": "my own memory/of this and that.db",
    "Cyrillic": "Память/записи о важном.db",
    "marks": "what? 100% #1/a&b;c'd\"e.db",
    "250 characters": f"{'x' * 100}/{'длинно' * 20}.db",
    "a dash": "-/--store.db",
}


def whole(url: str) -> list[str]:
    with sync.open(url, embedder=HashEmbedder()) as memory:
        assert memory.check() == ()
        return sorted(memory.export(everything=True))


@pytest.mark.parametrize("what", ODD)
def test_a_store_may_be_wherever_a_file_may(
    what: str, run: Callable[..., Result], tmp_path: Path, count: Count
) -> None:
    path = tmp_path / ODD[what]
    url = f"sqlite:///{quote(str(path))}"
    assert run("remember", "the key is in the drawer", "--store", url).exit_code == 0
    assert "drawer" in run("recall", "key", "--store", url).stdout
    assert run("backup", str(path.with_suffix(".backup")), "--store", url).exit_code == 0
    found = json.loads(run("recall", "key", "--json", "--store", url).stdout)["hits"]
    assert run("forget", *(hit["id"] for hit in found), "--store", url).exit_code == 0
    assert run("recall", "key", "--store", url).exit_code == 1
    assert run("restore", str(path.with_suffix(".backup")), "--store", url, "--overwrite").exit_code == 0
    assert "drawer" in run("recall", "key", "--store", url).stdout
    assert run("doctor", "--repair", "--store", url).exit_code == 0

    assert "drawer" in run("recall", "key", "--store", url).stdout
    assert path.is_file()
    count("faults survived", 1)


def test_a_store_that_is_moved_is_the_same_store(tmp_path: Path) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there" / "other.db"
    with sync.open(f"sqlite:///{here}", embedder=HashEmbedder()) as memory:
        memory.remember("the key is in the drawer")
    before = whole(f"sqlite:///{here}")
    there.parent.mkdir()
    here.rename(there)

    assert whole(f"sqlite:///{there}") == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no file's size")
def test_a_disk_that_is_full_costs_nothing_that_was_acknowledged(tmp_path: Path, count: Count) -> None:
    url, refused = f"sqlite:///{tmp_path / 'memory.db'}", 0
    with sync.open(url, embedder=HashEmbedder()) as memory:
        for number in range(30):
            memory.remember(f"the garden of house {number}")
    before = whole(url)
    with zygote() as forker:
        for seed in range(60 if LONG else 6):
            spec = {
                "url": url,
                "seed": seed,
                "seconds": 3,
                "folder": str(tmp_path),
                "journal": str(tmp_path / f"{seed:03}.journal"),
                "doings": ["remember", "revise", "forget", "ingest", "load"],
                "limit": Random(seed).randrange(20_000, 600_000),
            }
            forker.start(spec)
            (status,) = forker.ended()
            assert status in (0, REFUSED)
            refused += status == REFUSED
            known, after = acknowledged(tmp_path), whole(url)
            told = "\n".join(after)
            kept = {word for key, word in known.kept.items() if key not in known.gone | known.open}
            lost = [*(set(before) - set(after)), *(word for word in kept if word not in told)]
            count("lost", len(lost))
            assert lost == []
    count("faults survived", refused)
    assert refused


def test_a_full_disk_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    with sync.open(url, embedder=HashEmbedder()) as memory:
        memory.remember("the key is in the drawer")
        # A limit of the connection itself stands for the disk: nothing else fills for one test alone.
        connect = sqlite3.connect

        def limited(*arguments: object, **options: object) -> sqlite3.Connection:
            connection = connect(*arguments, **options)  # type: ignore[call-overload]  # as it was called
            if arguments != (":memory:",):
                connection.execute("PRAGMA max_page_count = 1")
            return connection  # type: ignore[no-any-return]

        monkeypatch.setattr(sqlite3, "connect", limited)
    with sync.open(url, embedder=HashEmbedder()) as memory, pytest.raises(StoreError, match="disk is full"):
        memory.remember("a fact about the garden " * 4000)
    monkeypatch.undo()

    assert len(whole(url)) == 2


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that any user reaches."""
    with tempfile.TemporaryDirectory(prefix="ricordo-test-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


READ_ONLY = """
import os, sys
from ricordo import sync
from ricordo.errors import StoreError
from ricordo.testing import HashEmbedder
with sync.open("memory:", embedder=HashEmbedder()) as memory:  # all is imported while it can be
    memory.remember("x")
import ricordo.stores.sqlite
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    with sync.open(sys.argv[1], embedder=HashEmbedder()) as memory:
        memory.remember("not written")
except StoreError as error:
    print(error)
    sys.exit(7)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no mode there")
def test_a_folder_that_may_not_be_written_is_named(shared: Path, count: Count) -> None:
    path = shared / "memory.db"
    with sync.open(f"sqlite:///{path}", embedder=HashEmbedder()) as memory:
        memory.remember("the key is in the drawer")
    before = whole(f"sqlite:///{path}")
    for file in (path, shared):
        os.chmod(file, file.stat().st_mode & 0o555 | 0o444)
    done = subprocess.run(
        [sys.executable, "-c", READ_ONLY, f"sqlite:///{path}"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "RICORDO_HOME": str(shared)},
    )
    for file in (shared, path):
        os.chmod(file, 0o755)

    assert (done.returncode, str(path) in done.stdout) == (7, True), done.stderr
    assert whole(f"sqlite:///{path}") == before
    count("faults survived", 1)


def test_whoever_finds_the_store_taken_waits(tmp_path: Path, count: Count) -> None:
    path = tmp_path / "memory.db"
    with sync.open(f"sqlite:///{path}", embedder=HashEmbedder()) as memory:
        with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
            other.execute("BEGIN IMMEDIATE")
            later = threading.Timer(0.5, lambda: other.execute("COMMIT"))
            later.start()
            memory.remember("told while another was writing")
            later.join()
        assert memory.stats().memories == 1
    count("faults survived", 1)


def test_whoever_finds_the_store_taken_for_too_long_is_told(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: Count
) -> None:
    # The promised minute is too long for a test.
    monkeypatch.setattr("ricordo.stores.sqlite.database.BUSY_SECONDS", 0.6)
    path = tmp_path / "memory.db"
    url = f"sqlite:///{path}"
    told = f"{path}: another process held the store for 1 seconds; try again"
    with sync.open(url, embedder=HashEmbedder()) as memory:
        memory.remember("the key is in the drawer")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreBusy) as caught:
                memory.remember("told while another was writing")
            refused = run("remember", "told while another was writing", "--store", url)
            assert [hit.text for hit in memory.recall("key")] == ["the key is in the drawer"]
            other.execute("COMMIT")

        assert str(caught.value) == told
        assert (refused.exit_code, refused.stderr) == (3, f"ricordo: {told}\n")
        assert memory.stats().memories == 1
        assert memory.remember("told again").created
        assert memory.check() == ()
    count("faults survived", 2)


def test_a_clock_that_jumps_puts_nothing_out_of_order(tmp_path: Path, count: Count) -> None:
    moments = [timedelta(0), timedelta(days=-4000), timedelta(days=9000), timedelta(seconds=-1), timedelta(days=-1)]
    clock = [NOW]
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    with sync.open(url, embedder=HashEmbedder(), clock=lambda: clock[0]) as memory:
        current = memory.remember("version 0 of the garden").memory
        for number, jump in enumerate(moments, start=1):
            clock[0] = NOW + jump
            current = memory.revise(current.id, f"version {number} of the garden")
        gone = memory.remember("the cellar").id
        clock[0] = NOW - timedelta(days=10_000)
        memory.forget([gone])
        memory.load(list(memory.export()))

        assert [old.text[8] for old in memory.history(current.id)] == list("012345")
        assert [hit.text for hit in memory.recall("garden")] == ["version 5 of the garden"]
        assert memory.check() == ()
        assert memory.stats().memories == 6
    count("faults survived", len(moments))
