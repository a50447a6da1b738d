"""Whether what stands in an assistant's configuration still works."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict, Unpack

from ricordo.clients.assistants import ASSISTANTS, PROJECT, USER, Assistant, Machine, Scope
from ricordo.clients.entries import is_own_server
from ricordo.clients.files import read
from ricordo.clients.jsonc import Malformed
from ricordo.clients.jsonfile import JsonHooks, has_plugin
from ricordo.errors import InvalidInput

__all__ = ["Seen", "examine"]

State = Literal["sound", "stale", "foreign", "broken"]


class Held(TypedDict, total=False):
    """What was found in a configuration that could be read."""

    command: tuple[str, ...]
    hooks: Mapping[str, str] | None
    plugin: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """What a configuration holds of ours.

    `sound` with the `command` of the server and the `hooks` by event; `stale` when what it runs is not there;
    `foreign` when an entry of our name is not ours; `broken` when the file cannot be understood. `why` says more.
    `plugin` says whether the plugin is switched on, which has a server and hooks of its own.
    """

    assistant: Assistant
    scope: Scope
    path: Path
    state: State
    why: str = ""
    command: tuple[str, ...] = ()
    hooks: Mapping[str, str] | None = None
    plugin: bool = False


def examine(machine: Machine) -> Iterator[Seen]:
    """What every assistant has of ours, for the user and for the project; those that have nothing are left out.

    Within the home folder many files are both, and are the user's.
    """
    for assistant in ASSISTANTS:
        for scope in (USER, PROJECT):
            if scope in assistant.files:
                seen = _look(assistant, scope, machine)
                if seen is not None:
                    yield seen


def _look(assistant: Assistant, scope: Scope, machine: Machine) -> Seen | None:
    path = assistant.file(scope, machine)
    if scope == PROJECT and path == assistant.file(USER, machine):
        return None

    def found(state: State, why: str = "", **held: Unpack[Held]) -> Seen:
        return Seen(assistant=assistant, scope=scope, path=path, state=state, why=why, **held)

    hook_file = assistant.hook_file(scope, machine)
    if scope == PROJECT and hook_file == assistant.hook_file(USER, machine):
        hook_file = None
    try:
        entry = assistant.shape.found(read(path) or "")
        hooks, plugin = _hooks(hook_file), hook_file is not None and has_plugin(read(hook_file) or "")
    except Malformed as error:
        return found("broken", f"line {error.line}: {error.what}")
    except InvalidInput as error:
        return found("broken", str(error))
    if entry is None and not hooks and not plugin:
        return None
    if entry is not None and not is_own_server(entry):
        return found("foreign")
    command = _command(entry) if entry is not None else ()
    for program in (*command[:1], *(_program(line) for line in hooks.values())):
        if not _is_there(program):
            return found("stale", program, command=command, hooks=hooks, plugin=plugin)
    return found("sound", command=command, hooks=hooks if hook_file else None, plugin=plugin)


def _hooks(path: Path | None) -> dict[str, str]:
    text = read(path) if path is not None else None
    return {event: lines[0] for event, lines in JsonHooks().found(text or "").items()}


def _command(entry: Mapping[str, object]) -> tuple[str, ...]:
    arguments = entry.get("args")
    return (str(entry.get("command")), *map(str, arguments if isinstance(arguments, list) else ()))


def _program(line: str) -> str:
    """The program of a command line for a shell."""
    quote = line[:1]
    return line[1:].partition(quote)[0] if quote in ("'", '"') else line.partition(" ")[0]


def _is_there(program: str) -> bool:
    return Path(program).is_file() if Path(program).is_absolute() else shutil.which(program) is not None
