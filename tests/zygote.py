"""A process that has everything imported and forks others, which are killed or left to run: `python zygote.py`.

Each line on standard input is the JSON list of the workloads to run at once. It answers with a line of process ids,
and when all have ended with a line of their exit statuses.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from signal import SIGKILL
from subprocess import PIPE, Popen
from typing import Any

import anyio

import ricordo
from ricordo import sync
from ricordo.errors import InvalidInput, NotFound, StoreError
from ricordo.move import move
from ricordo.stores import open_store
from ricordo.stores.sqlite import SqliteStore
from ricordo.testing import HashEmbedder
from ricordo.upkeep import back_up

__all__ = ["REFUSED", "SHARED", "Acknowledged", "Spec", "Zygote", "acknowledged", "under_way", "zygote"]

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
        self.number, self.longest = 0, 0.0

    def say(self, **what: object) -> None:
        os.write(self.journal, f"{json.dumps(what)}\n".encode())

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
        self.say(did="revise", id=new.id, word=word)
        versions.append(new.id)

    def forget(self) -> None:
        if not self.mine:
            return
        versions = self.mine.pop(self.chance.randrange(len(self.mine)))
        self.say(begun="forget", ids=versions)
        gone = self.memory.forget(versions[-1:])
        self.say(did="forget", ids=gone)

    def recall(self) -> None:
        self.memory.recall(f"what is kept in the garden {self.number}", limit=3)

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
        name = f"kept{self.spec['seed'] % 2}.backup"
        anyio.run(_back_up, self.spec["url"], Path(self.spec["folder"]) / name)
        self.say(did="backup", name=name)

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
        forgotten = [entry for file in Path(self.spec["folder"]).glob("*.journal") for entry in _entries(file)]
        ids = [gone for entry in forgotten if entry.get("did") == "forget" for gone in entry["ids"]]
        for gone in self.chance.sample(ids, min(3, len(ids))):
            with suppress(NotFound):
                self.say(did="phantom", id=self.memory.show(gone).id)


async def _back_up(url: str, file: Path) -> None:
    store = open_store(url)
    await store.open()
    try:
        await back_up(store, file, SqliteStore)
    finally:
        await store.close()


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


def _entries(journal: Path) -> Iterator[Spec]:
    """What a journal tells; its last line may be cut off."""
    for line in journal.read_bytes().splitlines():
        with suppress(ValueError):
            yield json.loads(line)


class Acknowledged:
    """What journals say must be in a store, what must not be, and what may be either."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.gone: set[str] = set()
        self.open: set[str] = set()
        self.notes: dict[str, str | None] = {}
        self.counts = self.phantoms = self.doings = 0
        self.longest = 0.0


def under_way(journal: Path) -> str:
    """What was begun last."""
    return str([entry["doing"] for entry in _entries(journal) if "doing" in entry][-1:])


def acknowledged(folder: Path) -> Acknowledged:
    """What the journals in a folder say."""
    known = Acknowledged()
    for journal in sorted(folder.glob("*.journal")):
        for entry in _entries(journal):
            _take(known, entry)
    return known


def _take(known: Acknowledged, entry: Spec) -> None:
    match entry:
        case {"begun": "ingest"}:
            known.notes[entry["note"]] = None
        case {"begun": _}:
            known.open |= set(entry["ids"])
        case {"did": "ingest"}:
            known.notes[entry["note"]] = entry["word"]
        case {"did": "forget"}:
            known.gone |= set(entry["ids"])
        case {"did": "remember" | "revise"}:
            known.kept[entry["id"]] = entry["word"]
        case {"did": "count"}:
            known.counts += 1
        case {"did": "phantom"}:
            known.phantoms += 1
        case {"did": "end"}:
            known.longest = max(known.longest, entry["longest"])
            known.doings += entry["doings"]


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
