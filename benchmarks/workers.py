"""How reading spreads over processes: `python benchmarks/workers.py [--chunks N] [--url URL] [WORKERS…]`.

Markdown files of generated notes are read by the command line with so many workers, each of which computes on one
thread, with the real model, into a new store each time. The start of the processes is part of the time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from notes import memories
from speed import MODEL, POSTGRES, SQLITE, URLS, new_folder, table

from ricordo.eval.timing import describe_machine

CHUNKS = 1_500
TO_A_FILE = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """Chunks a second, by so many workers."""

    store: str
    workers: int
    rate: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workers", type=int, nargs="*", help="numbers of workers (default: 1, and as many as cores)")
    parser.add_argument("--chunks", type=int, default=CHUNKS, help="how much to read")
    options = parser.parse_args()
    wanted = options.workers or sorted({1, os.cpu_count() or 1})
    rates = [rate(store, workers, options.chunks) for store in (SQLITE, POSTGRES) for workers in wanted]
    machine = describe_machine()
    print(f"Measured on: {machine.processor}, cores {machine.cores}; {options.chunks:,} chunks, {MODEL}.\n")
    print("\n".join(table(["workers, a thread each", *(f"{count}" for count in wanted)], list(_rows(rates)))))


def rate(store: str, workers: int, chunks: int) -> Rate:
    """Read the notes into a new store."""
    with new_folder() as folder:
        write_notes(folder / "notes", chunks)
        environment = {**os.environ, "RICORDO_HOME": str(folder / "home"), "RICORDO_THREADS": str(workers)}
        options = ["--store", URLS[store].format(folder), "--embedder", MODEL, "--json"]
        command = [
            sys.executable,
            "-m",
            "ricordo",
            *options,
            "ingest",
            str(folder / "notes"),
            "--workers",
            str(workers),
        ]
        begin = time.perf_counter()
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        seconds = time.perf_counter() - begin
        added = json.loads(done.stdout)["added"]
        assert added == chunks, done.stderr
    return Rate(store=store, workers=workers, rate=added / seconds)


def write_notes(folder: Path, chunks: int) -> None:
    """Files of sections, a note each."""
    folder.mkdir()
    for number, memory in enumerate(memories(chunks, seed=3)):
        with (folder / f"{number // TO_A_FILE:05}.md").open("a", encoding="utf-8") as file:
            file.write(f"## Note {number}\n\n{memory.text}\n\n")


def _rows(rates: Sequence[Rate]) -> list[list[str]]:
    rows = []
    for store in dict.fromkeys(each.store for each in rates):
        found = [each for each in rates if each.store == store]
        rows.append([f"{store}, chunks/s", *(f"{each.rate:.0f}" for each in found)])
        rows.append(["as a ratio to one worker", *(f"{each.rate / found[0].rate:.2f}" for each in found)])
    return rows


if __name__ == "__main__":
    main()
