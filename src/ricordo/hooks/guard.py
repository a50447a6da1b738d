"""The end of a hook: when it is done, or when its time is up, whichever comes first."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import NoReturn

__all__ = ["Guard"]


class Guard:
    """Ends this process with 0: with an answer, or in silence after `seconds`, whatever it is busy with.

    Threads that wait for a lock or for a model are not waited for. `overdue` is called when the time is up.
    """

    def __init__(self, seconds: float, overdue: Callable[[], None]) -> None:
        self._ending = threading.Lock()
        self._overdue = overdue
        timer = threading.Timer(seconds, self._expire)
        timer.daemon = True
        timer.start()

    def finish(self, output: bytes) -> NoReturn:
        """Write the answer, all of it, and end."""
        with self._ending:
            try:
                while output:
                    output = output[os.write(1, output) :]
            except OSError:
                pass  # nobody listens any more
            os._exit(0)

    def _expire(self) -> None:
        # Once an answer is being written it is written whole.
        with self._ending:
            try:
                self._overdue()
            finally:
                os._exit(0)
