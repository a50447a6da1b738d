"""Moving between stores, and looking after a store, through the command line."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
Ask = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def filled(run: Run, ask: Ask) -> Run:
    """The command line over a store with two versions, a tombstone and a second namespace."""
    old = ask("remember", "the pool is 20")[1]["id"]
    ask("revise", old, "the pool is 60")
    ask("remember", "озеро холодное", "-n", "work", "--tag", "y")
    ask("forget", ask("remember", "gone")[1]["id"])
    return run


@pytest.fixture
def second(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'second.db'}"


def exported(run: Run, store: str | None = None) -> list[str]:
    return sorted(run("export", "--all", *(("--store", store) if store else ())).stdout.splitlines())


def test_a_move_copies_every_namespace_and_leaves_the_source(filled: Run, ask: Ask, second: str) -> None:
    before = exported(filled)
    code, moved = ask("move", "--to", second)

    assert code == 0
    assert set(moved) == {"memories", "present", "chunks", "vectors", "tombstones", "checksum"}
    assert (moved["memories"], moved["present"], moved["chunks"], moved["tombstones"]) == (3, 0, 3, 1)
    assert exported(filled) == exported(filled, second) == before


def test_a_move_that_is_run_again_copies_nothing(filled: Run, ask: Ask, second: str) -> None:
    first = ask("move", "--to", second)[1]

    assert ask("move", "--to", second) == (0, {**first, "present": 3})


def test_a_namespace_that_is_named_is_moved_alone(filled: Run, ask: Ask, second: str) -> None:
    code, moved = ask("move", "--to", second, "--namespace", "work")

    assert (code, moved["memories"], moved["tombstones"]) == (0, 1, 0)
    assert ask("stats", "--store", second)[1]["namespaces"] == {"work": 1}


def test_a_move_says_what_it_did(filled: Run, second: str) -> None:
    filled("move", "--to", second)
    result = filled("move", "--to", second)

    said = "3 memories in 3 chunks, with 0 vectors and 1 tombstone: 0 copied, 3 there already; read back and compared"
    assert " ".join(result.stdout.split()) == said
    assert result.stderr == ""


def test_moving_nothing_exits_with_1(ask: Ask, second: str) -> None:
    code, moved = ask("move", "--to", second)

    assert (code, moved["memories"]) == (1, 0)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), 2),
        (("--to", "postgres://mira:sesame@127.0.0.1:1/memory"), 2),
        (("--to", "sqlite:////dev/null/memory.db"), 3),
        (("--to", "postgresql://mira:sesame@127.0.0.1:1/memory"), 3),
    ],
)
def test_a_store_that_cannot_be_moved_to_is_an_error(filled: Run, arguments: tuple[str, ...], code: int) -> None:
    result = filled("move", *arguments)

    assert result.exit_code == code
    assert result.stderr
    assert "sesame" not in result.output


def test_a_store_is_not_moved_onto_itself(run: Run, second: str) -> None:
    assert run("move", "--store", second, "--to", second).exit_code == 2


def test_memories_move_to_a_private_server_and_are_found_there(
    filled: Run, start: Callable[..., subprocess.CompletedProcess[bytes]], embedded_url: str
) -> None:
    moved = start("move", "--to", embedded_url)

    assert (moved.returncode, moved.stderr) == (0, b"")
    assert exported(filled, embedded_url) == exported(filled)
    found = filled("recall", "холодного озера", "--store", embedded_url, "--namespace", "work")
    assert "озеро холодное" in found.stdout


def test_the_doctor_and_the_counts_know_a_server(run: Run, ask: Ask, postgres_url: str) -> None:
    ask("remember", "the pool is 20", "--store", postgres_url)
    stats = ask("stats", "--store", postgres_url)[1]
    diagnosis = run("doctor", "--store", postgres_url)

    assert (stats["memories"], stats["chunks"], stats["namespaces"]) == (1, 1, {"default": 1})
    assert stats["store"].startswith("postgresql://mira@127.0.0.1:")
    assert diagnosis.exit_code == 0
    assert "postgresql://mira:***@127.0.0.1" in diagnosis.stdout
    assert "p%254" not in diagnosis.output + str(stats)


def test_the_doctor_says_when_a_server_is_away(run: Run) -> None:
    result = run("doctor", "--store", "postgresql://mira:sesame@127.0.0.1:1/memory")

    assert result.exit_code == 3
    assert "is it running" in " ".join(result.stdout.split())
    assert "sesame" not in result.output


def test_there_is_nothing_to_distribute_without_a_cluster(run: Run, ask: Ask, postgres_url: str) -> None:
    here, there = run("store", "distribute"), ask("store", "distribute", "--store", postgres_url)

    assert (here.exit_code, here.stdout) == (0, "nothing to distribute: this store is no PostgreSQL server\n")
    assert there == (0, {"distributed": [], "why": "the server has no Citus; a single server needs none"})
