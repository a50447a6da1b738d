"""What all sources that are files share: reading, naming, and the date in a file's name."""

from __future__ import annotations

import re
from datetime import tzinfo
from hashlib import blake2b
from pathlib import Path

from ricordo.dates import iso_time
from ricordo.errors import SourceError
from ricordo.memory import EventOrigin, EventTime, Origin, clean, digest
from ricordo.sources.encoding import decode
from ricordo.sources.folder import shown
from ricordo.timeparse import TimeOptions

__all__ = ["MAX_BYTES", "name_date", "origin", "read_bytes", "read_text", "revision"]

MAX_BYTES = 64 * 2**20

LEADING_MONTH = re.compile(r"\d{4}-\d{2}(?!-?\d)")
DAY = re.compile(r"(?<!\d)(?<!\d-)\d{4}-\d{2}-\d{2}(?!-?\d)")


def read_bytes(path: Path) -> bytes:
    """Raises SourceError, naming the file, when it cannot be read or is larger than 64 MiB."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SourceError(shown(path), f"is larger than {MAX_BYTES // 2**20} MiB; split it")
        return path.read_bytes()
    except OSError as error:
        raise SourceError(shown(path), error.strerror or str(error)) from error


def read_text(path: Path) -> str:
    """The file's text as a store can keep it. Raises SourceError, also for a file that holds no text."""
    return clean(decode(read_bytes(path), shown(path)))


def origin(path: Path, kind: str, title: str) -> Origin:
    """The file's origin; its uri is the resolved path, so that a link and its target are one origin."""
    return Origin(kind=kind, uri=path.resolve().as_uri(), title=clean(title))


def revision(path: Path, reader: str, zone: tzinfo, options: TimeOptions) -> str:
    """Changes with the file's bytes, with the reader's version, and with the way that dates are read."""
    return digest(reader, str(zone), repr(options), blake2b(read_bytes(path)).hexdigest())


def name_date(path: Path, zone: tzinfo) -> EventTime | None:
    """The day that a file's name holds (`2024-05-03-title.md`), or the month that it begins with, in the zone."""
    match = DAY.search(path.name) or LEADING_MONTH.match(path.name)
    return iso_time(match.group(), zone, EventOrigin.SOURCE) if match else None
