"""The server on a socket: who is slow is let go, and the command says where it is."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from liveweb import live
from ricordo.web.limits import Limits
from ricordo.web.server import Patient, link, listen
from website import DIAGNOSIS, engine


class Hasty(Patient):
    """The same, for who cannot wait."""

    header_seconds = 0.3


@pytest.fixture
def address() -> Iterator[tuple[str, int]]:
    """A server in a thread of its own, which ends with the test."""
    with live(engine(), lambda: DIAGNOSIS, Hasty) as server:
        yield "127.0.0.1", server.access.port


def closes_within(connection: socket.socket, seconds: float) -> bool:
    connection.settimeout(seconds)
    try:
        while connection.recv(4096):
            pass
    except TimeoutError:
        return False
    except ConnectionResetError:
        pass
    return True


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "])
def test_headers_that_do_not_end_are_not_waited_for(address: tuple[str, int], sent: bytes) -> None:
    with socket.create_connection(address) as connection:
        connection.sendall(sent)
        assert closes_within(connection, 3)


def test_nor_are_those_of_a_second_request(address: tuple[str, int]) -> None:
    with socket.create_connection(address) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 421")
        connection.sendall(b"GET / HT")
        assert closes_within(connection, 3)


def test_headers_without_end_are_refused(address: tuple[str, int]) -> None:
    with socket.create_connection(address) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 20_000)
        assert closes_within(connection, 3)


@pytest.mark.anyio
async def test_a_body_that_comes_too_slowly_is_not_waited_for() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()

    async def never() -> Message:
        await anyio.sleep(30)
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        raise AssertionError(message)

    with pytest.raises(HTTPException, match="408"):
        await Limits(app, patience=0.05)({"type": "http", "path": "/", "headers": []}, never, send)


@pytest.mark.anyio
async def test_a_body_that_trickles_is_not_waited_for() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass

    async def drop() -> Message:
        await anyio.sleep(0.01)
        return {"type": "http.request", "body": b"a", "more_body": True}

    async def send(message: Message) -> None:
        raise AssertionError(message)

    with pytest.raises(HTTPException, match="408"), anyio.fail_after(10):
        await Limits(app, grace=0.1)({"type": "http", "path": "/", "headers": []}, drop, send)


def test_a_link_leads_to_the_socket() -> None:
    with listen("127.0.0.1", 0) as bound:
        parts = urlsplit(link(bound, "a-token"))

    assert (parts.scheme, parts.hostname, parts.query) == ("http", "127.0.0.1", "token=a-token")


def command(*arguments: str, home: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "RICORDO_HOME": str(home), "RICORDO_EMBEDDER": "none"}
    return subprocess.Popen(
        [sys.executable, "-m", "ricordo", "serve", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip


def test_the_command_prints_a_link_that_signs_in_and_ends_quietly(tmp_path: Path) -> None:
    process = command("--port", "0", home=tmp_path)
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    with httpx2.Client(follow_redirects=True) as browser:
        page = browser.get(url, headers={"Accept": "text/html"})
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)

    assert (page.status_code, "token" in str(page.url)) == (200, False)
    assert "Traceback" not in errors


def test_the_command_tells_programs_the_token(tmp_path: Path) -> None:
    process = command("--port", "0", "--json", home=tmp_path)
    assert process.stdout is not None
    told = json.loads("".join(process.stdout.readline() for _ in range(4)))
    base = told["url"].partition("/?")[0]
    with httpx2.Client(base_url=base, headers={"Authorization": f"Bearer {told['token']}"}, timeout=30) as program:
        stats, diagnosis = program.get("/api/stats").json(), program.get("/api/doctor").json()
    process.terminate()
    process.communicate(timeout=20)

    assert (stats["memories"], diagnosis["ok"]) == (0, True)


def test_an_address_beyond_this_machine_needs_a_token_of_ones_own(tmp_path: Path) -> None:
    process = command("--host", "0.0.0.0", "--port", "0", home=tmp_path)
    _, errors = process.communicate(timeout=20)

    assert (process.returncode, "--token-file" in errors) == (2, True)
