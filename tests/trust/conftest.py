"""Counts over all tests of trust, told at the end of a run; and the command line with a home of its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ricordo.cli import main
from trustworthy import COUNTED, LONG, Count


@pytest.fixture
def count(record_property: Callable[[str, object], None]) -> Count:
    """`count("crashes injected", 3)`: add to what is told at the end."""

    def add(what: str, number: int) -> None:
        assert what in COUNTED
        record_property(what, number)

    return add


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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    found: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for what, number in report.user_properties:
                    found[what] += int(number) if what in COUNTED else 0
    if any(what in COUNTED for what in found):
        told = ", ".join(f"{what} {found[what]:,}" for what in COUNTED)
        terminalreporter.write_line(f"trust, {'long' if LONG else 'short'} form: {told}")
