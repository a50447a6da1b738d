"""Backups come back whole, whatever is damaged costs no more than itself, and what is derived can be made anew."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import Result

from ricordo import sync
from ricordo.errors import InvalidInput, StoreError
from ricordo.move import move
from ricordo.protocols import Store
from ricordo.stores import open_store
from ricordo.stores.sqlite import SqliteStore
from ricordo.testing import HashEmbedder
from ricordo.upkeep import Repairable, back_up, restore
from trustworthy import LONG, Count

Run = Callable[..., Result]
Ask = Callable[..., tuple[int, dict[str, Any]]]

PAGE = 4096
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def filled(url: str, facts: int = 40) -> list[str]:
    """A store with versions, tags, two namespaces, vectors and a tombstone; its export."""
    with sync.open(url, embedder=HashEmbedder()) as memory:
        for number in range(facts):
            memory.remember(f"Fact-{number}: garden{number} is watered at {number % 24}", tags=[f"t{number % 3}"])
        old = memory.remember("The pool is 20", event_timestamp=NOW, metadata={"deep": {"list": [1, None, "ü"]}})
        memory.revise(old.id, "The pool is 60")
        memory.within("work").remember("озеро холодное")
        memory.forget([memory.remember("gone").id])
        return told(memory)


def told(memory: sync.Engine) -> list[str]:
    return sorted(memory.export(everything=True))


def held(url: str) -> list[str]:
    """The export of a store in which nothing is amiss, and all of whose vectors are there."""
    with sync.open(url, embedder=HashEmbedder()) as memory:
        assert memory.check() == ()
        stats = memory.stats()
        assert sum(stats.embedders.values()) == stats.chunks
        return told(memory)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


# --- backup and restore ---


def test_a_backup_comes_back_as_it_was(run: Run, ask: Ask, url: str, tmp_path: Path) -> None:
    before, file = filled(url), tmp_path / "kept.backup"
    code, made = ask("backup", str(file), "--store", url)
    assert (code, made["memories"], made["tombstones"], made["faults"]) == (0, 43, 1, [])
    assert [name.name for name in tmp_path.glob("kept.backup*")] == ["kept.backup"]
    assert run("backup", "--verify", str(file)).exit_code == 0
    with sync.open(url, embedder=HashEmbedder()) as memory:
        memory.forget([hit.id for hit in memory.recall("garden7")])
        memory.remember("told after the backup")
        assert run("restore", str(file), "--store", url).exit_code == 2
        after = told(memory)

        code, back = ask("restore", str(file), "--store", url, "--overwrite")

        assert code == 0
        assert told(memory) == before
        assert "garden7 " in memory.recall("garden7").hits[0].text
        assert "vectors" in memory.recall("garden7").hits[0].arms
    assert held(url) == before
    assert held(f"sqlite:///{back['kept']}") == after


def test_an_empty_store_takes_a_backup_without_being_told_twice(run: Run, url: str, tmp_path: Path) -> None:
    before, file, fresh = filled(url), tmp_path / "kept.backup", f"sqlite:///{tmp_path / 'fresh.db'}"
    run("backup", str(file), "--store", url)

    assert run("restore", str(file), "--store", fresh).exit_code == 0

    assert held(fresh) == before


def test_nothing_but_an_older_backup_is_written_over(run: Run, url: str, path: Path, tmp_path: Path) -> None:
    filled(url)
    letter, file = tmp_path / "letter.txt", tmp_path / "kept.backup"
    letter.write_text("Dear Mira, " * 900, encoding="utf-8")

    assert run("backup", str(letter), "--store", url).exit_code == 2
    assert run("backup", str(path), "--store", url).exit_code == 2
    assert run("backup", str(tmp_path / "nowhere" / "kept.backup"), "--store", url).exit_code == 2
    assert [run("backup", str(file), "--store", url).exit_code for _ in range(2)] == [0, 0]

    assert letter.read_text(encoding="utf-8").startswith("Dear Mira")


def test_a_backup_that_is_not_whole_is_told_and_not_restored(run: Run, url: str, tmp_path: Path, count: Count) -> None:
    before, file = filled(url), tmp_path / "kept.backup"
    run("backup", str(file), "--store", url)
    whole, chance, tried = file.read_bytes(), random.Random(11), 0
    for start in range(0, len(whole) - PAGE, 5 * PAGE):
        file.write_bytes(whole[:start] + chance.randbytes(PAGE) + whole[start + PAGE :])
        tried += 1
        if run("backup", "--verify", str(file)).exit_code == 0:
            continue  # a page that nothing was on
        assert run("restore", str(file), "--overwrite", "--store", url).exit_code == 3
    for cut in (0, 1, 100, PAGE, len(whole) - 1):
        file.write_bytes(whole[:cut])
        tried += 1
        assert run("backup", "--verify", str(file)).exit_code == 3
    count("bad inputs tried", tried)

    assert held(url) == before


def test_what_was_forgotten_before_a_backup_is_not_in_it(url: str, tmp_path: Path, run: Run, count: Count) -> None:
    with sync.open(url, embedder=HashEmbedder()) as memory:
        memory.remember("The garden is watered at six")
        memory.forget([memory.remember("The key of the safe is zyxomma-4471").id])
        run("backup", str(tmp_path / "kept.backup"), "--store", url)

    leaked = [file.name for file in tmp_path.iterdir() if file.is_file() and b"xomma" in file.read_bytes()]

    assert leaked == []
    count("leaked", len(leaked))


# --- PostgreSQL ---


@pytest.mark.anyio
async def test_a_backup_of_a_server_is_of_one_moment_and_comes_back(postgres_url: str, tmp_path: Path) -> None:
    before = await anyio.to_thread.run_sync(filled, postgres_url)
    file, store = tmp_path / "kept.backup", open_store(postgres_url)
    await store.open()
    async with store.snapshot() as still:  # type: ignore[attr-defined]  # of PostgreSQL alone
        await anyio.to_thread.run_sync(tell_more, postgres_url)
        await with_open(SqliteStore(tmp_path / "still.db"), lambda target: move(still, target))
    made = await back_up(store, file, SqliteStore)
    with pytest.raises(InvalidInput, match="not empty"):
        await restore(file, store, SqliteStore)
    with pytest.raises(InvalidInput, match="empty database"):
        await restore(file, store, SqliteStore, overwrite=True)
    await store.close()

    assert (made.memories, made.tombstones) == (43, 2)
    assert await anyio.to_thread.run_sync(held, f"sqlite:///{file}") != before
    still_held = await anyio.to_thread.run_sync(held, f"sqlite:///{tmp_path / 'still.db'}")
    assert (set(still_held) - set(before), set(before) - set(still_held)) == (set(), set())


def tell_more(url: str) -> None:
    with sync.open(url, embedder=HashEmbedder()) as memory:
        memory.remember("told while a backup was made")
        memory.forget([memory.recall("garden7").hits[0].id])


@pytest.mark.anyio
async def test_a_backup_of_a_file_is_restored_into_a_server(postgres_url: str, url: str, tmp_path: Path) -> None:
    before, file = await anyio.to_thread.run_sync(filled, url), tmp_path / "kept.backup"
    await with_open(open_store(url), lambda store: back_up(store, file, SqliteStore))

    await with_open(open_store(postgres_url), lambda store: restore(file, store, SqliteStore))

    assert await anyio.to_thread.run_sync(held, postgres_url) == before


async def with_open(store: Store, work: Callable[[Store], Awaitable[object]]) -> None:
    await store.open()
    try:
        await work(store)
    finally:
        await store.close()


# --- repair ---


def repair(url: str) -> tuple[str, ...]:
    store = open_store(url)
    assert isinstance(store, Repairable)
    return anyio.run(store.repair)


RUIN = {
    "the word index is empty": "INSERT INTO lexeme_index (lexeme_index) VALUES ('delete-all')",
    "words of no chunk": "INSERT INTO lexeme_index (rowid, lexemes) VALUES (99999, '1:zyxomma')",
    "wrong counters": "UPDATE namespace SET chunks = chunks + 7, lexemes = 0",
    "vectors of no chunk": "INSERT INTO embedding (namespace, embedder, chunk, vector) VALUES (1, 1, 99999, x'0000')",
    "a version that is not here": "UPDATE memory SET superseded_by = 'ffffffffffffffffffffffff' WHERE key = 3",
    "chunks of no memory": "DELETE FROM memory WHERE key = 43 AND namespace > 1",
    "memories without chunks": "DELETE FROM chunk WHERE key IN (2, 5)",
    "an origin that is gone": "DELETE FROM origin WHERE rowid = 4",
}


@pytest.mark.parametrize("what", RUIN)
def test_what_is_derived_is_made_anew_from_the_originals(
    what: str, run: Run, url: str, path: Path, count: Count
) -> None:
    before = filled(url)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(RUIN[what])
        connection.commit()
    assert run("doctor", "--store", url, "--embedder", "none").exit_code == 3

    mended = run("doctor", "--repair", "--store", url, "--embedder", "none")

    assert mended.exit_code == 0, mended.stdout
    assert "repair: the word index was made anew" in mended.stdout
    with sync.open(url, embedder=HashEmbedder()) as memory:
        after = told(memory)
        assert "garden7 " in memory.recall("garden7").hits[0].text
    assert len(after) == len(before) - (what == "chunks of no memory")
    if what not in ("chunks of no memory", "a version that is not here"):
        assert after == before
    count("faults survived", 1)


POSTGRES_RUIN = (
    "UPDATE ricordo.counter SET amount = amount + 7",
    "DELETE FROM ricordo.frequency WHERE lexeme > 'm'",
    "UPDATE ricordo.chunk SET current = NOT current",
    "UPDATE ricordo.embedding SET current = NOT current, memory_id = 'nobody'",
    "UPDATE ricordo.memory SET superseded_by = 'ffffffffffffffffffffffff' WHERE superseded_by IS NULL",
)


def test_a_server_makes_anew_what_is_derived(postgres_url: str, count: Count) -> None:
    import psycopg

    before = filled(postgres_url)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for statement in POSTGRES_RUIN:
            connection.execute(statement)

    assert repair(postgres_url)

    assert held(postgres_url) == before
    count("faults survived", len(POSTGRES_RUIN))


# --- damage ---


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of some size, in use by nobody."""
    file = tmp_path_factory.mktemp("whole") / "memory.db"
    filled(f"sqlite:///{file}", 250)
    return file


def lost_by(page: bytes, url: str) -> tuple[int, list[str]]:
    """How many facts are lost, and those among them that were not on the damaged page."""
    with sync.open(url, embedder=HashEmbedder()) as memory:
        assert memory.check() == ()
        text = "\n".join(told(memory))
    gone = [f"Fact-{number}: garden{number} " for number in range(250) if f"Fact-{number}: garden{number} " not in text]
    return len(gone), [fact for fact in gone if fact.encode() not in page]


def pages(file: Path, step: int) -> list[int]:
    """Those of the schema and the root of the memories in any case."""
    return sorted({0, 1, 2, 5, *range(3, file.stat().st_size // PAGE, step)})


@pytest.mark.parametrize("how", ["noise", "zeros", "another page"])
def test_a_damaged_page_costs_only_what_was_on_it(
    how: str, whole: Path, run: Run, path: Path, url: str, count: Count
) -> None:
    chance, data = random.Random(how), whole.read_bytes()
    tried = pages(whole, 1 if LONG else 29)
    for number in tried:
        start = number * PAGE
        junk = {"noise": chance.randbytes(PAGE), "zeros": bytes(PAGE), "another page": data[7 * PAGE : 8 * PAGE]}[how]
        path.write_bytes(data[:start] + junk + data[start + PAGE :])
        run("doctor", "--repair", "--store", url, "--embedder", "none")

        lost, unaccounted = lost_by(data[start : start + PAGE], url)

        assert unaccounted == [], f"page {number}"
        assert lost < 40
        for left in path.parent.glob("memory.db*"):
            left.unlink()
    count("faults survived", len(tried))


def test_a_file_that_is_cut_off_costs_what_was_behind_the_cut(whole: Path, path: Path, url: str) -> None:
    data = whole.read_bytes()
    path.write_bytes(data[: len(data) // 2 // PAGE * PAGE])

    done = repair(url)

    assert any("is kept as" in line for line in done)
    with sync.open(url, embedder="none") as memory:
        assert memory.stats().memories > 0


def test_a_file_in_which_nothing_can_be_read_is_left_as_it_is(path: Path, url: str) -> None:
    path.write_bytes(b"Dear Mira, " * 5000)
    before = path.read_bytes()

    with pytest.raises(StoreError):
        repair(url)

    assert path.read_bytes() == before
    assert [file.name for file in path.parent.glob("memory.db*")] == ["memory.db"]


def test_a_repair_of_what_is_whole_changes_nothing(whole: Path, path: Path, url: str) -> None:
    shutil.copy(whole, path)
    before = held(url)

    assert len(repair(url)) == 1
    assert held(url) == before
