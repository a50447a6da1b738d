"""Paths: the files of a folder and of all folders in it, in a stable order, and how a path is shown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ricordo.folders import is_passed_over
from ricordo.memory import clean
from ricordo.protocols import Skipped

__all__ = ["shown", "walk"]


def shown(path: Path) -> str:
    """The path for people; a name that is not valid in the system's encoding could not be printed."""
    return clean(str(path))


def walk(path: Path) -> Iterator[Path | Skipped]:
    """Every file of a folder, ordered by name within its folder, or the file itself.

    What is hidden, and what programs install (`node_modules`, `site-packages`), is left out. So is what
    Claude Code keeps for itself beside a transcript: what tools printed, journals of workflows.

    Symbolic links are followed; a folder is entered once, so a loop ends. A folder that cannot be
    listed comes as Skipped.
    """
    pending = [path]
    entered: set[tuple[int, int]] = set()
    while pending:
        path = pending.pop()
        try:
            if not path.is_dir():
                yield path
                continue
            status = path.stat()
            if (status.st_dev, status.st_ino) in entered:
                continue
            entered.add((status.st_dev, status.st_ino))
            names = sorted(name for name in os.listdir(path) if not _is_left_out(path, name))
        except OSError as error:
            yield Skipped(where=shown(path), why=error.strerror or str(error))
            continue
        pending.extend(path / name for name in reversed(names))


def _is_left_out(folder: Path, name: str) -> bool:
    if is_passed_over(name):
        return True
    if name == "journal.jsonl":
        return "subagents" in folder.parts
    return name in ("tool-results", "workflows") and (folder.parent / f"{folder.name}.jsonl").is_file()
