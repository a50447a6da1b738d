"""A process that has everything imported and forks others, which are killed or left to run: `python zygote.py`.

Each line on standard input is the JSON list of the workloads to run at once. It answers with a line of process ids,
and when all have ended with a line of their exit statuses.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from random import Random
from signal import SIGKILL
from subprocess import PIPE, Popen
from typing import Any

import anyio

import ricordo
from ricordo import sync
from ricordo.errors import InvalidInput, NotFound, StoreError
from ricordo.exchange import Backup
from ricordo.move import move
from ricordo.stores import open_store
from ricordo.stores.sqlite import SqliteStore
from ricordo.testing import HashEmbedder
from ricordo.upkeep import Repairable, back_up, restore

__all__ = [
    "REFUSED",
    "SHARED",
    "Acknowledged",
    "Second",
    "Spec",
    "Zygote",
    "acknowledged",
    "said",
    "under_way",
    "zygote",
]

REFUSED = 7
SHARED = "The counter that everybody revises"

Spec = dict[str, Any]


class Second(HashEmbedder):
    """Another model."""

    fingerprint = "hash-words/2/64"
    token_fingerprint = "hash-words/2/64/tokens"


class Worker:
    """Does as a seed says, and tells of each thing before it is begun and after it was acknowledged."""

    def __init__(self, spec: Spec, memory: sync.Engine) -> None:
        self.spec, self.memory, self.chance = spec, memory, Random(spec["seed"])
        self.journal = os.open(spec["journal"], os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        self.mine: list[list[str]] = []
        self.known = Acknowledged()
        self.number, self.longest = 0, 0.0

    def say(self, **what: object) -> None:
        # A clock that all processes of a machine share, and that nobody sets.
        os.write(self.journal, f"{json.dumps({**what, 'at': time.monotonic()})}\n".encode())

    def run(self) -> None:
        end = time.monotonic() + self.spec["seconds"]
        while time.monotonic() < end:
            begin, doing = time.monotonic(), self.chance.choice(self.spec["doings"])
            self.say(doing=doing)
            getattr(self, doing)()
            self.longest = max(self.longest, time.monotonic() - begin)
        self.say(did="end", longest=self.longest, doings=self.number)

    def word(self) -> str:
        self.number += 1
        return f"w{self.spec['seed']}x{self.number}z"

    def remember(self) -> None:
        word = self.word()
        told = self.memory.remember(
            f"{word} is kept in the {self.chance.choice(['garden', 'cellar'])} " * 3, tags=[word]
        )
        self.say(did="remember", id=told.id, word=word)
        self.mine.append([told.id])

    def revise(self) -> None:
        if not self.mine:
            return
        versions, word = self.chance.choice(self.mine), self.word()
        new = self.memory.revise(versions[-1], f"{word} is kept in the attic now")
        self.say(did="revise", id=new.id, word=word, old=versions[-1])
        versions.append(new.id)

    def forget(self) -> None:
        if not self.mine:
            return
        versions = self.mine.pop(self.chance.randrange(len(self.mine)))
        self.say(begun="forget", ids=versions)
        gone = self.memory.forget(versions[-1:])
        self.say(did="forget", ids=gone)

    def recall(self) -> None:
        """Ask for what was forgotten, by its own words, too: nothing is found that is known to be gone, or replaced."""
        known = self.known.read_on(Path(self.spec["folder"]))
        word = known.kept[self.chance.choice(sorted(known.gone))] if known.gone else self.number
        gone = known.gone | known.replaced
        hits = self.memory.recall(f"what is {word} that is kept in the garden", limit=50).hits
        self.say(did="recall", hits=len(hits), gone=len(gone), phantoms=[hit.id for hit in hits if hit.id in gone])

    def ingest(self) -> None:
        folder = Path(self.spec["folder"]) / f"notes{self.spec['seed']}"
        folder.mkdir(exist_ok=True)
        word, note = self.word(), folder / f"{self.chance.randrange(3)}.md"
        sections = [f"## {word}\n\n{word} stands in section {number} of the note.\n" for number in range(12)]
        note.write_text("\n".join(sections), encoding="utf-8")
        self.say(begun="ingest", note=note.as_uri())
        self.memory.ingest([note])
        self.say(did="ingest", note=note.as_uri(), word=word)

    def load(self) -> None:
        lines = [line for line in self.memory.export() if '"memory"' in line or '"format"' in line]
        other = self.memory.within("imported")
        count = other.load([line.replace('"namespace": "default"', '"namespace": "imported"') for line in lines])
        assert count.memories == len(lines) - 1

    def vectors(self) -> None:
        """Build the vectors of a second model, or drop them."""
        if self.chance.random() < 0.3:
            with suppress(InvalidInput):  # there are none
                self.memory.drop_vectors(Second.fingerprint, everything=True)
            return
        with sync.open(self.spec["url"], embedder=Second()) as memory:
            memory.embed(everything=True)

    def backup(self) -> None:
        name, began = f"kept{self.spec['seed'] % 2}.backup", time.monotonic()
        made = anyio.run(_back_up, self.spec["url"], Path(self.spec["folder"]) / name)
        self.say(did="backup", name=name, began=began, memories=made.memories, tombstones=made.tombstones)

    def bury(self) -> None:
        """Bury a memory with all its versions, or dig it up again."""
        if not self.mine:
            return
        versions, undo = self.chance.choice(self.mine), self.chance.random() < 0.4
        self.say(begun="bury", ids=versions, buried=None)
        marked = self.memory.bury(versions[-1:], undo=undo)
        self.say(did="bury", ids=marked, buried=not undo)

    def purge(self) -> None:
        anyio.run(_with_store, self.spec["url"], SqliteStore.purge)

    def repair(self) -> None:
        anyio.run(_repair, self.spec["url"])

    def restore(self) -> None:
        """Put another of two backups in the place of a store that is not the worker's own."""
        self.number += 1
        name, path = ("old", "new")[self.number % 2], Path(self.spec["folder"]) / "memory.db"
        self.say(name=name)
        anyio.run(_with_store, f"sqlite:///{path}", partial(_put_back, path.with_name(f"{name}.backup")))
        self.say(did="restore", name=name)

    def save(self) -> None:
        """Save what can be read of a copy of a damaged file."""
        path = self.copied("damaged")
        anyio.run(_repair, f"sqlite:///{path}")
        self.say(did="save", name=path.name)

    def upgrade(self) -> None:
        """Open a copy of a file that an older version wrote."""
        path = self.copied("older")
        anyio.run(_with_store, f"sqlite:///{path}", SqliteStore.stats)
        self.say(did="upgrade", name=path.name)

    def copied(self, name: str) -> Path:
        self.number += 1
        path = Path(self.spec["folder"]) / f"{name}.{self.number}.db"
        shutil.copy(path.with_name(f"{name}.db"), path.with_name(f"{path.name}.part"))
        path.with_name(f"{path.name}.part").rename(path)
        self.say(name=path.name)  # only now: what is named is whole, whenever the kill comes
        return path

    def move(self) -> None:
        anyio.run(_move, self.spec["url"], f"sqlite:///{self.spec['folder']}/moved.db")

    def count(self) -> None:
        """Revise what all revise, as one that was not revised in the meantime."""
        current = self.memory.history(self.spec["shared"])[-1]
        with suppress(InvalidInput):
            self.memory.remember(f"{SHARED}: {self.word()}", supersedes=current.id)
            self.say(did="count")

    def look(self) -> None:
        """No memory whose forgetting anybody has acknowledged is found any more."""
        ids = sorted(self.known.read_on(Path(self.spec["folder"])).gone)
        for gone in self.chance.sample(ids, min(3, len(ids))):
            with suppress(NotFound):
                self.say(did="look", phantoms=[self.memory.show(gone).id])


async def _back_up(url: str, file: Path) -> Backup:
    store = open_store(url)
    await store.open()
    try:
        return await back_up(store, file, SqliteStore)
    finally:
        await store.close()


async def _with_store(url: str, work: Callable[[SqliteStore], Awaitable[object]]) -> None:
    store = open_store(url)
    assert isinstance(store, SqliteStore)
    await store.open()
    try:
        await work(store)
    finally:
        await store.close()


async def _put_back(file: Path, store: SqliteStore) -> None:
    await restore(file, store, SqliteStore, overwrite=True)


async def _repair(url: str) -> None:
    store = open_store(url)
    assert isinstance(store, Repairable)
    await store.repair()


async def _drain(url: str, claimant: str) -> None:
    async with ricordo.open(url, embedder=HashEmbedder()) as memory:
        await memory.queue.work(claimant, lambda done: None)


async def _move(url: str, target: str) -> None:
    source, there = open_store(url), open_store(target)
    await source.open()
    await there.open()
    try:
        await move(source, there)
    finally:
        await source.close()
        await there.close()


def _entries(told: bytes) -> Iterator[Spec]:
    """What a journal tells; its last line may be cut off."""
    for line in told.splitlines():
        with suppress(ValueError):
            yield json.loads(line)


class Acknowledged:
    """What journals say must be in a store, what must not be, and what may be either.

    `told_at` says when that was acknowledged, `going_at` when its forgetting was begun, and `gone_at` when that was
    acknowledged, all by the clock of the machine.
    """

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.replaced: set[str] = set()
        self.gone: set[str] = set()
        self.open: set[str] = set()
        self.buried: dict[str, bool | None] = {}
        self.told_at: dict[str, float] = {}
        self.going_at: dict[str, float] = {}
        self.gone_at: dict[str, float] = {}
        self.notes: dict[str, str | None] = {}
        self.backups: list[Spec] = []
        self.phantoms: list[str] = []
        self.counts = self.recalls = self.hits = self.doings = 0
        self.longest = 0.0
        self._read: dict[Path, int] = {}

    def read_on(self, folder: Path) -> Acknowledged:
        """Take in what the journals of a folder say that was not read before."""
        for journal in sorted(folder.glob("*.journal")):
            with journal.open("rb") as file:
                file.seek(self._read.get(journal, 0))
                told = file.read()
            whole = told[: told.rfind(b"\n") + 1]  # another process may be writing the last line
            self._read[journal] = self._read.get(journal, 0) + len(whole)
            for entry in _entries(whole):
                self._take(entry)
        return self

    def _take(self, entry: Spec) -> None:
        when = "begun" if "begun" in entry else "did"
        take = getattr(self, f"_{when}_{entry.get(when)}", None)  # of some things it is enough that they were done
        if take is not None:
            take(entry)

    def _begun_ingest(self, entry: Spec) -> None:
        self.notes[entry["note"]] = None

    def _did_ingest(self, entry: Spec) -> None:
        self.notes[entry["note"]] = entry["word"]

    def _begun_forget(self, entry: Spec) -> None:
        self.open |= set(entry["ids"])
        self.going_at |= dict.fromkeys(entry["ids"], entry["at"])

    def _did_forget(self, entry: Spec) -> None:
        self.gone |= set(entry["ids"])
        self.gone_at |= dict.fromkeys(entry["ids"], entry["at"])

    def _begun_bury(self, entry: Spec) -> None:
        self.buried |= dict.fromkeys(entry["ids"], None)

    def _did_bury(self, entry: Spec) -> None:
        self.buried |= dict.fromkeys(entry["ids"], entry["buried"])

    def _did_remember(self, entry: Spec) -> None:
        self.kept[entry["id"]] = entry["word"]
        self.told_at[entry["id"]] = entry["at"]

    def _did_revise(self, entry: Spec) -> None:
        self._did_remember(entry)
        self.replaced.add(entry["old"])

    def _did_recall(self, entry: Spec) -> None:
        self.recalls += 1
        self.hits += entry["hits"]
        self.phantoms += entry["phantoms"]

    def _did_look(self, entry: Spec) -> None:
        self.phantoms += entry["phantoms"]

    def _did_backup(self, entry: Spec) -> None:
        self.backups.append(entry)

    def _did_count(self, entry: Spec) -> None:
        self.counts += 1

    def _did_end(self, entry: Spec) -> None:
        self.longest = max(self.longest, entry["longest"])
        self.doings += entry["doings"]


def under_way(journal: Path) -> str:
    """What was begun last."""
    return str([entry["doing"] for entry in _entries(journal.read_bytes()) if "doing" in entry][-1:])


def said(journal: Path) -> tuple[list[str], bool]:
    """What was named last in a journal, and then what before it; and whether the last is acknowledged."""
    named = [entry for entry in _entries(journal.read_bytes()) if "name" in entry]
    return [entry["name"] for entry in reversed(named)], bool(named) and "did" in named[-1]


def acknowledged(folder: Path) -> Acknowledged:
    """What the journals in a folder say."""
    return Acknowledged().read_on(folder)


class Zygote:
    """The other end of the process."""

    def __init__(self, process: Popen[str]) -> None:
        self._process = process

    def start(self, *specs: Spec) -> list[int]:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{json.dumps(specs)}\n")
        self._process.stdin.flush()
        return self._line()

    def ended(self) -> list[int]:
        """The exit statuses, as soon as all have ended; -9 of what was killed."""
        return self._line()

    def killed_after(self, seconds: float, spec: Spec) -> bool:
        """Run a workload and kill it; False if it came to its end before."""
        (process,) = self.start(spec)
        journal = Path(spec["journal"])
        while not journal.exists() or not journal.stat().st_size:
            time.sleep(0.002)
        time.sleep(seconds)
        with suppress(ProcessLookupError):
            os.kill(process, SIGKILL)
        status = self.ended()[0]
        assert status in (0, -SIGKILL)
        return status != 0

    def _line(self) -> list[int]:
        assert self._process.stdout is not None
        found: list[int] = json.loads(self._process.stdout.readline())
        return found


@contextmanager
def zygote() -> Iterator[Zygote]:
    paths = [str(Path(__file__).parent), *filter(None, sys.path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}
    with Popen([sys.executable, __file__], stdin=PIPE, stdout=PIPE, text=True, env=environment) as process:
        try:
            yield Zygote(process)
        finally:
            process.kill()


def _work(spec: Spec) -> None:
    with sync.open(spec["url"], embedder=HashEmbedder()) as memory:
        worker = Worker(spec, memory)
        worker.say(did="begin")
        if (limit := spec.get("limit")) is not None:
            _fill_the_disk_at(limit)
        if (claimant := spec.get("claimant")) is not None:
            anyio.run(_drain, spec["url"], claimant)
        else:
            worker.run()


def _fill_the_disk_at(size: int) -> None:
    """Let no file grow beyond that many bytes: to SQLite it is as if the disk were full."""
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _serve() -> None:
    for line in sys.stdin:
        processes = [_forked(spec) for spec in json.loads(line)]
        sys.stdout.write(f"{json.dumps(processes)}\n")
        sys.stdout.flush()
        statuses = [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes]
        sys.stdout.write(f"{json.dumps(statuses)}\n")
        sys.stdout.flush()


def _forked(spec: Spec) -> int:
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        _work(spec)
        status = 0
    except StoreError as error:  # told as any other: nobody expects it of all who work
        status = REFUSED
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        if status == 1:
            sys.excepthook(*sys.exc_info())
        os._exit(status)


def _imported_beforehand(arguments: Sequence[str]) -> None:
    """Do once what imports lazily, so that no fork does it again."""
    with sync.open("memory:", embedder=HashEmbedder()) as memory:
        memory.remember("Everything is imported yesterday")
        memory.recall("what is imported?")


if __name__ == "__main__":
    _imported_beforehand(sys.argv)
    _serve()
