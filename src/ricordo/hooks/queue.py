"""Transcripts to be read when there is time: one small file each in the state folder.

An entry is written whole or not at all, and the same transcript has the same entry, whoever sets it aside how often.
Whoever works on the queue takes an entry by renaming it, which one of many can do; what is set aside meanwhile is a
new entry, so nothing that a session says after it was read is lost.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ricordo.hooks.workplace import Workplace

__all__ = ["Queued", "TranscriptQueue"]

WAITING = ".json"
TAKEN = ".taken"
ABANDONED = 3600
"""Seconds after which an entry that was taken waits again: whoever took it has not come back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Queued:
    """A transcript, and where the session was that it is of."""

    transcript: Path
    workplace: Workplace


@dataclass(frozen=True, kw_only=True, slots=True)
class TranscriptQueue:
    """The queue in a folder, which need not be there."""

    folder: Path

    def put(self, queued: Queued) -> None:
        """Set a transcript aside. Raises OSError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = str(queued.transcript)
        name = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        temporary = self.folder / f".{name}-{os.getpid()}"
        document = {"transcript": path, "workplace": queued.workplace.document()}
        temporary.write_text(json.dumps(document), encoding="utf-8")
        temporary.replace(self.folder / f"{name}{WAITING}")

    def waiting(self, settled: float = 0.0) -> int:
        """How many wait that nobody has set aside again for `settled` seconds."""
        latest = time.time() - settled
        return sum(1 for entry in self._entries() if _written(entry) <= latest)

    def take(self) -> Iterator[Queued]:
        """Each that waits, oldest first. One whose work fails waits again; one that cannot be read is dropped."""
        for entry in self._entries():
            with _taken(entry) as mine:
                queued = _read(mine) if mine is not None else None
                if queued is not None:
                    yield queued

    def _entries(self) -> list[Path]:
        for left in self.folder.glob(f"*{TAKEN}"):
            if time.time() - _written(left) > ABANDONED:
                _renamed(left, left.with_suffix(WAITING))
        return sorted(self.folder.glob(f"*{WAITING}"), key=_written)


@contextmanager
def _taken(entry: Path) -> Iterator[Path | None]:
    """The entry as ours alone while it is worked on; None where another was faster."""
    mine = entry.with_suffix(TAKEN)
    if not _renamed(entry, mine):
        yield None
        return
    try:
        os.utime(mine)
        yield mine
    except BaseException:
        if entry.exists():  # set aside again meanwhile, which is as good
            mine.unlink(missing_ok=True)
        else:
            _renamed(mine, entry)
        raise
    mine.unlink(missing_ok=True)


def _renamed(entry: Path, name: Path) -> bool:
    try:
        entry.rename(name)
    except OSError:
        return False
    return True


def _written(entry: Path) -> float:
    try:
        return entry.stat().st_mtime
    except OSError:
        return 0.0


def _read(entry: Path) -> Queued | None:
    try:
        found = json.loads(entry.read_text(encoding="utf-8"))
        return Queued(transcript=Path(found["transcript"]), workplace=Workplace.from_document(found["workplace"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
