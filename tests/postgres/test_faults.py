"""What goes wrong with a server is told clearly, repeated only where it is safe, and leaves nothing half-written."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict

from postgres_servers import PASSWORD, TcpServer, binaries, connect, fresh_database, new_directory, tcp_server
from ricordo.errors import InvalidInput, SchemaTooNew, StoreBusy, StoreError
from ricordo.memory import Memory, told
from ricordo.remember import Writer
from ricordo.stores import open_store
from ricordo.stores.postgres.address import address
from ricordo.stores.postgres.database import Database
from ricordo.stores.postgres.failures import is_lost, is_passing, translated
from ricordo.stores.postgres.store import PostgresStore
from ricordo.testing import WholeChunker
from trustworthy import Count

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HUSH = "".join(("hush", "-", "hush"))  # so that no line of this file that a traceback shows holds it
LABEL = "postgresql://mira@host/db"


@pytest.fixture(scope="module")
def server() -> Iterator[TcpServer]:
    """A server of our own, for it is ill-treated."""
    with tcp_server(18) as own:
        yield own


@pytest.fixture
def url(server: TcpServer) -> Iterator[str]:
    with fresh_database(server.conninfo()) as name:
        yield server.url(name)


@pytest.fixture
async def store(url: str) -> AsyncIterator[PostgresStore]:
    opened = PostgresStore.from_url(url)
    await opened.open()
    yield opened
    await opened.close()


async def remember(store: PostgresStore, *memories: Memory) -> None:
    writer = Writer(store=store, chunker=WholeChunker(), embedder=None, namespace="a")
    await writer.write(memories, writer.cut(memories))


def secrets_in(error: BaseException, log: str) -> bool:
    """Does the password stand anywhere in the error, in what caused it, or in the log?"""
    everything = "".join(traceback.format_exception(error)) + repr(error) + log
    return PASSWORD in everything or "w%C3%B6rd" in everything


@pytest.mark.parametrize(
    ("change", "told_so"),
    [
        ({"database": "no_such_database"}, "does not exist"),
        ({"user": "nobody_here"}, "password"),
        ({"port": "1"}, "is it running"),
        ({"host": "no-such-host.invalid"}, "is the address right"),
    ],
)
async def test_a_server_that_cannot_be_used_is_named_without_its_password(
    server: TcpServer, caplog: pytest.LogCaptureFixture, change: dict[str, str], told_so: str
) -> None:
    parts = {"user": "mira", "host": "127.0.0.1", "port": str(server.port), "database": "postgres"} | change
    url = f"postgresql://{parts['user']}:p%254%3Ass%2Fw%C3%B6rd@{parts['host']}:{parts['port']}/{parts['database']}"
    with pytest.raises(StoreError, match=told_so) as caught:
        await open_store(url).open()

    assert parts["host"] in str(caught.value)
    assert not secrets_in(caught.value, caplog.text)


async def test_a_wrong_password_is_told_and_not_shown(server: TcpServer, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(StoreError, match="password") as caught:
        await open_store(f"postgresql://mira:{HUSH}@127.0.0.1:{server.port}/postgres").open()

    assert HUSH not in "".join(traceback.format_exception(caught.value)) + caplog.text


def test_a_url_that_cannot_be_read_is_not_repeated() -> None:
    with pytest.raises(InvalidInput, match="%40") as caught:
        open_store(f"postgresql://mira:{HUSH}%zz@host/db")

    assert HUSH not in "".join(traceback.format_exception(caught.value))


def test_a_server_that_vanishes_is_noticed_as_soon_as_the_url_says() -> None:
    usual = conninfo_to_dict(address("postgresql://mira@host/db").conninfo)
    own = conninfo_to_dict(address("postgresql://mira@host/db?keepalives_idle=5&connect_timeout=3").conninfo)
    names = ("keepalives_idle", "tcp_user_timeout", "application_name", "connect_timeout")

    assert [usual[name] for name in names] == ["30", "60000", "ricordo", "10"]
    assert [own[name] for name in names] == ["5", "60000", "ricordo", "3"]


def test_a_store_shows_no_password(url: str) -> None:
    shown = repr(address(url)) + str(vars(PostgresStore.from_url(url)._database)["address"])

    assert "mira@127.0.0.1" in shown
    assert PASSWORD not in shown
    assert "w%C3%B6rd" not in shown


async def test_a_server_restarted_between_two_calls_is_not_noticed(
    store: PostgresStore, server: TcpServer, count: Count
) -> None:
    await remember(store, told("before", now=NOW))
    await asyncio.gather(*(store.stats() for _ in range(8)))
    server.stop()
    server.start()
    await remember(store, told("after", now=NOW))

    assert (await store.stats()).memories == 2
    count("faults survived", 1)


async def test_a_server_that_ends_idle_connections_is_not_noticed(store: PostgresStore, url: str, count: Count) -> None:
    with connect(url) as other:
        name = sql.Identifier(other.info.dbname)
        other.execute(sql.SQL("ALTER DATABASE {} SET idle_session_timeout = '500ms'").format(name))
    await store.close()
    await store.open()
    await store.stats()
    await asyncio.sleep(1)
    await remember(store, told("after a rest", now=NOW))

    assert (await store.stats()).memories == 1
    count("faults survived", 1)


async def test_a_server_that_goes_away_is_told_and_nothing_is_half_written(
    store: PostgresStore, server: TcpServer, count: Count
) -> None:
    await remember(store, told("before", now=NOW))
    server.stop(signal.SIGKILL)
    try:
        with pytest.raises(StoreError, match="away"):
            await remember(store, *(told(f"during {number}", now=NOW) for number in range(50)))
    finally:
        server.start()

    assert (await store.stats()).memories == 1
    assert await store.check() == ()
    count("faults survived", 1)


async def test_a_transaction_whose_connection_is_lost_is_run_again(
    store: PostgresStore, url: str, count: Count
) -> None:
    with connect(url) as other:
        other.execute("BEGIN; LOCK TABLE ricordo.memory IN ACCESS EXCLUSIVE MODE")
        writing = asyncio.create_task(remember(store, told("kept", now=NOW)))
        await _waiting(url, "known_memories")
        with connect(url) as killer:
            killer.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                "AND datname = current_database()"
            )
        other.execute("ROLLBACK")
        await writing

    assert (await store.stats()).memories == 1
    assert await store.check() == ()
    count("faults survived", 1)


async def test_a_cancelled_statement_says_so(store: PostgresStore, url: str, count: Count) -> None:
    with connect(url) as other:
        other.execute("BEGIN; LOCK TABLE ricordo.memory IN ACCESS EXCLUSIVE MODE")
        asking = asyncio.create_task(store.history("a", "x"))
        await _waiting(url, "versions")
        with connect(url) as killer:
            killer.execute(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                "AND datname = current_database()"
            )
        with pytest.raises(StoreBusy, match="cancelled"):
            await asking
    count("faults survived", 1)


async def _waiting(url: str, _what: str) -> None:
    """Until a statement of this database waits for a lock."""
    with connect(url) as connection:
        query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        while (row := connection.execute(query).fetchone()) is None or not row[0]:
            await asyncio.sleep(0.02)


async def test_a_server_that_hangs_is_given_up_on(url: str, count: Count) -> None:
    store = PostgresStore(Database(address(url), deadline=1.0))
    await store.open()
    await store.stats()
    with connect(url) as other:
        rows = other.execute(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'ricordo' AND datname = current_database()"
        ).fetchall()
    _signal(rows, signal.SIGSTOP)
    try:
        with pytest.raises(StoreBusy, match="no answer"):
            await store.history("a", "x")
    finally:
        _signal(rows, signal.SIGCONT)
    assert await store.history("a", "x") == ()
    await store.close()
    count("faults survived", 1)


def _signal(rows: list[tuple[object, ...]], number: signal.Signals) -> None:
    for row in rows:
        os.kill(int(str(row[0])), number)


async def test_a_server_without_free_connections_says_so(server: TcpServer, url: str, count: Count) -> None:
    crowd: list[psycopg.Connection[tuple[object, ...]]] = []
    try:
        while True:
            crowd.append(connect(server.conninfo()))
    except psycopg.OperationalError:
        with pytest.raises(StoreError, match="no connection left"):
            await open_store(url).open()
    finally:
        for connection in crowd:
            connection.close()
    count("faults survived", 1)


async def test_a_role_that_may_not_create_is_told_what_to_grant(server: TcpServer) -> None:
    with fresh_database(server.conninfo()) as name:
        with connect(server.conninfo(name)) as owner:
            owner.execute("CREATE EXTENSION vector")
            owner.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
        with pytest.raises(StoreError, match="GRANT CREATE"):
            await open_store(f"postgresql://guest:guest@127.0.0.1:{server.port}/{name}").open()
        with connect(server.conninfo()) as owner:
            owner.execute("DROP ROLE guest")


async def test_a_role_that_does_not_own_the_memories_is_told_who_does(store: PostgresStore, url: str) -> None:
    await remember(store, told("somebody else's", now=NOW))
    with connect(url) as owner:
        owner.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
        guest = url.replace(url[len("postgresql://") : url.index("@")], "guest:guest")
        with pytest.raises(StoreError, match="as the role that owns the schema `ricordo`"):
            await open_store(guest).open()
        owner.execute("DROP ROLE guest")


async def test_an_extension_out_of_sight_is_told(server: TcpServer) -> None:
    with fresh_database(server.conninfo()) as name:
        with connect(server.conninfo(name)) as owner:
            owner.execute("CREATE SCHEMA aside; CREATE EXTENSION vector SCHEMA aside")
        with pytest.raises(StoreError, match="search_path"):
            await open_store(server.url(name)).open()


async def test_a_role_that_may_not_make_the_extension_says_who_may(server: TcpServer) -> None:
    with fresh_database(server.conninfo()) as name:
        with connect(server.conninfo(name)) as owner:
            owner.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
        with pytest.raises(StoreError, match="superuser run in this database, once: CREATE EXTENSION vector"):
            await open_store(f"postgresql://guest:guest@127.0.0.1:{server.port}/{name}").open()
        with connect(server.conninfo()) as owner:
            owner.execute("DROP ROLE guest")


async def test_a_server_without_pgvector_says_what_to_install() -> None:
    with new_directory() as directory:
        directory.mkdir(mode=0o755)
        source = binaries(18).parents[1]
        shutil.copytree(source, directory / source.name, symlinks=True)
        libraries = source.with_name(f"{source.name}.libs")
        shutil.copytree(libraries, directory / libraries.name)
        copy = directory / source.name / binaries(18).relative_to(source)
        for control in directory.rglob("vector.control"):
            control.unlink()
        own = TcpServer(directory / "server", 18, copy)
        try:
            with pytest.raises(StoreError, match="pgvector"):
                await open_store(own.url("postgres")).open()
        finally:
            own.stop()


async def test_a_full_disk_says_so_and_nothing_is_written(tmp_path: Path, count: Count) -> None:
    with new_directory() as directory:
        directory.mkdir(mode=0o755)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=120m", "tmpfs", directory], capture_output=True)
        if mounted.returncode:
            pytest.skip("a small disk can be mounted only as root")
        own = TcpServer(directory / "server", 18)
        try:
            store = PostgresStore.from_url(own.url("postgres"))
            await store.open()
            before = told("before", now=NOW)
            await remember(store, before)
            filler, acknowledged = directory / "filler", list[Memory]()
            _fill(filler)
            with pytest.raises(StoreError, match="disk is full"):
                await _remember_much(store, acknowledged)
            filler.unlink()
            assert await store.check() == ()
            kept = {(memory.id, memory.text) async for _, memory in store.dump("a") if isinstance(memory, Memory)}
            assert kept == {(memory.id, memory.text) for memory in (before, *acknowledged)}
            await remember(store, told("after", now=NOW))
            await store.close()
        finally:
            own.stop()
            subprocess.run(["umount", directory], check=True)
    count("faults survived", 1)


def _fill(file: Path) -> None:
    with suppress(OSError), file.open("wb") as filler:
        while True:
            filler.write(bytes(65536))
            filler.flush()


async def _remember_much(store: PostgresStore, acknowledged: list[Memory]) -> None:
    for number in range(200):
        memories = [told(f"{number} {line} {'x' * 3000}", now=NOW) for line in range(20)]
        await remember(store, *memories)
        acknowledged += memories


async def test_a_newer_schema_is_refused_and_left_alone(url: str) -> None:
    opened = open_store(url)
    await opened.open()
    await opened.close()
    with connect(url) as other:
        other.execute("INSERT INTO ricordo.schema_version (version, name) VALUES (99, 'from the future')")
    with pytest.raises(SchemaTooNew, match="update ricordo"):
        await open_store(url).open()


@pytest.mark.parametrize(
    ("error", "passing", "lost", "told_so"),
    [
        (errors.DiskFull("x"), False, False, "disk is full"),
        (errors.DeadlockDetected("x"), True, False, "try again"),
        (errors.SerializationFailure("x"), True, False, "try again"),
        (errors.UniqueViolation("x"), True, False, "try again"),
        (errors.ConnectionFailure("x"), False, True, "away"),
        (errors.AdminShutdown("x"), False, True, "away"),
        (errors.InternalError_("server closed the connection unexpectedly"), False, True, "away"),
        (errors.InternalError_("cache lookup failed"), False, False, "cache lookup"),
        (errors.ReadOnlySqlTransaction("x"), False, False, "primary"),
        (errors.ProgramLimitExceeded("x"), False, False, "more words"),
        (errors.UndefinedTable("x"), False, False, "by hand"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_errors_are_told_by_their_state(error: psycopg.Error, passing: bool, lost: bool, told_so: str) -> None:  # noqa: FBT001
    assert (is_passing(error), is_lost(error)) == (passing, lost)
    assert told_so in str(translated(error, LABEL))


async def test_a_value_that_cannot_be_kept_is_the_callers_fault(store: PostgresStore) -> None:
    with pytest.raises(InvalidInput):
        await remember(store, told("not a number", now=NOW, metadata={"n": float("nan")}))
    assert (await store.stats()).memories == 0
