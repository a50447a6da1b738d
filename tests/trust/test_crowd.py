"""Many processes at once on one store: no lost update, no phantom after a forget, nobody waits without end."""

from __future__ import annotations

import json
import re
import sys
from math import inf
from pathlib import Path

import anyio
import pytest

from postgres_servers import tell
from ricordo import sync
from ricordo.stores.sqlite import SqliteStore
from ricordo.testing import HashEmbedder
from trustworthy import LONG, Count
from zygote import SHARED, Acknowledged, Spec, acknowledged, zygote

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")

OFTEN = ["remember", "count", "recall"]
DOINGS = [*OFTEN, *OFTEN, "revise", "forget", "look", "ingest", "vectors", "backup"]
PROCESSES = 8
PATIENCE = 60.0
SECTION = re.compile(r"\b(w\d+x\d+z) stands in section")
SECTIONS = 12


class Harm:
    """What was acknowledged and is not there, and what was forgotten or replaced and is."""

    def __init__(self) -> None:
        self.lost: list[str] = []
        self.leaked: list[str] = []

    def look_at_memories(self, memory: sync.Engine, known: Acknowledged) -> None:
        texts = texts_in(memory)
        kept = {memory_id: word for memory_id, word in known.kept.items() if memory_id not in known.gone}
        self.lost += [memory_id for memory_id, word in kept.items() if word not in texts.get(memory_id, "")]
        self.leaked += known.gone & texts.keys()
        self.leaked += known.phantoms

    def look_at_notes(self, memory: sync.Engine, known: Acknowledged) -> None:
        """What each says that was read last is there once, and nothing of what it said before."""
        found = SECTION.findall("\n".join(texts_in(memory).values()))
        latest = set(known.notes.values())
        self.lost += [str(word) for word in latest if found.count(str(word)) != SECTIONS]
        self.leaked += set(found) - latest

    def look_at_revisions(self, memory: sync.Engine, known: Acknowledged, shared: str) -> None:
        told = len(memory.history(shared)) - 1
        self.lost += ["a revision"] * (known.counts - told)
        self.leaked += ["a revision"] * (told - known.counts)

    def look_at_backup(self, file: Path, known: Acknowledged) -> None:
        """It is whole, and holds what there was at a moment between the beginning and the end of one that was made."""
        found = anyio.run(SqliteStore(file).examine, file)
        assert found.faults == ()
        counts = (found.memories, found.tombstones)
        made = [
            each
            for each in known.backups
            if (each["name"], each["memories"], each["tombstones"]) == (file.name, *counts)
        ]
        assert made, f"{file.name} holds {counts}, as none that was told of"
        with sync.open(f"sqlite:///{file}", embedder=HashEmbedder()) as memory:
            held = set(texts_in(memory))
        harms = [of_no_moment(each, held, known) for each in made]
        lost, leaked = min(harms, key=lambda harm: len(harm[0] + harm[1]))
        self.lost += lost
        self.leaked += leaked


def texts_in(memory: sync.Engine) -> dict[str, str]:
    """What each memory says, by its id."""
    lines = [json.loads(line) for line in memory.export()]
    return {fields["id"]: fields["text"] for fields in lines if fields.get("type") == "memory"}


def of_no_moment(made: Spec, held: set[str], known: Acknowledged) -> tuple[list[str], list[str]]:
    """What was there all the time that a backup was made and is not in it, and what was gone before and is."""
    there = [memory_id for memory_id, at in known.told_at.items() if at < made["began"]]
    missing = [each for each in there if each not in held and known.going_at.get(each, inf) > made["at"]]
    return missing, [each for each in held if known.gone_at.get(each, inf) < made["began"]]


def crowd(url: str, folder: Path, seconds: float, count: Count) -> None:
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
    known, harm = acknowledged(folder), Harm()
    with sync.open(url, embedder=HashEmbedder()) as memory:
        assert memory.check() == ()
        harm.look_at_memories(memory, known)
        harm.look_at_notes(memory, known)
        harm.look_at_revisions(memory, known, shared)
    for backup in sorted(folder.glob("kept*.backup")):
        harm.look_at_backup(backup, known)
    count("lost", len(harm.lost))
    count("leaked", len(harm.leaked))
    tell(told(known, seconds))

    assert (harm.lost, harm.leaked) == ([], [])
    assert known.longest < PATIENCE
    assert all((known.counts, known.gone, known.hits, known.notes, known.backups)), "not all was tried"


def told(known: Acknowledged, seconds: float) -> str:
    return (
        f"{PROCESSES} processes, {seconds:.0f} s: {known.doings} writes, {known.counts} revisions of one memory, "
        f"{len(known.gone)} forgotten, {known.recalls} recalls with {known.hits} hits, {len(known.notes)} notes, "
        f"{len(known.backups)} backups, the longest wait {known.longest:.1f} s"
    )


def test_a_crowd_on_a_file(tmp_path: Path, count: Count) -> None:
    crowd(f"sqlite:///{tmp_path / 'memory.db'}", tmp_path, 120 if LONG else 3, count)


@pytest.mark.slow
def test_a_crowd_on_a_server(postgres_url: str, tmp_path: Path, count: Count) -> None:
    crowd(postgres_url, tmp_path, 60 if LONG else 3, count)
