"""A large export of claude.ai, read: how fast, in how much memory, and whole though it is killed on the way.

    python benchmarks/claude_export.py [--messages N] [--megabytes M] [--embedder NAME] [--kills K]

Writes an export in a folder of its own, reads it in a process that is killed K times, and reads it once more.
`--embedder hash` is the double that the package tests with, `none` reads by words alone. The share of the time that was
the embedder's is told where there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import numpy as np
from notes import memories
from numpy.typing import NDArray

from ricordo import sync
from ricordo.exchange import Encoded, Floors
from ricordo.models import load_embedder
from ricordo.protocols import Embedder
from ricordo.testing import HashEmbedder

__all__ = ["Reading", "killed", "read", "write_export"]

TURNS = 20
SPOKEN = 500
"""Characters of what was said in a message; in an export the rest is what tools answered."""
NONE, HASH = "none", "hash"
BEGAN = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What reading an export took: seconds in all and in the embedder, and how far the memory in use rose in MiB."""

    memories: int
    chunks: int
    added: int
    seconds: float
    embedding: float
    resident_before: float
    resident_most: float


class _Timed:
    """An embedder, and the seconds that it took."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self.seconds = 0.0

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


def read(store: Path, export: Path, embedder: str) -> Reading:
    """Ingest the export in this process."""
    inner = HashEmbedder() if embedder == HASH else load_embedder(embedder)
    timed = _Timed(inner) if inner is not None else None
    if timed is not None:
        timed.embed_passages(["so that the model is loaded"])
        timed.seconds = 0.0
    with sync.open(f"sqlite:///{store}", embedder=timed or NONE) as memory:
        before = _resident()
        began = time.perf_counter()
        counts = memory.ingest([export])
        seconds = time.perf_counter() - began
    return Reading(
        memories=counts.memories,
        chunks=counts.chunks,
        added=counts.added,
        seconds=seconds,
        embedding=timed.seconds if timed else 0.0,
        resident_before=before,
        resident_most=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


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
        f"memory {reading.resident_before:.0f} → {reading.resident_most:.0f} MiB"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--megabytes", type=float, default=300)
    parser.add_argument("--embedder", default=NONE)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--store", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    given = _arguments()
    if given.read is not None:
        print(json.dumps(asdict(read(given.store, given.read, given.embedder))))
        return
    with tempfile.TemporaryDirectory() as folder:
        export, store = Path(folder, "conversations.json"), Path(folder, "memory.db")
        write_export(export, given.messages, given.megabytes)
        print(f"{export.stat().st_size / 1e6:.0f} MB, {given.messages:,} messages")
        whole = _in_a_process(Path(folder, "whole.db"), export, given.embedder)
        _say("in one go", whole)
        _say("again", _in_a_process(Path(folder, "whole.db"), export, given.embedder))
        for number in range(given.kills):
            survived = killed(store, export, given.embedder, whole.seconds * (number + 1) / (given.kills + 1) / 2)
            print(f"killed: {survived}")
        _say(f"after {given.kills} kills", _in_a_process(store, export, given.embedder))
        with sync.open(f"sqlite:///{store}", embedder=NONE) as memory:
            stats, faults = memory.stats(), memory.check()
        print(f"{stats.memories:,} memories in {stats.chunks:,} chunks; faults: {list(faults)}")


if __name__ == "__main__":
    main()
