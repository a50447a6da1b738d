"""Where memories come from: readers of files, found by suffix and loaded when first needed."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from importlib import import_module
from os import PathLike
from pathlib import Path

from ricordo.dates import STANDARD
from ricordo.errors import SourceError
from ricordo.protocols import Skipped, Source
from ricordo.sources.folder import shown, walk
from ricordo.timeparse import TimeOptions

__all__ = ["find_sources", "open_source"]

# Suffix → module and class; whatever else holds text is plain text.
READERS = {
    ".markdown": ("ricordo.sources.markdown", "MarkdownSource"),
    ".md": ("ricordo.sources.markdown", "MarkdownSource"),
    ".mdown": ("ricordo.sources.markdown", "MarkdownSource"),
    ".mkd": ("ricordo.sources.markdown", "MarkdownSource"),
    ".text": ("ricordo.sources.text", "TextSource"),
    ".txt": ("ricordo.sources.text", "TextSource"),
}
PLAIN = ("ricordo.sources.text", "TextSource")

SNIFFED_BYTES = 8192


class NotText(SourceError):
    """What a folder may hold without our concern: a picture, a pipe."""


def open_source(
    path: str | PathLike[str], *, now: datetime, zone: tzinfo = UTC, options: TimeOptions = STANDARD
) -> Source:
    """The reader of one file. Raises SourceError when it is absent, unreadable, no file, or binary."""
    path = Path(path)
    _check(path)
    return _reader(path, now, zone, options)


def find_sources(
    paths: Iterable[str | PathLike[str]], *, now: datetime, zone: tzinfo = UTC, options: TimeOptions = STANDARD
) -> Iterator[Source | Skipped]:
    """The readers of all files named, and of all files in the folders named, each file once.

    The order is that of `paths`, then of names. In a folder, hidden files and folders are passed over,
    and so is what holds no text; named by itself, it comes as Skipped, as do files that cannot be read.
    `now` dates the memories, `zone` and `options` are how dates are read.
    """
    seen: set[Path] = set()
    for path in map(Path, paths):
        for file in walk(path):
            if isinstance(file, Skipped):
                yield file
                continue
            try:
                source = open_source(file, now=now, zone=zone, options=options)
            except NotText as error:
                if file == path:
                    yield Skipped(where=error.where, why=error.why)
            except SourceError as error:
                yield Skipped(where=error.where, why=error.why)
            else:
                target = file.resolve()
                if target not in seen:
                    yield source
                seen.add(target)


def _check(path: Path) -> None:
    """Raise SourceError unless the path leads to a file that holds text, as far as its beginning tells."""
    from ricordo.sources.encoding import looks_binary

    try:
        mode = path.stat().st_mode
        # Opening a pipe or a device would wait, perhaps for good.
        if not stat.S_ISREG(mode):
            raise NotText(shown(path), "is a folder" if stat.S_ISDIR(mode) else "is not a regular file")
        with path.open("rb") as file:
            head = file.read(SNIFFED_BYTES)
    except (OSError, ValueError) as error:
        raise SourceError(shown(path), getattr(error, "strerror", None) or str(error)) from error
    if path.suffix.lower() not in READERS and looks_binary(head):
        raise NotText(shown(path), "is a binary file")


def _reader(path: Path, now: datetime, zone: tzinfo, options: TimeOptions) -> Source:
    module, name = READERS.get(path.suffix.lower(), PLAIN)
    source: Source = getattr(import_module(module), name)(path=path, now=now, zone=zone, options=options)
    return source
