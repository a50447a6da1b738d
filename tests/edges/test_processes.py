"""What only shows between processes: pipes, locales, start-up, signals, many writers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Start = Callable[..., subprocess.CompletedProcess[bytes]]

HEAVY = {"numpy", "onnxruntime", "tokenizers", "sqlite3", "rich", "yaml"}
WRITERS = 10
FACTS = 100
WRITER = """
import sys
from ricordo import sync
with sync.open(sys.argv[1], embedder="none") as memory:
    for number in range(int(sys.argv[3])):
        memory.remember(f"writer {sys.argv[2]} says fact {number}")
"""


@pytest.mark.parametrize("environment", [{}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}], ids=["as it is", "ascii"])
def test_what_one_process_is_told_through_a_pipe_another_recalls(start: Start, environment: dict[str, str]) -> None:
    told = start("remember", "-", input="Ключ от архива лежит у Веры\n".encode(), **environment)

    found = start("recall", "ключи архива", "--json", **environment)

    assert told.returncode == 0
    assert json.loads(found.stdout.decode("utf-8"))["hits"][0]["text"] == "Ключ от архива лежит у Веры"


def test_what_an_encoding_lacks_becomes_a_question_mark(start: Start) -> None:
    start("remember", "-", input="вода is water".encode())

    shown = start("recall", "water", PYTHONIOENCODING="ascii")

    assert shown.returncode == 0
    assert shown.stdout.startswith(b"1 ???? is water\n")


def test_bytes_that_are_no_utf_8_are_refused(start: Start) -> None:
    done = start("remember", "-", input=b"caf\xe9")

    assert done.returncode == 2
    assert done.stderr == b"ricordo: standard input is not valid UTF-8: unexpected end of data at byte 3\n"


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from ricordo.cli import main\ntry: main(['--help'])\nfinally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert not loaded & HEAVY


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="this system has no SIGPIPE")
def test_a_reader_that_has_enough_ends_the_program_quietly(tmp_path: Path) -> None:
    environment = {**os.environ, "RICORDO_HOME": str(tmp_path), "RICORDO_EMBEDDER": "none"}
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "ricordo", "stats"],
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=environment,
            check=False,
        )

    assert done.returncode == -signal.SIGPIPE
    assert done.stderr == b""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for a child alone")
def test_ctrl_c_ends_quietly_with_130(tmp_path: Path) -> None:
    environment = {**os.environ, "RICORDO_HOME": str(tmp_path), "RICORDO_EMBEDDER": "none"}
    command = [sys.executable, "-m", "ricordo", "remember", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        time.sleep(1)  # until it waits for its standard input
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate()

    assert process.returncode == 130
    assert complaint.strip() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_on_a_terminal_forget_asks_first(start: Start, tmp_path: Path) -> None:
    import pty

    memory_id = json.loads(start("remember", "fact", "--json").stdout)["id"]
    ours, theirs = pty.openpty()
    os.write(ours, b"n\n")
    with os.fdopen(theirs) as stdin:
        done = subprocess.run(
            [sys.executable, "-m", "ricordo", "forget", memory_id],
            stdin=stdin,
            capture_output=True,
            env={**os.environ, "RICORDO_EMBEDDER": "none"},
            check=False,
        )
    os.close(ours)

    assert done.returncode == 1
    assert b"Forget for good? [y/N]" in done.stderr
    assert start("show", memory_id).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_on_a_terminal_an_ingest_shows_how_far_it_is(tmp_path: Path) -> None:
    import pty

    records = tmp_path / "own.jsonl"
    records.write_text("".join(f'{{"text": "Said {number}"}}\n' for number in range(400)), encoding="utf-8")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "RICORDO_EMBEDDER": "none", "RICORDO_HOME": str(tmp_path / "home"), "TERM": "xterm"}
    with os.fdopen(theirs, "wb") as stderr:
        command = [sys.executable, "-m", "ricordo", "ingest", str(records)]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, env=environment, check=False
        )
        shown = os.read(ours, 1 << 16)
    os.close(ours)

    assert done.returncode == 0
    assert b"memories" in shown
    assert b"a second" in shown


@pytest.mark.slow
def test_ten_processes_writing_at_once_lose_nothing(start: Start, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'shared.db'}"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, store, str(number), str(FACTS)]) for number in range(WRITERS)
    ]

    assert [writer.wait() for writer in writers] == [0] * WRITERS
    assert json.loads(start("stats", "--json", "--store", store).stdout)["memories"] == WRITERS * FACTS
    assert start("doctor", "--store", store).returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("command", [["--help"], ["stats", "--json"]])
def test_output_that_cannot_be_written_is_one_line(command: list[str], tmp_path: Path) -> None:
    environment = {**os.environ, "RICORDO_HOME": str(tmp_path), "RICORDO_EMBEDDER": "none"}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ricordo", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment,
            check=False,
        )

    assert done.returncode == 3
    assert done.stderr == b"ricordo: the output could not be written: No space left on device\n"


def test_json_counts_wherever_it_stands(start: Start) -> None:
    outputs = [start("--json", "--version").stdout, start("--version", "--json").stdout]

    assert all("version" in json.loads(output) for output in outputs)
