"""When a file was committed, told by the git that is installed.

A repository may come from anybody, and its settings can name programs. Only its history is asked for, in a way that
runs none of them and fetches nothing.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import new
from pathlib import Path
from threading import Timer
from typing import IO

__all__ = ["committed_at"]

PATIENCE = 20.0
"""Seconds that a history may take to be read; what it told until then counts, newest first."""

LOG = (
    "git",
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.attributesFile=/dev/null",
    "-c",
    "protocol.allow=never",
    "-c",
    "diff.external=",
    "log",
    "--no-show-signature",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--raw",
    "--no-abbrev",
    "-z",
    "--format=%x01%ct",
)
QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
ALGORITHMS = {40: "sha1", 64: "sha256"}


def committed_at(path: Path, data: bytes) -> datetime | None:
    """When these bytes of the file were committed; None outside a repository, and for a file changed since."""
    path = path.resolve()
    root = _root(path.parent)
    if root is None:
        return None
    found = _history(root, _stamp(root)).get(path.relative_to(root).as_posix())
    if found is None or found[0] not in (_blob_id(data, len(found[0])), _blob_id(_unix(data), len(found[0]))):
        return None
    return datetime.fromtimestamp(found[1], UTC)


def _root(folder: Path) -> Path | None:
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)


def _stamp(root: Path) -> int:
    """Changes with each commit that the repository notes down."""
    try:
        return (root / ".git" / "logs" / "HEAD").stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=16)
def _history(root: Path, _: int) -> dict[str, tuple[str, int]]:
    """Path below the root → the id of its content, and when that was committed."""
    known: dict[str, tuple[str, int]] = {}
    try:
        process = subprocess.Popen(
            LOG,
            cwd=root,
            env={**os.environ, **QUIET},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return known
    patience = Timer(PATIENCE, process.kill)
    patience.start()
    with process:
        if process.stdout is not None:
            for name, blob, moment in _changes(process.stdout):
                known.setdefault(name, (blob, moment))
    patience.cancel()
    return known


def _changes(output: IO[bytes]) -> Iterator[tuple[str, str, int]]:
    """(path, id of the new content, moment) of each change, newest first."""
    moment, blob = 0, ""
    for field in _fields(output):
        text = field.decode("utf-8", "surrogateescape").lstrip("\n")
        if text.startswith("\x01"):
            head, _, text = text[1:].partition("\n")
            moment = int(head) if head.strip().isdecimal() else 0
        if text.startswith(":") and not blob:
            blob = text.split(" ")[3] if text.count(" ") >= 4 else ""
        elif text and blob:
            yield text, blob, moment
            blob = ""


def _fields(output: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while block := output.read(1 << 16):
        *whole, rest = (rest + block).split(b"\0")
        yield from whole
    yield rest


def _blob_id(data: bytes, length: int) -> str:
    return new(ALGORITHMS[length], b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _unix(data: bytes) -> bytes:
    """The content as git keeps it where line ends are the system's own."""
    return data.replace(b"\r\n", b"\n")
