"""One SQLite file: connections, transactions, migrations, and its errors in our words."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, LifoQueue

from ricordo.errors import SchemaTooNew, StoreBusy, StoreError
from ricordo.stores.sql import Migration, load_migrations

__all__ = ["SQLITE_VERSION", "Database"]

PACKAGE = "ricordo.stores.sqlite"
SQLITE_VERSION = sqlite3.sqlite_version
BUSY_SECONDS = 60.0
PATIENCE = "PRAGMA busy_timeout = 60000"
SHORT_PATIENCE = "PRAGMA busy_timeout = 500"
APPLICATION_ID = 0x7269636F  # "rico", as the first migration writes it
RECOGNISE = """
SELECT (SELECT user_version FROM pragma_user_version),
       (SELECT application_id FROM pragma_application_id),
       (SELECT count(*) FROM sqlite_schema)
"""
PRAGMAS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",  # macOS stops at the disk's own cache without these two; elsewhere they do nothing
    "PRAGMA checkpoint_fullfsync = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -65536",
)


class Database:
    """A SQLite file and its connections; safe to use from many threads.

    Every use of a connection holds it alone. Writers of this process take turns on a lock, writers of
    other processes are waited for by SQLite's own busy handler.
    """

    def __init__(self, path: Path, migrations: Sequence[Migration] | None = None) -> None:
        self.path = path
        self.migrations = load_migrations(PACKAGE) if migrations is None else migrations
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue()
        self._writing = threading.Lock()
        self._open = False

    # --- life ---

    def open(self) -> None:
        """Create the file if need be and bring its schema up to date. Raises SchemaTooNew, StoreError."""
        self._open = True
        try:
            self._check_features()
            with self._translated():
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                _create_private(self.path)
                self._use_wal()
            self._migrate()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._open = False
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return

    def size_bytes(self) -> int:
        """Bytes on disk, write-ahead log included."""
        files = (self.path, self.path.with_name(self.path.name + "-wal"), self.path.with_name(self.path.name + "-shm"))
        return sum(file.stat().st_size for file in files if file.exists())

    # --- use ---

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection inside one read transaction: everything read in it is of one moment."""
        with self._connection() as connection, self._translated():
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection inside one write transaction, committed at the end, rolled back on any error."""
        with self._writing, self._connection() as connection, self._translated():
            connection.execute("BEGIN IMMEDIATE")
            try:
                self._check_version(connection)
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def empty_log(self) -> bool:
        """Fold the write-ahead log into the file and cut it to nothing, so that neither holds what was deleted.

        False when another process would not let go of an old state in time: then the log keeps it until this
        is called again, or until the last process closes the file.
        """
        with self._writing, self._connection() as connection, self._translated():
            connection.execute(SHORT_PATIENCE)
            try:
                busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                connection.execute(PATIENCE)
            return not busy

    def take_over(self, file: Path) -> None:
        """Put what another file holds in the place of all this one holds, for everybody who has it open.

        The other is a whole store, of this schema or an older one, in use by nobody. Raises StoreError.
        """
        with (
            self._writing,
            self._connection() as connection,
            self._translated(),
            closing(sqlite3.connect(file)) as other,
        ):
            other.backup(connection)
        self._migrate()

    # --- inside ---

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        if not self._open:
            raise StoreError(f"{self.path}: the store is not open")
        try:
            connection = self._idle.get_nowait()
        except Empty:
            with self._translated():
                connection = self._connect()
        try:
            yield connection
        finally:
            if self._open:
                self._idle.put(connection)
            else:
                connection.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        for pragma in PRAGMAS:
            connection.execute(pragma)
        return connection

    def _check_features(self) -> None:
        with closing(sqlite3.connect(":memory:")) as probe:
            if sqlite3.sqlite_version_info < (3, 38):
                raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old: ricordo needs 3.38 or newer")
            try:
                probe.execute("CREATE VIRTUAL TABLE probe USING fts5 (text)")
            except sqlite3.OperationalError as error:
                raise StoreError("this Python's SQLite was built without FTS5, which ricordo needs") from error

    def _use_wal(self) -> None:
        # Entering WAL mode takes an exclusive lock for which SQLite does not call the busy handler.
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                with self._connection() as connection:
                    self.recognise(connection, self.path)
                    connection.execute("PRAGMA journal_mode = WAL")
            except (sqlite3.OperationalError, StoreBusy) as error:
                if "locked" not in str(error) and not isinstance(error, StoreBusy):
                    raise
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            else:
                return

    def recognise(self, connection: sqlite3.Connection, path: Path) -> int:
        """The schema version of a file, 0 of an empty one. Raises SchemaTooNew, and StoreError if it is not ours."""
        # One statement sees one moment: between two, another process may create the whole schema.
        version, mark, tables = connection.execute(RECOGNISE).fetchone()
        if version > len(self.migrations):
            older = sorted(path.parent.glob(f"{path.name}.schema-*.backup"))
            way_back = f", or use the copy from before the upgrade: {older[-1]}" if older else ""
            raise SchemaTooNew(
                f"{path} has schema {version}, this ricordo knows {len(self.migrations)}: "
                f"update ricordo to use it{way_back}"
            )
        if tables and mark != APPLICATION_ID:
            raise StoreError(f"{path} is a database of another program; name a file of its own for the store")
        return int(version)

    def _check_version(self, connection: sqlite3.Connection) -> None:
        """Write nothing to a file that a newer ricordo has changed since it was opened."""
        if self._version(connection) > len(self.migrations):
            raise SchemaTooNew(f"{self.path} was brought up to date by a newer ricordo: start this program again")

    def _migrate(self) -> None:
        with self._connection() as connection, self._translated():
            version = self._version(connection)
        for steps in [self.migrations] if version == 0 else [(step,) for step in self.migrations[version:]]:
            with self._writing, self._connection() as connection, self._translated():
                self._apply(connection, steps)

    def _apply(self, connection: sqlite3.Connection, steps: Sequence[Migration]) -> None:
        """Take the steps in one transaction: a new file all of them, so that nobody sees it half made."""
        version, goal = self._version(connection), steps[-1].version
        if version >= goal:
            return
        if version > 0:
            self._back_up(connection, version)
        # The lock is taken by the script itself: executescript would commit a transaction begun before it.
        guarded = "\n".join(("BEGIN IMMEDIATE;", *(step.sql for step in steps), "COMMIT;"))
        try:
            connection.executescript(guarded)
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if self._version(connection) < goal:
                raise

    def _back_up(self, connection: sqlite3.Connection, version: int) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        target = self.path.with_name(f"{self.path.name}.schema-{version}-{stamp}.backup")
        _create_private(target)
        with closing(sqlite3.connect(target)) as backup:
            connection.backup(backup)

    @staticmethod
    def _version(connection: sqlite3.Connection) -> int:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise self._operational(error) from error
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self.path}: {error}; is it a ricordo store? `ricordo doctor` tells more") from error
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror or error}") from error

    def _operational(self, error: sqlite3.OperationalError) -> StoreError:
        text = str(error)
        if "locked" in text or "busy" in text:
            return StoreBusy(f"{self.path}: another process held the store for {BUSY_SECONDS:.0f} seconds; try again")
        if "unable to open" in text:
            return StoreError(f"{self.path}: cannot be opened; does the folder exist and may you write there?")
        if "readonly" in text:
            return StoreError(f"{self.path}: may not be written; check the permissions of the file and its folder")
        if "disk is full" in text:
            return StoreError(f"{self.path}: the disk is full; nothing was written")
        return StoreError(f"{self.path}: {text}")


_creating = threading.Lock()


def _create_private(path: Path) -> None:
    """Make the file, if it is not there, one that its owner alone may read; SQLite's log and index follow it.

    One that is there is left alone: closing it would give up the locks that other connections of this process hold
    on it (https://sqlite.org/howtocorrupt.html, section 2.2), and another process would take the log away from them.
    """
    with _creating:
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
