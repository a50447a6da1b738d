"""Several processes on one file: opened at the same moment, written and read at once, forgotten by one for all."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from ricordo import sync
from ricordo.testing import HashEmbedder

BEGIN = """
import sys
from ricordo import sync
from ricordo.testing import HashEmbedder
url, name = sys.argv[1:3]
print("ready", flush=True)
sys.stdin.readline()
with sync.open(url, embedder=HashEmbedder()) as memory:
"""
OPENER = """
import sys
from ricordo import sync
from ricordo.testing import HashEmbedder
print("ready", flush=True)
for line in sys.stdin:
    with sync.open(line.strip(), embedder=HashEmbedder()) as memory:
        memory.remember(f"process {sys.argv[1]} was here")
    print("done", flush=True)
"""
WRITER = (
    BEGIN
    + """
    for number in range(int(sys.argv[3])):
        memory.remember(f"writer {name} says fact {number}")
"""
)
READER = (
    BEGIN
    + """
    seen = [0]
    while seen[-1] < int(sys.argv[3]):
        seen.append(memory.stats().chunks)
        hits = memory.recall("writer says fact", limit=1000).hits
        by_vector = sum("vectors" in hit.arms for hit in hits)
        assert seen[-1] <= len(hits) and seen[-1] <= by_vector, (seen[-1], len(hits), by_vector)
    assert seen == sorted(seen), seen
"""
)
ASKER = (
    BEGIN
    + """
    for question in iter(sys.stdin.readline, ""):
        hits = [hit for hit in memory.recall(question).hits if "zyxomma" in hit.text]
        print(*sorted({arm for hit in hits for arm in hit.arms}), flush=True)
"""
)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'shared.db'}"


@contextmanager
def started(code: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A process that has imported everything and waits for a line before it opens the store."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def await_all(processes: Sequence[subprocess.Popen[str]], word: str) -> None:
    for process in processes:
        assert process.stdout is not None
        assert process.stderr is not None
        said = process.stdout.readline()
        assert said == f"{word}\n", process.stderr.read()


def tell_all(processes: Sequence[subprocess.Popen[str]], line: str) -> None:
    for process in processes:
        tell(process, line)


def go(processes: Sequence[subprocess.Popen[str]]) -> None:
    """Let all begin at once."""
    await_all(processes, "ready")
    tell_all(processes, "go")


def tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def assert_all_well(processes: Sequence[subprocess.Popen[str]]) -> None:
    complaints = [process.communicate(timeout=120)[1] for process in processes]

    assert complaints == [""] * len(processes)
    assert [process.returncode for process in processes] == [0] * len(processes)


@pytest.mark.parametrize("files", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_eight_processes_may_create_a_store_at_the_same_moment(tmp_path: Path, files: int) -> None:
    with ExitStack() as stack:
        openers = [stack.enter_context(started(OPENER, name)) for name in range(8)]
        await_all(openers, "ready")
        for number in range(files):
            url = f"sqlite:///{tmp_path / f'{number}.db'}"
            tell_all(openers, url)
            await_all(openers, "done")
            with sync.open(url, embedder=HashEmbedder()) as memory:
                assert memory.stats().memories == 8
                assert memory.check() == ()
        assert_all_well(openers)


@pytest.mark.slow
def test_readers_follow_what_writers_write_and_nothing_is_lost(url: str) -> None:
    writers, facts = 3, 60
    with ExitStack() as stack:
        processes = [stack.enter_context(started(WRITER, url, name, facts)) for name in range(writers)]
        processes += [stack.enter_context(started(READER, url, name, writers * facts)) for name in range(2)]
        go(processes)
        assert_all_well(processes)
    with sync.open(url, embedder=HashEmbedder()) as memory:
        assert memory.stats().memories == writers * facts
        assert memory.check() == ()


def ask(process: subprocess.Popen[str], question: str) -> list[str]:
    """The arms by which another process finds the memory that holds the word."""
    assert process.stdout is not None
    tell(process, question)
    return process.stdout.readline().split()


def test_what_one_process_adds_replaces_and_forgets_the_other_sees_at_once(url: str) -> None:
    question = "where does zyxomma live"
    with sync.open(url, embedder=HashEmbedder()) as memory, started(ASKER, url, "asker") as asker:
        memory.remember("Tomas has a garden in Riga")
        go([asker])
        assert ask(asker, question) == []

        first = memory.remember("zyxomma does live in Lisbon")
        assert ask(asker, question) == ["vectors", "words"]

        second = memory.revise(first.id, "She does live in Porto now")
        assert ask(asker, question) == []

        third = memory.revise(second.id, "zyxomma does live in Turin now")
        assert ask(asker, question) == ["vectors", "words"]

        memory.forget([third.id])
        assert ask(asker, question) == []


def test_a_store_that_another_process_is_writing_to_is_waited_for(url: str) -> None:
    with (
        sync.open(url, embedder=HashEmbedder()) as memory,
        started(HOLDER, url.removeprefix("sqlite:///"), "holder") as holder,
    ):
        memory.remember("Before")
        go([holder])
        assert holder.stdout is not None
        assert holder.stdout.readline() == "holding\n"
        begin = time.perf_counter()
        assert [hit.text for hit in memory.recall("before")] == ["Before"]
        read = time.perf_counter() - begin
        memory.remember("After")
        wrote = time.perf_counter() - begin

    assert read < 1 < wrote


HOLDER = """
import sqlite3, sys, time
print("ready", flush=True)
sys.stdin.readline()
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("holding", flush=True)
time.sleep(1.5)
connection.execute("COMMIT")
"""
