"""Who is the keeper: whoever holds a lock, which the system takes back from the dead."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["held"]

SUCCESSION = 2.0
"""Seconds that the keeper before this one may take to go."""
STEP = 0.1


@contextmanager
def held(lock: Path) -> Iterator[bool]:
    """Whether the lock is ours, until the end or as long as this process lives."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + SUCCESSION
        while not (ours := _locked(handle)) and time.monotonic() < deadline:
            time.sleep(STEP)
        yield ours
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
