"""The assistants that ricordo can be installed in: where each keeps its configuration, and in what shape; pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ricordo.clients.jsonfile import JsonServer
from ricordo.clients.tomlfile import TomlServer
from ricordo.errors import InvalidInput

__all__ = ["ASSISTANTS", "PROJECT", "USER", "Assistant", "Machine", "Scope", "find_assistant"]

Scope = Literal["user", "project"]
USER: Scope = "user"
PROJECT: Scope = "project"

PROMPT_SECONDS = 5
START_SECONDS = 10
STARTUP_SECONDS = 20
"""What Codex waits for a server to start; its own 10 are little on a machine that is just waking up."""

CLAUDE_EVENTS = {
    "SessionStart": ("session-start", START_SECONDS),
    "UserPromptSubmit": ("prompt-submit", PROMPT_SECONDS),
    "PreCompact": ("pre-compact", PROMPT_SECONDS),
    "Stop": ("stop", PROMPT_SECONDS),
    "SessionEnd": ("session-end", PROMPT_SECONDS),
}
CODEX_EVENTS = {name: event for name, event in CLAUDE_EVENTS.items() if name != "SessionEnd"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Machine:
    """Where files are looked for: the system's name as `sys.platform` has it, the environment, home and project."""

    system: str
    environment: Mapping[str, str]
    home: Path
    project: Path

    def folder(self, variable: str, default: Path) -> Path:
        """The folder that a variable names, else the default."""
        named = self.environment.get(variable)
        return Path(named) if named else default

    def applications(self) -> Path:
        """Where applications with windows keep a user's configuration."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        if self.system == "win32":
            return self.folder("APPDATA", self.home / "AppData" / "Roaming")
        return self.folder("XDG_CONFIG_HOME", self.home / ".config")


Place = Callable[[Machine], Path]


@dataclass(frozen=True, kw_only=True, slots=True)
class Assistant:
    """One assistant.

    `files` are those that hold its servers by scope, `shape` is how; `extra` is what an entry has beside the command.
    `hook_files` hold its hooks, and `events` are its own names of the events with ours and their seconds.
    """

    name: str
    title: str
    shape: JsonServer | TomlServer
    files: Mapping[Scope, Place]
    extra: Mapping[str, object] = field(default_factory=dict)
    hook_files: Mapping[Scope, Place] = field(default_factory=dict)
    events: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    windowed: bool = False
    """Whether it is a program with windows, which has not the environment of a terminal."""
    after: str = "start it again"

    def file(self, scope: Scope, machine: Machine) -> Path:
        """The file that holds its servers. Raises InvalidInput for a scope that it does not have."""
        if scope not in self.files:
            raise InvalidInput(f"{self.title} has no configuration for a {scope}; leave --scope out")
        return self.files[scope](machine)

    def hook_file(self, scope: Scope, machine: Machine) -> Path | None:
        """The file that holds its hooks, if it has any."""
        return self.hook_files[scope](machine) if scope in self.hook_files else None


def _claude(machine: Machine) -> Path:
    return machine.folder("CLAUDE_CONFIG_DIR", machine.home)


def _claude_settings(machine: Machine) -> Path:
    return machine.folder("CLAUDE_CONFIG_DIR", machine.home / ".claude")


def _codex(machine: Machine) -> Path:
    return machine.folder("CODEX_HOME", machine.home / ".codex")


STDIO = {"type": "stdio"}
SERVERS = JsonServer(key="mcpServers")

ASSISTANTS = (
    Assistant(
        name="claude-code",
        title="Claude Code",
        shape=SERVERS,
        extra=STDIO,
        files={
            USER: lambda machine: _claude(machine) / ".claude.json",
            PROJECT: lambda machine: machine.project / ".mcp.json",
        },
        hook_files={
            USER: lambda machine: _claude_settings(machine) / "settings.json",
            PROJECT: lambda machine: machine.project / ".claude" / "settings.json",
        },
        events=CLAUDE_EVENTS,
        after="begin a new session; /mcp and /hooks list what is there",
    ),
    Assistant(
        name="claude-desktop",
        title="Claude Desktop",
        windowed=True,
        shape=SERVERS,
        files={USER: lambda machine: machine.applications() / "Claude" / "claude_desktop_config.json"},
        after="quit it, not its window alone, and start it again",
    ),
    Assistant(
        name="codex",
        title="Codex",
        shape=TomlServer(key="mcp_servers"),
        extra={"startup_timeout_sec": STARTUP_SECONDS},
        files={
            USER: lambda machine: _codex(machine) / "config.toml",
            PROJECT: lambda machine: machine.project / ".codex" / "config.toml",
        },
        hook_files={
            USER: lambda machine: _codex(machine) / "hooks.json",
            PROJECT: lambda machine: machine.project / ".codex" / "hooks.json",
        },
        events=CODEX_EVENTS,
        after="begin a new session, and trust the hooks when it asks",
    ),
    Assistant(
        name="cursor",
        title="Cursor",
        windowed=True,
        shape=SERVERS,
        files={
            USER: lambda machine: machine.home / ".cursor" / "mcp.json",
            PROJECT: lambda machine: machine.project / ".cursor" / "mcp.json",
        },
    ),
    Assistant(
        name="vscode",
        title="VS Code",
        windowed=True,
        shape=JsonServer(key="servers"),
        extra=STDIO,
        files={
            USER: lambda machine: machine.applications() / "Code" / "User" / "mcp.json",
            PROJECT: lambda machine: machine.project / ".vscode" / "mcp.json",
        },
        after="open the file and press Start above the entry, or reload the window",
    ),
    Assistant(
        name="gemini",
        title="Gemini CLI",
        shape=SERVERS,
        files={
            USER: lambda machine: machine.home / ".gemini" / "settings.json",
            PROJECT: lambda machine: machine.project / ".gemini" / "settings.json",
        },
    ),
)


def find_assistant(name: str) -> Assistant:
    """The assistant of this name. Raises InvalidInput."""
    found = next((assistant for assistant in ASSISTANTS if assistant.name == name), None)
    if found is None:
        raise InvalidInput(f"no assistant is called {name!r}; known are {', '.join(each.name for each in ASSISTANTS)}")
    return found
