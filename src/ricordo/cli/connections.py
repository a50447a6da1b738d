"""What `ricordo doctor` looks at where assistants are: their configurations, the server, hooks, the keeper."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from ricordo.cli.install import machine
from ricordo.clients.assistants import PROJECT
from ricordo.clients.check import Seen, examine
from ricordo.clients.entries import NAME
from ricordo.clients.handshake import Refused, shake_hands
from ricordo.clients.program import MODULE
from ricordo.keeper.control import KeeperState, look
from ricordo.keeper.place import place_for, supported
from ricordo.render.phrases import below_home
from ricordo.render.reports import Finding
from ricordo.settings import Settings

__all__ = ["connections"]

INTRODUCTION = 1.0
"""Seconds in which a server should have introduced itself."""
PATIENCE = 20.0
MORE_CALLS = 4
KEEPER_MENDS = {
    "hung": "ricordo keep --stop",
    "faulty": "ricordo keep --stop",
    "foreign": 'end the program that listens there, or set keeper = "off"',
}


def connections(settings: Settings) -> Iterator[Finding]:
    """Findings on the assistants of this user and of the folder that one is in."""
    seen = list(examine(machine()))
    if not seen:
        yield Finding(
            name="assistants",
            status="note",
            message="no assistant uses this memory",
            mend="ricordo install claude-code, or another that ricordo install --help names",
        )
        return
    for each in seen:
        yield _configuration(each)
    commands = {each.command for each in seen if each.state == "sound" and each.command}
    for command in sorted(commands):
        yield _server(command)
    state = look(place_for(settings)) if supported() else KeeperState(state="absent")
    yield _keeper(settings, state)
    if any(each.hooks for each in seen if each.state == "sound"):
        yield _hook(settings, state)


def _configuration(seen: Seen) -> Finding:
    where = below_home(seen.path.as_posix())
    name = f"{seen.assistant.title}{' here' if seen.scope == PROJECT else ''}"
    again = f"ricordo install {seen.assistant.name}{' --scope project' if seen.scope == PROJECT else ''}"
    if seen.state == "broken":
        return Finding(name=name, status="fault", message=f"{where}: {seen.why}", mend=f"mend the file, then {again}")
    if seen.state == "foreign":
        message = f"{where}: an entry called ricordo runs something else"
        return Finding(name=name, status="fault", message=message, mend=f"rename it, then {again}")
    if seen.state == "stale":
        message = f"{where} runs {seen.why}, which is not there"
        return Finding(name=name, status="fault", message=message, mend=again)
    if seen.plugin:
        return _plugged(seen, name)
    if not seen.command:
        return Finding(name=name, status="note", message=f"hooks, but no server in {where}", mend=again)
    missing = sorted(set(seen.assistant.events) - set(seen.hooks or ()))
    if missing and seen.hooks is not None:
        return Finding(name=name, status="note", message=f"{where}; no hook for {', '.join(missing)}", mend=again)
    return Finding(name=name, status="ok", message=f"{where}{', with hooks' if seen.hooks else ''}")


def _plugged(seen: Seen, name: str) -> Finding:
    if seen.hooks or seen.command:
        message = "the plugin is switched on beside what ricordo install put in: memories are told twice"
        return Finding(name=name, status="note", message=message, mend=f"ricordo uninstall {seen.assistant.name}")
    if shutil.which(NAME) is None:
        message = "the plugin is switched on, and no ricordo is on the PATH"
        return Finding(name=name, status="fault", message=message, mend="install ricordo where the PATH leads to it")
    return Finding(name=name, status="ok", message="by the plugin")


def _server(command: tuple[str, ...]) -> Finding:
    try:
        found = shake_hands(command, os.environ, PATIENCE)
    except Refused as error:
        message = f"{shlex.join(command)}: {error}"
        mend = "pip install 'ricordo[mcp]'" if "ricordo[mcp]" in message else f"run it and see: {shlex.join(command)}"
        return Finding(name="server", status="fault", message=message, mend=mend)
    message = f"introduced in {found.introduced * 1000:.0f} ms, {len(found.tools)} tools listed"
    if found.introduced > INTRODUCTION:
        return Finding(name="server", status="note", message=f"{message}; some assistants wait ten seconds at most")
    return Finding(name="server", status="ok", message=message)


def _keeper(settings: Settings, state: KeeperState) -> Finding:
    if settings.keeper == "off" or not supported():
        why = "it is set to off" if settings.keeper == "off" else "this system has no sockets in files"
        return Finding(name="keeper", status="note", message=f"hooks look by words alone: {why}")
    if state.state == "running":
        return Finding(name="keeper", status="ok", message=f"process {state.process}, model {state.model}")
    if state.state in KEEPER_MENDS:
        message = f"{state.state}: {state.why}"
        return Finding(name="keeper", status="fault", message=message, mend=KEEPER_MENDS[state.state])
    return Finding(name="keeper", status="ok", message="not running; hooks start it")


def _hook(settings: Settings, state: KeeperState) -> Finding:
    """How long a hook takes, by the keeper if it runs; none is started for this."""
    environment = dict(os.environ) if state.state == "running" else {**os.environ, "RICORDO_KEEPER": "off"}
    calls = [_timed_hook(environment)]
    if _is_wrong(calls, settings):  # once may be chance
        calls += [_timed_hook(environment) for _ in range(MORE_CALLS)]
    way = "the keeper" if state.state == "running" else "words alone"
    of = f", the median of {len(calls)}," if len(calls) > 1 else ""
    message = f"a prompt took {median(call.spent for call in calls):.0f} ms{of} by {way}"
    if _is_wrong(calls, settings):
        mend = "see hooks.log in the state folder; hook_ms sets the time"
        return Finding(name="hooks", status="fault", message=message, mend=mend)
    return Finding(name="hooks", status="ok", message=message)


class _Call(NamedTuple):
    """How a hook ended, and the milliseconds that it took."""

    code: int
    spent: float


def _timed_hook(environment: dict[str, str]) -> _Call:
    payload = json.dumps({"prompt": "what did we decide about the deployment?", "cwd": os.getcwd()}).encode()
    begin = time.monotonic()
    command = [sys.executable, *MODULE, "hook", "prompt-submit"]
    done = subprocess.run(command, input=payload, capture_output=True, env=environment, check=False)
    return _Call(code=done.returncode, spent=(time.monotonic() - begin) * 1000)


def _is_wrong(calls: Sequence[_Call], settings: Settings) -> bool:
    """Whether one failed, or most took too long."""
    return any(call.code for call in calls) or median(call.spent for call in calls) > settings.hook_ms
