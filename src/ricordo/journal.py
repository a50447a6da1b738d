"""Lines about what happened out of sight, in files of the state folder; never what a memory or a prompt says."""

from __future__ import annotations

import os
import time
from pathlib import Path

__all__ = ["note"]

LARGEST = 256 * 1024
"""Bytes, from which on a file is put aside in favour of a new one; the one put aside before is dropped."""


def note(file: Path, message: str) -> None:
    """Write a line, with the moment and this process, behind those that are there.

    A journal that cannot be written is no reason to fail: then nothing is.
    """
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} [{os.getpid()}] {' '.join(message.split())}\n"
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if file.exists() and file.stat().st_size > LARGEST:
            file.replace(file.with_suffix(".old.log"))
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, line.encode("utf-8", "replace"))
        finally:
            os.close(handle)
    except OSError:
        return
