"""The two ends of a server that talks over stdin and stdout: lines of UTF-8, and nothing else on the way out.

Imports next to nothing, so that the ends are held before anything that could print is loaded.
"""

from __future__ import annotations

import os
import select
import sys

__all__ = ["Wire"]

CHUNK = 2**16


class Wire:
    """Lines from a client and to it. Reading and writing block; each may be done by one thread at a time."""

    def __init__(self, inward: int, outward: int) -> None:
        self._inward = inward
        self._outward = outward
        self._read = bytearray()
        self._parent = os.getppid()

    @classmethod
    def claim(cls) -> Wire:
        """Take stdin and stdout of this process for the wire.

        From here on whatever is printed goes to stderr, also by C libraries and child processes, and what Python has
        buffered when the process ends; who reads stdin finds its end.
        """
        outward = os.dup(1)
        _divert(1, 2)
        inward = os.dup(0)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.close(nothing)
        if sys.stderr is None:
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # as long as the process
        sys.stdout = sys.stderr
        return cls(inward, outward)

    @property
    def orphaned(self) -> bool:
        """Whether the process that started this one has gone, where a system tells."""
        return os.getppid() != self._parent

    def readable(self, seconds: float) -> bool:
        """Whether a read would not wait, at the latest after some seconds; always, where that cannot be told."""
        if sys.platform == "win32" or b"\n" in self._read:
            return True
        return bool(select.select([self._inward], [], [], seconds)[0])

    def read(self) -> bytes:
        """The next line; empty when the client has gone."""
        # By descriptor: a thread that waits in a buffered stream cannot be left behind at the end of the process.
        searched = 0
        while (end := self._read.find(b"\n", searched)) < 0:
            searched = len(self._read)
            if not (more := os.read(self._inward, CHUNK)):
                end = searched
                break
            self._read += more
        line = bytes(self._read[: end + 1])
        del self._read[: end + 1]
        return line

    def write(self, line: bytes) -> None:
        """One line, whole. Raises OSError when the client has gone."""
        rest = memoryview(line + b"\n")
        while rest:
            rest = rest[os.write(self._outward, rest) :]


def _divert(descriptor: int, to: int) -> None:
    """Let a descriptor lead where another does, or nowhere when that is closed."""
    try:
        os.dup2(to, descriptor)
    except OSError:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, descriptor)
        os.close(nothing)
