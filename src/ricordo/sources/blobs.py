"""Named bytes that can be read again and again, wherever they lie: a file, or a member of an archive."""

from __future__ import annotations

import codecs
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from lzma import LZMAError
from pathlib import Path
from typing import IO
from zipfile import BadZipFile

from ricordo.errors import SourceError
from ricordo.memory import clean
from ricordo.sources.folder import shown

__all__ = ["Blob", "file_blob"]

HEAD_BYTES = 64 * 1024
CHUNK_BYTES = 2**20
# What the standard library raises for an archive that is cut, damaged, encrypted or of an unknown method.
UNREADABLE = (OSError, EOFError, ValueError, RuntimeError, BadZipFile, zlib.error, LZMAError, struct.error)
WIDE = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Blob:
    """Bytes with a name. `where` tells people where they lie; `name` is a path with `/` inside an archive.

    `path` is the file's, None inside an archive: a name in an archive is never used as a path. `inside` finds another
    blob of the archive by its whole name.
    """

    name: str
    where: str
    size: int
    opened: Callable[[], IO[bytes]]
    path: Path | None = None
    inside: Callable[[str], Blob | None] | None = None

    def beside(self, name: str) -> Blob | None:
        """The file of this name (`/` between folders) next to it, in the same archive or folder; None without one."""
        if self.inside is not None:
            return self.inside(self.name.rpartition("/")[0] + "/" + name if "/" in self.name else name)
        path = self.path.parent / name if self.path is not None else None
        return file_blob(path) if path is not None and path.is_file() else None

    def head(self) -> bytes:
        """The first 64 KiB. Raises SourceError."""
        return next(self.chunks(HEAD_BYTES), b"")

    def chunks(self, size: int = CHUNK_BYTES) -> Iterator[bytes]:
        """All bytes in turn, UTF-16 with a mark made UTF-8, a byte order mark left out. Raises SourceError."""
        try:
            with self.opened() as stream:
                yield from _unmarked(iter(lambda: stream.read(size), b""))
        except UNREADABLE as error:
            why = getattr(error, "strerror", None) or str(error) or "cannot be read"
            raise SourceError(self.where, clean(why)) from error


def file_blob(path: Path) -> Blob:
    """The file as a blob. Raises SourceError when there is none."""
    try:
        size = path.stat().st_size
    except (OSError, ValueError) as error:
        raise SourceError(shown(path), getattr(error, "strerror", None) or str(error)) from error
    return Blob(name=path.name, where=shown(path), size=size, opened=lambda: path.open("rb"), path=path)


def _unmarked(chunks: Iterator[bytes]) -> Iterator[bytes]:
    first = next(chunks, b"")
    for mark, encoding in WIDE:
        if first.startswith(mark):
            decoder = codecs.getincrementaldecoder(encoding)("replace")
            yield decoder.decode(first).encode("utf-8", "surrogatepass")
            yield from (decoder.decode(chunk).encode("utf-8", "surrogatepass") for chunk in chunks)
            return
    yield first.removeprefix(codecs.BOM_UTF8)
    yield from chunks
