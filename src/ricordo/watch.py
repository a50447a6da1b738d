"""Following folders and files: what changes is read once it is at rest, what moves is moved, what is gone is forgotten.

The events come from watchfiles, of the extra `watch`. They only tell where to look: what counts is what is there when
it is looked at, so that an event too many does nothing, and a file that is written, replaced or put back in quick
succession is read once.
"""

from __future__ import annotations

import math
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from stat import S_ISREG
from typing import TypeAlias

import anyio
from anyio import to_thread
from anyio.abc import TaskStatus
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from ricordo.errors import InvalidInput, MissingExtra, StoreBusy
from ricordo.exchange import Skipped
from ricordo.folders import is_passed_over
from ricordo.ingest import Ingested, gone, ingest
from ricordo.memory import Origin
from ricordo.protocols import Source
from ricordo.prune import file_of, is_lost
from ricordo.relocate import Mover
from ricordo.remember import Writer
from ricordo.skips import place_uri

__all__ = ["Patience", "Watched", "watch"]

Find: TypeAlias = Callable[[Iterable[str | PathLike[str]]], Iterator["Source | Skipped"]]

TICK = 0.2
# What editors and browsers write beside a file until it is whole.
UNFINISHED = (".crdownload", ".part", ".swp", ".swx", ".tmp", "~")


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """Seconds. A file is read when nothing happened to it for `quiet`, at the `latest` so long after it changed first.

    One that is gone, or empty, has to be so for `grace` before that is believed. After a reading that took a second, a
    file that goes on changing rests for `rest` seconds.
    """

    quiet: float = 0.5
    latest: float = 5.0
    grace: float = 3.0
    rest: float = 10.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Watched:
    """What was done about a number of changes: what was read, how many origins moved, and memories of those gone."""

    ingested: Ingested
    moved: int = 0
    forgotten: int = 0

    @property
    def changed(self) -> bool:
        """Whether anything is other than before."""
        done = self.ingested
        return bool(self.moved or self.forgotten or done.added or done.forgotten or done.skipped)


async def watch(
    writer: Writer,
    paths: Iterable[str | PathLike[str]],
    find: Find,
    tell: Callable[[Watched], None] | None = None,
    patience: Patience | None = None,
) -> None:
    """Read all that `find` finds at the paths, and then whatever changes there, until cancelled.

    `tell` hears of the first reading and of all that changed anything. Raises MissingExtra, InvalidInput for a path
    that cannot be followed, StoreError, ModelError.
    """
    roots = await to_thread.run_sync(_roots, [Path(path) for path in paths])
    send, receive = anyio.create_memory_object_stream[frozenset[Path]](math.inf)
    follower = _Follower(writer=writer, roots=roots, find=find, patience=patience or Patience())
    try:
        async with send, receive, anyio.create_task_group() as tasks:
            # Listening begins before the first reading, so that nothing is missed between the two.
            for recursive in {root.whole for root in roots}:
                await tasks.start(_listen, [root for root in roots if root.whole is recursive], send.clone())
            async with aclosing(_followed(follower, receive)) as told:
                async for done in told:
                    if tell is not None:
                        tell(done)
    except BaseExceptionGroup as group:
        if len(group.exceptions) == 1:
            raise group.exceptions[0] from None
        raise


@dataclass(frozen=True, slots=True)
class _Root:
    """What is followed: a folder with all in it, or a single file, for which its folder is listened to."""

    path: Path
    whole: bool

    @property
    def folder(self) -> Path:
        return self.path if self.whole else self.path.parent

    def covers(self, path: Path) -> bool:
        """Whether an event at this path is of concern."""
        if not self.whole:
            return path == self.path
        try:
            parts = path.relative_to(self.path).parts
        except ValueError:
            return False
        return bool(parts) and not any(map(is_passed_over, parts)) and not path.name.endswith(UNFINISHED)

    def is_there(self) -> bool:
        """Whether the folder holds anything: a disk that is not mounted leaves an empty one behind."""
        try:
            return next(self.folder.iterdir(), None) is not None
        except OSError:
            return False


def _roots(paths: Sequence[Path]) -> tuple[_Root, ...]:
    for path in paths:
        if not path.exists():
            raise InvalidInput(f"{path} cannot be followed: there is no such file or folder")
    return tuple(_Root(path.resolve(), path.is_dir()) for path in paths)


def _is_at_or_below(path: Path, paths: frozenset[Path]) -> bool:
    return path in paths or any(parent in paths for parent in path.parents)


async def _listen(
    roots: Sequence[_Root],
    send: MemoryObjectSendStream[frozenset[Path]],
    *,
    task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
) -> None:
    """Send the paths of what happens, and an empty set from time to time."""
    async with send:
        try:
            async with aclosing(_events(roots)) as events:
                started = False
                async for paths in events:
                    if not started:
                        task_status.started()
                        started = True
                    await send.send(paths)
        except OSError as error:
            raise InvalidInput(f"cannot go on following: {error.strerror or error}") from error


async def _events(roots: Sequence[_Root]) -> AsyncGenerator[frozenset[Path], None]:
    try:
        from watchfiles import awatch
    except ModuleNotFoundError as error:
        raise MissingExtra("watch", "following folders needs watchfiles") from error
    events = awatch(
        *{root.folder for root in roots},
        watch_filter=lambda _, path: any(root.covers(Path(path)) for root in roots),
        debounce=200,
        rust_timeout=int(TICK * 1000),
        yield_on_timeout=True,
        recursive=roots[0].whole,
        ignore_permission_denied=True,
    )
    async with aclosing(events):
        async for changes in events:
            yield frozenset(Path(path) for _, path in changes)


async def _followed(
    follower: _Follower, events: MemoryObjectReceiveStream[frozenset[Path]]
) -> AsyncGenerator[Watched, None]:
    yield await follower.begin()
    async for paths in events:
        follower.note(paths)
        done = await follower.settle()
        if done is not None and done.changed:
            yield done


@dataclass(kw_only=True, slots=True)
class _Follower:
    """What has happened and has not been looked at yet. Times are those of a clock that only goes forward."""

    writer: Writer
    roots: tuple[_Root, ...]
    find: Find
    patience: Patience
    first: dict[Path, float] = field(default_factory=dict)
    last: dict[Path, float] = field(default_factory=dict)
    missing: dict[Path, float] = field(default_factory=dict)
    resting: dict[Path, float] = field(default_factory=dict)

    async def begin(self) -> Watched:
        """Read everything. What went away meanwhile is missing from now on."""
        lost = await self._lost(root.path for root in self.roots if root.whole)
        self.missing |= dict.fromkeys((path for path, _ in lost), time.monotonic())
        return await self._take([root.path for root in self.roots], ())

    def note(self, paths: Iterable[Path]) -> None:
        """Something happened to these."""
        now = time.monotonic()
        for path in paths:
            self.first.setdefault(path, now)
            self.last[path] = now

    async def settle(self) -> Watched | None:
        """Look at what has come to rest; None when there is nothing to be done."""
        if not self.first and not self.missing:
            return None
        now = time.monotonic()
        ripe = [path for path in self.first if self._is_ripe(path, now)]
        present = await to_thread.run_sync(self._present, ripe, now)
        believed = [path for path, since in self.missing.items() if now - since >= self.patience.grace]
        if not present and not believed:
            return None
        try:
            return await self._take(present, believed)
        except StoreBusy:  # another process writes for long: later, then
            self.note(present)
            return None

    def _is_ripe(self, path: Path, now: float) -> bool:
        if now < self.resting.get(path, 0.0):
            return False
        return now - self.last[path] >= self.patience.quiet or now - self.first[path] >= self.patience.latest

    def _present(self, ripe: Iterable[Path], now: float) -> list[Path]:
        """Those that are there to be read; the others are missing from now on."""
        present: list[Path] = []
        for path in ripe:
            try:
                status = path.stat()
            except (FileNotFoundError, NotADirectoryError):
                self.missing.setdefault(path, now)
                self._forget_events(path)
                continue
            except OSError:
                status = None  # whoever reads it says why it cannot be read
            emptied = status is not None and S_ISREG(status.st_mode) and not status.st_size
            if emptied and now - self.first[path] < self.patience.grace:
                continue  # about to be written anew
            present.append(path)
            self.missing.pop(path, None)
            self._forget_events(path)
        return present

    def _forget_events(self, path: Path) -> None:
        self.first.pop(path, None)
        self.last.pop(path, None)

    async def _take(self, present: Sequence[Path], believed: Sequence[Path]) -> Watched:
        lost = await self._lost(self.missing) if self.missing else []
        mover = await Mover.of(self.writer, (origin for _, origin in lost))
        begin = time.monotonic()
        done = await ingest(self.writer, mover.unmoved(self.find(present)), places=present)
        self._rest(present, begin)
        moved, gone_for_good = await mover.move(), frozenset(believed)
        ends = [
            gone(origin) for path, origin in lost if origin.uri not in moved and _is_at_or_below(path, gone_for_good)
        ]
        added = await self.writer.write((), (), ends)
        await self.writer.note([place_uri(path) for path in believed], ())
        if added.forgotten or moved:
            await self.writer.purge()
        for path in (*believed, *(path for path, origin in lost if origin.uri in moved)):
            self.missing.pop(path, None)
        return Watched(ingested=done, moved=len(moved), forgotten=len(added.forgotten))

    def _rest(self, present: Iterable[Path], begin: float) -> None:
        now = time.monotonic()
        self.resting = {path: until for path, until in self.resting.items() if until > now}
        self.resting |= dict.fromkeys(present, now + self.patience.rest * (now - begin))

    async def _lost(self, paths: Iterable[Path]) -> list[tuple[Path, Origin]]:
        """The files at or below these paths that are known and gone, unless their whole root is."""
        survey = await self.writer.store.survey(self.writer.namespace)
        return await to_thread.run_sync(self._lost_of, [held.origin for held in survey.origins], list(paths))

    def _lost_of(self, origins: Iterable[Origin], paths: list[Path]) -> list[tuple[Path, Origin]]:
        wanted, roots = frozenset(paths), frozenset(root.path for root in self.roots if root.is_there())
        found = ((path, origin) for origin in origins if (path := file_of(origin.uri)) is not None)
        return [
            (path, origin)
            for path, origin in found
            if _is_at_or_below(path, wanted) and _is_at_or_below(path, roots) and is_lost(path, [path])
        ]
