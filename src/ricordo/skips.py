"""What readings could not take in, on record: of each namespace of a store a small file in the state folder.

Whoever looks later, in whichever process, can tell where it was and why. What a memory says is never there.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit
from urllib.request import url2pathname

from ricordo.errors import StoreError
from ricordo.exchange import Skipped
from ricordo.memory import clean, digest, uri_parts
from ricordo.secrets import redact
from ricordo.settings import Settings, state_directory, without_password

if sys.platform != "win32":
    import fcntl

__all__ = ["MOST", "MOST_OF_A_READING", "Skip", "SkipRecord", "place_uri", "record_of"]

MOST = 500
MOST_OF_A_READING = 200
LONGEST = 300
FOLDER = "skipped"
FILES = frozenset({"sqlite", "postgresql+embedded"})
SEPARATORS = frozenset("/\\")
ENDS = frozenset(" ,:(!") | SEPARATORS
PATIENCE = 2.0  # seconds
STEP = 0.02


@dataclass(frozen=True, kw_only=True, slots=True)
class Skip:
    """Something that a reading could not take in: when that was, where it stood, why, and of which origin it was part.

    `origin` is the uri of an origin, None for what could not even be told to be one.
    """

    at: datetime
    where: str
    why: str
    origin: str | None = None

    @classmethod
    def of(cls, skipped: Skipped, origin: str | None, places: Iterable[str | PathLike[str]] = ()) -> Skip:
        """Of now. A relative path is made whole where it begins with one of the files and folders that were read."""
        return cls(at=datetime.now(UTC), where=_whole(skipped.where, places), why=skipped.why, origin=origin)


@dataclass(frozen=True, slots=True)
class SkipRecord:
    """The record of one store. Any number of processes may write it, each line whole; only its owner can read it.

    It tells of each origin what its last reading told, each thing once, and forgets the oldest of more than 500. One
    that `redacts` keeps no secret. What cannot be written is not: that is no reason to fail.
    """

    folder: Path
    store: str
    redacts: bool = False

    def note(self, namespace: str, read: Collection[str], skips: Sequence[Skip]) -> None:
        """Put these on record in place of all that was known of what was read: origins, by their uris.

        Those of files stand for all that lies in them or below. Of more than 200 skips the first are told, and how many
        more there were.
        """
        file = self._file(namespace)
        with suppress(OSError):
            if not skips and not file.exists():
                return
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _alone(self.folder / "lock"):
                gone = frozenset(map(self._kept, read))
                kept = {_what(skip): skip for skip in _of_others(_lines(file), gone)}
                for skip in map(self._shown, _first(skips)):
                    kept.pop(_what(skip), None)
                    kept[_what(skip)] = skip
                _write(file, list(kept.values())[-MOST:])

    def latest(self, namespace: str) -> tuple[Skip, ...]:
        """What is on record, the latest first."""
        return tuple(_lines(self._file(namespace)))[::-1]

    def clear(self) -> None:
        """Let go of all of it, in every namespace. Raises StoreError when it cannot be."""
        if not self.folder.exists():
            return
        try:
            with _alone(self.folder / "lock"):  # or who writes just now would put back what is gone
                for file in self.folder.glob(f"{self.store}-*"):
                    file.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"the record of what was skipped cannot be let go of: {error}") from error

    def _file(self, namespace: str) -> Path:
        return self.folder / f"{self.store}-{digest(namespace)}.jsonl"

    def _kept(self, text: str) -> str:
        return redact(text).text if self.redacts else text

    def _shown(self, skip: Skip) -> Skip:
        where, why = self._kept(clean(skip.where))[:LONGEST], self._kept(clean(skip.why))[:LONGEST]
        return Skip(at=skip.at, where=where, why=why, origin=self._kept(skip.origin) if skip.origin else None)


def record_of(settings: Settings) -> SkipRecord | None:
    """The record of the store that is set; None for one that is gone with its process."""
    parts = urlsplit(settings.store)
    if parts.scheme == "memory":
        return None
    named = _on_disk(parts) if parts.scheme in FILES else without_password(settings.store)
    return SkipRecord(state_directory() / FOLDER, digest(clean(named)), redacts=settings.redact == "on")


def _on_disk(parts: SplitResult) -> str:
    """The one name of a store that is a file or a folder; that of a server is never relative, and has its database."""
    path = unquote(parts.path).removeprefix("/")
    if parts.scheme != "sqlite" and not path.startswith("~"):
        path = f"/{path.lstrip('/')}"
    database = parse_qs(parts.query).get("database", [""])[-1]
    return f"{parts.scheme}:{os.path.realpath(Path(path).expanduser())}:{database}"


def _what(skip: Skip) -> tuple[str | None, str, str]:
    return skip.origin, skip.where, skip.why


def _first(skips: Sequence[Skip]) -> Iterator[Skip]:
    yield from skips[:MOST_OF_A_READING]
    if len(skips) > MOST_OF_A_READING:
        next_, more = skips[MOST_OF_A_READING], len(skips) - MOST_OF_A_READING
        yield replace(next_, why=f"and {more:,} more in this reading")


def _of_others(skips: Iterable[Skip], gone: Collection[str]) -> Iterator[Skip]:
    """Those that say nothing of these origins, nor of the files and folders that they are."""
    places = frozenset(filter(None, map(_place, gone)))
    for skip in skips:
        if skip.origin not in gone and places.isdisjoint(_around(skip)):
            yield skip


def _around(skip: Skip) -> Iterator[str]:
    """What may be the names of the file that it speaks of, and of the folders that this lies in."""
    if skip.origin is not None and skip.origin.startswith("file:"):
        yield from _beginnings(_place(skip.origin), SEPARATORS)
        yield from _beginnings(skip.where, SEPARATORS)
    else:
        yield from _beginnings(skip.where, ENDS)


def place_uri(place: str | PathLike[str]) -> str:
    """The uri of a file or folder, its path made whole and no link followed; empty where one stands nowhere."""
    try:
        return Path(os.path.abspath(place)).as_uri()
    except OSError:
        return ""


def _place(uri: str) -> str:
    """The file that an origin is, as `where` names it; empty for any other origin."""
    parts = uri_parts(uri)
    if parts.scheme == "file":
        return clean(url2pathname(parts.path))
    return "" if parts.netloc else unquote(uri.partition(":")[2])


def _whole(where: str, places: Iterable[str | PathLike[str]]) -> str:
    """The same with its path whole, where it begins with the path of one of these places, which is relative."""
    for name in map(clean, map(str, map(Path, places))):
        if not os.path.isabs(where) and (name == os.curdir or where.startswith(name)):
            with suppress(OSError):
                return os.path.abspath(where)
    return where


def _beginnings(where: str, ends: Collection[str]) -> Iterator[str]:
    """What of it may name a file or a folder, as far as any of the ends: `keys.md` of `keys.md, record 3`."""
    yield where
    yield from (where[:place] for place, letter in enumerate(where) if letter in ends)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Nobody else is at it. Raises TimeoutError, an OSError."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + PATIENCE
        while not _locked(handle):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{lock} is held by another process")
            time.sleep(STEP)
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    if sys.platform == "win32":  # there the last of two that write at once counts
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lines(file: Path) -> Iterator[Skip]:
    """What a file says, the oldest first; nothing where there is none, and no line that cannot be read."""
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return
    for line in lines:
        try:
            match json.loads(line):
                case {"at": str(at), "where": str(where), "why": str(why), "origin": (str() | None) as origin}:
                    yield Skip(at=datetime.fromisoformat(at).astimezone(UTC), where=where, why=why, origin=origin)
        except (ValueError, OverflowError, RecursionError):
            continue


def _write(file: Path, skips: Iterable[Skip]) -> None:
    lines = "".join(f"{_line(skip)}\n" for skip in skips)
    if not lines:
        file.unlink(missing_ok=True)
        return
    new = file.with_suffix(".new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
        stream.write(lines.encode("utf-8", "replace"))
    new.replace(file)


def _line(skip: Skip) -> str:
    told = {"at": skip.at.isoformat(), "origin": skip.origin, "where": skip.where, "why": skip.why}
    return json.dumps(told, ensure_ascii=False)
