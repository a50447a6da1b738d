"""What ricordo puts into an assistant's configuration, and how it is known again; pure."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["NAME", "Invocation", "hook_event", "is_own_server", "same_server"]

NAME = "ricordo"

NAMESPACE = "--namespace"
BESIDE = ("--also", "personal")
"""An assistant in a project should find what its owner told another one, as hooks do."""

PROGRAM = re.compile(r"ricordo(?:\.exe)?", re.IGNORECASE)
LEADING = 5
"""Words that a program's name is among: `uvx --from ricordo ricordo`, `python -P -m ricordo`."""
HOOK = re.compile(r"""ricordo(?:\.exe)?["']?\s+hook\s+([a-z-]+)""", re.IGNORECASE)
"""A hook's command line, whether the program is run by its name, its path, or `python -m`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Invocation:
    """How an assistant is to run ricordo: the program by its absolute path, and options for every command."""

    program: tuple[str, ...]
    options: tuple[str, ...] = ()
    windows: bool = False

    def server(self, extra: Mapping[str, object]) -> dict[str, object]:
        """The entry of the MCP server. `extra` is what one client wants beside the command."""
        command, *arguments = self.program
        kind = {"type": extra["type"]} if "type" in extra else {}
        beside = () if NAMESPACE in self.options else BESIDE
        return {**kind, "command": command, "args": [*arguments, "mcp", *beside, *self.options], **extra}

    def hook(self, event: str) -> str:
        """The command line of a hook, for the shell that assistants run it by."""
        words = [*self.program, "hook", event, *self.options]
        if self.windows:
            return subprocess.list2cmdline([word.replace("\\", "/") for word in words])
        return shlex.join(words)


def is_own_server(entry: object) -> bool:
    """Whether an entry runs ricordo's server, wherever that is installed."""
    words = _words(entry)
    return any(PROGRAM.fullmatch(re.split(r"[\\/]", word)[-1]) for word in words[:LEADING]) and "mcp" in words


def same_server(entry: object, wanted: Mapping[str, object]) -> bool:
    """Whether an entry says all that is wanted; what somebody added to it does not count against it."""
    return isinstance(entry, Mapping) and all(entry.get(key) == value for key, value in wanted.items())


def hook_event(handler: object) -> str | None:
    """The event of a hook that runs ricordo; None for any other."""
    if not isinstance(handler, Mapping) or not isinstance(handler.get("command"), str):
        return None
    found = HOOK.search(str(handler["command"]))
    return found[1] if found else None


def _words(entry: object) -> Sequence[str]:
    if not isinstance(entry, Mapping):
        return ()
    arguments = entry.get("args", ())
    words = [entry.get("command"), *(arguments if isinstance(arguments, Sequence) else ())]
    return [word for word in words if isinstance(word, str)]
