"""Many processes at once on one store: no lost update, no phantom after a forget, nobody waits without end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from postgres_servers import tell
from ricordo import sync
from ricordo.testing import HashEmbedder
from trustworthy import LONG, Count
from zygote import SHARED, acknowledged, zygote

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")

DOINGS = ["remember", "remember", "revise", "forget", "recall", "look", "count", "count", "ingest", "vectors", "backup"]
PROCESSES = 8
PATIENCE = 60.0


def crowd(url: str, folder: Path, seconds: float) -> None:
    """Let processes work at once, then compare what they were told with what is there."""
    with sync.open(url, embedder=HashEmbedder()) as memory:
        shared = memory.remember(SHARED).id
    specs = [
        {
            "url": url,
            "seed": seed,
            "seconds": seconds,
            "folder": str(folder),
            "journal": str(folder / f"{seed}.journal"),
            "doings": DOINGS,
            "shared": shared,
        }
        for seed in range(PROCESSES)
    ]
    with zygote() as forker:
        forker.start(*specs)
        assert forker.ended() == [0] * PROCESSES
    known = acknowledged(folder)
    with sync.open(url, embedder=HashEmbedder()) as memory:
        assert memory.check() == ()
        assert len(memory.history(shared)) == known.counts + 1
        texts = {line.split('"id": "')[1][:24]: line for line in memory.export() if '"memory"' in line}
        kept = {memory_id: word for memory_id, word in known.kept.items() if memory_id not in known.gone}
        assert [memory_id for memory_id, word in kept.items() if word not in texts.get(memory_id, "")] == []
        assert known.gone & texts.keys() == set()
    assert known.phantoms == 0
    assert known.longest < PATIENCE
    tell(
        f"{PROCESSES} processes, {seconds:.0f} s: {known.doings} writes, {known.counts} revisions of one memory, "
        f"{len(known.gone)} forgotten, the longest wait {known.longest:.1f} s"
    )


def test_a_crowd_on_a_file(tmp_path: Path, count: Count) -> None:
    crowd(f"sqlite:///{tmp_path / 'memory.db'}", tmp_path, 120 if LONG else 3)
    count("lost", 0)


@pytest.mark.slow
def test_a_crowd_on_a_server(postgres_url: str, tmp_path: Path, count: Count) -> None:
    crowd(postgres_url, tmp_path, 60 if LONG else 3)
    count("lost", 0)
