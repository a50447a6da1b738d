"""A large export of claude.ai, read: how fast, in how much memory, and whole though it is killed on the way.

    python benchmarks/claude_export.py [--messages N] [--megabytes M] [--embedder NAME] [--kills K] [--slice N]

Writes an export in a folder of its own, and reads it in processes of which the first K are killed, the next comes to
the end, and one more reads it again. `--embedder hash` is the double that the package tests with, `none`, which is the
default, reads by words alone: with a model, an export of this size takes hours.

So the model is measured on a slice of it: read and embedded, and then the same passages given to the embedder alone, in
turn. The share is how much of the embedder's own rate an ingest reaches, by the clock and by the seconds of processor.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from uuid import UUID

import numpy as np
from notes import memories
from numpy.typing import NDArray

from ricordo import sync
from ricordo.exchange import Encoded, Floors
from ricordo.ingest import Progress
from ricordo.models import AUTO, NONE, choose_embedder, load_embedder
from ricordo.protocols import Embedder
from ricordo.testing import HashEmbedder

__all__ = ["Effort", "Reading", "in_turn", "killed", "measure", "read", "write_export"]

TURNS = 20
SPOKEN = 500
"""Characters of what was said in a message; in an export the rest is what tools answered."""
HASH = "hash"
BYTES_A_MESSAGE = 3000
BEGAN = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What reading an export took: seconds in all and in the embedder, and how far the memory in use rose in MiB.

    `told` is how often it told how far it had come, `silence` the longest time in seconds between two such times.
    """

    memories: int
    chunks: int
    added: int
    seconds: float
    embedding: float
    resident_before: float
    resident_most: float
    told: int
    silence: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Effort:
    """What something took: seconds by the clock, and of processor."""

    seconds: float
    processor: float


class _Timed:
    """An embedder, and the seconds that it took; the passages that it was given go where it is told."""

    def __init__(self, inner: Embedder, passages: list[str] | None = None) -> None:
        self.inner = inner
        self.seconds = 0.0
        self.passages = passages

    @property
    def fingerprint(self) -> str:
        return self.inner.fingerprint

    @property
    def token_fingerprint(self) -> str | None:
        return self.inner.token_fingerprint

    @property
    def dimension(self) -> int:
        return self.inner.dimension

    @property
    def max_tokens(self) -> int:
        return self.inner.max_tokens

    @property
    def floors(self) -> Floors:
        return self.inner.floors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.inner.count_tokens(texts)

    def pieces(self, text: str) -> tuple[tuple[str, int], ...]:
        return self.inner.pieces(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        began = time.perf_counter()
        try:
            return self.inner.embed_passages(texts)
        finally:
            self.seconds += time.perf_counter() - began

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.inner.embed_queries(texts)

    def encode_passages(self, texts: Sequence[str]) -> Encoded:
        if self.passages is not None:
            self.passages += texts
        began = time.perf_counter()
        try:
            return self.inner.encode_passages(texts)
        finally:
            self.seconds += time.perf_counter() - began

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        return self.inner.encode_queries(texts)


def write_export(path: Path, messages: int, megabytes: float) -> None:
    """Write `conversations.json` with so many messages, of about so many MB; the same every time."""
    heard = "and so on. " * max(0, (int(megabytes * 1e6 / messages) - SPOKEN - 700) // 11)
    texts = _texts(SPOKEN)
    dice = random.Random(8)
    with path.open("w", encoding="utf-8") as stream:
        stream.write("[")
        for number, first in enumerate(range(0, messages, TURNS)):
            stream.write("," if number else "")
            count = min(TURNS, messages - first)
            json.dump(_conversation(number, count, texts, heard, dice), stream, ensure_ascii=bool(number % 10 == 0))
        stream.write("]")


def _texts(size: int) -> Iterator[str]:
    """Texts of about so many characters, sentences in paragraphs, from seeded notes."""
    said: list[str] = []
    for memory in memories(10**9):
        said.append(memory.text)
        if sum(map(len, said)) >= size:
            yield "\n\n".join(" ".join(said[start : start + 5]) for start in range(0, len(said), 5))
            said.clear()


def _conversation(
    number: int, messages: int, texts: Iterator[str], heard: str, dice: random.Random
) -> dict[str, object]:
    began = BEGAN + timedelta(hours=number)
    uuids = [str(UUID(int=dice.getrandbits(128), version=4)) for _ in range(messages)]
    turns: list[dict[str, object]] = []
    for place, uuid in enumerate(uuids):
        said, stamp = next(texts), (began + timedelta(minutes=place)).isoformat()
        turns.append(
            {
                "uuid": uuid,
                "text": "",
                "content": [
                    {"type": "tool_result", "name": "web_search", "content": [{"type": "text", "text": heard}]},
                    {"type": "text", "text": said, "start_timestamp": stamp, "citations": []},
                ],
                "sender": "assistant" if place % 2 else "human",
                "created_at": stamp,
                "updated_at": stamp,
                "attachments": [],
                "files": [],
                "parent_message_uuid": uuids[place - 1] if place else "00000000-0000-4000-8000-000000000000",
            }
        )
    return {
        "uuid": str(UUID(int=dice.getrandbits(128), version=4)),
        "name": f"Conversation {number}",
        "summary": "",
        "created_at": began.isoformat(),
        "updated_at": (began + timedelta(minutes=messages)).isoformat(),
        "account": {"uuid": "00000000-0000-4000-8000-00000000000a"},
        "chat_messages": turns,
    }


class _Told:
    """Counts how often progress is told, and how long nothing was."""

    def __init__(self) -> None:
        self.times = 0
        self.silence = 0.0
        self._last = time.perf_counter()

    def __call__(self, _: Progress) -> None:
        now = time.perf_counter()
        self.times += 1
        self.silence = max(self.silence, now - self._last)
        self._last = now


def read(store: Path, export: Path, embedder: str) -> Reading:
    """Ingest the export in this process."""
    inner = _embedder(embedder)
    timed = _Timed(inner) if inner is not None else None
    if timed is not None:
        timed.embed_passages(["so that the model is loaded"])
        timed.seconds = 0.0
    with sync.open(f"sqlite:///{store}", embedder=timed or NONE) as memory:
        before, told = _resident(), _Told()
        began = time.perf_counter()
        counts = memory.ingest([export], tell=told)
        seconds = time.perf_counter() - began
    return Reading(
        memories=counts.memories,
        chunks=counts.chunks,
        added=counts.added,
        seconds=seconds,
        embedding=timed.seconds if timed else 0.0,
        resident_before=before,
        resident_most=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        told=told.times,
        silence=told.silence,
    )


def _embedder(name: str) -> Embedder | None:
    if name == HASH:
        return HashEmbedder()
    return choose_embedder().embedder if name == AUTO else load_embedder(name)


def in_turn(folder: Path, messages: int, embedder: Embedder, rounds: int) -> Iterator[tuple[Effort, Effort]]:
    """What it takes to ingest an export of so many messages, and to embed its passages alone, so many times.

    Which comes first changes, because a machine does not stay the same for long.
    """
    export = folder / "slice.json"
    write_export(export, messages, messages * BYTES_A_MESSAGE / 1e6)
    passages: list[str] = []
    _ingested(folder / "first.db", export, _Timed(embedder, passages))
    for number in range(rounds):
        ingest = partial(_ingested, folder / f"{number}.db", export, embedder)
        alone = partial(embedder.encode_passages, passages)
        if number % 2:
            own = _effort(alone)
            yield _effort(ingest), own
        else:
            yield _effort(ingest), _effort(alone)


def _ingested(store: Path, export: Path, embedder: Embedder) -> None:
    with sync.open(f"sqlite:///{store}", embedder=embedder) as memory:
        memory.ingest([export])


def _effort(work: Callable[[], object]) -> Effort:
    began, processor = time.perf_counter(), time.process_time()
    work()
    return Effort(seconds=time.perf_counter() - began, processor=time.process_time() - processor)


def _resident() -> float:
    """MiB of this process that are in memory now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def killed(store: Path, export: Path, embedder: str, seconds: float) -> bool:
    """Read the export in another process and kill it after so long; False if it had ended by then."""
    with subprocess.Popen(_child(store, export, embedder), stdout=subprocess.DEVNULL) as process:
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            return True
    return False


def _child(store: Path, export: Path, embedder: str) -> list[str]:
    return [sys.executable, __file__, "--read", str(export), "--store", str(store), "--embedder", embedder]


def _in_a_process(store: Path, export: Path, embedder: str) -> Reading:
    done = subprocess.run(_child(store, export, embedder), stdout=subprocess.PIPE, check=True)
    return Reading(**json.loads(done.stdout))


def _say(what: str, reading: Reading) -> None:
    rate = reading.memories / reading.seconds
    print(
        f"{what}: {reading.memories:,} memories in {reading.chunks:,} chunks, {reading.added:,} added, "
        f"{reading.seconds:.1f} s, {rate:,.0f} a second; embedder {reading.embedding / reading.seconds:.0%} of it; "
        f"memory {reading.resident_before:.0f} → {reading.resident_most:.0f} MiB; "
        f"progress told {reading.told:,} times, at most {reading.silence:.1f} s apart"
    )


def _say_shares(pairs: Sequence[tuple[Effort, Effort]]) -> None:
    for number, (ingest, alone) in enumerate(pairs, start=1):
        print(
            f"slice, round {number}: ingest {ingest.seconds:.1f} s, {ingest.processor:.1f} s of processor; "
            f"embedder alone {alone.seconds:.1f} s, {alone.processor:.1f} s of processor"
        )
    seconds = statistics.median(alone.seconds / ingest.seconds for ingest, alone in pairs)
    processor = statistics.median(alone.processor / ingest.processor for ingest, alone in pairs)
    print(f"share of the embedder's own rate, median: {seconds:.0%} by the clock, {processor:.0%} of processor")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--messages", type=int, default=100_000, help="0 leaves all but the slice out")
    parser.add_argument("--megabytes", type=float, default=300)
    parser.add_argument("--embedder", default=NONE)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--after", type=float, default=20, help="seconds until the first; twice as many for the next")
    parser.add_argument("--slice", type=int, default=100, help="messages read with the model; 0 leaves it out")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--store", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    given = _arguments()
    if given.read is not None:
        print(json.dumps(asdict(read(given.store, given.read, given.embedder))))
        return
    with tempfile.TemporaryDirectory() as folder:
        if given.messages:
            measure(Path(folder), given)
        embedder = choose_embedder().embedder if given.slice else None
        if embedder is not None:
            print(f"{embedder.fingerprint}, {given.slice:,} messages")
            _say_shares(list(in_turn(Path(folder), given.slice, embedder, given.rounds)))


def measure(folder: Path, given: argparse.Namespace) -> None:
    """Read the export, killed on the way, to its end, and again; print what that took and whether all is there."""
    export, store = folder / "conversations.json", folder / "memory.db"
    write_export(export, given.messages, given.megabytes)
    print(f"{export.stat().st_size / 1e6:.0f} MB, {given.messages:,} messages")
    for number in range(1, given.kills + 1):
        was_killed = killed(store, export, given.embedder, number * given.after)
        print(f"killed after {number * given.after:.0f} s: {was_killed}; {_held(store)}")
    _say("to the end", _in_a_process(store, export, given.embedder))
    print(_held(store))
    _say("again", _in_a_process(store, export, given.embedder))


def _held(store: Path) -> str:
    """What a store holds, and its faults."""
    with sync.open(f"sqlite:///{store}", embedder=NONE) as memory:
        stats, faults = memory.stats(), memory.check()
    return f"{stats.memories:,} memories in {stats.chunks:,} chunks; faults: {[str(fault) for fault in faults]}"


if __name__ == "__main__":
    main()
