"""A power cut at every moment of a run of all kinds of writes: whatever has reached the disk, the file is whole.

What SQLite asks of the disk is put down as it asks (`asked.py`); so a cut is tried wherever it waits for the disk, and
between. Where Python's SQLite cannot be listened to, a cut is worked out from what a transaction has changed, by what
`synchronous = FULL` says: the log is on the disk before a commit is acknowledged, and before the pages that are folded
from it into the file.
"""

from __future__ import annotations

import gzip
import os
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from random import Random

import anyio
import pytest
from click.testing import Result

from asked import BLOCK, Asked, left, library, unfinished, watching
from ricordo import sync
from ricordo.stores.sqlite import SqliteStore, words
from ricordo.stores.sqlite.database import Database
from ricordo.testing import HashEmbedder
from trustworthy import LONG, Count, compare
from zygote import Second

PAGE = 4096
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
NAME = "memory.db"
LOG = f"{NAME}-wal"
OLDER = Path(__file__).parents[1] / "migration" / "stores" / "schema-1.db.gz"
HELD = (
    "SELECT * FROM memory",
    "SELECT namespace, id, memory_id, text FROM chunk",
    "SELECT * FROM tombstone",
    "SELECT embedder, count(*) FROM embedding GROUP BY embedder",
)
KINDS = (
    "restore",
    "remember",
    "revise",
    "ingest",
    "vectors",
    "bury",
    "fold",
    "forget",
    "refill",
    "load",
    "vectors",
    "repair",
    "restore",
)
FULL = 2  # of `PRAGMA synchronous`

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be copied there")

Held = frozenset[tuple[object, ...]]


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """Both files after a transaction or a fold, what is told then, and how much had been asked of the disk."""

    doing: str
    file: bytes
    log: bytes
    held: Held
    folds: bool
    asked: int


def held(connection: sqlite3.Connection) -> Held:
    return frozenset((query, *tuple(row)) for query in HELD for row in connection.execute(query))


class Recorded(Database):
    """Tells when a transaction has ended, and when the log was folded."""

    def __init__(self, path: Path, tell: Callable[[Database, bool], None]) -> None:
        super().__init__(path)
        self._tell = tell

    def open(self) -> None:
        super().open()
        self._tell(self, False)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        with super().writing() as connection:
            yield connection
        self._tell(self, False)

    def empty_log(self) -> bool:
        done = super().empty_log()
        self._tell(self, True)
        return done

    def take_over(self, file: Path) -> None:
        super().take_over(file)
        self._tell(self, False)


class RecordedStore(SqliteStore):
    def __init__(self, path: Path, tell: Callable[[Database, bool], None]) -> None:
        super().__init__(path)
        self._database = Recorded(path, tell)


class Run:
    """All kinds of writes, one after the other, then by chance."""

    def __init__(self, folder: Path, asked: Sequence[Asked]) -> None:
        self.folder, self.path, self.asked, self.doing = folder, folder / NAME, asked, "open"
        self.states: list[State] = []
        self.chance = Random(11)
        self.second = False

    def tell(self, database: Database, folds: bool) -> None:  # noqa: FBT001  # as it is called
        with database.reading() as connection:
            now = held(connection)
        log = self.folder / LOG
        state = State(
            doing=self.doing,
            file=self.path.read_bytes(),
            log=log.read_bytes() if log.exists() else b"",
            held=now,
            folds=folds,
            asked=len(self.asked),
        )
        self.states.append(state)

    def store(self) -> RecordedStore:
        return RecordedStore(self.path, self.tell)

    def run(self, steps: int) -> None:
        with sync.open(self.store(), embedder=HashEmbedder(), clock=lambda: NOW) as memory:
            for step, kind in enumerate([*KINDS, *self.chance.choices(KINDS, k=steps)]):
                self.doing = "remember"
                while len(told := [hit.id for hit in memory.recall("garden", limit=50).hits]) < 3:
                    memory.remember(f"garden {step} of {len(told)} " + "and the cellar beside it " * 40)
                self.doing = kind
                getattr(self, kind)(memory, step, self.chance.choice(told))

    def remember(self, memory: sync.Engine, step: int, _: str) -> None:
        memory.remember(f"garden {step} " + "and the cellar beside it " * self.chance.randrange(60))

    def revise(self, memory: sync.Engine, step: int, told: str) -> None:
        memory.revise(told, f"garden {step} was dug over")

    def forget(self, memory: sync.Engine, _: int, told: str) -> None:
        memory.forget([told])

    def bury(self, memory: sync.Engine, _: int, told: str) -> None:
        memory.bury([told], undo=memory.show(told).buried)

    def ingest(self, memory: sync.Engine, step: int, _: str) -> None:
        note = self.folder / "note.md"
        note.write_text("".join(f"## Part {n}\n\ngarden of step {step}\n\n" for n in range(1 + step % 9)))
        memory.ingest([note])

    def load(self, memory: sync.Engine, step: int, told: str) -> None:
        """Import what says something new, and that something old was forgotten."""
        with sync.open("memory:", embedder=HashEmbedder(), clock=lambda: NOW) as other:
            other.load(list(memory.export()))
            other.forget([told])
            other.remember(f"garden {step} from elsewhere")
            lines = list(other.export())
        memory.load(lines)

    def vectors(self, memory: sync.Engine, _: int, __: str) -> None:
        """Build the vectors of a second model, or drop them."""
        if self.second:
            memory.drop_vectors(Second.fingerprint)
        else:
            with sync.open(self.store(), embedder=Second()) as other:
                other.embed()
        self.second = not self.second

    def fold(self, *_: object) -> None:
        anyio.run(self._with_store, SqliteStore.purge)

    def refill(self, *_: object) -> None:
        """Fold as when the index has grown high, which takes hundreds of memories forgotten: the limit is lowered."""
        limit, words.MOST_LEVELS = words.MOST_LEVELS, 0
        try:
            self.fold()
        finally:
            words.MOST_LEVELS = limit

    def repair(self, *_: object) -> None:
        anyio.run(self.store().repair)

    def restore(self, *_: object) -> None:
        """Put a backup of some time ago in the place of what there is now."""
        anyio.run(self._with_store, self._put_back)

    async def _put_back(self, store: SqliteStore) -> None:
        backup, older = self.folder / "kept.backup", self.folder / "older.backup"
        await store.copy_to(backup)
        if older.exists():
            await store.replace_by(older)
            self.second = Second.fingerprint in (await store.stats()).embedders
        backup.replace(older)

    async def _with_store(self, work: Callable[[SqliteStore], object]) -> None:
        store = self.store()
        await store.open()
        try:
            await work(store)  # type: ignore[misc]  # every work is awaited
        finally:
            await store.close()


@pytest.fixture
def recorded(tmp_path: Path) -> Run:
    """A run, and what it asked of the disk where that can be heard."""
    sqlite = library()
    heard: AbstractContextManager[list[Asked]] = watching(sqlite) if sqlite else nullcontext([])
    with heard as asked:
        run = Run(tmp_path, asked)
        run.run(100 if LONG else 4)
    return run


def whole(folder: Path, files: dict[str, bytes]) -> Held:
    """Open what a cut has left, in which nothing may be amiss; what it holds."""
    path = folder / "cut" / NAME
    path.parent.mkdir(exist_ok=True)
    for old in path.parent.iterdir():
        old.unlink()
    for name, data in files.items():
        if name.startswith(NAME):
            path.with_name(name).write_bytes(data)
    assert anyio.run(faults, path) == ()
    with closing(sqlite3.connect(path)) as connection:
        return held(connection)


async def faults(path: Path) -> Sequence[object]:
    store = SqliteStore(path)
    await store.open()
    try:
        return await store.check()
    finally:
        await store.close()


# --- where it waits for the disk ---


def moments(asked: Sequence[Asked], chance: Random, each: int) -> Iterator[int]:
    """Just before each wait for the disk, and between it and the one before; so many of each."""
    began = 0
    for number, what in enumerate(asked):
        if what.what == "sync" and what.file.startswith(NAME):
            yield number
            yield from (chance.randint(began, number + 1) for _ in range(each - 1))
            began = number + 1
    yield len(asked)


def test_whenever_the_power_is_cut_what_was_acknowledged_is_there(recorded: Run, tmp_path: Path, count: Count) -> None:
    if not recorded.asked:
        pytest.skip("the SQLite of this Python cannot be listened to")
    chance, tried = Random(12), Counter[str]()
    nothing = State(doing="open", file=b"", log=b"", held=frozenset(), folds=False, asked=0)

    for at in moments(recorded.asked, chance, 5 if LONG else 2):
        before = [nothing, *(state for state in recorded.states if state.asked <= at)][-1]
        after = [*(state for state in recorded.states if state.asked > at), before][0]
        found = whole(tmp_path, left(recorded.asked, at, chance))
        compare(count, found, before.held, after.held, where=f"{after.doing}, cut at {at}")
        tried[after.doing] += 1

    assert {"open", *KINDS} - set(tried) == set()
    count("crashes injected", tried.total())


def test_what_is_acknowledged_was_waited_for(recorded: Run) -> None:
    if not recorded.asked:
        pytest.skip("the SQLite of this Python cannot be listened to")

    assert [state.doing for state in recorded.states if unfinished(recorded.asked, state.asked) & {NAME, LOG}] == []


def test_a_store_waits_for_the_disk_at_every_commit(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / NAME)
    database = store._database  # those connections that it writes with, and no others
    database.open()
    with database.writing() as first, database.reading() as second:
        for connection in (first, second):
            assert connection.execute("PRAGMA synchronous").fetchone()[0] == FULL
            assert connection.execute("PRAGMA fullfsync").fetchone()[0] == 1
            assert connection.execute("PRAGMA checkpoint_fullfsync").fetchone()[0] == 1
            assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    database.close()


def test_an_upgrade_may_be_cut_off_at_any_moment(tmp_path: Path, count: Count) -> None:
    sqlite, chance, older = library(), Random(13), gzip.decompress(OLDER.read_bytes())
    if sqlite is None:
        pytest.skip("the SQLite of this Python cannot be listened to")
    path = tmp_path / NAME
    path.write_bytes(older)
    with closing(sqlite3.connect(path)) as connection:
        told = held(connection)
    path.write_bytes(older)
    with watching(sqlite) as asked:
        assert anyio.run(faults, path) == ()

    tried = list(range(0, len(asked) + 1, 1 if LONG else 4))
    for at in tried:
        compare(count, whole(tmp_path, left(asked, at, chance, {NAME: older})), told)
        copy = max((tmp_path / "cut").glob(f"{NAME}.schema-1-*.backup"))
        with closing(sqlite3.connect(copy)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert held(connection) == told
    assert len(tried) > 5
    count("crashes injected", len(tried))


@pytest.mark.parametrize("command", ["backup", "export"])
def test_a_file_is_on_the_disk_before_it_takes_its_place(
    command: str, run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, file, order = f"sqlite:///{tmp_path / NAME}", tmp_path / "whole.copy", list[str]()
    assert run("remember", "the key is in the drawer", "--store", store).exit_code == 0
    fsync, replace = os.fsync, os.replace

    def waits(descriptor: int) -> None:
        order.append("waits")
        fsync(descriptor)

    def replaces(source: str, target: Path) -> None:
        order.append(f"replaces {Path(target).name}")
        replace(source, target)

    # Monkeypatched because nothing that is left afterwards tells what was waited for.
    monkeypatch.setattr(os, "fsync", waits)
    monkeypatch.setattr(os, "replace", replaces)
    assert run(command, str(file), "--store", store).exit_code == 0

    assert order[order.index("replaces whole.copy") - 1] == "waits"


# --- worked out from what a transaction has changed ---


def test_whatever_part_of_a_transaction_reached_the_disk_the_file_is_whole(
    recorded: Run, tmp_path: Path, count: Count
) -> None:
    chance, tried = Random(11), Counter[str]()
    for before, after in pairwise(recorded.states):
        for file, log in cuts(before, after, chance, 4 if LONG else 1):
            found = whole(tmp_path, {NAME: file, LOG: log})
            compare(count, found, before.held, after.held, where=after.doing)
            tried[after.doing] += 1

    assert set(KINDS) == set(tried)
    count("crashes injected", tried.total())


def cuts(before: State, after: State, chance: Random, each: int) -> Iterator[tuple[bytes, bytes]]:
    """What the disk may hold when the power goes between two states, of which one comes of the other in one step."""
    if len(after.log) > len(before.log) and after.log.startswith(before.log):
        assert after.file == before.file
        added = after.log[len(before.log) :]
        for _ in range(each):
            yield before.file, before.log + added[: chance.randrange(len(added))]
            yield before.file, before.log + scattered(added, chance)
    elif after.folds and not after.log:
        for _ in range(each if before.log else 0):
            yield folded(before.file, after.file, chance), before.log
    else:
        assert (after.file, after.log) == (before.file, before.log), f"{after.doing} has written otherwise"


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
