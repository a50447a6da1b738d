"""Exports, ingested: once, again, in part, edited, rehearsed, pruned."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import ricordo
from claudefiles import conversation, folder, message, one_zip, split, write_json, write_zip
from ricordo.engine import Engine
from ricordo.ingest import Ingested, Origins, Progress
from ricordo.protocols import Skipped
from ricordo.settings import Settings
from ricordo.sources import find_sources
from ricordo.testing import HashEmbedder, InMemoryStore
from ricordo.window import utc_now

Ask = Callable[..., tuple[int, dict[str, Any]]]

pytestmark = pytest.mark.anyio

TURNS = [
    message("why?", "Why does my clock stop at night?"),
    message("cold", "It may be the cold.", after="why?", minute=1),
    message("where?", "It stands in the kitchen.", after="cold", minute=2),
]
EDITED = [*TURNS[:2], message("where?", "It stands in the cellar.", after="cold", minute=2)]
TRIP = conversation("A trip", [message("when?", "I travel to Oslo in June.")])


@pytest.fixture
async def memory() -> AsyncIterator[Engine]:
    settings = Settings(store="memory:", namespace="test")
    async with ricordo.open(InMemoryStore(), embedder=HashEmbedder(), settings=settings) as opened:
        yield opened


def clock(turns: Sequence[Any] = TURNS, **fields: object) -> dict[str, Any]:
    return conversation("A clock", turns) | fields


def changes(counts: Ingested) -> tuple[int, int, int]:
    return counts.added, counts.unchanged, counts.forgotten


# --- again ---


@pytest.mark.parametrize("pack", [one_zip, folder, split], ids=lambda pack: pack.__name__)
async def test_a_second_reading_changes_nothing(
    memory: Engine, pack: Callable[[Path, Sequence[Any]], Path], tmp_path: Path
) -> None:
    path = pack(tmp_path / "export", [clock(), TRIP])
    first, again = await memory.ingest([path]), await memory.ingest([path])

    assert first.added == first.memories > 4
    assert (again.memories, changes(again)) == (first.memories, (0, first.memories, 0))
    assert again.origins == Origins(unchanged=first.origins.new)


async def test_after_an_edit_one_memory_is_another(memory: Engine, tmp_path: Path) -> None:
    await memory.ingest([one_zip(tmp_path / "old.zip", [clock(), TRIP])])
    counts = await memory.ingest([one_zip(tmp_path / "new.zip", [clock(EDITED), TRIP])])

    assert (counts.added, counts.forgotten) == (1, 1)
    assert counts.origins.changed == 1


async def test_another_packaging_of_the_same_changes_nothing(memory: Engine, tmp_path: Path) -> None:
    await memory.ingest([folder(tmp_path / "folder", [clock(), TRIP])])
    assert changes(await memory.ingest([one_zip(tmp_path / "export.zip", [clock(), TRIP])]))[::2] == (0, 0)


async def test_what_loses_nothing_is_told_again_though_nothing_changed(memory: Engine, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("---\ntitle: a: b\n---\nSaid.\n")
    (tmp_path / "template.md").write_text("# {{title}}\n")
    first = await memory.ingest([tmp_path])
    again = await memory.ingest([tmp_path])
    page.rename(tmp_path / "moved.md")
    moved = await memory.ingest([tmp_path], prune=True)
    last = await memory.ingest([tmp_path])

    assert [len(each.skipped) for each in (first, again, last)] == [2, 2, 2]
    assert again.skipped == first.skipped
    assert (again.origins, changes(again)) == (Origins(unchanged=2), (0, first.memories, 0))
    assert (changes(moved)[::2], changes(last)[::2]) == ((0, 0), (0, 0))


# --- two exports of the same ---


async def test_what_a_partial_export_leaves_out_is_kept(memory: Engine, tmp_path: Path) -> None:
    await memory.ingest([write_json(tmp_path / "all.json", [clock(), TRIP])])
    counts = await memory.ingest([write_json(tmp_path / "recent.json", [clock(EDITED)])])

    assert counts.forgotten == 1
    assert (await memory.recall("Oslo")).hits


@pytest.mark.parametrize("order", [("new", "old"), ("old", "new")], ids="-".join)
@pytest.mark.parametrize("at_once", [True, False])
async def test_of_two_copies_the_later_one_counts(
    memory: Engine,
    order: tuple[str, str],
    at_once: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    paths = {
        "old": write_json(tmp_path / "old.json", [clock(updated_at="2026-05-05T00:00:00Z")]),
        "new": write_json(tmp_path / "new.json", [clock(EDITED, updated_at="2026-06-01T00:00:00Z")]),
    }
    for given in [[paths[name] for name in order]] if at_once else [[paths[name]] for name in order]:
        await memory.ingest(given)
    texts = {hit.text for hit in await memory.recall("it stands in the")}

    assert "It stands in the cellar." in texts
    assert "It stands in the kitchen." not in texts


async def test_of_two_copies_of_one_time_that_with_more_messages_counts(memory: Engine, tmp_path: Path) -> None:
    await memory.ingest([write_json(tmp_path / "more.json", [clock()])])
    counts = await memory.ingest([write_json(tmp_path / "less.json", [clock(TURNS[:1])])])
    assert changes(counts) == (0, 3, 0)


async def test_a_copy_that_lost_a_record_forgets_nothing(memory: Engine, tmp_path: Path) -> None:
    await memory.ingest([write_json(tmp_path / "whole.json", [clock()])])
    damaged = clock([*TURNS[:1], 7, "x"], updated_at="2026-06-01T00:00:00Z")
    counts = await memory.ingest([write_json(tmp_path / "damaged.json", [damaged])])

    assert counts.forgotten == 0
    assert len(counts.skipped) == 2


async def test_a_turn_that_is_abandoned_later_is_the_same_memory_marked(memory: Engine, tmp_path: Path) -> None:
    await memory.ingest([write_json(tmp_path / "before.json", [clock()])])
    later = [*TURNS, message("edit?", "It stands in the hall.", after="cold", minute=9)]
    counts = await memory.ingest([write_json(tmp_path / "after.json", [clock(later)])])
    marked = {hit.text: hit.memory.metadata.get("branch") for hit in await memory.recall("it stands in the")}

    assert changes(counts) == (1, 3, 0)
    assert (marked["It stands in the kitchen."], marked["It stands in the hall."]) == ("abandoned", None)


async def test_what_is_gone_or_cut_after_it_was_found_is_told_and_ends_nothing(memory: Engine, tmp_path: Path) -> None:
    records = tmp_path / "b.jsonl"
    records.write_text('{"text": "First of all."}\n{"text": "And then there was more."}\n')
    for name in ("a.txt", "c.txt"):
        (tmp_path / name).write_text(name)
    found = [source for source in find_sources([tmp_path], now=utc_now()) if not isinstance(source, Skipped)]
    (tmp_path / "a.txt").unlink()
    records.write_bytes(records.read_bytes()[:-10])
    counts = await memory.ingest(found)

    assert [skipped.why for skipped in counts.skipped] == [
        "No such file or directory",
        "is cut off by the end of the file",
    ]
    assert counts.added == 2


# --- rehearsed ---


async def test_a_rehearsal_tells_what_an_ingest_then_does_and_writes_nothing(memory: Engine, tmp_path: Path) -> None:
    path = one_zip(tmp_path / "export.zip", [clock(), TRIP])
    rehearsed = await memory.ingest([path], dry_run=True)
    assert (await memory.stats()).memories == 0
    done = await memory.ingest([path])
    edited = one_zip(tmp_path / "edited.zip", [clock(EDITED)])
    again, edit = await memory.ingest([path], dry_run=True), await memory.ingest([edited], dry_run=True)

    assert changes(rehearsed) == changes(done)
    assert rehearsed.origins == done.origins
    assert (again.added, again.unchanged) == (0, done.memories)
    assert (edit.added, edit.forgotten, edit.origins.changed) == (1, 1, 1)
    assert rehearsed.rehearsed
    assert not done.rehearsed


# --- pruned ---


async def test_what_was_read_from_a_file_that_is_gone_is_forgotten_when_asked(memory: Engine, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text(f"Note {name} about oboes")
    await memory.ingest([tmp_path])
    (tmp_path / "a.md").unlink()

    kept = await memory.ingest([tmp_path])
    rehearsed = await memory.ingest([tmp_path], prune=True, dry_run=True)
    pruned = await memory.ingest([tmp_path], prune=True)
    (tmp_path / "a.md").write_text("Note a about oboes")
    back = await memory.ingest([tmp_path])

    assert [counts.forgotten for counts in (kept, rehearsed, pruned, back)] == [0, 1, 1, 0]
    assert back.added == 1


async def test_a_missing_or_empty_folder_prunes_nothing(memory: Engine, tmp_path: Path) -> None:
    notes, away = tmp_path / "notes", tmp_path / "away"
    notes.mkdir()
    (notes / "a.md").write_text("Note about oboes")
    await memory.ingest([notes])
    notes.rename(away)
    missing = await memory.ingest([notes], prune=True)
    notes.mkdir()
    empty = await memory.ingest([notes], prune=True)

    assert (missing.forgotten, empty.forgotten) == (0, 0)
    assert "nothing that was read from it was pruned" in empty.skipped[-1].why


async def test_conversations_are_not_pruned_with_their_export(memory: Engine, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("A note")
    path = one_zip(tmp_path / "export.zip", [clock()])
    await memory.ingest([tmp_path])
    path.unlink()
    assert (await memory.ingest([tmp_path], prune=True)).forgotten == 0


# --- progress and the command line ---


async def test_progress_is_told_within_a_large_file(memory: Engine, tmp_path: Path) -> None:
    turns = [message(f"m{n}", f"Said {n}", after=None, minute=n) for n in range(300)]
    told: list[Progress] = []
    await memory.ingest([write_json(tmp_path / "c.json", [clock(turns)])], tell=told.append)

    assert len(told) > 3
    assert [step.so_far.added for step in told] == sorted(step.so_far.added for step in told)


def test_the_command_line_rehearses_and_tells(ask: Ask, tmp_path: Path) -> None:
    path = str(one_zip(tmp_path / "export.zip", [clock(), TRIP]))
    code, counts = ask("ingest", path, "--dry-run")
    assert (code, counts["dry_run"], counts["origins"]["new"]) == (0, True, 5)
    assert ask("stats")[1]["memories"] == 0


def test_a_known_file_without_anything_usable_is_an_error(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("A note")
    empty = write_zip(tmp_path / "export.zip", {"conversations.json": [conversation("empty", [])]})
    code, counts = ask("ingest", str(empty), str(tmp_path / "note.md"))

    assert (code, counts["added"]) == (1, 1)
    assert counts["skipped"][0]["why"] == "holds claude.ai conversations, but nothing in them can be remembered"


# --- memory ---

MEASURED = """
import resource, sys
from ricordo import sync
with sync.open("sqlite:///" + sys.argv[1], embedder="none") as memory:
    memory.ingest([sys.argv[2]])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    memory.ingest(sys.argv[3:])
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="kilobytes are counted as Linux does")
def test_a_large_array_is_never_held_whole(tmp_path: Path) -> None:
    thought = [{"type": "thinking", "thinking": "so " * 30_000}, {"type": "text", "text": "Said."}]
    talk = [conversation(f"Talk {n}", [message(f"m{n}", thought)]) for n in range(1000)]
    small = write_json(tmp_path / "small.json", talk[:5])
    large = write_json(tmp_path / "large.json", talk)
    packed = write_zip(tmp_path / "large.zip", {"conversations.json": large.read_bytes()})
    arguments = [str(tmp_path / "memory.db"), str(small), str(large), str(packed)]
    done = subprocess.run([sys.executable, "-c", MEASURED, *arguments], capture_output=True, text=True, check=True)

    assert large.stat().st_size > 80 * 2**20
    assert int(done.stdout) < 60 * 2**10
