"""What readings could not take in: on record for every process, bounded, and gone with its source."""

from __future__ import annotations

import fcntl
import json
import stat
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

import ricordo
from ricordo.engine import Engine
from ricordo.errors import StoreError
from ricordo.exchange import Skipped
from ricordo.settings import Settings
from ricordo.skips import MOST, MOST_OF_A_READING, Skip, SkipRecord, record_of

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
BROKEN = "---\ntitle: a: the safe opens with 4471\n---\nThe key is under the pot\n"


def skip(where: str, why: str = "is broken", origin: str | None = None) -> Skip:
    return Skip(at=NOW, where=where, why=why, origin=origin)


@pytest.fixture
def record(tmp_path: Path) -> SkipRecord:
    return SkipRecord(tmp_path / "skipped", "store")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A page with broken front matter, one that is whole, and a file that is no text."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "broken.md").write_text(BROKEN, encoding="utf-8")
    (folder / "whole.md").write_text("The door code is 9052\n", encoding="utf-8")
    (folder / "picture.md").write_bytes(b"\0\1\2" * 100)
    return folder


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Engine]:
    async with ricordo.open(f"sqlite:///{tmp_path / 'memory.db'}", embedder="none") as engine:
        yield engine


def names(skips: tuple[Skip, ...]) -> list[str]:
    return sorted(Path(each.where.removesuffix(" (front matter)")).name for each in skips)


def test_the_latest_comes_first_and_each_thing_once(record: SkipRecord) -> None:
    for where in ("a.md", "b.md", "a.md"):
        record.note("n", (), [skip(where)])

    assert [each.where for each in record.latest("n")] == ["a.md", "b.md"]
    assert record.latest("other") == ()


def test_a_reading_takes_the_place_of_the_one_before(record: SkipRecord) -> None:
    uri, other = "file:///notes/a%20b.md", "file:///notes/a%20b.md.txt"
    record.note("n", (), [skip("/notes/a b.md, record 3", origin=uri), skip("/notes/a b.md (front matter)")])
    record.note("n", (), [skip("/notes/a b.md.txt", origin=other), skip("keys.md: line 2"), skip("said", origin="x:1")])

    record.note("n", [uri, "upload:keys.md"], ())
    assert [each.where for each in record.latest("n")] == ["said", "/notes/a b.md.txt"]
    record.note("n", [other, "x:1"], ())
    assert not list(record.folder.glob("*.jsonl"))


def test_a_file_whose_name_begins_like_another_keeps_its_line(record: SkipRecord) -> None:
    record.note("n", (), [skip("/notes/plan b.md (front matter)", origin="file:///notes/plan%20b.md")])
    record.note("n", ["file:///notes/plan", "file:///note"], ())
    assert record.latest("n")

    record.note("n", ["file:///notes"], ())
    assert record.latest("n") == ()


def test_it_is_bounded_and_one_reading_does_not_fill_it(record: SkipRecord) -> None:
    record.note("n", (), [skip("first.md")])
    record.note("n", (), [skip(f"{number}.md", "x" * 10_000) for number in range(MOST_OF_A_READING + 50)])
    (rest,) = (each for each in record.latest("n") if "more" in each.why)

    assert ("and 50 more" in rest.why, record.latest("n")[-1].where) == (True, "first.md")
    for number in range(10):
        record.note("n", (), [skip(f"{number}-{each}.md") for each in range(100)])
    assert len(record.latest("n")) == MOST
    assert sum(file.stat().st_size for file in record.folder.iterdir()) < 300_000


def test_several_write_at_once_and_no_line_is_lost_or_torn(record: SkipRecord) -> None:
    def write(writer: int) -> None:
        for number in range(10):
            record.note("n", (), [skip(f"{writer}-{number}.md")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))

    assert len(record.latest("n")) == 80


def test_what_another_process_writes_meanwhile_does_not_come_back_after_a_purge(
    record: SkipRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    record.note("n", (), [skip("a.md")])
    with (record.folder / "lock").open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        monkeypatch.setattr("ricordo.skips.PATIENCE", 0.05)  # not to wait for long here
        with pytest.raises(StoreError, match="held by another process"):
            record.clear()
    assert record.latest("n")

    record.clear()
    record.clear()
    assert record.latest("n") == ()


def test_only_its_owner_can_read_it(record: SkipRecord) -> None:
    record.note("n", (), [skip("a.md")])

    assert stat.S_IMODE(record.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in record.folder.iterdir()} == {0o600}


def test_a_line_that_cannot_be_read_costs_no_other(record: SkipRecord) -> None:
    record.note("n", (), [skip("a.md")])
    (file,) = record.folder.glob("*.jsonl")
    whole = file.read_text(encoding="utf-8")
    file.write_text(f'{{"at": 3}}\nbroken\n[]\n{json.dumps({"at": "never"})}\n{whole}', encoding="utf-8")

    assert [each.where for each in record.latest("n")] == ["a.md"]


def test_a_record_that_cannot_be_written_fails_nothing(record: SkipRecord) -> None:
    record.folder.write_text("in the way", encoding="utf-8")

    record.note("n", (), [skip("a.md")])
    assert record.latest("n") == ()


def test_a_store_has_one_record_however_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a relative path is relative to where one stands

    def of(store: str) -> SkipRecord | None:
        return record_of(Settings(store=store))

    assert of("sqlite:///memory.db") == of(f"sqlite:///{tmp_path / 'memory.db'}")
    assert of("postgresql://mira:secret@home/db") == of("postgresql://mira:other@home/db")
    assert of("postgresql://home/one") != of("postgresql://home/two")
    (tmp_path / "link").symlink_to(tmp_path)
    assert of("sqlite:///memory.db") == of("sqlite:///link/memory.db")
    server, linked = (f"postgresql+embedded://{place}/server" for place in (tmp_path, tmp_path / "link"))
    assert of(server) == of(linked) == of(server.replace("://", ":///"))
    assert of(server) != of(f"{server}?database=one") != of(f"{server}?database=two")
    assert of("memory:") is None


async def test_a_relative_path_is_made_whole(memory: Engine, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(notes.parent)
    await memory.ingest(["notes"])
    assert {Path(each.where).parent for each in await memory.skipped()} == {notes}

    (notes / "picture.md").write_text("Now it is whole\n", encoding="utf-8")
    await memory.ingest(["notes"])
    assert names(await memory.skipped()) == ["broken.md"]


async def test_a_name_that_leads_nowhere_is_whole_too_and_what_was_given_keeps_its_name(
    memory: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "keys.md").write_text("The key is under the pot\n", encoding="utf-8")
    await memory.ingest(["nowhere.md"])
    await memory.ingest([Skipped(where="keys.md, record 3", why="is broken")])  # as one that was sent to a server

    assert [each.where for each in await memory.skipped()] == ["keys.md, record 3", str(tmp_path / "nowhere.md")]


async def test_what_lies_in_a_folder_that_is_read_again_is_told_anew(memory: Engine, notes: Path) -> None:
    (notes / "export.zip").write_bytes(b"PK\3\4 and nothing else")
    await memory.ingest([notes])
    assert names(await memory.skipped()) == ["broken.md", "export.zip", "picture.md"]
    for name in ("export.zip", "picture.md"):
        (notes / name).unlink()  # they were never read: nothing is to be forgotten with them
    await memory.ingest([notes / "whole.md"])
    assert names(await memory.skipped()) == ["broken.md", "export.zip", "picture.md"]

    await memory.ingest([notes])
    assert names(await memory.skipped()) == ["broken.md"]


async def test_the_last_reason_counts(memory: Engine, notes: Path) -> None:
    page = notes / "picture.md"
    await memory.ingest([page])
    with page.open("r+b") as file:
        file.truncate(65 * 2**20)
    await memory.ingest([page])

    assert [each.why for each in await memory.skipped()] == ["is larger than 64 MiB; split it"]


async def test_what_an_ingest_skips_is_known_to_whoever_opens_the_store(memory: Engine, notes: Path) -> None:
    await memory.ingest([notes])

    async with ricordo.open(memory.settings.store, embedder="none") as other:
        assert names(await other.skipped()) == names(await memory.skipped()) == ["broken.md", "picture.md"]
        assert await other.within("elsewhere").skipped() == ()


async def test_no_text_of_a_memory_is_on_record(memory: Engine, notes: Path) -> None:
    await memory.ingest([notes])
    told = str(await memory.skipped())

    assert "not valid YAML" in told
    assert not any(word in told for word in ("4471", "pot", "safe"))


@pytest.mark.parametrize("front", ["---\ntitle: !safe_4471 x\n---\n", "+++\na = {safe_4471 = 1, safe_4471 = 2}\n+++\n"])
async def test_nor_is_a_word_of_it_that_a_parser_quotes(memory: Engine, notes: Path, front: str) -> None:
    (notes / "broken.md").write_text(f"{front}The key is under the pot\n", encoding="utf-8")
    await memory.ingest([notes / "broken.md"])
    (told,) = await memory.skipped()

    assert told.why.startswith("is not valid ")
    assert "4471" not in told.why


async def test_what_was_mended_is_no_longer_told(memory: Engine, notes: Path) -> None:
    await memory.ingest([notes])
    for name in ("broken.md", "picture.md"):
        (notes / name).write_text("Now it is whole\n", encoding="utf-8")
    await memory.ingest([notes])

    assert await memory.skipped() == ()


async def test_a_rehearsal_puts_nothing_on_record(memory: Engine, notes: Path) -> None:
    await memory.ingest([notes], dry_run=True)

    assert await memory.skipped() == ()


async def test_the_names_of_what_is_forgotten_leave_the_record(memory: Engine, notes: Path) -> None:
    await memory.ingest([notes])
    found = await memory.recall("key under the pot")
    ids = {hit.id for hit in found if hit.origin.uri.endswith("/broken.md")}
    line = [each async for each in memory.export()]
    of_file = [json.loads(each)["id"] for each in line[1:] if "broken.md" in each]

    assert ids <= set(of_file)
    await memory.forget(of_file)
    assert names(await memory.skipped()) == ["picture.md"]


async def test_so_do_those_of_files_that_are_pruned(memory: Engine, notes: Path) -> None:
    await memory.ingest([notes])
    (notes / "broken.md").unlink()
    await memory.ingest([notes], prune=True)

    assert names(await memory.skipped()) == ["picture.md"]


async def test_secrets_in_names_are_kept_no_better_than_in_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RICORDO_REDACT", "on")  # as whoever runs it sets it
    secret = tmp_path / "sk-proj-9fK2mQ7xW4tC8hJ5nL1pR3vB6yD0sG2aE4uZ7.md"
    secret.write_bytes(b"\0\1\2" * 100)
    async with ricordo.open(f"sqlite:///{tmp_path / 'memory.db'}", embedder="none") as engine:
        await engine.ingest([secret])
        told = await engine.skipped()

    assert len(told) == 1
    assert "9fK2mQ7xW4tC8" not in str(told)


async def test_so_do_those_of_what_an_import_marks_as_forgotten(memory: Engine, notes: Path, tmp_path: Path) -> None:
    async with ricordo.open(f"sqlite:///{tmp_path / 'other.db'}", embedder="none") as other:
        for engine in (memory, other):
            await engine.ingest([notes])
        said = [json.loads(line) async for line in other.export()][1:]
        await other.forget([item["id"] for item in said if item["origin"]["uri"].endswith("/broken.md")])
        await memory.load([line async for line in other.export()])

    assert names(await memory.skipped()) == ["picture.md"]
