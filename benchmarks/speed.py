"""How fast ricordo's stores are, and how large: `python benchmarks/speed.py [--quick] [--only STORE] [--json] [SIZE…]`.

Prints the target beside what was measured and asserts nothing. Questions are embedded by the real model.
Passages of the filled stores are not, for that would take the model an hour: their vectors are random
directions, which costs search the same. The ingest rate is measured with the real model.

The larger sizes are measured in the file and beside it in an embedded PostgreSQL, whose start is part of what a new
process pays. A million chunks are measured when they are asked for: `--only PostgreSQL 1000000`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import anyio
import numpy as np
from notes import KINDS, Question, memories, questions
from numpy.typing import NDArray

import ricordo
from ricordo.eval.timing import Machine, Spread, describe_machine, resident_mib, spread, timed
from ricordo.memory import Memory
from ricordo.models import load_embedder
from ricordo.protocols import Embedder, Encoded, TokenVectors
from ricordo.query import Recall
from ricordo.remember import Writer
from ricordo.stores import open_store
from ricordo.testing import WholeChunker

MODEL = "all-minilm-l6-v2"
SQLITE, POSTGRES = "SQLite", "PostgreSQL"
SIZES = {SQLITE: (1_000, 12_000, 100_000), POSTGRES: (12_000, 100_000)}
URLS = {SQLITE: "sqlite:///{}/memory.db", POSTGRES: "postgresql+embedded://{}/server"}
QUESTIONS = 210
INGESTED = 2_000
BATCH = 500
CATCHING_UP = 20
PIECES = 1.5  # tokens of a word, about
TARGETS_MS = {SQLITE: {12_000: 3.0, 100_000: 20.0}, POSTGRES: {100_000: 10.0, 1_000_000: 25.0}}
HELP_TARGET_S = 0.2
INGEST_TARGET = 0.9


class TimedEmbedder:
    """The real embedder with a stop-watch; `random_passages` puts random unit vectors in place of passages."""

    def __init__(self, real: Embedder, *, random_passages: bool) -> None:
        self._real = real
        self._random = np.random.default_rng(0) if random_passages else None
        self.fingerprint = real.fingerprint
        self.token_fingerprint = real.token_fingerprint
        self.dimension = real.dimension
        self.max_tokens = real.max_tokens
        self.floors = real.floors
        self.count_tokens = real.count_tokens
        self.pieces = real.pieces
        self.spent_ms = 0.0

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self._random is None:
            with self._stop_watch():
                return self._real.embed_passages(texts)
        if len(texts) == 1:
            # A question, read as a passage beside its other reading, which is the one that is timed.
            return self._real.embed_passages(texts)
        return self._random_vectors(self._random, len(texts))

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._stop_watch():
            return self._real.embed_queries(texts)

    def encode_passages(self, texts: Sequence[str]) -> Encoded:
        if self._random is None:
            with self._stop_watch():
                return self._real.encode_passages(texts)
        tokens = tuple(self._random_tokens(self._random, text) for text in texts) if self.token_fingerprint else ()
        return Encoded(vectors=self._random_vectors(self._random, len(texts)), tokens=tokens)

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        with self._stop_watch():
            return self._real.encode_queries(texts)

    def _random_vectors(self, random: np.random.Generator, count: int) -> NDArray[np.float32]:
        rows = random.standard_normal((count, self.dimension), np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def _random_tokens(self, random: np.random.Generator, text: str) -> TokenVectors:
        count = min(round(PIECES * len(text.split())), self.max_tokens)
        return TokenVectors(ids=np.zeros(count, np.int32), rows=self._random_vectors(random, count))

    @contextmanager
    def _stop_watch(self) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.spent_ms += (time.perf_counter() - begin) * 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One recall: how long it took in all, and its parts, in milliseconds.

    `embed` is the model alone, and `vectors` follow it; `words` run beside the two, so `other` is the total less
    the longer way; `outside` is the total less the model.
    """

    kind: str
    total: float
    embed: float
    words: float
    vectors: float

    @property
    def outside(self) -> float:
        return self.total - self.embed

    @property
    def other(self) -> float:
        return self.total - max(self.words, self.embed + self.vectors)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sized:
    """What was measured at one size in one store."""

    store: str
    chunks: int
    fill_s: float
    size_mib: float
    parts: dict[str, Spread]
    kinds: dict[str, Spread]
    catch_up: Spread
    settled: Spread
    resident_mib: float
    first: dict[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestRate:
    """Markdown files → store with the real model: chunks a second, and the model's share of the time."""

    chunks: int
    seconds: float
    embedder_share: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """Everything measured."""

    machine: Machine
    sizes: list[Sized]
    ingest: IngestRate | None
    help_s: Spread | None


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", help=f"numbers of chunks (default {SIZES})")
    parser.add_argument("--quick", action="store_true", help="leave out the largest size")
    parser.add_argument("--only", choices=tuple(SIZES), help="measure one store")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--ingest", type=int, default=INGESTED, help="chunks to ingest with the real model")
    options = parser.parse_args()
    wanted = [
        (size, store)
        for store, usual in SIZES.items()
        if options.only in (None, store)
        for size in options.sizes or (usual[:-1] if options.quick else usual)
    ]
    report = anyio.run(measure, sorted(wanted, key=lambda each: each[0]), options.ingest)
    print(json.dumps(asdict(report), indent=2) if options.json else "\n".join(markdown(report)))


async def measure(wanted: Sequence[tuple[int, str]], ingested: int) -> Report:
    """Every size and store in a new folder, then the ingest and the command line."""
    real = load_embedder(MODEL)
    assert real is not None
    found = []
    for size, store in wanted:
        with new_folder() as folder:
            found.append(await at_size(size, store, real, folder))
    with new_folder() as folder:
        ingest = await ingest_rate(ingested, real, folder) if ingested else None
    return Report(machine=describe_machine(), sizes=found, ingest=ingest, help_s=help_time())


@contextmanager
def new_folder() -> Iterator[Path]:
    """A folder that a server of another user can reach, which PostgreSQL needs when we are root; removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="ricordo-bench-"))
    try:
        folder.chmod(0o711)
        yield folder
    finally:
        for _ in range(50):  # a server that is just stopping still writes
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.1)


async def at_size(size: int, store: str, real: Embedder, folder: Path) -> Sized:
    """Fill a store, ask it, write to it from another, and open it in a new process."""
    url = URLS[store].format(folder)
    embedder = TimedEmbedder(real, random_passages=True)
    begin = time.perf_counter()
    stored = await fill(url, size, embedder)
    filled = time.perf_counter() - begin
    asked_questions = questions(QUESTIONS, stored)
    async with ricordo.open(url, embedder=embedder) as memory:
        ask = partial(_ask, memory, embedder)
        asked = [result for result, _ in await timed(asked_questions, ask)]
        stats = await memory.stats()
        catch_up, settled = await catching_up(url, memory, embedder, asked_questions)
        resident = resident_mib()
    assert stats.chunks == size, f"{stats.chunks} chunks, not {size}"
    return Sized(
        store=store,
        chunks=size,
        fill_s=filled,
        size_mib=stats.size_bytes / 2**20,
        parts={name: spread([getattr(one, name) for one in asked]) for name in PARTS},
        kinds={kind: spread([one.outside for one in asked if one.kind == kind]) for kind in KINDS},
        catch_up=catch_up,
        settled=settled,
        resident_mib=resident,
        first=first_recall(url, asked_questions[1].text),
    )


PARTS = ("total", "embed", "words", "vectors", "other", "outside")


async def fill(url: str, size: int, embedder: Embedder) -> list[Memory]:
    """Write notes through the write path, a chunk each."""
    store = open_store(url)
    await store.open()
    writer = Writer(store=store, chunker=WholeChunker(), embedder=embedder, namespace="default")
    notes = memories(size)
    stored: list[Memory] = []
    while batch := list(islice(notes, BATCH)):
        await writer.write(batch, writer.cut(batch))
        stored += batch
    await store.close()
    return stored


async def _ask(memory: ricordo.Engine, embedder: TimedEmbedder, question: Question) -> Asked:
    before = embedder.spent_ms
    begin = time.perf_counter()
    recall: Recall = await memory.recall(question.text, filters=question.filters)
    total = (time.perf_counter() - begin) * 1000
    return Asked(
        kind=question.kind,
        total=total,
        embed=embedder.spent_ms - before,
        words=recall.timings["words"],
        vectors=recall.timings["vectors"],
    )


async def catching_up(
    url: str, memory: ricordo.Engine, embedder: TimedEmbedder, asked: Sequence[Question]
) -> tuple[Spread, Spread]:
    """The vector arm right after another connection wrote one memory, and once more when it is up to date."""
    behind: list[float] = []
    settled: list[float] = []
    async with ricordo.open(url, namespace="default", embedder=embedder) as other:
        for number, question in enumerate(asked[:CATCHING_UP]):
            written = await other.remember(f"Note {number}, which somebody else wrote meanwhile.")
            for measured in (behind, settled):
                measured.append((await _ask(memory, embedder, question)).vectors)
            await other.forget([written.id])
    return spread(behind), spread(settled)


def first_recall(url: str, text: str) -> dict[str, float]:
    """What a new process pays for its first answer."""
    script = Path(__file__).with_name("first_recall.py")
    done = subprocess.run([sys.executable, script, url, MODEL, text], check=True, capture_output=True, text=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


async def ingest_rate(count: int, real: Embedder, folder: Path) -> IngestRate:
    """Markdown files, a section a note, read by a new engine with the real model."""
    notes = folder / "notes"
    notes.mkdir()
    for number, memory in enumerate(memories(count, seed=3)):
        with (notes / f"{number // 20:05}.md").open("a", encoding="utf-8") as file:
            file.write(f"## Note {number}\n\n{memory.text}\n\n")
    embedder = TimedEmbedder(real, random_passages=False)
    embedder.embed_queries(["load the model"])
    embedder.spent_ms = 0.0
    async with ricordo.open(f"sqlite:///{folder / 'memory.db'}", embedder=embedder) as engine:
        begin = time.perf_counter()
        done = await engine.ingest([notes])
        seconds = time.perf_counter() - begin
    return IngestRate(chunks=done.chunks, seconds=seconds, embedder_share=embedder.spent_ms / 1000 / seconds)


def help_time() -> Spread | None:
    """Seconds of wall time of `ricordo --help`; None where there is no command line."""
    command = [sys.executable, "-c", "from ricordo.cli import main; main()", "--help"]
    seconds = []
    for _ in range(10):
        begin = time.perf_counter()
        done = subprocess.run(command, capture_output=True, check=False)
        seconds.append(time.perf_counter() - begin)
        if done.returncode:
            return None
    return spread(seconds[1:])


def markdown(report: Report) -> list[str]:
    """The report as Markdown."""
    machine = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in asdict(report.machine).items())
    lines = [f"Measured on: {machine}.", ""]
    lines += ["p50 / p95 in milliseconds, warm, one question after another. `model`: inference alone, which"]
    lines += ["`vectors` wait for; `words` run beside the two; `other` is what is left; `outside`: all but the"]
    lines += [
        "model. Vectors of the stored passages are random directions, those of the questions are the model's.",
        "",
    ]
    lines += table(
        ["", *(f"{sized.chunks:,} chunks, {sized.store}" for sized in report.sizes)], list(_rows(report.sizes))
    )
    lines += ["", *table(["", "measured", "target"], list(_single(report)))]
    return lines


def _rows(sizes: Sequence[Sized]) -> list[list[str]]:
    rows = [[_LABELS[part], *(str(sized.parts[part]) for sized in sizes)] for part in PARTS]
    rows.append(["its p50 as a ratio to that of the first column", *(_ratio(sized, sizes[0]) for sized in sizes)])
    rows.append(["target of outside, p50", *(_target(sized) for sized in sizes)])
    rows += [[f"outside, {_KINDS[kind]}", *(str(sized.kinds[kind]) for sized in sizes)] for kind in KINDS]
    rows.append(["vectors, after another process wrote", *(str(sized.catch_up) for sized in sizes)])
    rows.append(["vectors, once more", *(str(sized.settled) for sized in sizes)])
    for key, label in _FIRST.items():
        rows.append([f"new process: {label}", *(f"{sized.first[key]:.0f}" for sized in sizes)])
    rows.append(
        ["this process, which holds the notes too, resident MiB", *(f"{sized.resident_mib:.0f}" for sized in sizes)]
    )
    rows.append(["database, MiB", *(f"{sized.size_mib:.0f}" for sized in sizes)])
    rows.append(["filled without the model, chunks/s", *(f"{sized.chunks / sized.fill_s:.0f}" for sized in sizes)])
    return rows


def _ratio(sized: Sized, baseline: Sized) -> str:
    """Of two medians of one run, so that it can be held against that of another machine."""
    return f"{sized.parts['outside'].p50 / baseline.parts['outside'].p50:.2f}"


def _target(sized: Sized) -> str:
    target = TARGETS_MS[sized.store].get(sized.chunks)
    return "" if target is None else f"≤ {target:g}"


_LABELS = {
    "total": "recall, total",
    "embed": "model",
    "words": "words",
    "vectors": "vectors",
    "other": "other",
    "outside": "**outside the model**",
}
_KINDS = {
    "rare": "rare names",
    "mixed": "a whole sentence",
    "common": "common words only",
    "identifier": "an identifier",
    "russian": "Russian",
    "tag": "a sentence within a tag",
    "time": "a sentence within 30 days",
}
_FIRST = {
    "import_ms": "import, ms",
    "open_ms": "open, ms",
    "first_recall_ms": "first recall, ms",
    "first_embed_ms": "of it loading and running the model, ms",
    "first_vectors_ms": "of it reading the vectors, ms",
    "resident_mib": "resident MiB",
}


def _single(report: Report) -> list[list[str]]:
    rows = []
    if report.ingest:
        ingest = report.ingest
        rows.append([f"ingest of {ingest.chunks:,} chunks, chunks/s", f"{ingest.chunks / ingest.seconds:.0f}", ""])
        rows.append(["the model's share of it", f"{ingest.embedder_share:.0%}", f"≥ {INGEST_TARGET:.0%}"])
    shown = "no command line here" if report.help_s is None else str(report.help_s)
    rows.append(["`ricordo --help`, seconds", shown, f"≤ {HELP_TARGET_S:g}"])
    return rows


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table, numbers to the right."""
    rule = ["---", *("---:" for _ in head[1:])]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]


if __name__ == "__main__":
    main()
