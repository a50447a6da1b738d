"""Changing the model through the command line: built beside the old vectors, killed and resumed, switched, dropped."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from ricordo import sync
from ricordo.testing import HashEmbedder

Run = Callable[..., Result]
Ask = Callable[..., tuple[int, dict[str, Any]]]

MODEL = "all-minilm-l6-v2"
FINGERPRINT = "all-minilm-l6-v2/8199be6f-be50c362/int8/mean/384"
TOKENS = f"{FINGERPRINT}/tokens/6/uncentred"
BY_MODEL = ("--embedder", MODEL)

SLOW = """
import sys, time
from ricordo import sync
from ricordo.testing import HashEmbedder

class Slow(HashEmbedder):
    def encode_passages(self, texts):
        time.sleep(0.02)
        return super().encode_passages(texts)

with sync.open(sys.argv[1], embedder=Slow()) as memory:
    print("ready", flush=True)
    memory.embed(everything=True)
"""
CHUNKS = 1500


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'home' / 'memory.db'}"


@pytest.fixture
def hashed(run: Run, store_url: str) -> Run:
    """The command line over a store with vectors by a model that is not installed, in two namespaces."""
    for namespace in ("default", "work"):
        with sync.open(store_url, namespace=namespace, embedder=HashEmbedder()) as memory:
            memory.remember("the spare key hangs behind the meter")
    return run


def findings(document: dict[str, Any], *names: str) -> list[tuple[str, str, str | None]]:
    return [
        (check["status"], check["message"], check["mend"]) for check in document["checks"] if check["name"] in names
    ]


def found(run: Run, *arguments: str) -> bool:
    """Whether a memory is found by vectors."""
    return "vectors 1" in run("recall", "where is the key for the gas?", "--limit", "1", *arguments).stdout


def test_the_doctor_says_what_is_missing_and_the_command_mends_it(run: Run, ask: Ask) -> None:
    run("remember", "the spare key hangs behind the meter")
    code, sick = ask("doctor", *BY_MODEL)
    assert (code, sick["ok"]) == (3, False)
    (_, (status, message, mend)) = findings(sick, "vectors", "token vectors")
    assert (status, mend) == ("fault", "ricordo store embed")
    assert message == "missing for 1 of 1 chunks, by the embedder in force: only words find them"

    assert run("store", "embed", *BY_MODEL).exit_code == 0
    code, well = ask("doctor", *BY_MODEL)
    assert (code, len(findings(well, "vectors", "token vectors"))) == (0, 1)
    assert found(run, *BY_MODEL)


def test_token_vectors_that_were_not_kept_are_a_note_until_they_are_made(run: Run, ask: Ask) -> None:
    run("remember", "the spare key hangs behind the meter", *BY_MODEL, RICORDO_TOKEN_VECTORS="off")
    assert findings(ask("doctor", *BY_MODEL)[1], "token vectors")[0][0] == "note"
    run("store", "embed", *BY_MODEL, RICORDO_TOKEN_VECTORS="computed")
    assert ask("stats")[1]["token_embedders"] == []

    assert ask("store", "embed", *BY_MODEL)[1]["chunks"] == 1
    assert ask("stats")[1]["token_embedders"] == [{"fingerprint": TOKENS, "chunks": 1}]
    assert findings(ask("doctor", *BY_MODEL)[1], "token vectors") == []


def test_a_model_is_changed_and_the_old_vectors_are_dropped(hashed: Run, ask: Ask, tmp_path: Path) -> None:
    code, built = ask("store", "embed", *BY_MODEL)
    assert (code, built["chunks"], built["fingerprint"], built["token_fingerprint"]) == (0, 2, FINGERPRINT, TOKENS)
    assert (built["embedder"], built["set_in"]) == (MODEL, "RICORDO_EMBEDDER")  # which sets another one here
    assert ask("store", "embed", *BY_MODEL)[1]["chunks"] == 0
    sets = {row["fingerprint"]: row["vectors"] for row in ask("stats")[1]["embedders"]}
    assert sets == {FINGERPRINT: 2, HashEmbedder.fingerprint: 2}

    ((_, size, _), (status, message, mend)) = findings(ask("doctor", *BY_MODEL)[1], "vectors")
    assert size.startswith("2 vectors take up")
    assert (status, mend) == ("note", "ricordo store drop-vectors hash-words")
    assert message == "2 by hash-words/1/64: no model that is installed can search them"

    dropped = {row["fingerprint"]: row["chunks"] for row in ask("store", "drop-vectors", "hash-words")[1]["dropped"]}
    assert dropped == {HashEmbedder.fingerprint: 2, HashEmbedder.token_fingerprint: 2}
    assert len(findings(ask("doctor", *BY_MODEL)[1], "vectors")) == 1
    assert found(hashed, *BY_MODEL)


def test_the_setting_that_switches_is_told_until_it_is_made(hashed: Run, tmp_path: Path) -> None:
    config = tmp_path / "home" / "config.toml"
    config.write_text('embedder = "none"\n', encoding="utf-8")
    done = f"all have what {FINGERPRINT} makes of them"
    told = hashed("store", "embed", *BY_MODEL, RICORDO_EMBEDDER="", COLUMNS="400").stdout
    switch = f'embedder = "{MODEL}"'
    assert told.splitlines() == [
        f"read 2 chunks: {done}",
        f"to search with it from now on, set {switch} in {config}",
    ]

    config.write_text(f"{switch}\n", encoding="utf-8")
    told = hashed("store", "embed", RICORDO_EMBEDDER="", COLUMNS="400").stdout
    assert told == f"nothing was missing: {done}\n"


def test_a_namespace_that_is_named_is_changed_alone(hashed: Run, ask: Ask) -> None:
    assert ask("store", "embed", *BY_MODEL, "-n", "work")[1]["chunks"] == 1
    assert ask("store", "drop-vectors", "hash-words", "-n", "work")[1]["dropped"][0]["chunks"] == 1
    assert found(hashed, *BY_MODEL, "-n", "work")
    assert not found(hashed, *BY_MODEL)


def test_vectors_of_a_model_that_is_installed_can_be_used_or_dropped(run: Run, ask: Ask) -> None:
    run("remember", "the spare key hangs behind the meter", *BY_MODEL)
    ((status, message, mend),) = findings(ask("doctor")[1], "vectors")

    assert (status, message) == (
        "note",
        f"1 by {FINGERPRINT}: that model is installed, but not in force",
    )
    assert mend == f"ricordo store drop-vectors {MODEL}; or search with --embedder {MODEL}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("embed",), "none is in force: name one with --embedder"),
        (("drop-vectors", "gpt"), "no vectors here are by 'gpt'; those that are here: hash-words/1/64"),
        (("drop-vectors",), "Missing argument"),
    ],
)
def test_wrong_use_is_told(hashed: Run, arguments: tuple[str, ...], message: str) -> None:
    result = hashed("store", *arguments)

    assert result.exit_code == 2
    assert message in result.stderr


def test_the_vectors_in_force_are_not_dropped(run: Run) -> None:
    run("remember", "fact", *BY_MODEL)
    result = run("store", "drop-vectors", MODEL, *BY_MODEL)

    assert result.exit_code == 2
    assert "is in force" in result.stderr


def test_what_one_process_drops_another_finds_no_more_and_finds_again_once(store_url: str, ask: Ask) -> None:
    with sync.open(store_url, embedder=HashEmbedder()) as memory:
        memory.remember("the spare key hangs behind the meter")
        assert "vectors" in memory.recall("spare key").hits[0].arms
        assert ask("store", "drop-vectors", "hash-words")[0] == 0
        assert "vectors" not in memory.recall("spare key").hits[0].arms
        with sync.open(store_url, embedder=HashEmbedder()) as other:
            other.embed()
        hits = memory.recall("spare key").hits
    assert [(len(hits), hit.arms["vectors"]) for hit in hits] == [(1, 1)]


def built(store: Path) -> int:
    with closing(sqlite3.connect(store)) as connection:
        return int(connection.execute("SELECT count(*) FROM embedding").fetchone()[0])


def killed_half_way(store: Path) -> int:
    """Kill a process that makes vectors once it has made some; how many there are."""
    command = [sys.executable, "-c", SLOW, f"sqlite:///{store}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        deadline = time.monotonic() + 30
        while built(store) < CHUNKS // 5 and time.monotonic() < deadline:
            time.sleep(0.005)
        process.kill()
    return built(store)


def test_building_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    store, notes = tmp_path / "memory.db", tmp_path / "notes.md"
    notes.write_text("\n\n".join(f"## Note {n}\n\nInvoice {n} was paid." for n in range(CHUNKS)), encoding="utf-8")
    with sync.open(f"sqlite:///{store}", embedder="none") as memory:
        memory.ingest([notes])
        assert memory.stats().chunks == CHUNKS
    there = killed_half_way(store)
    assert 0 < there < CHUNKS

    with sync.open(f"sqlite:///{store}", embedder=HashEmbedder()) as memory:
        assert memory.embed(everything=True).chunks == CHUNKS - there
        stats = memory.stats()
        assert (stats.embedders, stats.token_embedders) == (
            {HashEmbedder.fingerprint: CHUNKS},
            {HashEmbedder.token_fingerprint: CHUNKS},
        )
        assert memory.check() == ()
