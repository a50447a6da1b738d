from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ricordo.cli import main

Run = Callable[..., Result]
Document = dict[str, Any]


def at_home(folder: Path) -> dict[str, str]:
    """Settings by words alone, and homes of their own for ricordo and for the assistants of whoever runs the tests."""
    user = folder / "user"
    return {
        "APPDATA": str(user),
        "CLAUDE_CONFIG_DIR": "",
        "CODEX_HOME": "",
        "HOME": str(user),
        "RICORDO_EMBEDDER": "none",
        "RICORDO_HOME": str(folder / "home"),
        "RICORDO_TZ": "UTC",
        "USERPROFILE": str(user),
        "XDG_CONFIG_HOME": "",
    }


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """`run(*arguments)`: the command line in this process, with a home of its own; by words alone unless told."""

    def invoke(*arguments: str, input: str | bytes | None = None, **environment: str) -> Result:
        settings = at_home(tmp_path)
        return CliRunner(env=settings | environment).invoke(main, arguments, input=input, catch_exceptions=False)

    return invoke


@pytest.fixture
def ask(run: Run) -> Callable[..., tuple[int, Document]]:
    """`ask(*arguments)`: exit code and the one JSON document on stdout."""

    def invoke(*arguments: str, input: str | None = None) -> tuple[int, Document]:
        result = run("--json", *arguments, input=input)
        return result.exit_code, json.loads(result.stdout)

    return invoke


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """`start(*arguments)`: the same in a process of its own."""

    def spawn(*arguments: str, input: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
        settings = at_home(tmp_path)
        return subprocess.run(
            [sys.executable, "-m", "ricordo", *arguments],
            input=input,
            capture_output=True,
            env={**os.environ, **settings, **environment},
            check=False,
        )

    return spawn
