"""Nothing goes out: every command works without a network, and only a download of models reaches for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from trustworthy import Count

# Sockets in files are the keeper's own; whatever has a host goes somewhere.
WATCHED = """
import json, socket, sys

tried = []


def hook(event, given):
    if event in {"socket.getaddrinfo", "socket.gethostbyname", "urllib.Request", "http.client.connect"}:
        tried.append([event, str(given[0])])
    elif event in {"socket.connect", "socket.sendto", "socket.bind"} and isinstance(given[-1], tuple):
        tried.append([event, str(given[-1])])


sys.addaudithook(hook)
from ricordo.cli import main

done = []
for arguments in json.load(sys.stdin):
    try:
        main(arguments)
    except SystemExit as end:
        done.append([arguments[0], end.code])
print(json.dumps({"done": done, "tried": tried}), file=sys.stderr)
"""

COMMANDS = (
    ("remember", "Project Baikal is our internal pipeline", "--when", "yesterday", "--embedder", "auto"),
    ("recall", "what is Baikal?", "--explain", "--embedder", "auto"),
    ("context", "what did we say about Baikal?", "--embedder", "auto"),
    ("timeline",),
    ("ingest", "note.md"),
    ("export", "all.jsonl", "--all"),
    ("import", "all.jsonl"),
    ("backup", "kept.backup"),
    ("restore", "kept.backup", "--overwrite"),
    ("store", "embed", "--embedder", "auto"),
    ("move", "--to", "sqlite:///other.db"),
    ("models", "list"),
    ("models", "verify"),
    ("stats",),
    ("doctor", "--repair"),
)  # fmt: skip


@cache
def cut_off() -> list[str]:
    """What starts a program without any network, where this system lets us."""
    command = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
        return command
    return []


def watched(folder: Path, *commands: tuple[str, ...]) -> dict[str, Any]:
    """The exit codes of the commands, and what they tried to reach."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RICORDO_", "HF_"))}
    environment |= {"RICORDO_HOME": str(folder / "home"), "HOME": str(folder), "RICORDO_EMBEDDER": "none"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [*cut_off(), sys.executable, "-c", WATCHED],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        check=False,
    )
    found: dict[str, Any] = json.loads(done.stderr.splitlines()[-1])
    return found


def test_no_command_reaches_for_the_network(tmp_path: Path, count: Count) -> None:
    (tmp_path / "note.md").write_text("# Lake\n\nBaikal is deep, see https://example.org/baikal.\n", encoding="utf-8")

    found = watched(tmp_path, *COMMANDS)

    assert found["done"] == [[command[0], 0] for command in COMMANDS]
    assert found["tried"] == []
    count("leaked", len(found["tried"]))


@pytest.mark.skipif(not cut_off(), reason="this system lets nobody take the network from a process")
def test_only_a_model_that_is_asked_for_is_fetched(tmp_path: Path) -> None:
    found = watched(tmp_path, ("models", "fetch", "cross-encoder/ms-marco-MiniLM-L6-v2"))

    assert found["done"] == [["models", 3]]
    assert found["tried"] != []
