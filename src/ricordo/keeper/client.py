"""Asking the keeper, and starting one; nothing heavy is imported here, for a hook waits for it."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ricordo.keeper.frames import HEAD, PROTOCOL, VERSION, Document, FrameError, length, older, pack, unpack
from ricordo.keeper.place import Insecure, Place, peer, supported

if TYPE_CHECKING:
    import subprocess

__all__ = ["SUCCEEDED", "Unanswered", "ask", "await_answer", "leave", "process_of", "start", "started_lately"]

BACKOFF = 30
"""Seconds between two attempts to start a keeper: one that cannot live must not be born with every prompt."""
GOODBYE = 0.2
STEP = 0.05
SUCCEEDED = frozenset({"absent", "outdated"})
"""States after which another keeper may come."""
COMMAND = ("-P", "-m", "ricordo", "keep")


class Unanswered(Exception):
    """The keeper did not answer: `absent`, `hung`, `foreign`, `outdated`, `warming` or `faulty`."""

    def __init__(self, state: str, why: str) -> None:
        super().__init__(f"{state}: {why}")
        self.state = state
        self.why = why


def ask(place: Place, request: Mapping[str, object], patience: float) -> Document:
    """The keeper's answer, within `patience` seconds.

    One of an earlier version is asked to leave. Raises Unanswered.
    """
    asked = {**request, "version": VERSION, "protocol": PROTOCOL, "patience": patience}
    answer = _exchange(place, asked, time.monotonic() + patience)
    if older(answer.get("version")):
        leave(place)
        raise Unanswered("outdated", f"it is of version {answer.get('version')}; it was asked to leave")
    if answer.get("protocol") != PROTOCOL:
        raise Unanswered("foreign", f"it speaks protocol {answer.get('protocol')}")
    if "error" in answer:
        state = "warming" if answer.get("warming") else "faulty"
        raise Unanswered(state, str(answer["error"]))
    return answer


def leave(place: Place) -> bool:
    """Ask the keeper to leave; whether it said that it will."""
    try:
        answer = _exchange(place, {"ask": "leave", "version": VERSION}, time.monotonic() + GOODBYE)
    except Unanswered:
        return False
    return bool(answer.get("leaving"))


def process_of(place: Place) -> int | None:
    """The process that listens there, as the system has it; None where none does, or the system does not tell."""
    try:
        with _connected(place, time.monotonic() + GOODBYE) as connection:
            return peer(connection)[0]
    except Unanswered:
        return None


def start(place: Place, arguments: Sequence[str]) -> subprocess.Popen[bytes] | None:
    """Start a keeper that outlives this process; None where that cannot be, or was done a moment ago.

    `arguments` are options of the command line that the settings in force came from.
    """
    import subprocess

    if started_lately(place):
        return None
    try:
        place.secure()
        place.started.touch(mode=0o600)
        return subprocess.Popen(
            [sys.executable, *COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (Insecure, OSError):
        return None


def started_lately(place: Place) -> bool:
    """Whether somebody started a keeper a moment ago, which may take calls soon."""
    try:
        return time.time() - place.started.stat().st_mtime < BACKOFF
    except OSError:
        return False


def await_answer(place: Place, request: Mapping[str, object], deadline: float, alive: Callable[[], bool]) -> Document:
    """The answer of a keeper that is starting, as soon as it takes calls, while it is alive. Raises Unanswered."""
    while True:
        try:
            return ask(place, request, deadline - time.monotonic())
        except Unanswered as trouble:
            if trouble.state not in SUCCEEDED or not alive() or time.monotonic() + STEP > deadline:
                raise
        time.sleep(STEP)


def _exchange(place: Place, request: Document, deadline: float) -> Document:
    with _connected(place, deadline) as connection:
        try:
            connection.sendall(pack(request))
            size = length(_received(connection, HEAD, deadline))
            return unpack(_received(connection, size, deadline))
        except TimeoutError as error:
            raise Unanswered("hung", "it does not answer in time") from error
        except (OSError, FrameError) as error:
            raise Unanswered("faulty", str(error)) from error


def _connected(place: Place, deadline: float) -> socket.socket:
    if not supported():
        raise Unanswered("absent", "this system has no sockets in files")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(_left(deadline))
        connection.connect(str(place.socket))
        ours = peer(connection)[1] in (None, os.getuid())
    except TimeoutError as error:
        connection.close()
        raise Unanswered("hung", "it does not take calls") from error
    except OSError as error:
        connection.close()
        raise Unanswered("absent", error.strerror or str(error)) from error
    if not ours:
        connection.close()
        raise Unanswered("foreign", "another user listens there")
    return connection


def _received(connection: socket.socket, size: int, deadline: float) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        connection.settimeout(_left(deadline))
        part = connection.recv(size - len(parts))
        if not part:
            raise FrameError("it hung up")
        parts += part
    return bytes(parts)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
