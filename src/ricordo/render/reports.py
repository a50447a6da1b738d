"""What is shown at the edges and has no noun of its own further down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from ricordo.embedding import Embedded
from ricordo.ingest import Ingested
from ricordo.memory import Memory
from ricordo.query import Recall

__all__ = [
    "Answer",
    "Buried",
    "Completed",
    "Demonstration",
    "Diagnosis",
    "Distributed",
    "Exported",
    "Finding",
    "Forgotten",
    "History",
    "Imported",
    "Revised",
    "Setting",
    "View",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """How to show: as JSON or for people, by which clock and zone, whether long texts are shown whole, and
    whether each hit explains its score.
    """

    json: bool
    now: datetime
    zone: tzinfo
    full: bool = False
    explain: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """All versions of a memory, first to current."""

    versions: tuple[Memory, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Revised:
    """The version that took a memory's place."""

    memory: Memory


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgotten:
    """Ids of what was removed, old versions included."""

    ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Buried:
    """Ids of what was buried, or, `undone`, is as any other again; all versions."""

    ids: tuple[str, ...]
    undone: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """What an import did."""

    counts: Ingested


@dataclass(frozen=True, kw_only=True, slots=True)
class Exported:
    """How many memories and tombstones went where."""

    items: int
    file: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Completed:
    """Vectors made by the embedder of this name, and the file or variable where it is to be set to come in force.

    `set_in` is None when it is in force.
    """

    embedded: Embedded
    embedder: str
    set_in: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Distributed:
    """The tables that were spread over a cluster just now; if none, why there was nothing to do."""

    tables: tuple[str, ...]
    why: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """A setting in force and where its value comes from."""

    value: str | int | float
    origin: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing a diagnosis looked at. A note is worth knowing; a fault needs mending."""

    name: str
    status: Literal["ok", "note", "fault"]
    message: str
    mend: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnosis:
    """Everything `ricordo doctor` looked at."""

    settings: Mapping[str, Setting]
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        return all(finding.status != "fault" for finding in self.findings)


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One question of the demonstration, what it shows, and the answer."""

    shows: str
    recall: Recall


@dataclass(frozen=True, kw_only=True, slots=True)
class Demonstration:
    """What was read in how many seconds, and the answers."""

    ingested: Ingested
    seconds: float
    answers: tuple[Answer, ...]
