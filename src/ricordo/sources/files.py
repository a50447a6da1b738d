"""What all sources that are files share: reading, naming, and telling whether anything changed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from hashlib import blake2b
from pathlib import Path

from ricordo.errors import SourceError
from ricordo.memory import Json, Origin, clean, digest
from ricordo.sources.encoding import decoded
from ricordo.sources.folder import shown
from ricordo.timeparse import TimeOptions

__all__ = ["MAX_BYTES", "Written", "origin", "read", "read_bytes", "read_text", "revision"]

MAX_BYTES = 64 * 2**20


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """A file as it is written: its bytes, their text as a store can keep it, and the encoding, if it was guessed."""

    data: bytes
    text: str
    encoding: str | None = None

    @property
    def metadata(self) -> dict[str, Json]:
        """What is worth telling of the file with each memory."""
        return {"encoding": self.encoding} if self.encoding else {}


def read_bytes(path: Path) -> bytes:
    """Raises SourceError, naming the file, when it cannot be read or is larger than 64 MiB."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SourceError(shown(path), f"is larger than {MAX_BYTES // 2**20} MiB; split it")
        return path.read_bytes()
    except OSError as error:
        raise SourceError(shown(path), error.strerror or str(error)) from error


def read(path: Path) -> Written:
    """The file and its text. Raises SourceError, also for a file that holds no text."""
    data = read_bytes(path)
    found = decoded(data, shown(path))
    return Written(data=data, text=clean(found.text), encoding=found.encoding if found.guessed else None)


def read_text(path: Path) -> str:
    """The file's text as a store can keep it. Raises SourceError, also for a file that holds no text."""
    return read(path).text


def origin(path: Path, kind: str, title: str) -> Origin:
    """The file's origin; its uri is the resolved path, so that a link and its target are one origin."""
    return Origin(kind=kind, uri=path.resolve().as_uri(), title=clean(title))


def revision(path: Path, reader: str, zone: tzinfo, options: TimeOptions) -> str:
    """Changes with the file's bytes, with the reader's version, and with the way that dates are read."""
    return digest(reader, str(zone), repr(options), blake2b(read_bytes(path)).hexdigest())
