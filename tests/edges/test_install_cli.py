"""Setting assistants up through the command line: install, doctor, uninstall, on configurations as people have them."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from configurations import FILES
from ricordo.clients.assistants import ASSISTANTS
from ricordo.clients.handshake import Refused, shake_hands
from ricordo.clients.program import own_program

Run = Callable[..., Result]
Ask = Callable[..., tuple[int, dict[str, Any]]]

NAMES = [assistant.name for assistant in ASSISTANTS]

linux = pytest.mark.skipif(sys.platform != "linux", reason="the files are where Linux has them")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home folder of a user of six assistants."""
    for files in FILES.values():
        for place, text in files.items():
            path = tmp_path / "user" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
    return tmp_path / "user"


def content(home: Path) -> dict[str, bytes]:
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def checks(diagnosis: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    return ((check["name"], check["status"], check["message"]) for check in diagnosis["checks"])


@linux
def test_install_doctor_uninstall_leaves_every_byte_as_it_was(run: Run, ask: Ask, home: Path) -> None:
    before = content(home)

    for name in NAMES:
        assert run("install", name).exit_code == 0
    installed = content(home)
    _, diagnosis = ask("doctor")
    for name in NAMES:
        assert run("uninstall", name).exit_code == 0

    assert all(installed[place] != text for place, text in before.items())
    seen = {name: (status, message) for name, status, message in checks(diagnosis)}
    assert {assistant.title for assistant in ASSISTANTS} <= set(seen)
    assert {seen[assistant.title][0] for assistant in ASSISTANTS} == {"ok"}
    assert "6 tools listed" in seen["server"][1]
    assert seen["keeper"] == ("ok", "not running; hooks start it")
    assert "by words alone" in seen["hooks"][1]
    assert content(home) == before


@linux
def test_a_dry_run_shows_the_change_and_makes_none(run: Run, ask: Ask, home: Path) -> None:
    before = content(home)

    shown = run("install", "codex", "--dry-run")
    code, document = ask("install", "codex", "--dry-run")

    assert "+[mcp_servers.ricordo]" in shown.stdout
    assert "nothing was changed" in shown.stdout
    assert (code, document["dry_run"]) == (0, True)
    assert [file["status"] for file in document["files"]] == ["changed", "changed"]
    assert content(home) == before


@linux
def test_what_was_done_is_told(ask: Ask, run: Run, home: Path) -> None:
    code, first = ask("install", "claude-code", "--namespace", "work", "--store", "sqlite:///here.db")
    again, second = ask("install", "claude-code", "--namespace", "work", "--store", "sqlite:///here.db")

    assert (code, again) == (0, 0)
    assert [(file["holds"], file["status"]) for file in first["files"]] == [("server", "changed"), ("hooks", "changed")]
    assert all(Path(file["backup"]).is_file() for file in first["files"])
    assert [file["status"] for file in second["files"]] == ["unchanged", "unchanged"]
    entry = json.loads((home / ".claude.json").read_text())["mcpServers"]["ricordo"]
    assert Path(entry["command"]).is_absolute()
    store = f"sqlite:///{Path.cwd().as_posix()}/here.db"
    assert entry["args"][-5:] == ["mcp", "--namespace", "work", "--store", store]
    assert (
        "Claude Code: everything is there already"
        in run("install", "claude-code", "--namespace", "work", "--store", store).stdout
    )


@linux
def test_uninstalling_what_is_not_there_exits_with_1(run: Run, home: Path) -> None:
    result = run("uninstall", "gemini")

    assert result.exit_code == 1
    assert "nothing of ricordo is there" in result.stdout


@linux
def test_what_to_put_in_by_hand_is_printed(run: Run, ask: Ask, home: Path) -> None:
    before = content(home)

    printed = run("install", "vscode", "--print").stdout
    _, document = ask("install", "codex", "--print")

    assert printed.startswith("~/.config/Code/User/mcp.json:\n{")
    assert '"servers"' in printed
    assert [Path(file["path"]).name for file in document["files"]] == ["config.toml", "hooks.json"]
    assert content(home) == before


def test_a_project_has_its_own_files(run: Run, tmp_path: Path) -> None:
    project = tmp_path / "atlas"
    project.mkdir()

    run("install", "cursor", "--scope", "project", "--path", str(project))

    assert "ricordo" in json.loads((project / ".cursor" / "mcp.json").read_text())["mcpServers"]
    run("uninstall", "cursor", "--scope", "project", "--path", str(project))
    assert list(project.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("install", "emacs"), "'emacs' is not one of"),
        (("install", "claude-desktop", "--scope", "project"), "has no configuration for a project"),
    ],
)
def test_what_cannot_be_set_up_is_wrong_use(arguments: tuple[str, ...], complaint: str, run: Run) -> None:
    result = run(*arguments)

    assert result.exit_code == 2
    assert complaint in " ".join(result.stderr.split())


@linux
def test_one_file_that_cannot_be_understood_keeps_the_other_from_being_changed(run: Run, home: Path) -> None:
    (home / ".claude" / "settings.json").write_text('{"hooks": ')
    before = content(home)

    result = run("install", "claude-code")

    assert result.exit_code == 2
    assert "settings.json:1: the end stands where a value should begin; nothing was changed" in result.stderr
    assert content(home) == before


@linux
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"mcpServers": {"ricordo": {"command": "/gone/ricordo", "args": ["mcp"]}}}',
            "runs /gone/ricordo, which is not there",
        ),
        ('{"mcpServers": {"ricordo": {"command": "other"}}}', "an entry called ricordo runs something else"),
        ('{"mcpServers": ', "line 1: the end stands where a value should begin"),
    ],
)
def test_doctor_finds_what_is_wrong_with_an_entry(text: str, message: str, ask: Ask, home: Path) -> None:
    (home / ".cursor" / "mcp.json").write_text(text)

    code, diagnosis = ask("doctor")

    (found,) = [check for check in diagnosis["checks"] if check["name"] == "Cursor"]
    assert (code, found["status"]) == (3, "fault")
    assert message in found["message"]
    assert "ricordo install cursor" in found["mend"]


@linux
def test_doctor_tells_a_hook_whose_program_is_gone(run: Run, ask: Ask, home: Path) -> None:
    run("install", "claude-code")
    settings = home / ".claude" / "settings.json"
    settings.write_text(settings.read_text().replace(shlex.join(own_program()), "'/old tools/ricordo'"))

    _, diagnosis = ask("doctor")

    assert ("Claude Code", "fault", "~/.claude.json runs /old tools/ricordo, which is not there") in checks(diagnosis)


@linux
def test_doctor_asks_again_before_it_calls_hooks_slow(run: Run, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    run("install", "claude-code")
    # Nothing is as fast as a millisecond; the setting is what a user has to make a hook too slow.
    monkeypatch.setenv("RICORDO_HOOK_MS", "1")

    _, diagnosis = ask("doctor")

    (hooks,) = [check for check in diagnosis["checks"] if check["name"] == "hooks"]
    assert hooks["status"] == "fault"
    assert "ms, the median of 5, by words alone" in hooks["message"]


@linux
def test_doctor_knows_the_plugin_and_what_is_told_twice(run: Run, ask: Ask, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text('{"enabledPlugins": {"ricordo@ricordo": true}}')
    before = dict((name, status) for name, status, _ in checks(ask("doctor")[1]))
    run("install", "claude-code")

    twice = {name: message for name, _, message in checks(ask("doctor")[1])}

    assert before["Claude Code"] in ("ok", "fault"), "as the PATH has it"
    assert "memories are told twice" in twice["Claude Code"]


def test_doctor_says_that_no_assistant_is_set_up(ask: Ask) -> None:
    code, diagnosis = ask("doctor")

    assert code == 0
    assert ("assistants", "note", "no assistant uses this memory") in checks(diagnosis)


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import sys; sys.exit('pip install ricordo[mcp]')", r"it ended without an answer: pip install ricordo\[mcp\]"),
        ("print('Welcome!', flush=True)", "Expecting value"),
        ('print(\'{"id": 1, "error": {"code": 7}}\', flush=True)', "it refuses: {'code': 7}"),
        ("import time; time.sleep(60)", "no answer in 1 s"),
    ],
)
def test_a_server_that_is_none_is_told_by_what_it_does(program: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        shake_hands([sys.executable, "-c", program], {}, 1.0 if "sleep" in program else 20.0)


def test_a_server_that_cannot_be_run_is_told() -> None:
    with pytest.raises(Refused, match="/gone/ricordo cannot be run: No such file"):
        shake_hands(["/gone/ricordo", "mcp"], {}, 1.0)
