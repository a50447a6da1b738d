"""How well ricordo finds what it should, on everything small: `python benchmarks/quality.py FOLDER [--questions N]`.

FOLDER holds the datasets under the names below; those that are not there are left out, and said to be. Each is asked
about N evenly spaced questions (300 unless told otherwise), so that all of it takes some ten minutes on two cores.
Prints nDCG@10 by rung; `ricordo eval` shows each in full. With --store URL, what was embedded is there the next time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

QUESTIONS = 300
MEASURE = "ndcg@10"
LOCOMO, TIMES = "locomo-dev.json", "time-phrases.jsonl"

RUNS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("XQuAD English", "squad", ("xquad.en.json",)),
    ("XQuAD Spanish", "squad", ("xquad.es.json",)),
    ("XQuAD Russian", "squad", ("xquad.ru.json",)),
    ("Russian to English", "squad", ("xquad.ru.json", "--documents", "xquad.en.json")),
    ("FaQuAD Portuguese", "squad", ("faquad.pt.json",)),
    ("LoCoMo", "locomo", (LOCOMO,)),
)
"""What a row is called, the benchmark, and its arguments, of which those that end in .json are files."""


def main() -> None:
    """Run everything that is there, and print one table."""
    arguments = parser().parse_args()
    rows: list[list[str]] = []
    rungs: list[str] = []
    started = time.perf_counter()
    for title, benchmark, words in RUNS:
        files = [arguments.folder / word for word in words if word.endswith(".json")]
        absent = [file.name for file in files if not file.is_file()]
        if absent:
            rows.append([title, f"{', '.join(absent)} is not in {arguments.folder}"])
            continue
        run = evaluated(benchmark, [path(word, arguments.folder) for word in words], arguments)
        rungs = list(run["ladder"])
        numbers = [f"{run['ladder'][rung][MEASURE]:.3f}" for rung in rungs]
        rows.append([title, str(run["n"]), *numbers])
    print_table(["questions", "n", *rungs], rows)
    if (arguments.folder / TIMES).is_file():
        found = ricordo(["eval", "time", str(arguments.folder / TIMES)])
        print(f"\ntimes in {found['n']} questions: {found['right']:.3f} right, {found['harmful']:.3f} harmful")
    print(f"\n{time.perf_counter() - started:.0f} s")


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--questions", type=int, default=QUESTIONS, metavar="N")
    options.add_argument("--store", metavar="URL")
    return options


def path(word: str, folder: Path) -> str:
    """An argument as the command wants it."""
    return str(folder / word) if word.endswith(".json") else word


def evaluated(benchmark: str, words: list[str], arguments: argparse.Namespace) -> dict[str, Any]:
    """One benchmark's report."""
    kept = ["--store", arguments.store] if arguments.store else []
    return ricordo([*kept, "eval", benchmark, *words, "--questions", str(arguments.questions)])


def ricordo(words: list[str]) -> dict[str, Any]:
    """What the command answers."""
    command = [sys.executable, "-m", "ricordo", "--json", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def print_table(head: list[str], rows: list[list[str]]) -> None:
    """In Markdown."""
    print(f"| {' | '.join(head)} |\n|---|{'---:|' * (len(head) - 1)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
