"""Backups at the edge: what was written or read back, and where it is."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text

from ricordo.exchange import Backup
from ricordo.render.documents import Document, document
from ricordo.render.layouts import layout
from ricordo.render.phrases import flat, megabytes, safe
from ricordo.render.reports import View

__all__ = ["Back", "Made", "Purged"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """A backup in a file, written just now or looked through."""

    backup: Backup
    file: str
    verified: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Back:
    """A backup that was brought back, and where that is kept which was there before."""

    backup: Backup
    kept: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Purged:
    """The files of a store hold nothing of what was forgotten."""


@document.register
def _(made: Made) -> Document:
    return {"file": made.file, **_contents(made.backup)}


@document.register
def _(back: Back) -> Document:
    return {**_contents(back.backup), "kept": back.kept}


@layout.register
def _(made: Made, view: View) -> RenderableType:
    found = made.backup
    if found.faults:
        faults = "\n".join(f"fault: {safe(fault.what)}" for fault in found.faults)
        return Text(f"{flat(made.file)} is not whole\n{faults}")
    did = "whole" if made.verified else "backed up and read back"
    return Text(f"{did}: {_summary(found)}, {megabytes(found.size_bytes)} in {flat(made.file)}")


@layout.register
def _(back: Back, view: View) -> RenderableType:
    kept = f"\nwhat was here is kept in {flat(back.kept)}" if back.kept else ""
    return Text(f"restored: {_summary(back.backup)}{kept}")


@document.register
def _(purged: Purged) -> Document:
    return {"purged": True}


@layout.register
def _(purged: Purged, view: View) -> RenderableType:
    return Text("purged: the store's files hold nothing of what was forgotten")


def _contents(backup: Backup) -> Document:
    return {
        "memories": backup.memories,
        "chunks": backup.chunks,
        "vectors": backup.vectors,
        "tombstones": backup.tombstones,
        "schema_version": backup.schema_version,
        "size_bytes": backup.size_bytes,
        "faults": [{"what": fault.what, "mend": fault.mend} for fault in backup.faults],
    }


def _summary(backup: Backup) -> str:
    counts = (
        (backup.memories, "memory", "memories"),
        (backup.vectors, "vector", "vectors"),
        (backup.tombstones, "tombstone", "tombstones"),
    )
    return ", ".join(f"{count:,} {one if count == 1 else many}" for count, one, many in counts)
