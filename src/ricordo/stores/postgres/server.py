"""A private PostgreSQL server in a directory, shared by all processes of its owner.

The directory (mode 0700) holds the data, the socket and three lock files. Who uses the server holds a shared
lock on `users`; `door` is held while somebody enters; the warden process (see `warden.py`) holds `keeper`, which was
its name once. The server is known to be alive because a connection succeeds, never by a process id alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ricordo.errors import StoreError
from ricordo.stores.postgres.address import Directory
from ricordo.stores.postgres.binaries import find_binaries, reachable, within_reach

__all__ = ["EmbeddedServer"]

USER = "ricordo"
UNPRIVILEGED = "nobody"
SOCKET_PATH = 100  # bytes; the system's limit is 108, on macOS 104
PORT = 5432
POLL_SECONDS = 0.01
PAUSE_SECONDS = 0.2
START_SECONDS = 20.0  # for a server that says nothing; one that recovers is waited for
STARTS = 5
OPTIONS = (
    "listen_addresses=",
    "unix_socket_permissions=0700",
    f"port={PORT}",
    "max_connections=100",
    "shared_buffers=256MB",
    "wal_level=minimal",
    "max_wal_senders=0",
    "wal_recycle=off",  # what was forgotten does not lie on in a log that waits to be used again
    "jit=off",
    "log_timezone=UTC",
)


class EmbeddedServer:
    """Joined by `enter`, left by `leave`; both block. One object is one user."""

    def __init__(self, place: Directory) -> None:
        self.directory = place.path.absolute()
        self._place = place
        self._users: int | None = None

    @property
    def conninfo(self) -> str:
        """How to connect to the database."""
        return self._conninfo(self._place.database)

    def enter(self) -> None:
        """Be one of the server's users; start it if it does not run, make the database if it is not there.

        Raises StoreError.
        """
        self._prepare()
        with self._door():
            if self._users is None:
                users = os.open(self.directory / "users", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                fcntl.flock(users, fcntl.LOCK_SH)  # waits for a warden that is stopping the server
                self._users = users
            try:
                self._make_ready()
            except BaseException:
                self.leave()
                raise

    def leave(self) -> None:
        """Cease to be a user; the warden stops the server after the last."""
        if self._users is not None:
            os.close(self._users)
            self._users = None

    # --- the directory ---

    def _prepare(self) -> None:
        try:
            new = not self.directory.exists()
            self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            if new and os.geteuid() == 0:
                os.chown(self.directory, self._owner().pw_uid, self._owner().pw_gid)
        except OSError as error:
            raise StoreError(f"{self.directory}: {error.strerror}; name a directory that you may write") from error
        if not new:
            self._check_owner()
        if os.geteuid() == 0 and not reachable(self.directory.parent):
            raise StoreError(
                f"{self.directory} cannot be reached by the user {self._owner().pw_name}, as whom PostgreSQL must run "
                "when we are root; choose a directory whose parents everybody may enter, such as /var/lib/ricordo"
            )

    def _check_owner(self) -> None:
        status = self.directory.stat()
        if status.st_uid != self._owner().pw_uid or status.st_mode & 0o077:
            raise StoreError(
                f"{self.directory} must belong to {self._owner().pw_name} alone (mode 0700); "
                "name a directory that does not exist yet"
            )

    def _owner(self) -> pwd.struct_passwd:
        return pwd.getpwnam(UNPRIVILEGED) if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())

    def _socket(self) -> Path:
        here = self.directory / "socket"
        if len(os.fsencode(here / f".s.PGSQL.{PORT}")) <= SOCKET_PATH:
            return here
        name = hashlib.blake2b(os.fsencode(self.directory), digest_size=8).hexdigest()
        return Path(tempfile.gettempdir()) / f"ricordo-{name}"

    def _make_socket_directory(self) -> None:
        socket, owner = self._socket(), self._owner()
        try:
            socket.mkdir(mode=0o700)
            os.chown(socket, owner.pw_uid, owner.pw_gid)
        except FileExistsError:
            status = socket.lstat()
            if status.st_uid != owner.pw_uid or status.st_mode & 0o077 or not socket.is_dir():
                raise StoreError(f"{socket} belongs to somebody else; remove it") from None

    @contextmanager
    def _door(self) -> Iterator[None]:
        door = os.open(self.directory / "door", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(door, fcntl.LOCK_EX)
            yield
        finally:
            os.close(door)

    # --- the server ---

    def _make_ready(self) -> None:
        """Have it run, with our database in it. One whose warden has just died answers for a moment more, and goes."""
        for _ in range(STARTS):
            self._run()
            try:
                self._make_database()
            except psycopg.OperationalError:
                time.sleep(PAUSE_SECONDS)
            else:
                return
        raise StoreError(f"{self.directory}: PostgreSQL does not stay: {self._last_words()}")

    def _run(self) -> None:
        alive = self._alive()
        if alive and self._kept():
            return
        if alive:
            self._stop_orphan()
        binaries = find_binaries(self._place.binaries)
        if os.geteuid() == 0:
            shelf = self.directory / "programs"
            shelf.mkdir(exist_ok=True, mode=0o755)
            binaries = within_reach(binaries, shelf)
        self._make_socket_directory()
        self._initialise(binaries)
        for _ in range(STARTS):
            self._start(binaries)
            if self._await():
                return
            self._discard_stale_pid()
        raise StoreError(f"{self.directory}: PostgreSQL does not start: {self._last_words()}")

    def _conninfo(self, database: str) -> str:
        return make_conninfo(host=str(self._socket()), port=PORT, user=USER, dbname=database, connect_timeout=10)

    def _make_database(self) -> None:
        name = self._place.database
        with psycopg.connect(self._conninfo("postgres"), autocommit=True) as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
            if found is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))

    def _alive(self) -> bool:
        """Does it answer? A server that is still starting is waited for."""
        return self._answer() is None

    def _answer(self) -> psycopg.OperationalError | None:
        try:
            psycopg.connect(self._conninfo("postgres"), connect_timeout=5).close()
        except psycopg.OperationalError as error:
            return error
        return None

    def _kept(self) -> bool:
        """Is a warden there?"""
        warden = os.open(self.directory / "keeper", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(warden, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(warden)
        return False

    def _start(self, binaries: Path) -> None:
        options = [f"unix_socket_directories={self._socket()}", *OPTIONS]
        if int((self._data / "PG_VERSION").read_text()) >= 18:
            options.append("io_method=sync")
        if sys.platform == "linux":
            options.append("recovery_init_sync_method=syncfs")  # one call in place of one for each file
        command = [str(binaries / "postgres"), "-D", str(self._data)]
        command += [part for option in options for part in ("-c", option)]
        user = str(self._owner().pw_uid) if os.geteuid() == 0 else "-"
        warden = [sys.executable, "-I", "-S", str(Path(__file__).with_name("warden.py")), str(self.directory), user]
        subprocess.run(warden + command, check=True, stdin=subprocess.DEVNULL, cwd="/")

    def _await(self) -> bool:
        """Wait until it answers; False when it ended instead. Crash recovery takes the time it takes."""
        deadline = time.monotonic() + START_SECONDS
        while (error := self._answer()) is not None:
            if not self._kept():
                return False
            if "starting up" in str(error) or "recovery" in str(error):
                deadline = time.monotonic() + START_SECONDS
            if time.monotonic() > deadline:
                raise StoreError(f"{self.directory}: PostgreSQL does not answer: {self._last_words()}") from error
            time.sleep(POLL_SECONDS)
        return True

    def _initialise(self, binaries: Path) -> None:
        if self._data.is_dir():
            return
        unfinished = self._data.with_name("data.new")
        shutil.rmtree(unfinished, ignore_errors=True)
        owner = self._owner()
        command = [str(binaries / "initdb"), "-D", str(unfinished), "-U", USER, "-A", "trust"]
        command += ["--encoding=UTF8", "--no-locale", "--no-sync"]  # the same order of texts on every machine
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd="/",
            user=owner.pw_uid if os.geteuid() == 0 else None,
            group=owner.pw_gid if os.geteuid() == 0 else None,
            extra_groups=[] if os.geteuid() == 0 else None,
        )
        if done.returncode:
            raise StoreError(f"{self.directory}: PostgreSQL cannot be set up here: {done.stderr.strip()}")
        os.sync()  # once for all files; initdb would do it file by file
        unfinished.rename(self._data)

    @property
    def _data(self) -> Path:
        return self.directory / "data"

    def _stop_orphan(self) -> None:
        """Stop a server whose warden was killed; it has just answered, so the process id in its file is its own."""
        pid = self._recorded_pid()
        if pid is not None:
            os.kill(pid, 2)
        deadline = time.monotonic() + START_SECONDS
        while self._alive() and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)

    def _discard_stale_pid(self) -> None:
        """After a crash PostgreSQL will not start while any process has its old id, be it a zombie or a stranger."""
        pid = self._recorded_pid()
        command = Path(f"/proc/{pid}/cmdline")
        if pid is not None and command.exists() and os.fsencode(self._data) not in command.read_bytes():
            (self._data / "postmaster.pid").unlink(missing_ok=True)
        time.sleep(PAUSE_SECONDS)

    def _recorded_pid(self) -> int | None:
        try:
            return int((self._data / "postmaster.pid").read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return None

    def _last_words(self) -> str:
        try:
            lines = (self.directory / "server.log").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return "it left no log"
        return " | ".join(lines[-3:])
