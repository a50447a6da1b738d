"""Files that are sent to the server, read as if they lay on its disk, and gone from it when they are read.

A name that comes with a file names its origin, so that the same file sent again replaces what it said before. It
is never a path on this machine: every part of it is freed of what could lead elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from anyio import to_thread
from starlette.datastructures import UploadFile

from ricordo.dates import time_options
from ricordo.engine import Engine
from ricordo.errors import InvalidInput, SourceError
from ricordo.ingest import Ingested, Origins, Progress
from ricordo.memory import Memory, Origin, clean, digest
from ricordo.protocols import Skipped, Source
from ricordo.sources import find_sources

__all__ = ["MOST_FILES", "SCHEME", "Received", "Tell", "ingest_received", "lasting_name", "receive"]

SCHEME = "upload:"
AT_ONCE = 32
"""Sources that are read before the engine is given them: a large export holds thousands."""
PIECE = 2**20
LONGEST_PART = 120
MOST_PARTS = 12
MOST_FILES = 10_000

COUNTS = ("memories", "chunks", "added", "unchanged", "forgotten")
OF_ORIGINS = ("new", "changed", "unchanged")

_SEPARATOR = re.compile(r"[/\\]+")
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*]')


Tell = Callable[[Progress], Awaitable[None]]
"""Is called after each few sources."""


def lasting_name(given: str) -> str:
    """A relative path with `/` that stays below any folder: `notes/2026/keys.md`.

    What leads upwards, to a drive or to the root, and what no file system likes, is left out.
    """
    parts = (_UNSAFE.sub("", clean(part)).strip(" .") for part in _SEPARATOR.split(given))
    kept = [part if len(part) <= LONGEST_PART else _shortened(part) for part in parts if part]
    return "/".join(kept[-MOST_PARTS:]) or "file"


def _shortened(part: str) -> str:
    """Its beginning and its suffix, which tells how it is read."""
    suffix = Path(part).suffix[:16]
    return part[: LONGEST_PART - len(suffix)] + suffix


@dataclass(frozen=True, kw_only=True, slots=True)
class Received:
    """Files in a folder of their own, for its owner alone; gone when it is closed, or let go of."""

    folder: TemporaryDirectory[str]
    names: tuple[str, ...]
    content: str
    """Tells one set of files from another, by their names and all that they hold."""

    def close(self) -> None:
        self.folder.cleanup()


async def receive(files: Sequence[UploadFile]) -> Received:
    """Lay down files that were sent; of two of one name the later one counts. Raises InvalidInput without a file."""
    if not files or len(files) > MOST_FILES:
        raise InvalidInput(f"1 to {MOST_FILES:,} files can be sent at once, as parts named `files`")
    folder = TemporaryDirectory(prefix="ricordo-upload-", ignore_cleanup_errors=True)
    names = [lasting_name(file.filename or "") for file in files]
    held: list[str] = []
    for file, name in zip(files, names, strict=True):
        try:
            held += (name, await _lay_down(file, Path(folder.name) / name))
        except OSError as error:
            raise InvalidInput(f"{name} cannot be received: {error.strerror or error}") from error
    return Received(folder=folder, names=tuple(names), content=digest(*held))


async def _lay_down(file: UploadFile, target: Path) -> str:
    """Write it to its place; a digest of what it holds."""
    await to_thread.run_sync(partial(target.parent.mkdir, parents=True, exist_ok=True))
    content = blake2b()
    with target.open("wb") as stream:
        while piece := await file.read(PIECE):
            content.update(piece)
            await to_thread.run_sync(stream.write, piece)
    return content.hexdigest()


async def ingest_received(memory: Engine, received: Received, tell: Tell) -> Ingested:
    """Read the files as `Engine.ingest` does, and remove them. Raises StoreError, ModelError."""
    folder = Path(received.folder.name).resolve()
    total, done = Ingested(), 0
    try:
        clock, options = memory.reader.calendar.clock, time_options(memory.settings)
        found = find_sources([folder], now=clock(), zone=memory.settings.zone(), options=options)
        while page := await to_thread.run_sync(partial(_page, found)):
            sent = [_placed(each, folder) if isinstance(each, Skipped) else _Sent(each, folder) for each in page]
            total, done = _sum(total, await memory.ingest(sent)), done + len(page)
            await tell(Progress(sources=done, so_far=total))
    finally:
        await to_thread.run_sync(received.close)
    return total


def _page(found: Iterator[Source | Skipped]) -> list[Source | Skipped]:
    return list(islice(found, AT_ONCE))


def _sum(total: Ingested, more: Ingested) -> Ingested:
    return Ingested(
        **{name: getattr(total, name) + getattr(more, name) for name in COUNTS},
        origins=Origins(**{name: getattr(total.origins, name) + getattr(more.origins, name) for name in OF_ORIGINS}),
        skipped=(*total.skipped, *more.skipped),
    )


def _placed(skipped: Skipped, folder: Path) -> Skipped:
    """The same with the name that was sent in place of where it lay."""
    return replace(skipped, where=_sent_as(skipped.where, folder))


def _sent_as(where: str, folder: Path) -> str:
    return where.replace(f"{folder}/", "").replace(f"{folder}\\", "")


@dataclass(frozen=True, slots=True)
class _Sent:
    """A source that lies in a folder for a moment; its origin outlasts it.

    What names itself (a conversation of an export) keeps its name.
    """

    source: Source
    folder: Path

    @property
    def origin(self) -> Origin:
        return self._lasting(self.source.origin)

    def revision(self) -> str:
        with self._named():
            return self.source.revision()

    def memories(self) -> Iterator[Memory | Skipped]:
        with self._named():
            for item in self.source.memories():
                if isinstance(item, Skipped):
                    yield _placed(item, self.folder)
                elif item.origin.uri.startswith(self.folder.as_uri()):
                    yield replace(item, origin=self._lasting(item.origin), id="")
                else:
                    yield item

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except SourceError as error:
            raise SourceError(_sent_as(error.where, self.folder), error.why) from error

    def _lasting(self, origin: Origin) -> Origin:
        here = self.folder.as_uri()
        if not origin.uri.startswith(here):
            return origin
        return replace(origin, uri=SCHEME + quote(origin.uri.removeprefix(f"{here}/"), safe="/%#?=&"))
