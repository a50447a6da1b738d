"""What goes over the keeper's socket: four bytes of length, then that many of a JSON object in UTF-8; pure."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping

__all__ = ["HEAD", "PROTOCOL", "VERSION", "Document", "FrameError", "length", "older", "pack", "unpack"]

VERSION = "0.1.0"
"""This ricordo's, as in its package; asking the package for it would cost a hook more than all else here."""
PROTOCOL = 1

HEAD = 4
LARGEST = 1 << 20
_LENGTH = struct.Struct(">I")

Document = dict[str, object]


class FrameError(Exception):
    """What came is no frame."""


def pack(document: Mapping[str, object]) -> bytes:
    """A document as a frame. Raises FrameError when it is too large."""
    body = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    if len(body) > LARGEST:
        raise FrameError(f"{len(body)} bytes are more than a frame may have")
    return _LENGTH.pack(len(body)) + body


def length(head: bytes) -> int:
    """The bytes that follow a head. Raises FrameError."""
    (size,) = _LENGTH.unpack(head)
    if not 0 < size <= LARGEST:
        raise FrameError(f"a frame of {size} bytes")
    return int(size)


def unpack(body: bytes) -> Document:
    """The document in a frame. Raises FrameError."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise FrameError("a frame without JSON") from error
    if not isinstance(document, dict):
        raise FrameError("a frame without a JSON object")
    return document


def older(version: object, than: str = VERSION) -> bool:
    """Whether a version comes before another; what is no version does."""
    return _numbers(version) < _numbers(than)


def _numbers(version: object) -> tuple[int, ...]:
    parts = version.split(".") if isinstance(version, str) else []
    return tuple(int(part) if part.isdecimal() else -1 for part in parts)
