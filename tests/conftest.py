"""What every test shares: a scrubbed environment, the anyio backend, the public data sets where they are.

And what the tests of trust count, told at the end of a run: of the conftest files this is the one that is read where
the tests themselves are run by other processes.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import HealthCheck, settings
from psycopg.conninfo import make_conninfo

from postgres_servers import TcpServer, embedded_server, empty, fresh_database, tcp_server
from publicdata import DATA
from ricordo.stores import open_store
from ricordo.stores.postgres.server import EmbeddedServer
from trustworthy import BAD_INPUTS, COUNTED, LONG, TRIED, Count

# How long an example takes is the machine's affair, which others may be using; what must be quick is a test of its own.
settings.register_profile("patient", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_configure() -> None:
    # What runs in the background ignores interrupts, and so would every program that a test starts and interrupts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Every program that a test starts would compile this package anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    found: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            # That of the end of a test tells all that it has counted, also of one that has failed.
            if getattr(report, "when", "") == "teardown":
                for what, number in report.user_properties:
                    found[what] += int(number) if what in COUNTED else 0
    if any(what in COUNTED for what in found):
        told = ", ".join(f"{what} {found[what]:,}" for what in COUNTED)
        terminalreporter.write_line(f"trust, {'long' if LONG else 'short'} form: {told}")


@pytest.fixture
def count(record_property: Callable[[str, object], None]) -> Count:
    """`count("crashes injected", 3)`: add to what is told at the end."""

    def add(what: str, number: int) -> None:
        assert what in COUNTED
        record_property(what, number)

    return add


@pytest.fixture
def tries(count: Count) -> Iterator[None]:
    """Count the bad inputs that a test says it has `tried`."""
    before = TRIED[BAD_INPUTS]
    yield
    count(BAD_INPUTS, TRIED[BAD_INPUTS] - before)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Monkeypatched because the settings of whoever runs the tests must not reach them.
    for name in list(os.environ):
        if name.startswith("RICORDO_") and name != "RICORDO_TEST_DATA":
            monkeypatch.delenv(name)
    monkeypatch.setenv("RICORDO_HOME", str(tmp_path / "home"))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of public test data."""
    if not DATA.is_dir():
        pytest.skip(f"the public test data is not here: {DATA} (set RICORDO_TEST_DATA)")
    return DATA


@pytest.fixture(scope="session")
def tcp_postgres() -> Iterator[TcpServer]:
    """A PostgreSQL 16 behind TCP."""
    with tcp_server(16) as server:
        yield server


@pytest.fixture(scope="session")
def embedded_postgres() -> Iterator[EmbeddedServer]:
    """An embedded PostgreSQL 18."""
    with embedded_server(18) as server:
        yield server


@pytest.fixture(scope="session")
def tcp_database(tcp_postgres: TcpServer) -> Iterator[str]:
    """A database on a server that holds an empty store."""
    with fresh_database(tcp_postgres.conninfo()) as name:
        _open_once(tcp_postgres.url(name))
        yield name


@pytest.fixture(scope="session")
def embedded_database(embedded_postgres: EmbeddedServer) -> Iterator[str]:
    with fresh_database(embedded_postgres.conninfo) as name:
        _open_once(f"postgresql+embedded://{embedded_postgres.directory}?database={name}")
        yield name


def _open_once(url: str) -> None:
    # In a loop of its own: whoever asks for the fixture may be running in one.
    store = open_store(url)
    with start_blocking_portal() as portal:
        portal.call(store.open)
        portal.call(store.close)


@pytest.fixture
def postgres_url(tcp_postgres: TcpServer, tcp_database: str) -> Iterator[str]:
    """An empty store on a server."""
    yield tcp_postgres.url(tcp_database)
    empty(tcp_postgres.conninfo(tcp_database))


@pytest.fixture
def embedded_url(embedded_postgres: EmbeddedServer, embedded_database: str) -> Iterator[str]:
    """An empty store on an embedded server."""
    yield f"postgresql+embedded://{embedded_postgres.directory}?database={embedded_database}"
    empty(make_conninfo(embedded_postgres.conninfo, dbname=embedded_database))
