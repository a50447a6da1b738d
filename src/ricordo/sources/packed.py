"""Files that were packed one by one, as Codex packs old rollouts (`.jsonl.zst`); nothing is unpacked to a disk."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from typing import IO, cast

from ricordo.errors import SourceError
from ricordo.sources.blobs import Blob

__all__ = ["unpacked"]

GZIP, ZSTD = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"
SUFFIXES = (".gz", ".gzip", ".zst", ".zstd")
# As for archives: what unpacks to no more is no bomb, and logs do not pack two hundred to one.
HARMLESS_BYTES = 64 * 2**20
MOST_RATIO = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class _Packing:
    """A way to pack: what unpacks a stream, and what it raises for one that is not packed so."""

    opened: Callable[[IO[bytes]], IO[bytes]]
    wrong: type[Exception]


def unpacked(blob: Blob) -> Blob:
    """The blob as it was before it was packed; the same one if it was not.

    Raises SourceError for a file that cannot be opened, and for JSON packed with zstd where nothing can unpack it.
    """
    packing = _packing(blob)
    if packing is None:
        return blob
    name = next((blob.name[: -len(suffix)] for suffix in SUFFIXES if blob.name.lower().endswith(suffix)), blob.name)
    most = max(HARMLESS_BYTES, MOST_RATIO * blob.size)
    return replace(blob, name=name, opened=lambda: cast("IO[bytes]", _Unpacking(blob.opened(), packing, most)))


class _Unpacking(io.BufferedIOBase):
    """Reads a packed stream to its end, but not without end. Raises ValueError for what is wrong with it."""

    def __init__(self, stream: IO[bytes], packing: _Packing, most: int) -> None:
        self._stream, self._packing, self._left = stream, packing, most
        self._inner = packing.opened(stream)

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        try:
            data = self._inner.read(-1 if size is None else size)
        except self._packing.wrong as error:
            raise ValueError(f"is packed wrongly: {error}") from error
        self._left -= len(data)
        if self._left < 0:
            raise ValueError(f"would unpack to more than {MOST_RATIO} times its size")
        return data

    def close(self) -> None:
        self._inner.close()
        self._stream.close()
        super().close()


def _packing(blob: Blob) -> _Packing | None:
    try:
        with blob.opened() as stream:
            magic = stream.read(len(ZSTD))
    except OSError as error:
        raise SourceError(blob.where, error.strerror or str(error)) from error
    if magic.startswith(GZIP):
        return _Packing(opened=lambda stream: cast("IO[bytes]", gzip.GzipFile(fileobj=stream)), wrong=zlib.error)
    return _zstd(blob) if magic == ZSTD else None


def _zstd(blob: Blob) -> _Packing | None:
    for name in ("compression.zstd", "backports.zstd"):  # of Python from 3.14 on, and of the extra
        with suppress(ImportError):
            library = import_module(name)
            return _Packing(opened=library.open, wrong=library.ZstdError)
    if ".json" in blob.name.lower():
        raise SourceError(blob.where, "is packed with zstd; pip install 'ricordo[zstd]' brings what unpacks it")
    return None
