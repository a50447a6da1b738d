"""The end of a hook: when it is done, or when its time is up, whichever comes first."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import NoReturn

__all__ = ["Guard", "born"]

STARTING = 0.1
"""Seconds that Python takes to get here, where the system does not tell since when this process is."""
STEP = 0.05
"""Seconds until a deadline that was moved nearer is noticed."""


class Guard:
    """Ends this process with 0: with an answer, or in silence at a deadline, whatever it is busy with.

    Threads that wait for a lock or for a model are not waited for. `overdue` is called when the time is up. The
    deadline, by the monotonic clock, may be moved either way. Whatever else is printed goes to standard error.
    """

    def __init__(self, deadline: float, overdue: Callable[[], None]) -> None:
        self.deadline = deadline
        self._output = _standard_output()
        self._ending = threading.Lock()
        self._overdue = overdue
        threading.Thread(target=self._watch, daemon=True).start()

    def finish(self, output: bytes) -> NoReturn:
        """Write the answer, all of it, and end."""
        with self._ending:
            try:
                while output:
                    output = output[os.write(self._output, output) :]
            except OSError:
                pass  # nobody listens any more
            os._exit(0)

    def _watch(self) -> None:
        while (left := self.deadline - time.monotonic()) > 0:
            time.sleep(min(left, STEP))
        # An answer that is being written is written whole.
        with self._ending:
            try:
                self._overdue()
            finally:
                os._exit(0)


def _standard_output() -> int:
    """Standard output for the answer alone: libraries that print find standard error in its place."""
    try:
        output = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # closed by whoever started this
        return 1
    return output


def born() -> float:
    """When this process began, by the monotonic clock."""
    try:
        with open("/proc/self/stat", "rb") as file:
            # Behind the name, which may hold anything: the state is the 3rd field, the start the 22nd.
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        age = STARTING
    return time.monotonic() - age
