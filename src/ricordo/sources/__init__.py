"""Where memories come from: readers of files, found by what a file holds, else by its suffix.

A file is known by its structure first, whatever it is called: `formats.FORMATS` is a table of the keys that the
records of each known JSON format have, with the function that reads it, which is loaded when first needed. A reader is
given a `Blob` (a file, or a member of an archive: readers need not know which) and the `Circumstances`, and yields any
number of sources, one for each origin: a conversation of an export is one origin, so that a newer export replaces what
it repeats and forgets nothing else. A file that is recognised and yields no source is reported as an error. What a
reader meets and cannot read it yields as `Skipped`, with the place in the file.

To add a format: a row in `FORMATS`, and in its module a function `read(blob, circumstances)` over
`records.elements(blob)` or `records.lines(blob)`, which hold one record at a time and isolate broken ones. What was
said in turns becomes a `conversations.Conversation`, given out as a `ConversationSource`. Every text goes through
`injected.without_injected`. Other files are read by suffix (`READERS`), and whatever else holds text is plain text.
"""

from __future__ import annotations

import stat
from collections import deque
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from importlib import import_module
from os import PathLike
from pathlib import Path

from ricordo.dates import STANDARD
from ricordo.errors import SourceError
from ricordo.protocols import Skipped, Source
from ricordo.sources.archives import is_archive, members
from ricordo.sources.blobs import Blob, file_blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.code import SUFFIXES
from ricordo.sources.folder import shown, walk
from ricordo.sources.formats import Format, recognise
from ricordo.sources.packed import unpacked
from ricordo.timeparse import TimeOptions

__all__ = ["find_files", "find_sources", "open_source"]

# Suffix → module and what makes the source; whatever else holds text is plain text.
READERS = {
    ".docx": ("ricordo.sources.documents", "DocumentSource"),
    ".eml": ("ricordo.sources.mail", "MailSource"),
    ".htm": ("ricordo.sources.documents", "DocumentSource"),
    ".html": ("ricordo.sources.documents", "DocumentSource"),
    ".markdown": ("ricordo.sources.notes", "open_note"),
    ".md": ("ricordo.sources.notes", "open_note"),
    ".mdown": ("ricordo.sources.notes", "open_note"),
    ".mbox": ("ricordo.sources.mail", "MailSource"),
    ".mkd": ("ricordo.sources.notes", "open_note"),
    ".pdf": ("ricordo.sources.documents", "DocumentSource"),
    ".text": ("ricordo.sources.text", "TextSource"),
    ".txt": ("ricordo.sources.text", "TextSource"),
    ".xhtml": ("ricordo.sources.documents", "DocumentSource"),
}
CODE = ("ricordo.sources.code", "CodeSource")
PLAIN = ("ricordo.sources.text", "TextSource")

SNIFFED_BYTES = 8192


class NotText(SourceError):
    """What a folder may hold without our concern: a picture, a pipe."""


def open_source(
    path: str | PathLike[str], *, now: datetime, zone: tzinfo = UTC, options: TimeOptions = STANDARD
) -> Source:
    """The reader of one file by its suffix. Raises SourceError when it is absent, unreadable, no file, or binary."""
    path = Path(path)
    _check(path)
    return _reader(path, Circumstances(now=now, zone=zone, options=options))


def find_sources(
    paths: Iterable[str | PathLike[str]],
    *,
    now: datetime,
    zone: tzinfo = UTC,
    options: TimeOptions = STANDARD,
    named: bool = True,
) -> Iterator[Source | Skipped]:
    """The readers of all files named, and of all files in the folders named, each file once.

    A file that holds many origins yields many. The order is that of `paths`, then of names. In a folder, hidden files
    and folders are passed over, and so is what holds no text; named by itself, it comes as Skipped, as do files that
    cannot be read; unless `named`, a file is taken for one of a folder. `now` dates the memories, `zone` and `options`
    are how dates are read.
    """
    search = _Search(Circumstances(now=now, zone=zone, options=options))
    for path in map(Path, paths):
        for file in walk(path):
            if isinstance(file, Skipped):
                yield file
            else:
                yield from search.file(file, named=named and file == path)


def find_files(paths: Iterable[str | PathLike[str]]) -> Iterator[Path | Skipped]:
    """All files named, and all files in the folders named, each once, by their absolute paths.

    One that is named by itself and holds no text comes as Skipped, as it does from `find_sources`.
    """
    seen: set[Path] = set()
    for path in map(Path, paths):
        for file in walk(path):
            if isinstance(file, Skipped):
                yield file
            elif (target := file.resolve()) not in seen:
                seen.add(target)
                yield _usable(file) if file == path else file.absolute()


def _usable(path: Path) -> Path | Skipped:
    try:
        _check_regular(path)
        head = unpacked(file_blob(path)).head()
        if recognise(head) is None and not is_archive(head):
            _check(path)
    except SourceError as error:
        return Skipped(where=error.where, why=error.why)
    return path.absolute()


class _Search:
    """One search under way: what it has been to already it does not read again."""

    def __init__(self, circumstances: Circumstances) -> None:
        self.circumstances = circumstances
        self.seen: set[Path] = set()

    def file(self, path: Path, *, named: bool) -> Iterator[Source | Skipped]:
        """The sources of a file, and of the files that belong to it."""
        pending = deque([path])
        while pending:
            file = pending.popleft()
            try:
                for found in self._sources(file):
                    if isinstance(found, Path):
                        pending.append(found)
                    else:
                        yield found
            except NotText as error:
                if named and file == path:
                    yield Skipped(where=error.where, why=error.why)
            except SourceError as error:
                yield Skipped(where=error.where, why=error.why)

    def _sources(self, path: Path) -> Iterator[Source | Skipped | Path]:
        _check_regular(path)
        target = path.resolve()
        if target in self.seen:
            return
        blob = unpacked(file_blob(path))
        head = blob.head()
        known = recognise(head)
        if known is not None or (is_archive(head) and path.suffix.lower() not in READERS):
            self.seen.add(target)
            yield from self._read(known, blob) if known else self._archive(blob)
            return
        _check(path)
        self.seen.add(target)
        yield _reader(path, self.circumstances)

    def _archive(self, archive: Blob) -> Iterator[Source | Skipped | Path]:
        usable = False
        for member in members(archive):
            if isinstance(member, Skipped):
                yield member
                continue
            try:
                known = recognise(member.head())
                if known is not None and not known.loose:
                    usable = True
                    yield from self._read(known, member)
            except SourceError as error:
                yield Skipped(where=error.where, why=error.why)
        if not usable:
            raise NotText(archive.where, "is an archive that holds no export that is known")

    def _read(self, known: Format, blob: Blob) -> Iterator[Source | Skipped | Path]:
        if not known.function:
            if known.aside:
                yield Skipped(where=blob.where, why=known.aside, loses_memories=False)
            return
        usable = False
        for found in known.load()(blob, self.circumstances):
            usable = usable or not isinstance(found, Skipped)
            yield found
        if not usable:
            why = f"holds {known.name}, but nothing in them can be remembered"
            yield Skipped(where=blob.where, why=why, unusable=True)


def _check_regular(path: Path) -> None:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise SourceError(shown(path), getattr(error, "strerror", None) or str(error)) from error
    # Opening a pipe or a device would wait, perhaps for good.
    if not stat.S_ISREG(mode):
        raise NotText(shown(path), "is a folder" if stat.S_ISDIR(mode) else "is not a regular file")


def _check(path: Path) -> None:
    """Raise SourceError unless the path leads to a file that holds text, as far as its beginning tells."""
    from ricordo.sources.encoding import looks_binary

    _check_regular(path)
    try:
        with path.open("rb") as file:
            head = file.read(SNIFFED_BYTES)
    except (OSError, ValueError) as error:
        raise SourceError(shown(path), getattr(error, "strerror", None) or str(error)) from error
    if path.suffix.lower() not in READERS and looks_binary(head):
        raise NotText(shown(path), "is a binary file")


def _reader(path: Path, circumstances: Circumstances) -> Source:
    suffix = path.suffix.lower()
    module, name = READERS.get(suffix) or (CODE if suffix in SUFFIXES else PLAIN)
    source: Source = getattr(import_module(module), name)(
        path=path, now=circumstances.now, zone=circumstances.zone, options=circumstances.options
    )
    return source
