"""Configuration files of assistants: what is put in is understood, what is taken out leaves no trace."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from configurations import CLAUDE_SETTINGS, CODEX, FILES, VSCODE
from ricordo.clients.assistants import ASSISTANTS, PROJECT, USER, Machine, Scope, find_assistant
from ricordo.clients.changes import Change, plan_install, plan_uninstall
from ricordo.clients.check import examine
from ricordo.clients.entries import Invocation, hook_event, is_own_server
from ricordo.clients.files import Ledger
from ricordo.clients.jsonc import Malformed, parse
from ricordo.clients.jsonfile import JsonHooks, JsonServer
from ricordo.clients.program import own_program, passing
from ricordo.clients.splice import add, cut, style_of
from ricordo.clients.tomlfile import TomlServer
from ricordo.errors import InvalidInput

OURS = Invocation(program=("/opt/ricordo/bin/ricordo",))
ENTRY = OURS.server({})
SERVERS = JsonServer(key="mcpServers")
BOM = b"\xef\xbb\xbf"

every_assistant = pytest.mark.parametrize("name", [assistant.name for assistant in ASSISTANTS])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
layouts = st.sampled_from([None, 1, 2, 4, "\t"])


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(system="linux", environment={}, home=tmp_path, project=tmp_path / "atlas")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(folder=tmp_path / "backups")


def written(name: str, home: Path) -> dict[Path, bytes]:
    """The files of an assistant, and what they hold."""
    files = {home / place: text.encode() for place, text in FILES[name].items()}
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return files


def install(name: str, machine: Machine, ledger: Ledger, ours: Invocation = OURS) -> list[Change]:
    changes = list(plan_install(find_assistant(name), USER, machine, ours, ledger))
    for change in changes:
        change.apply(ledger)
    return changes


def uninstall(name: str, machine: Machine, ledger: Ledger) -> list[Change]:
    changes = list(plan_uninstall(find_assistant(name), USER, machine, ledger))
    for change in changes:
        change.apply(ledger)
    return changes


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every path below a folder, and what its file holds."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if "backups" not in path.parts
    }


@given(values, layouts)
def test_what_json_reads_is_read_the_same(value: object, indent: int | str | None) -> None:
    assert parse(json.dumps(value, indent=indent)).value() == value


@given(st.dictionaries(st.text(), values, min_size=1), st.text(min_size=1), values, layouts)
def test_what_is_put_into_an_object_and_taken_out_leaves_no_trace(
    before: dict[str, object], key: str, value: object, indent: int | str | None
) -> None:
    key = key + "!" * (key in before)
    text = json.dumps(before, indent=indent, ensure_ascii=False)

    after = add(text, parse(text), value, style_of(text), key)

    assert json.loads(after) == {**before, key: value}
    assert cut(after, parse(after), len(before)) == text


@given(st.lists(values, min_size=1), values, layouts)
def test_what_is_put_into_an_array_and_taken_out_leaves_no_trace(
    before: list[object], value: object, indent: int | str | None
) -> None:
    text = json.dumps(before, indent=indent)

    after = add(text, parse(text), value, style_of(text))

    assert json.loads(after) == [*before, value]
    assert cut(after, parse(after), len(before)) == text


@given(st.lists(values, min_size=2, max_size=5), st.data(), layouts)
def test_any_item_may_be_taken_out(before: list[object], data: st.DataObject, indent: int | str | None) -> None:
    place = data.draw(st.integers(0, len(before) - 1))
    text = json.dumps(before, indent=indent)

    assert json.loads(cut(text, parse(text), place)) == before[:place] + before[place + 1 :]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ('{"a": 1,\n "b" 2}', 2, "a colon is missing after 'b'"),
        ('{\n"a": tru\n}', 2, "'t' stands where a value should begin"),
        ('{"a": 1\n"b": 2}', 2, "a comma or '}' is missing here"),
        ("[1, 2\n\n", 3, "a comma or ']' is missing here"),
        ('{"a": "x\n"}', 1, "Invalid control character at"),
        ('{"a": 1}\n\n}', 3, "'}' stands where the text should end"),
        ("{a: 1}", 1, "a name in quotes is missing here"),
        ("", 1, "the end stands where a value should begin"),
        ("[" * 300, 1, "nested more than 200 levels deep"),
    ],
)
def test_what_is_no_json_is_told_by_its_line(text: str, line: int, what: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse(text)

    assert (caught.value.line, caught.value.what) == (line, what)


@every_assistant
def test_what_is_installed_is_there_and_others_stay(name: str, machine: Machine, ledger: Ledger) -> None:
    files = written(name, machine.home)
    assistant = find_assistant(name)

    changes = install(name, machine, ledger)

    assert {change.path for change in changes} == set(files)
    assert [change.status for change in changes] == ["changed"] * len(files)
    text = assistant.file(USER, machine).read_text()
    entry = assistant.shape.found(text)
    assert entry is not None
    assert (entry["command"], entry["args"]) == ("/opt/ricordo/bin/ricordo", ["mcp", "--also", "personal"])
    for path, content in files.items():
        lost = set(content.decode().splitlines()) - set(path.read_text().splitlines())
        # A last line may get its comma, and what is on one line grows there.
        assert all(len(content.splitlines()) == 1 or f"{line}," in path.read_text().splitlines() for line in lost)


@every_assistant
def test_after_uninstall_every_byte_is_as_it_was(name: str, machine: Machine, ledger: Ledger) -> None:
    written(name, machine.home)
    before = tree(machine.home)

    install(name, machine, ledger)
    install(name, machine, ledger, Invocation(program=("/elsewhere/ricordo",), options=("--store", "sqlite:///a.db")))
    uninstall(name, machine, ledger)

    assert tree(machine.home) == before
    assert not list(ledger.folder.iterdir())


@every_assistant
def test_without_records_what_was_put_in_is_taken_out_all_the_same(
    name: str, machine: Machine, ledger: Ledger, tmp_path: Path
) -> None:
    written(name, machine.home)
    before = tree(machine.home)

    install(name, machine, ledger)
    uninstall(name, machine, Ledger(folder=tmp_path / "backups" / "lost"))

    assert tree(machine.home) == before


@every_assistant
def test_installing_twice_changes_nothing(name: str, machine: Machine, ledger: Ledger) -> None:
    install(name, machine, ledger)
    once = tree(machine.home)

    changes = install(name, machine, ledger)

    assert {change.status for change in changes} == {"unchanged"}
    assert tree(machine.home) == once


@every_assistant
def test_files_and_folders_that_were_not_there_are_gone_again(name: str, machine: Machine, ledger: Ledger) -> None:
    before = tree(machine.home)

    assert {change.status for change in install(name, machine, ledger)} == {"created"}
    uninstall(name, machine, ledger)

    assert tree(machine.home) == before


@every_assistant
def test_uninstalling_what_is_not_there_changes_nothing(name: str, machine: Machine, ledger: Ledger) -> None:
    written(name, machine.home)
    before = tree(machine.home)

    assert {change.status for change in uninstall(name, machine, ledger)} == {"unchanged"}
    assert tree(machine.home) == before


@every_assistant
@pytest.mark.parametrize(
    "disguise",
    [
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: BOM + text,
        lambda text: text.rstrip(b"\n"),
        lambda text: b"",
        lambda text: b"\n",
    ],
    ids=["CRLF", "BOM", "no newline at the end", "empty", "blank"],
)
def test_every_way_to_write_a_file_is_kept(
    name: str, disguise: Callable[[bytes], bytes], machine: Machine, ledger: Ledger
) -> None:
    files = written(name, machine.home)
    for path, content in files.items():
        path.write_bytes(disguise(content))
    before = tree(machine.home)

    for change in install(name, machine, ledger):
        after = change.path.read_bytes()
        assert after.startswith(BOM) == disguise(b"{}").startswith(BOM)
        assert b"\r" not in disguise(b"a\nb") or after.count(b"\n") == after.count(b"\r\n")
    assert {change.status for change in install(name, machine, ledger)} == {"unchanged"}
    uninstall(name, machine, ledger)

    assert tree(machine.home) == before


def test_what_was_edited_since_stays_edited(machine: Machine, ledger: Ledger) -> None:
    written("codex", machine.home)
    path = machine.home / ".codex" / "config.toml"

    install("codex", machine, ledger)
    path.write_text(path.read_text().replace("gpt-5.4", "gpt-6") + '\n# mine\n[history]\npersistence = "none"\n')
    uninstall("codex", machine, ledger)

    assert path.read_text() == CODEX.replace("gpt-5.4", "gpt-6") + '\n# mine\n[history]\npersistence = "none"\n'


def test_an_object_that_was_empty_before_stays_though_the_file_was_edited(machine: Machine, ledger: Ledger) -> None:
    path = machine.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{\n  "mcpServers": {},\n  "a": 1\n}\n')

    install("cursor", machine, ledger)
    path.write_text(path.read_text().replace('"a": 1', '"a": 2'))
    uninstall("cursor", machine, ledger)

    assert path.read_text() == '{\n  "mcpServers": {},\n  "a": 2\n}\n'


def test_what_somebody_added_to_our_entry_stays_when_the_program_moves(machine: Machine, ledger: Ledger) -> None:
    install("cursor", machine, ledger)
    path = machine.home / ".cursor" / "mcp.json"
    path.write_text(path.read_text().replace('"command"', '"env": {"RICORDO_TZ": "UTC"}, "command"'))

    install("cursor", machine, ledger, Invocation(program=("/new/ricordo",)))

    entry = json.loads(path.read_text())["mcpServers"]["ricordo"]
    assert entry == {"env": {"RICORDO_TZ": "UTC"}, "command": "/new/ricordo", "args": ["mcp", "--also", "personal"]}


def test_comments_and_trailing_commas_stay(machine: Machine, ledger: Ledger) -> None:
    written("vscode", machine.home)

    install("vscode", machine, ledger)

    after = (machine.home / ".config/Code/User/mcp.json").read_text()
    assert after == VSCODE.replace(
        "        }, /* the only one so far */\n",
        "        }, /* the only one so far */\n"
        '        "ricordo": {\n'
        '            "type": "stdio",\n'
        '            "command": "/opt/ricordo/bin/ricordo",\n'
        '            "args": [\n'
        '                "mcp",\n'
        '                "--also",\n'
        '                "personal"\n'
        "            ]\n"
        "        },\n",
    )


def test_a_comment_behind_the_last_entry_stays_with_it() -> None:
    text = '{\n  "mcpServers": {\n    "a": {} // mine\n  }\n}\n'

    after = SERVERS.put(text, {"command": "ricordo", "args": ["mcp"]})

    assert '"a": {}, // mine\n    "ricordo"' in after
    assert SERVERS.taken(after, text) == text


def test_hooks_stand_behind_those_of_others(machine: Machine, ledger: Ledger) -> None:
    written("claude-code", machine.home)

    install("claude-code", machine, ledger)

    hooks = json.loads((machine.home / ".claude/settings.json").read_text())["hooks"]
    assert hooks["UserPromptSubmit"] == [
        *json.loads(CLAUDE_SETTINGS)["hooks"]["UserPromptSubmit"],
        {"hooks": [{"type": "command", "command": "/opt/ricordo/bin/ricordo hook prompt-submit", "timeout": 5}]},
    ]
    assert list(hooks) == ["UserPromptSubmit", "PostToolUse", "SessionStart", "PreCompact", "Stop", "SessionEnd"]


def test_a_hook_of_ours_in_a_group_of_others_is_taken_out_alone() -> None:
    text = '{"hooks": {"Stop": [{"hooks": [{"command": "a"}, {"command": "/b/ricordo hook stop"}, {"command": "c"}]}]}}'

    assert JsonHooks().taken(text, text) == '{"hooks": {"Stop": [{"hooks": [{"command": "a"}, {"command": "c"}]}]}}'


def test_codex_waits_longer_for_the_start(machine: Machine, ledger: Ledger) -> None:
    written("codex", machine.home)

    install("codex", machine, ledger)

    text = (machine.home / ".codex/config.toml").read_text()
    assert tomllib.loads(text)["mcp_servers"]["ricordo"]["startup_timeout_sec"] == 20
    assert text.startswith(CODEX)
    assert "SessionEnd" not in (machine.home / ".codex/hooks.json").read_text()


@pytest.mark.parametrize(
    "text",
    [
        '[mcp_servers]\nricordo = { command = "ricordo", args = ["mcp"] }\n',
        'mcp_servers = { ricordo = { command = "ricordo", args = ["mcp"] } }\n',
    ],
)
def test_a_table_within_a_line_is_not_touched(text: str) -> None:
    with pytest.raises(Malformed, match=r"not understood; remove it there"):
        TomlServer(key="mcp_servers").taken(text, text)


def test_a_table_is_not_added_to_servers_within_a_line() -> None:
    with pytest.raises(Malformed) as caught:
        TomlServer(key="mcp_servers").put('a = 1\nmcp_servers = { x = { command = "x" } }\n', ENTRY)

    assert caught.value.line == 2


def test_tables_below_ours_go_with_it_and_look_alikes_in_texts_stay() -> None:
    text = (
        'note = """\n[mcp_servers.ricordo]\n"""\n\n[mcp_servers.ricordo]\ncommand = "ricordo"\nargs = [\n  "mcp",\n]\n'
        '[mcp_servers.ricordo.env]\nA = "1"\n\n# of the next\n[z]\n'
    )

    with pytest.raises(Malformed):  # better not at all than wrongly
        TomlServer(key="mcp_servers").taken(text, "")
    assert TomlServer(key="mcp_servers").taken(text.partition('"""\n\n')[2], "") == "\n# of the next\n[z]\n"


@pytest.mark.parametrize(
    ("name", "place", "text", "line"),
    [
        ("cursor", ".cursor/mcp.json", '{\n  "mcpServers": {\n    "a": }\n}\n', 3),
        ("claude-code", ".claude/settings.json", '{\n  "hooks": [\n', 3),
        ("claude-code", ".claude/settings.json", '{\n  "hooks": []}', 2),
        ("codex", ".codex/config.toml", 'model = "a"\n[x\n', 2),
        ("gemini", ".gemini/settings.json", "[]", 1),
        ("gemini", ".gemini/settings.json", '{\n"mcpServers": {\n"ricordo": {"command": "other"}}}', 3),
    ],
)
def test_what_cannot_be_understood_is_told_and_not_touched(
    name: str, place: str, text: str, line: int, machine: Machine, ledger: Ledger
) -> None:
    path = machine.home / place
    path.parent.mkdir(parents=True)
    path.write_text(text)

    with pytest.raises(InvalidInput, match=rf"{path.name}:{line}: .*nothing was changed"):
        list(plan_install(find_assistant(name), USER, machine, OURS, ledger))

    assert path.read_text() == text


def test_bytes_that_are_no_utf_8_are_told_by_their_line(machine: Machine, ledger: Ledger) -> None:
    path = machine.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_bytes(b'{\n"a": "\xe9"}')

    with pytest.raises(InvalidInput, match=r"mcp\.json:2: this is not UTF-8; nothing was changed"):
        install("cursor", machine, ledger)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_stays_a_link(machine: Machine, ledger: Ledger) -> None:
    path = machine.home / ".cursor" / "mcp.json"
    dotfile = machine.home / "dotfiles" / "mcp.json"
    dotfile.parent.mkdir()
    dotfile.write_text("{}\n")
    dotfile.chmod(0o640)
    path.parent.mkdir()
    path.symlink_to("../dotfiles/mcp.json")

    install("cursor", machine, ledger)

    assert path.is_symlink()
    assert "ricordo" in dotfile.read_text()
    assert stat.S_IMODE(dotfile.stat().st_mode) == 0o640
    uninstall("cursor", machine, ledger)
    assert (path.is_symlink(), dotfile.read_text()) == (True, "{}\n")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_to_itself_is_an_error(machine: Machine, ledger: Ledger) -> None:
    path = machine.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.symlink_to(path)

    with pytest.raises(InvalidInput, match="cannot read"):
        install("cursor", machine, ledger)


def test_a_file_that_is_read_only_is_not_replaced(machine: Machine, ledger: Ledger) -> None:
    written("gemini", machine.home)
    path = machine.home / ".gemini" / "settings.json"
    path.chmod(0o444)
    before = path.read_bytes()

    with pytest.raises(InvalidInput, match=r"read-only; make it writable"):
        install("gemini", machine, ledger)

    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["settings.json"]


def test_a_backup_is_its_owners_alone(machine: Machine, ledger: Ledger) -> None:
    files = written("claude-code", machine.home)

    install("claude-code", machine, ledger)

    for path, content in files.items():
        backup = ledger.backup(path)
        assert backup.read_bytes() == content
        assert os.name == "nt" or stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert os.name == "nt" or stat.S_IMODE(ledger.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("name", "scope", "system", "environment", "place"),
    [
        ("claude-code", USER, "linux", {}, "home/.claude.json"),
        ("claude-code", USER, "linux", {"CLAUDE_CONFIG_DIR": "/c"}, "/c/.claude.json"),
        ("claude-code", PROJECT, "linux", {}, "project/.mcp.json"),
        ("claude-desktop", USER, "darwin", {}, "home/Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", USER, "win32", {"APPDATA": "/r"}, "/r/Claude/claude_desktop_config.json"),
        ("claude-desktop", USER, "linux", {"XDG_CONFIG_HOME": "/x"}, "/x/Claude/claude_desktop_config.json"),
        ("codex", USER, "linux", {"CODEX_HOME": "/k"}, "/k/config.toml"),
        ("codex", PROJECT, "linux", {}, "project/.codex/config.toml"),
        ("cursor", PROJECT, "darwin", {}, "project/.cursor/mcp.json"),
        ("vscode", USER, "darwin", {}, "home/Library/Application Support/Code/User/mcp.json"),
        ("vscode", PROJECT, "win32", {}, "project/.vscode/mcp.json"),
        ("gemini", USER, "win32", {}, "home/.gemini/settings.json"),
    ],
)
def test_each_system_has_its_own_places(
    name: str, scope: Scope, system: str, environment: dict[str, str], place: str
) -> None:
    machine = Machine(system=system, environment=environment, home=Path("home"), project=Path("project"))

    assert find_assistant(name).files[scope](machine) == Path(place)


def test_in_the_home_folder_the_users_files_are_no_projects(machine: Machine, ledger: Ledger) -> None:
    at_home = replace(machine, project=machine.home)
    for assistant in ASSISTANTS:
        install(assistant.name, at_home, ledger)
    seen = list(examine(at_home))
    assert [each.assistant for each in seen] == list(ASSISTANTS)
    assert {each.scope for each in seen} == {USER}


def test_claude_desktop_knows_no_projects(machine: Machine) -> None:
    with pytest.raises(InvalidInput, match="Claude Desktop has no configuration for a project"):
        find_assistant("claude-desktop").file(PROJECT, machine)


@pytest.mark.parametrize(
    ("command", "event"),
    [
        ("/opt/my tools/ricordo hook stop", "stop"),
        ("'/opt/my tools/ricordo' hook prompt-submit --store sqlite:///a.db", "prompt-submit"),
        ('"C:/Program Files/ricordo.exe" hook session-end', "session-end"),
        ("/usr/bin/python3 -P -m ricordo hook pre-compact", "pre-compact"),
        ("echo hook stop", None),
    ],
)
def test_our_hooks_are_known_by_what_they_run(command: str, event: str | None) -> None:
    assert hook_event({"command": command}) == event


def test_paths_with_spaces_are_quoted_for_the_shell_they_run_in() -> None:
    assert Invocation(program=("/my tools/ricordo",)).hook("stop") == "'/my tools/ricordo' hook stop"
    windows = Invocation(program=("C:\\My Tools\\ricordo.exe",), windows=True)
    assert windows.hook("stop") == '"C:/My Tools/ricordo.exe" hook stop'


def test_our_server_is_known_by_what_it_runs() -> None:
    assert is_own_server({"command": "/somewhere/ricordo", "args": ["mcp"]})
    assert is_own_server({"command": "python3", "args": ["-P", "-m", "ricordo", "mcp"]})
    assert is_own_server({"command": "uvx", "args": ["ricordo", "mcp"]})
    assert not is_own_server({"command": "npx", "args": ["-y", "ricordo-clone", "mcp"]})
    assert not is_own_server({"url": "https://example.org/mcp"})


def test_the_program_is_told_by_a_path_that_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "tool" / "ricordo"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    link = tmp_path / "bin" / "ricordo"
    link.parent.mkdir()
    link.symlink_to(program)

    monkeypatch.setenv("PATH", "/nowhere")  # what is on the PATH is what is tested
    assert own_program(str(program), "/usr/bin/python3") == (str(program),)
    assert own_program("/x/__main__.py", "/usr/bin/python3") == ("/usr/bin/python3", "-P", "-m", "ricordo")
    monkeypatch.setenv("PATH", str(link.parent))
    assert own_program(str(program), "/usr/bin/python3") == (str(link),)
    assert passing(("/home/mira/.cache/uv/archive-v0/abc/bin/ricordo",))
    assert not passing(("/home/mira/.local/bin/ricordo",))
