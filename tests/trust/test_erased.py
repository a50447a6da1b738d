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
        run("backup", str(tmp_path / "kept.backup"), "--store", url)
        run("move", "--to", f"sqlite:///{tmp_path / 'moved.db'}", "--store", url)
        run("export", str(tmp_path / "all.jsonl"), "--all", "--store", url)
        run("doctor", "--repair", "--store", url)

    leaked = holding(files(tmp_path))

    assert leaked == []
    assert len(files(tmp_path)) >= 4
    count("leaked", len(leaked))


@pytest.mark.slow
def test_a_private_server_holds_nothing_of_it_once_it_was_purged(
    run: Callable[..., Result], embedded_postgres: EmbeddedServer, embedded_url: str, count: Count
) -> None:
    with sync.open(embedded_url, embedder=HashEmbedder()) as memory:
        for number in range(40):
            memory.remember(f"Garden {number} is watered by pump {number % 7}")
        told = memory.remember(TEXT, tags=[SECRET], metadata={"owner": SECRET})
        memory.forget([told.id])
        assert memory.check() == ()
    assert run("store", "purge", "--store", embedded_url).exit_code == 0

    leaked = holding(files(embedded_postgres.directory))

    assert leaked == []
    count("leaked", len(leaked))
