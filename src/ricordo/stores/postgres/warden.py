"""A process that keeps an embedded server while anybody uses it. It runs alone and imports nothing of ricordo.

It starts the server as its child and waits for the exclusive lock on the file `users`, on which every user
holds a shared lock. The kernel drops the locks of a killed user as it drops those of one that left: when the
warden gets the lock, nobody is left, and it stops the server. If the server dies first the warden ends too; if
the warden is killed, Linux tells the server to stop.

Called as: warden.py DIRECTORY USER POSTGRES ARGUMENT…; USER is a number, or - for the present user.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import pwd
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TypedDict

PR_SET_PDEATHSIG = 1


class Identity(TypedDict, total=False):
    """As whom the server runs, where that is not ourselves."""

    user: int
    group: int
    extra_groups: list[int]


class Done(Exception):
    """The server ended, or the warden is to end."""


def main(arguments: list[str]) -> int:
    """Keep the server; the process that was called returns at once."""
    directory, user, command = Path(arguments[0]), arguments[1], arguments[2:]
    kept = os.open(directory / "keeper", os.O_RDWR | os.O_CREAT, 0o600)
    users = os.open(directory / "users", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(kept, fcntl.LOCK_EX)
    if os.fork():
        return 0
    os.setsid()
    _silence(directory / "server.log")
    return keep(users, command, None if user == "-" else int(user))


def keep(users: int, command: list[str], user: int | None) -> int:
    """Run the server until its last user has left."""
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=_die_with_parent(), **_identity(user))
    try:
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _finish)
        if server.poll() is None:
            fcntl.flock(users, fcntl.LOCK_EX)
    except Done:
        pass
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN if number != signal.SIGCHLD else signal.SIG_DFL)
    if server.poll() is None:
        server.send_signal(signal.SIGINT)  # PostgreSQL's fast shutdown
    return server.wait()


def _finish(number: int, frame: FrameType | None) -> None:
    raise Done


def _identity(user: int | None) -> Identity:
    if user is None:
        return Identity()
    return Identity(user=user, group=pwd.getpwuid(user).pw_gid, extra_groups=[])


def _die_with_parent() -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGINT)


def _silence(log: Path) -> None:
    """Let go of the caller's terminal and pipes."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    told = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number, target in ((0, nothing), (1, told), (2, told)):
        os.dup2(target, number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
