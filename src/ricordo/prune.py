"""Forgetting what was read from files that are gone, where their owner asks for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from urllib.request import url2pathname

from anyio import to_thread

from ricordo.exchange import Skipped
from ricordo.ingest import Ingested, gone
from ricordo.memory import Origin, clean, uri_parts
from ricordo.remember import Writer

__all__ = ["file_of", "is_lost", "lost_origins", "pruned"]


async def pruned(writer: Writer, paths: Iterable[str | PathLike[str]], ingested: Ingested) -> Ingested:
    """Forget what the namespace holds of files below these folders that are there no more, and count it in.

    A folder that is missing or empty forgets nothing: more likely its disk is not there. Raises StoreError.
    """
    folders, skipped = await to_thread.run_sync(_folders, list(map(Path, paths)))
    lost = await _lost_below(writer, folders)
    added = await writer.write((), (), [gone(origin) for origin in lost])
    if added.forgotten:
        await writer.purge()
    return replace(
        ingested,
        forgotten=ingested.forgotten + len(added.forgotten),
        skipped=(*ingested.skipped, *skipped),
    )


async def lost_origins(writer: Writer, paths: Iterable[str | PathLike[str]]) -> list[Origin]:
    """What was read from files below these folders that are there no more. Raises StoreError."""
    folders, _ = await to_thread.run_sync(_folders, list(map(Path, paths)))
    return await _lost_below(writer, folders)


async def _lost_below(writer: Writer, folders: list[Path]) -> list[Origin]:
    survey = await writer.store.survey(writer.namespace)
    return await to_thread.run_sync(_lost, [held.origin for held in survey.origins], folders)


def _folders(paths: list[Path]) -> tuple[list[Path], list[Skipped]]:
    """Those of the paths that are folders with something in them, resolved; of the others those that tell nothing."""
    folders: list[Path] = []
    skipped: list[Skipped] = []
    for path in paths:
        try:
            if not path.exists() or (path.is_dir() and next(path.iterdir(), None) is None):
                why = "is missing or empty: nothing that was read from it was pruned"
                skipped.append(Skipped(where=clean(str(path)), why=why))
            elif path.is_dir():
                folders.append(path.resolve())
        except OSError as error:
            skipped.append(Skipped(where=clean(str(path)), why=f"was not pruned: {error.strerror or error}"))
    return folders, skipped


def _lost(origins: Iterable[Origin], folders: list[Path]) -> list[Origin]:
    return [origin for origin in origins if (path := file_of(origin.uri)) is not None and is_lost(path, folders)]


def is_lost(path: Path, folders: Iterable[Path]) -> bool:
    """Whether a file below one of these folders is surely there no more."""
    if not any(path.is_relative_to(folder) for folder in folders):
        return False
    try:
        path.lstat()
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False  # it cannot be told
    return False


def file_of(uri: str) -> Path | None:
    """The file that a uri names; None for any other."""
    parts = uri_parts(uri)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None
