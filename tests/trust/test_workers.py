"""Workers that read one queue, one of them killed in the midst of it: all that waited is there, and there once."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from signal import SIGKILL
from subprocess import PIPE, Popen
from typing import Any

import anyio
import pytest

import ricordo
from ricordo import sync
from ricordo.testing import HashEmbedder
from trustworthy import LONG, Count, compare
from zygote import Zygote, zygote

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor SIGKILL")

FILES, SECTIONS = 40, 5
CREW = ("one", "two", "three")


@pytest.fixture(scope="module")
def crew() -> Iterator[Zygote]:
    with zygote() as process:
        yield process


@pytest.fixture(scope="module")
def heirs() -> Iterator[Zygote]:
    with zygote() as process:
        yield process


def written(folder: Path, word: str) -> list[Path]:
    folder.mkdir()
    files = [folder / f"{number:02}.md" for number in range(FILES)]
    for number, file in enumerate(files):
        sections = [f"## {word}\n\n{word}n{number}s{part} is said here.\n" for part in range(SECTIONS)]
        file.write_text("\n".join(sections), encoding="utf-8")
    return files


async def put(url: str, files: list[Path]) -> int:
    async with ricordo.open(url, embedder=HashEmbedder()) as memory:
        await memory.queue.put(files)
        return await memory.queue.waiting()


def worker(url: str, folder: Path, claimant: str, seed: int) -> dict[str, Any]:
    journal = str(folder / f"{seed}-{claimant}.journal")
    return {"url": url, "seed": seed, "folder": str(folder), "journal": journal, "claimant": claimant}


def kill_one(crew: Zygote, heirs: Zygote, url: str, folder: Path, seed: int) -> bool:
    """Let a crew work, kill one of it, and let another take its name; whether it was killed before it was done."""
    chance = Random(seed)
    assert anyio.run(put, url, written(folder / f"round{seed}", f"w{seed}x")) == FILES
    specs = [worker(url, folder, f"{name}{seed}", seed) for name in CREW]
    processes = crew.start(*specs)
    while not Path(specs[0]["journal"]).exists():
        time.sleep(0.002)
    time.sleep(chance.uniform(0, 0.15))
    with suppress(ProcessLookupError):
        os.kill(processes[0], SIGKILL)
    heirs.start(worker(url, folder / "heirs", f"{CREW[0]}{seed}", seed))
    assert heirs.ended() == [0]
    statuses = crew.ended()
    assert statuses[1:] == [0, 0]
    return statuses[0] == -SIGKILL


def lost_or_doubled(url: str, rounds: int) -> list[str]:
    with sync.open(url, embedder=HashEmbedder()) as memory:
        assert memory.check() == ()
        assert memory.stats().chunks == rounds * FILES * SECTIONS
        told = "\n".join(memory.export())
    words = [
        f"w{seed}xn{number}s{part} " for seed in range(rounds) for number in range(FILES) for part in range(SECTIONS)
    ]
    return [word for word in words if told.count(word) != 1]


def kill_one_a_round(crew: Zygote, heirs: Zygote, url: str, folder: Path, rounds: int, count: Count) -> None:
    (folder / "heirs").mkdir()
    count("crashes injected", sum(kill_one(crew, heirs, url, folder, seed) for seed in range(rounds)))
    compare(count, lost_or_doubled(url, rounds), [])


def test_what_a_killed_worker_had_claimed_is_read_once_into_a_file(
    crew: Zygote, heirs: Zygote, tmp_path: Path, count: Count
) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    kill_one_a_round(crew, heirs, url, tmp_path, 40 if LONG else 2, count)


def test_what_a_killed_worker_had_claimed_is_read_once_into_a_server(
    crew: Zygote, heirs: Zygote, postgres_url: str, tmp_path: Path, count: Count
) -> None:
    kill_one_a_round(crew, heirs, postgres_url, tmp_path, 20 if LONG else 1, count)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the children of a process are looked up in /proc")
def test_the_command_line_puts_another_in_the_place_of_a_worker_that_was_killed(tmp_path: Path, count: Count) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    written(tmp_path / "notes", "w0x")
    arguments = ["--store", url, "--embedder", "none", "ingest", str(tmp_path / "notes"), "--workers", "2"]
    with Popen([sys.executable, "-m", "ricordo", *arguments], stdout=PIPE, stderr=PIPE, text=True) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        found: list[str] = []
        while process.poll() is None and not found:
            found = children.read_text().split()
            time.sleep(0.01)
        time.sleep(Random(0).uniform(0.2, 0.6))
        with suppress(ProcessLookupError):
            os.kill(int(found[0]), SIGKILL)
        _, told = process.communicate(timeout=120)

    assert process.returncode == 0, told
    assert "signal 9" in told
    compare(count, lost_or_doubled(url, 1), [])
    count("crashes injected", 1)
