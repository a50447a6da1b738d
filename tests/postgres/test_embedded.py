"""The private server: started by the first user, shared, stopped after the last, whoever is killed on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from postgres_servers import binaries, new_directory, tell
from ricordo.errors import InvalidInput, StoreError
from ricordo.memory import Memory, told
from ricordo.protocols import Store
from ricordo.remember import Writer
from ricordo.stores import open_store
from ricordo.stores.postgres.address import Directory, directory
from ricordo.stores.postgres.server import EmbeddedServer
from ricordo.testing import HashEmbedder, WholeChunker

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PATIENCE = 30.0
WAITS = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
WAITING = "SELECT name, setting FROM pg_settings WHERE name = ANY (%s)"

OWNER = """
import sys, time
from pathlib import Path
from ricordo.stores.postgres.address import Directory
from ricordo.stores.postgres.server import EmbeddedServer
EmbeddedServer(Directory(path=Path(sys.argv[1]))).enter()
print("in", flush=True)
time.sleep(600)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A directory that was set up, and what its server said of when it waits for the disk."""

    path: Path
    settings: dict[str, str]


@pytest.fixture(scope="module")
def prepared() -> Iterator[Prepared]:
    """Set up once: setting one up takes seconds, copying it does not."""
    with new_directory() as path:
        server = EmbeddedServer(Directory(path=path))
        server.enter()
        with psycopg.connect(server.conninfo) as connection:
            settings = {str(name): str(value) for name, value in connection.execute(WAITING, [list(WAITS)])}
        server.leave()
        assert gone(path)
        while (path / "data" / "postmaster.pid").exists():  # it takes its files along a moment later
            time.sleep(0.05)
        yield Prepared(path=path, settings=settings)


@pytest.fixture
def place(prepared: Prepared) -> Iterator[Directory]:
    with new_directory() as path:
        subprocess.run(["cp", "-a", prepared.path, path], check=True)
        yield Directory(path=path)
        assert gone(path), "a server was left running"


@pytest.fixture
def unmade() -> Iterator[Directory]:
    with new_directory() as path:
        yield Directory(path=path)
        assert gone(path), "a server was left running"


def answers(path: Path) -> bool:
    """Does the server in this directory answer? Its socket stands where the directory's path is short."""
    try:
        psycopg.connect(host=str(path / "socket"), user="ricordo", dbname="postgres", connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def gone(path: Path) -> bool:
    deadline = time.monotonic() + PATIENCE
    while answers(path):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def postmaster(path: Path) -> int:
    return int((path / "data" / "postmaster.pid").read_text().split("\n", 1)[0])


def warden(path: Path) -> int:
    found = subprocess.run(["pgrep", "-f", f"warden.py {path} "], capture_output=True, text=True, check=True)
    return int(found.stdout.split()[0])


def test_a_private_server_waits_for_the_disk_at_every_commit(prepared: Prepared) -> None:
    assert prepared.settings == WAITS


def test_the_last_user_takes_the_server_along(place: Directory) -> None:
    first, second = EmbeddedServer(place), EmbeddedServer(place)
    first.enter()
    second.enter()
    first.leave()
    assert answers(place.path)
    second.leave()
    assert gone(place.path)


def test_nobody_else_may_look_into_the_directory(place: Directory) -> None:
    server = EmbeddedServer(place)
    server.enter()

    assert place.path.stat().st_mode & 0o077 == 0
    assert (place.path / "socket").stat().st_mode & 0o077 == 0
    server.leave()


def test_a_directory_that_others_may_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    with pytest.raises(StoreError, match="0700"):
        EmbeddedServer(Directory(path=tmp_path / "open")).enter()


def test_the_modes_of_the_folders_above_stay_as_they_are(place: Directory) -> None:
    above = [(folder, folder.stat().st_mode) for folder in place.path.parents]
    server = EmbeddedServer(place)
    server.enter()
    server.leave()

    assert [(folder, folder.stat().st_mode) for folder in place.path.parents] == above


def test_an_owner_that_is_killed_leaves_no_server(place: Directory) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(place.path)], stdout=subprocess.PIPE)
    with owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"in\n"
        assert answers(place.path)
        owner.kill()

    assert gone(place.path)


def test_a_server_whose_warden_is_killed_is_found_or_started_again(place: Directory) -> None:
    server = EmbeddedServer(place)
    server.enter()
    os.kill(warden(place.path), signal.SIGKILL)
    server.enter()
    assert answers(place.path)
    server.leave()

    assert gone(place.path)


def test_an_old_process_id_that_a_stranger_has_now_is_no_hindrance(place: Directory) -> None:
    server = EmbeddedServer(place)
    server.enter()
    server.leave()
    assert gone(place.path)
    lines = [str(os.getpid()), str(place.path / "data"), "1", "5432", str(place.path / "socket"), "", "", ""]
    (place.path / "data" / "postmaster.pid").write_text("\n".join(lines))
    server.enter()

    assert answers(place.path)
    server.leave()


def test_a_setup_that_was_broken_off_is_begun_again(place: Directory) -> None:
    server = EmbeddedServer(place)
    server.enter()
    server.leave()
    assert gone(place.path)
    (place.path / "data").rename(place.path / "data.new")
    server.enter()

    assert answers(place.path)
    server.leave()


def test_a_path_too_long_for_a_socket_is_served_all_the_same(unmade: Directory) -> None:
    inner = unmade.path / ("long" * 30)
    unmade.path.mkdir(mode=0o711)
    server = EmbeddedServer(Directory(path=inner))
    server.enter()
    with psycopg.connect(server.conninfo) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    socket = Path(str(psycopg.conninfo.conninfo_to_dict(server.conninfo)["host"]))
    assert socket.stat().st_mode & 0o077 == 0
    server.leave()
    while any(socket.iterdir()):
        time.sleep(0.05)
    socket.rmdir()


def test_other_programs_can_be_named(unmade: Directory) -> None:
    server = EmbeddedServer(Directory(path=unmade.path, binaries=str(binaries(16))))
    server.enter()
    with psycopg.connect(server.conninfo) as connection:
        assert connection.info.server_version // 10000 == 16
    server.leave()


def test_programs_that_are_not_there_are_named(unmade: Directory) -> None:
    with pytest.raises(StoreError, match="no-such"):
        EmbeddedServer(Directory(path=unmade.path, binaries="/no-such")).enter()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+embedded://",
        "postgresql+embedded:memory",
        "postgresql+embedded://host/x",
        "postgresql+embedded:///x?y=1",
    ],
)
def test_a_url_that_names_no_directory_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        directory(url)


@pytest.fixture
async def store(place: Directory) -> AsyncIterator[Store]:
    opened = open_store(f"postgresql+embedded://{place.path}")
    await opened.open()
    yield opened
    await opened.close()


async def test_a_server_killed_during_an_ingest_loses_and_doubles_nothing(store: Store, place: Directory) -> None:
    writer = Writer(store=store, chunker=WholeChunker(), embedder=HashEmbedder(), namespace="a")
    told_so_far, slowest = [], 0.0
    for number in range(60):
        batch = [told(f"note {number} line {line}", now=NOW) for line in range(20)]
        if number in (10, 30, 50):
            os.kill(postmaster(place.path), signal.SIGKILL)
        begin = time.monotonic()
        await _insist(writer, batch)
        slowest = max(slowest, time.monotonic() - begin)
        told_so_far += batch

    tell(f"back after kill -9 within {slowest:.1f} s")
    assert slowest <= 5
    stats = await store.stats()
    assert (stats.memories, stats.chunks) == (1200, 1200)
    assert await store.check() == ()
    dumped = {item.id async for _, item in store.dump("a") if isinstance(item, Memory)}
    assert dumped == {memory.id for memory in told_so_far}


async def _insist(writer: Writer, batch: list[Memory]) -> None:
    """A commit whose answer was lost is the caller's to repeat; writing twice changes nothing."""
    try:
        await writer.write(batch, writer.cut(batch))
    except StoreError:
        await writer.write(batch, writer.cut(batch))
