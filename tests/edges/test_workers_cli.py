"""`ingest --workers`: what it refuses, what a worker tells, and that what others left waiting is read too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner, Result

from ricordo import sync
from ricordo.cli import main
from ricordo.stores import open_store


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'memory.db'}"


@pytest.fixture
def run(url: str) -> Callable[..., Result]:
    environment = {"RICORDO_EMBEDDER": "none", "RICORDO_STORE": url, "RICORDO_TZ": "UTC"}
    return lambda *arguments: CliRunner(env=environment).invoke(main, arguments, catch_exceptions=False)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.md").write_text(f"The garden {number} is watered at six.", encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\x00\x01")
    return folder


def put(url: str, files: list[Path]) -> None:
    async def within() -> None:
        store = open_store(url)
        await store.open()
        await store.enqueue("default", [file.as_uri() for file in files])
        await store.close()

    anyio.run(within)


@pytest.mark.parametrize("other", ["--watch", "--prune", "--dry-run", "--queued"])
def test_workers_go_with_paths_alone(run: Callable[..., Result], notes: Path, other: str) -> None:
    done = run("ingest", str(notes), "--workers", "2", other)

    assert done.exit_code == 2
    assert "--workers" in done.stderr


def test_a_worker_tells_of_each_part_in_a_line(run: Callable[..., Result], url: str, notes: Path) -> None:
    put(url, sorted(notes.glob("*.md")))
    done = run("ingest", "--claimant", "one")

    assert [json.loads(line)["added"] for line in done.stdout.splitlines()] == [3]
    assert json.loads(run("stats", "--json").stdout)["memories"] == 3


def test_what_others_left_waiting_is_read_without_a_path(run: Callable[..., Result], url: str, notes: Path) -> None:
    put(url, [notes / "1.md"])
    counts = json.loads(run("ingest", "--workers", "1", "--json").stdout)

    assert (counts["added"], counts["skipped"]) == (1, [])


def test_a_file_named_by_itself_that_holds_no_text_is_told_of(
    run: Callable[..., Result], url: str, notes: Path
) -> None:
    counts = json.loads(run("ingest", str(notes / "picture.png"), str(notes), "--workers", "1", "--json").stdout)

    assert counts["added"] == 3
    assert [skipped["why"] for skipped in counts["skipped"]] == ["is a binary file"]
    with sync.open(url, embedder="none") as memory:
        assert [skip.where for skip in memory.skipped()] == [str(notes / "picture.png")]


def test_where_nothing_is_found_that_is_said(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = run("ingest", str(tmp_path / "empty"), "--workers", "1")

    assert done.exit_code == 1
    assert "can be remembered" in done.stderr
