"""What SQLite asks of the disk, one thing after the other, and what a power cut may leave of it.

A virtual file system stands between SQLite and its own one (https://sqlite.org/vfs.html): it passes everything on, and
puts down what is written, cut off, deleted and waited for. What was waited for is on the disk; of what was asked since,
any part is, in any order.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import CDLL, CFUNCTYPE, POINTER, Structure, addressof, c_char_p, c_int, c_int64, c_void_p, cast, string_at
from dataclasses import dataclass
from pathlib import Path
from random import Random

__all__ = ["BLOCK", "Asked", "left", "library", "unfinished", "watching"]

BLOCK = 512

OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
DELETE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int)
CLOSE = CFUNCTYPE(c_int, c_void_p)
WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
SYNC = CFUNCTYPE(c_int, c_void_p, c_int)


class FileSystem(Structure):
    """`sqlite3_vfs` of version 3."""

    _fields_ = (
        ("version", c_int),
        ("size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
        ("delete", c_void_p),
        ("others", c_void_p * 14),
    )


class Methods(Structure):
    """`sqlite3_io_methods` of version 3."""

    _fields_ = (
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", c_void_p),
        ("truncate", c_void_p),
        ("sync", c_void_p),
        ("others", c_void_p * 13),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """`write` of bytes at a place, `truncate` to a length, `sync`, or `delete`; of the file of this name."""

    what: str
    file: str
    at: int = 0
    data: bytes = b""


class Between:
    """The file system that stands between; it passes on to the one that is in force when it is made."""

    def __init__(self, sqlite: CDLL, asked: list[Asked]) -> None:
        sqlite.sqlite3_vfs_find.restype = POINTER(FileSystem)
        self.asked = asked
        self.below: FileSystem = sqlite.sqlite3_vfs_find(None).contents
        self.files: dict[int, tuple[str, Methods]] = {}
        self.methods: dict[int, Methods] = {}
        self.callbacks = (OPEN(self.open), DELETE(self.delete))
        self.ours = (CLOSE(self.close), WRITE(self.write), TRUNCATE(self.truncate), SYNC(self.sync))
        self.system = FileSystem.from_buffer_copy(self.below)
        self.system.name = b"between"
        self.system.open, self.system.delete = (cast(callback, c_void_p) for callback in self.callbacks)

    def open(self, _: int, name: int | None, file: int, flags: int, out: int | None) -> int:
        status: int = OPEN(self.below.open)(addressof(self.below), name, file, flags, out)
        methods = cast(file, POINTER(c_void_p))
        if status == 0 and name and methods[0]:
            found = Methods.from_address(methods[0])
            self.files[file] = (Path(string_at(name).decode()).name, found)
            methods[0] = addressof(self.methods.setdefault(methods[0], self.watched(found)))
        return status

    def watched(self, methods: Methods) -> Methods:
        found = Methods.from_buffer_copy(methods)
        found.close, found.write, found.truncate, found.sync = (cast(callback, c_void_p) for callback in self.ours)
        return found

    def delete(self, _: int, name: int, wait: int) -> int:
        self.asked.append(Asked(what="delete", file=Path(string_at(name).decode()).name))
        status: int = DELETE(self.below.delete)(addressof(self.below), name, wait)
        return status

    def close(self, file: int) -> int:
        status: int = CLOSE(self.files.pop(file)[1].close)(file)
        return status

    def write(self, file: int, data: int, size: int, at: int) -> int:
        name, methods = self.files[file]
        self.asked.append(Asked(what="write", file=name, at=at, data=string_at(data, size)))
        status: int = WRITE(methods.write)(file, data, size, at)
        return status

    def truncate(self, file: int, size: int) -> int:
        name, methods = self.files[file]
        self.asked.append(Asked(what="truncate", file=name, at=size))
        status: int = TRUNCATE(methods.truncate)(file, size)
        return status

    def sync(self, file: int, flags: int) -> int:
        name, methods = self.files[file]
        status: int = SYNC(methods.sync)(file, flags)
        self.asked.append(Asked(what="sync", file=name))
        return status


def library() -> CDLL | None:
    """The SQLite that Python's module uses, where that is a library of its own."""
    import sqlite3  # so that it is among what is loaded

    maps = Path("/proc/self/maps")
    if sys.platform != "linux" or not sqlite3.sqlite_version:
        return None
    loaded = {line.split(maxsplit=5)[-1] for line in maps.read_text().splitlines() if "libsqlite3" in line}
    return CDLL(loaded.pop()) if len(loaded) == 1 else None


_standing: list[Between] = []
"""Those that stood between once: SQLite may hold what they are made of for longer than it is known."""


@contextmanager
def watching(sqlite: CDLL) -> Iterator[list[Asked]]:
    """What is asked of the disk by all connections of this process that are made within."""
    asked: list[Asked] = []
    between = Between(sqlite, asked)
    _standing.append(between)
    place = c_void_p(addressof(between.system))
    assert sqlite.sqlite3_vfs_register(place, 1) == 0
    try:
        yield asked
    finally:
        sqlite.sqlite3_vfs_unregister(place)


def unfinished(asked: Sequence[Asked], at: int) -> set[str]:
    """The files of which something that was written before that moment was not waited for."""
    found: set[str] = set()
    for what in asked[:at]:
        if what.what == "write":
            found.add(what.file)
        elif what.what in ("sync", "delete"):
            found.discard(what.file)
    return found


def left(asked: Sequence[Asked], at: int, chance: Random, before: dict[str, bytes] | None = None) -> dict[str, bytes]:
    """What files may hold when the power goes before that which is asked at that moment, by their names.

    `before` is what they held at the beginning.
    """
    waited = {what.file: number for number, what in enumerate(asked[:at]) if what.what == "sync"}
    last, share = max(waited.values(), default=-1), chance.choice((0.0, 0.5, 0.9, 1.0))
    files = {name: bytearray(data) for name, data in (before or {}).items()}
    for number, what in enumerate(asked[:at]):
        safe = number < (last if what.what == "delete" else waited.get(what.file, -1))
        if what.what == "write":
            _write(files.setdefault(what.file, bytearray()), what, chance, 1.0 if safe else share)
        elif what.what == "truncate" and (safe or chance.random() < share):
            del files.setdefault(what.file, bytearray())[what.at :]
        elif what.what == "delete" and (safe or chance.random() < share):
            files.pop(what.file, None)
    return {name: bytes(data) for name, data in files.items()}


def _write(file: bytearray, what: Asked, chance: Random, share: float) -> None:
    """Write so large a share of the blocks; where the file grew for others, there is nothing or anything."""
    for start in range(0, len(what.data), BLOCK):
        block, at = what.data[start : start + BLOCK], what.at + start
        if share < 1 and chance.random() >= share:
            if at + len(block) <= len(file) or chance.random() < 0.5:
                continue
            block = chance.choice((bytes(len(block)), chance.randbytes(len(block))))
        file.extend(bytes(max(0, at - len(file))))
        file[at : at + len(block)] = block
