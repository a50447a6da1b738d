"""Whole copies of a SQLite store: made while it is in use, read back and checked, and put in its place."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from ricordo.errors import InvalidInput, StoreError
from ricordo.exchange import Backup, Fault
from ricordo.stores.sqlite import checks
from ricordo.stores.sqlite.database import Database
from ricordo.stores.sqlite.mending import damage, mend
from ricordo.stores.sqlite.salvage import lend_schema, salvage
from ricordo.stores.sqlite.session import Session

__all__ = ["beside", "copy", "examined", "saved"]

SUFFIXES = ("", "-wal")
LONGEST_NAME = 255  # bytes, on most file systems


def copy(connection: sqlite3.Connection, target: Path, database: Database, sql: Mapping[str, str]) -> Backup:
    """Write what the connection sees to one file, which takes its place only when it was read back and is whole.

    Raises StoreError, and InvalidInput where something else than a backup is in the way.
    """
    _may_be_replaced(target, database)
    with _partial(target) as partial:
        with closing(sqlite3.connect(partial, isolation_level=None)) as written:
            connection.backup(written)
            written.execute("PRAGMA journal_mode = DELETE")
        found = examined(partial, database, sql)
        if found.faults:
            raise StoreError(f"{database.path} is not whole, and nothing was backed up: {found.faults[0].what}")
        _to_disk(partial, os.O_RDWR)
        os.replace(partial, target)
    if os.name != "nt":
        _to_disk(target.parent, os.O_RDONLY)
    return found


def examined(file: Path, database: Database, sql: Mapping[str, str]) -> Backup:
    """What a file holds, and all that is not whole in it; it is only read. Raises StoreError, SchemaTooNew."""
    with _read_only(file) as connection:
        version = database.recognise(connection, file)
        size = file.stat().st_size
        session = Session(connection=connection, sql=sql)
        if version == 0:
            raise StoreError(f"{file} is no ricordo store, nor a backup of one: there is nothing in it")
        faults = tuple(checks.faults(session, words=False))
        if size < _number(session, "size_told"):
            faults = (Fault(what="the file is damaged: its end is missing", mend=checks.RESTORE), *faults)
        if any(fault.mend == checks.RESTORE for fault in faults):
            return Backup(schema_version=version, size_bytes=size, faults=faults)
        return Backup(
            memories=sum(row[1] for row in session.all("count_memories")),
            chunks=_number(session, "count_chunks"),
            vectors=sum(row[1] for row in session.all("count_vectors")),
            tombstones=_number(session, "count_tombstones"),
            schema_version=version,
            size_bytes=size,
            faults=faults,
        )


@contextmanager
def _read_only(file: Path) -> Iterator[sqlite3.Connection]:
    """A connection that writes nothing, not even a log beside the file."""
    if not file.is_file():
        raise StoreError(f"{file}: there is no such file")
    still = "" if file.with_name(f"{file.name}-wal").exists() else "&immutable=1"
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro{still}", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            yield connection
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{file}: {error}; is it the backup of a store?") from error


def beside(path: Path, why: str) -> Path:
    """A name for a copy of a store that stays beside it."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    suffix = f".{why}-{stamp}.backup"
    room = LONGEST_NAME - len(suffix) - len("-wal")
    return path.with_name(path.name.encode()[:room].decode(errors="ignore") + suffix)


def saved(database: Database, sql: Mapping[str, str]) -> list[str]:
    """Put what can be read of a damaged store in its place; what was done, in words. The damaged file is kept.

    Raises StoreError when nothing can be read, and then changes nothing.
    """
    path = database.path
    fresh, scratch = (beside(path, why) for why in ("saved", "scratch"))
    try:
        _make_empty(fresh, database)
        _copy_file(path, scratch)
        if not _has_schema(scratch):
            lend_schema(scratch, fresh)
        _fold(scratch)
        done = _save_to(fresh, scratch, sql)
        if not done:
            raise StoreError(f"{path}: nothing in it can be read; `ricordo restore` brings a backup back")
        kept = beside(path, "damaged")
        _copy_file(path, kept)
        _take_place(fresh, database)
    finally:
        for left in (fresh, *(scratch.with_name(scratch.name + suffix) for suffix in (*SUFFIXES, "-shm"))):
            left.unlink(missing_ok=True)
    return [*done, f"the damaged file is kept as {kept}"]


def _save_to(fresh: Path, scratch: Path, sql: Mapping[str, str]) -> list[str]:
    """What was done, in words; nothing where nothing could be read."""
    with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("BEGIN IMMEDIATE")
        session = Session(connection=connection, sql=sql)
        done = [*salvage(scratch, session), *mend(session)]
        connection.execute("COMMIT")
        row = session.one("holds_anything")
        if not row or not row[0] or damage(connection):
            return []
        connection.execute("PRAGMA journal_mode = DELETE")
    return done


def _fold(file: Path) -> None:
    """Bring what is in the log into the pages, as far as that can be done."""
    with closing(sqlite3.connect(file)) as connection, suppress(sqlite3.DatabaseError):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _has_schema(file: Path) -> bool:
    with closing(sqlite3.connect(file)) as connection:
        try:
            connection.execute("SELECT count(*) FROM memory WHERE key = 0")
        except sqlite3.DatabaseError:
            return False
    return True


def _take_place(fresh: Path, database: Database) -> None:
    """Within the file where that can be, so that others who have it open go on; else in place of the file."""
    try:
        database.open()
        database.take_over(fresh)
    except StoreError:
        for suffix in ("-wal", "-shm"):
            database.path.with_name(database.path.name + suffix).unlink(missing_ok=True)
        os.replace(fresh, database.path)
    finally:
        database.close()


def _make_empty(path: Path, database: Database) -> None:
    path.unlink(missing_ok=True)
    empty = Database(path, database.migrations)
    empty.open()
    empty.close()


def _may_be_replaced(target: Path, database: Database) -> None:
    if not target.exists():
        return
    if target.samefile(database.path):
        raise InvalidInput(f"{target} is the store itself; name another file for its backup")
    try:
        with _read_only(target) as connection:
            version = database.recognise(connection, target)
    except StoreError as error:
        raise InvalidInput(f"{target} is there already, and is no backup; name another file") from error
    if version == 0:
        raise InvalidInput(f"{target} is there already, and is no backup; name another file")


@contextmanager
def _partial(target: Path) -> Iterator[Path]:
    """A file beside the target, which only its owner may read; gone afterwards, unless it was moved."""
    handle, name = tempfile.mkstemp(dir=target.resolve().parent, prefix=".ricordo-")
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _copy_file(source: Path, target: Path) -> None:
    """A copy, with its log, that only its owner may read; the bytes as they are, for SQLite may not read them."""
    for suffix in SUFFIXES:
        part, other = source.with_name(source.name + suffix), target.with_name(target.name + suffix)
        if part.exists():
            descriptor = os.open(other, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
            with part.open("rb") as reader, open(descriptor, "wb") as writer:
                shutil.copyfileobj(reader, writer, 1 << 20)
                writer.flush()
                os.fsync(writer.fileno())  # before what it is a copy of is written over


def _to_disk(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _number(session: Session, query: str) -> int:
    row = session.one(query)
    return int(row[0]) if row else 0
