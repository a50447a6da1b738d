"""Nothing goes out: every command works without a network, and only a download of models reaches for it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import Result

from payloads import CLAUDE
from postgres_servers import tell
from ricordo import sync
from ricordo.cli import main
from tinymodels import write_encoder
from tinysets import LOCOMO
from trustworthy import LONG, Count
from watched import Run, cut_off, environment, watched

MAY_REACH_OUT = {("models", "fetch")}
"""What is asked to download."""
LISTEN = [("serve", "socket.bind", "127.0.0.1"), ("mcp", "socket.bind", "127.0.0.1")]
"""What serves other programs does so on this machine alone."""
LASTS = {("eval", "agent-memory"), ("eval", "chronicle")}
"""What generates thousands of records first: in the long form."""

BAIKAL = "Project Baikal is our internal pipeline"
TOKEN = "a-token-of-our-own-that-nobody-guesses"
ASK = """
import sys
from urllib.request import ProxyHandler, Request, build_opener
request = Request(sys.argv[1], headers={"Authorization": f"Bearer {sys.argv[2]}"})
with build_opener(ProxyHandler({})).open(request) as answer:
    answer.read()
"""
GREETING = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "client", "version": "1"},
}
SAID = (
    {"id": 1, "method": "initialize", "params": GREETING},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": {"name": "recall", "arguments": {"query": "what is Baikal?"}}},
)
BIRDS = {"owl": "hunts by night", "rook": "nests in trees", "heron": "stands in water", "swift": "sleeps in the air"}
SQUAD = {
    "data": [
        {
            "title": "Birds",
            "paragraphs": [
                {"context": f"The bird called {bird} {does}.", "qas": [{"id": bird, "question": f"Which bird {does}?"}]}
                for bird, does in BIRDS.items()
            ],
        }
    ]
}
PHRASE = {"lang": "en", "query": "what was decided?", "now": "2026-05-01T12:00:00+00:00", "tz": "UTC", "kind": "neg"}
OWN_QUESTION = {"question": "what is Baikal?", "expected": ["pipeline"]}


def memories(*, first: str, second: str) -> Iterator[Run]:
    """Commands about what is remembered, of which two memories are known."""
    for arguments in (
        ("remember", BAIKAL, "--when", "yesterday", "--embedder", "auto"),
        ("recall", "what is Baikal?", "--explain", "--embedder", "auto"),
        ("context", "what did we say about Baikal?", "--embedder", "auto"),
        ("timeline",),
        ("ingest", "note.md"),
        ("ingest", "note.md", "--workers", "1"),
        ("show", first),
        ("revise", first, "The door code is 9052"),
        ("history", first),
        ("bury", second),
        ("export", "all.jsonl", "--all"),
        ("import", "all.jsonl"),
        ("backup", "kept.backup"),
        ("restore", "kept.backup", "--overwrite"),
        ("move", "--to", "sqlite:///other.db"),
        ("forget", second, "--yes"),
        ("stats",),
    ):
        yield Run(arguments=arguments)


def upkeep(tiny: Path) -> Iterator[Run]:
    """Commands about the store itself, models and assistants."""
    for arguments in (
        ("store", "embed", "--embedder", "auto"),
        ("store", "drop-vectors", "multilingual-e5-small"),
        ("store", "purge"),
        ("store", "distribute"),
        ("models", "list"),
        ("models", "show", "multilingual-e5-small"),
        ("models", "verify"),
        ("models", "bench", f"local:{tiny}"),
        ("install", "claude-code"),
        ("doctor", "--repair"),
        ("uninstall", "claude-code"),
        ("demo",),
        ("completion", "bash"),
    ):
        yield Run(arguments=arguments)
    yield Run(arguments=("models", "remove", "intfloat/multilingual-e5-small"), code=1)


def measurements() -> Iterator[Run]:
    """What is below `eval`."""
    for arguments in (
        ("squad", "squad.json"),
        ("locomo", "locomo.json"),
        ("agent-memory", "--questions", "5"),
        ("chronicle", "--questions", "5"),
        ("questions", "mine.jsonl"),
        ("time", "phrases.jsonl"),
        ("fit", "--squad", "squad.json"),
        ("floors", "squad.json", "--unrelated", "locomo.json", "--embedder", "all-minilm-l6-v2"),
        ("plots", "run.json", "pictures"),
    ):
        if LONG or ("eval", arguments[0]) not in LASTS:
            yield Run(arguments=("eval", *arguments))


def programs(tmp_path: Path) -> Iterator[Run]:
    """What other programs start, and what goes on until it is told to end."""
    prompt = {**CLAUDE["UserPromptSubmit"], "cwd": str(tmp_path), "prompt": "let us deploy Baikal"}
    yield Run(arguments=("hook", "prompt-submit"), input=json.dumps(prompt))
    yield Run(arguments=("keep", "--stop"))
    yield Run(arguments=("keep",), until=("-m", "ricordo", "keep", "--stop"), interrupted=False)
    said = "".join(f"{json.dumps({'jsonrpc': '2.0', **message})}\n" for message in SAID[: 3 if LONG else 2])
    yield Run(arguments=("mcp",), input=said)
    # Without `site` the one that asks is not watched.
    port, other = free_ports(2)
    asked = ("-S", "-c", ASK, f"http://127.0.0.1:{port}/api/recall?query=Baikal", TOKEN)
    yield Run(arguments=("serve", "--port", str(port), "--token-file", "token"), code=130, until=asked)
    knocked = ("-S", "-c", f"import socket; socket.create_connection(('127.0.0.1', {other}))")
    yield Run(arguments=("mcp", "--http", "--port", str(other)), code=130, until=knocked)
    yield Run(arguments=("ingest", "more", "--watch"), until=("-m", "ricordo", "recall", "Vesna"))


def free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [int(each.getsockname()[1]) for each in held]
    finally:
        for each in held:
            each.close()


@pytest.fixture
def runs(tmp_path: Path, run: Callable[..., Result]) -> list[Run]:
    """Every command with what it needs, in a folder that has that."""
    (tmp_path / "home").mkdir()
    with sync.open(f"sqlite:///{tmp_path / 'home' / 'memory.db'}", embedder="none") as memory:
        first, second = (memory.remember(text).id for text in ("The door code is 4471", "The spare key is behind it"))
    more = tmp_path / "more"
    more.mkdir()
    for file, text in (
        (tmp_path / "note.md", "# Lake\n\nBaikal is deep, see https://example.org/baikal.\n"),
        (more / "more.md", "# Boat\n\nThe boat is called Vesna.\n"),
        (tmp_path / "token", TOKEN),
        (tmp_path / "squad.json", json.dumps(SQUAD)),
        (tmp_path / "locomo.json", json.dumps(LOCOMO)),
        (tmp_path / "phrases.jsonl", json.dumps(PHRASE)),
        (tmp_path / "mine.jsonl", json.dumps(OWN_QUESTION)),
    ):
        file.write_text(text, encoding="utf-8")
    measured = run("--json", "eval", "squad", str(tmp_path / "squad.json")).stdout
    (tmp_path / "run.json").write_text(measured, encoding="utf-8")
    tiny = write_encoder(tmp_path / "tiny")
    return [*memories(first=first, second=second), *programs(tmp_path), *upkeep(tiny), *measurements()]


def commands(group: click.Group = main, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """All commands of the program, as its own table has them."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*above, name))
        else:
            yield (*above, name)


@pytest.mark.skipif(sys.platform == "win32", reason="the keeper needs sockets in files")
def test_no_command_reaches_for_the_network(tmp_path: Path, runs: list[Run], count: Count) -> None:
    known = set(commands())
    asked = {name for run in runs for name in known if run.arguments[: len(name)] == name}
    assert known - asked == MAY_REACH_OUT | (set() if LONG else LASTS)

    told = watched(tmp_path, runs)

    assert told.codes == [run.code for run in runs], told.output
    assert told.tried == LISTEN
    assert told.packets == 0
    count("leaked", told.packets)
    tell(f"{len(runs)} runs of {len(asked)} commands, {how()}")


def how() -> str:
    if cut_off():
        return (
            "in a network of their own that leads nowhere, watched by Python's audit events and the kernel's counters"
        )
    return "watched by Python's audit events alone: this system lets nobody take the network from a process"


def test_what_a_command_starts_is_watched_as_well(tmp_path: Path) -> None:
    program = "import socket; socket.getaddrinfo('localhost', 1)"
    subprocess.run([sys.executable, "-c", program], env=environment(tmp_path), check=True)

    assert '"socket.getaddrinfo", "localhost"' in (tmp_path / "journal").read_text(encoding="utf-8")


@pytest.mark.skipif(not cut_off(), reason="this system lets nobody take the network from a process")
def test_only_a_model_that_is_asked_for_is_fetched(tmp_path: Path) -> None:
    told = watched(tmp_path, [Run(arguments=("models", "fetch", "cross-encoder/ms-marco-MiniLM-L6-v2"))])

    assert told.codes == [3]
    assert told.tried != []
    assert told.packets > 0
