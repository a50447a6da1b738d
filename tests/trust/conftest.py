"""The command line with a home of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ricordo.cli import main


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Result]:
    """`run(*arguments)`: the command line in this process, by words alone unless told."""
    home = tmp_path / "user"
    names = ("APPDATA", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "HOME", "USERPROFILE", "XDG_CONFIG_HOME")
    environment = {**dict.fromkeys(names, str(home)), "RICORDO_EMBEDDER": "none", "RICORDO_TZ": "UTC"}

    def invoke(*arguments: str, input: str | None = None) -> Result:
        return CliRunner(env=environment).invoke(main, arguments, input=input, catch_exceptions=False)

    return invoke


@pytest.fixture
def ask(run: Callable[..., Result]) -> Callable[..., tuple[int, Any]]:
    """`ask(*arguments)`: exit code and the one JSON document on stdout."""

    def invoke(*arguments: str, input: str | None = None) -> tuple[int, Any]:
        result = run("--json", *arguments, input=input)
        return result.exit_code, json.loads(result.stdout)

    return invoke
