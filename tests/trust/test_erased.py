"""What was forgotten is in no file any more: of the store, of its backups, of a private server."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from click.testing import Result

from ricordo import sync
from ricordo.stores.postgres.server import EmbeddedServer
from ricordo.testing import HashEmbedder
from trustworthy import LONG, Count

SECRET = "zyxomma4471"
RUSSIAN = "щукомора"
TEXT = f"The code of the safe is {SECRET}, and of the cellar {RUSSIAN}"


PUMP = b"is watered by pump"


def holding(files: Iterable[Path]) -> list[str]:
    """The files in which a secret stands, or most of it: indexes leave out how a word begins."""
    words = [word[3:].encode() for word in (SECRET, RUSSIAN)]
    return [file.name for file in files if file.is_file() and any(word in file.read_bytes() for word in words)]


def files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


def test_no_file_holds_what_was_forgotten_nor_does_what_is_made_of_them(
    run: Callable[..., Result], tmp_path: Path, count: Count
) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    with sync.open(url, embedder=HashEmbedder()) as memory:
        for number in range(400 if LONG else 60):
            memory.remember(f"Garden {number} is watered by pump {number % 7}")
        told = memory.remember(TEXT, tags=[SECRET], metadata={RUSSIAN: SECRET})
        told = memory.remember(f"{TEXT}: changed", supersedes=told.id)
        assert "memory.db-wal" in holding(files(tmp_path))
        memory.forget([told.id])
        assert holding(files(tmp_path)) == []
        for command in (
            ("backup", str(tmp_path / "kept.backup")),
            ("move", "--to", f"sqlite:///{tmp_path / 'moved.db'}"),
            ("export", str(tmp_path / "all.jsonl"), "--all"),
            ("doctor", "--repair"),
        ):
            done = run(*command, "--store", url)
            assert done.exit_code == 0, done.output

    leaked = holding(files(tmp_path))
    count("leaked", len(leaked))

    assert leaked == []
    made = {file.name for file in files(tmp_path) if PUMP in file.read_bytes()}
    assert made >= {"memory.db", "kept.backup", "moved.db", "all.jsonl"}


@pytest.mark.slow
def test_a_private_server_holds_nothing_of_it_once_it_was_purged(
    run: Callable[..., Result], embedded_postgres: EmbeddedServer, embedded_url: str, tmp_path: Path, count: Count
) -> None:
    folder = embedded_postgres.directory

    def kept(name: str) -> Path:
        assert run("backup", str(tmp_path / name), "--store", embedded_url).exit_code == 0
        return tmp_path / name

    with sync.open(embedded_url, embedder=HashEmbedder()) as memory:
        for number in range(40):
            memory.remember(f"Garden {number} is watered by pump {number % 7}")
        told = memory.remember(TEXT, tags=[SECRET], metadata={"owner": SECRET})
        assert holding([kept("before.backup")]) == ["before.backup"]
        memory.forget([told.id])
        assert memory.check() == ()
        assert holding(files(folder)), "what is looked for could be found before the server was purged"
    assert run("store", "purge", "--store", embedded_url).exit_code == 0

    after = kept("after.backup")
    leaked = holding([*files(folder), after])
    count("leaked", len(leaked))

    assert leaked == []
    assert PUMP in after.read_bytes()
