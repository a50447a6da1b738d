"""Zip archives, read where they are: nothing is ever unpacked to a disk, and no name in one is used as a path."""

from __future__ import annotations

import io
import stat
from collections.abc import Iterator
from zipfile import ZipFile, ZipInfo

from ricordo.errors import SourceError
from ricordo.memory import clean
from ricordo.protocols import Skipped
from ricordo.sources.blobs import UNREADABLE, Blob

__all__ = ["is_archive", "members"]

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
MOST_MEMBERS = 200_000
MOST_NESTED = 3
"""Archives in archives, the outermost counted."""
MOST_NESTED_BYTES = 128 * 2**20
"""A packed archive inside another is held in memory."""
HARMLESS_BYTES = 64 * 2**20
"""What unpacks to no more is no bomb, however well it is packed."""
MOST_RATIO = 200
"""Text packs ten to one, JSON that repeats itself fifty to one; a bomb a thousand to one and more."""


def is_archive(head: bytes) -> bool:
    """Whether a file that begins so is a zip archive, or something that is one inside."""
    return head.startswith(MAGIC)


def members(archive: Blob) -> Iterator[Blob | Skipped]:
    """The files in an archive, and in the archives in it, in their order; what cannot be read comes as Skipped.

    Symbolic links, encrypted members and what unpacks to more than 200 times its size are not read. Raises SourceError
    when the archive as a whole cannot be, or would unpack to too much.
    """
    return _Opening().members(archive, depth=1)


class _Opening:
    """An archive and those in it being opened: together they may hold no more files than one."""

    def __init__(self) -> None:
        self.left = MOST_MEMBERS

    def members(self, archive: Blob, depth: int) -> Iterator[Blob | Skipped]:
        try:
            # Given a path, it closes its file when the last blob of it is gone.
            opened = ZipFile(archive.path or archive.opened())
        except UNREADABLE as error:
            raise SourceError(archive.where, f"is a broken archive: {clean(str(error))}") from error
        infos = opened.infolist()
        self.left -= len(infos)
        if self.left < 0:
            raise SourceError(archive.where, f"holds more than {MOST_MEMBERS:,} files")
        _check_size(archive.where, sum(info.file_size for info in infos), archive.size)
        for info in infos:
            if not info.filename or info.is_dir() or _is_hidden(info.filename):
                continue
            where = f"{archive.where}/{clean(info.filename)}"
            try:
                yield from self._member(opened, info, where, depth)
            except SourceError as error:
                yield Skipped(where=error.where, why=error.why)

    def _member(self, archive: ZipFile, info: ZipInfo, where: str, depth: int) -> Iterator[Blob | Skipped]:
        blob = _blob(archive, info, where)
        if not is_archive(blob.head()) or not info.filename.lower().endswith(".zip"):
            yield blob
            return
        if depth == MOST_NESTED:
            raise SourceError(where, f"is an archive in {MOST_NESTED} others")
        if info.file_size > MOST_NESTED_BYTES:
            most = MOST_NESTED_BYTES // 2**20
            raise SourceError(where, f"is an archive in another, larger than {most} MiB; unpack it")
        data = b"".join(blob.chunks())
        inner = Blob(name=info.filename, where=where, size=len(data), opened=lambda: io.BytesIO(data))
        yield from self.members(inner, depth + 1)


def _blob(archive: ZipFile, info: ZipInfo, where: str) -> Blob:
    if stat.S_ISLNK(info.external_attr >> 16):
        raise SourceError(where, "is a symbolic link, which is not followed in an archive")
    if info.flag_bits & 1:
        raise SourceError(where, "is encrypted")
    _check_size(where, info.file_size, info.compress_size)

    def inside(name: str) -> Blob | None:
        other = archive.NameToInfo.get(name)
        return _blob(archive, other, f"{where}: {clean(name)}") if other is not None else None

    return Blob(name=info.filename, where=where, size=info.file_size, opened=lambda: archive.open(info), inside=inside)


def _check_size(where: str, unpacked: int, packed: int) -> None:
    if unpacked > HARMLESS_BYTES and unpacked > MOST_RATIO * packed:
        raise SourceError(where, f"would unpack to {unpacked // 2**20:,} MiB, more than {MOST_RATIO} times its size")


def _is_hidden(name: str) -> bool:
    return any((part.startswith(".") and part not in (".", "..")) or part == "__MACOSX" for part in name.split("/"))
