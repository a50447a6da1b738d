"""Plain text files: the whole file is one memory, cut later by the chunker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from ricordo.dates import STANDARD
from ricordo.memory import Memory, Origin
from ricordo.occasions import refined
from ricordo.protocols import Skipped
from ricordo.sources import files
from ricordo.sources.dating import name_date, written_at
from ricordo.sources.injected import without_own
from ricordo.timeparse import TimeOptions

__all__ = ["TextSource"]

# Raised whenever the same file would give other memories than before.
READER = "text-3"


@dataclass(frozen=True, kw_only=True, slots=True)
class TextSource:
    """A text file. `now` dates its memories; `zone` and `options` are how dates are read."""

    path: Path
    now: datetime
    zone: tzinfo = UTC
    options: TimeOptions = STANDARD

    @property
    def origin(self) -> Origin:
        return files.origin(self.path, "text", self.path.name)

    def revision(self) -> str:
        return files.revision(self.path, READER, self.zone, self.options)

    def memories(self) -> Iterator[Memory | Skipped]:
        """One memory, or none when the file is blank."""
        written = files.read(self.path)
        text = without_own(written.text)
        if not text.strip():
            return
        origin = self.origin
        memory = Memory(
            text=text.strip("\n").rstrip(),
            origin=origin,
            created_at=self.now,
            updated_at=self.now,
            context=origin.title or "",
            metadata=written.metadata,
        )
        named = name_date(self.path.name, self.zone)
        event = refined(named, text, self.zone, self.options)
        yield memory.happened(event or written_at(self.path, written.data, self.now))
