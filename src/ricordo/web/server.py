"""The server itself: one listening socket, and a program that is patient, but not for ever."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from ipaddress import ip_address
from typing import cast
from urllib.parse import urlencode

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from ricordo.errors import InvalidInput

__all__ = ["Patient", "Server", "link", "listen"]

HEADER_SECONDS = 10.0
"""What a client has for the headers of a request."""
HEADER_BYTES = 32 * 1024
IDLE_SECONDS = 20
MOST_CONNECTIONS = 1000
BACKLOG = 512
SHUTDOWN_SECONDS = 5


class Patient(H11Protocol):
    """HTTP/1.1 that lets go of a connection on which headers do not end in time."""

    header_seconds = HEADER_SECONDS
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Wait for the end of headers as long as no request is under way."""
        if self._is_answering():
            self._rest()
        elif self._waiting is None:
            self._waiting = self.loop.call_later(self.header_seconds, self._give_up)

    def _rest(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if not self._is_answering():
            self.transport.close()

    def _is_answering(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)  # None until the first request
        return cycle is not None and not cycle.response_complete


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to the address; port 0 takes a free one. Raises InvalidInput when it cannot be had."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # By the protocol asyncio knows where Nagle's algorithm would keep half an answer back.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except (OSError, OverflowError) as error:
        raise InvalidInput(f"cannot listen on {host} port {port}: {error}; another --port may be free") from error
    return bound


def link(bound: socket.socket, token: str) -> str:
    """The address that opens the pages with one click."""
    host, port = bound.getsockname()[:2]
    address = ip_address(host)
    if address.is_unspecified:
        host = "127.0.0.1"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/?{urlencode({'token': token})}"


class Server(uvicorn.Server):
    """Serves an application on a socket until it is told to stop; `ready` is called when requests are answered."""

    def __init__(self, app: ASGIApp, ready: Callable[[], None], protocol: type[Patient] = Patient) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=protocol,
                ws="none",
                lifespan="on",
                access_log=False,
                proxy_headers=False,
                log_level="warning",
                server_header=False,
                h11_max_incomplete_event_size=HEADER_BYTES,
                timeout_keep_alive=IDLE_SECONDS,
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,
                limit_concurrency=MOST_CONNECTIONS,
                backlog=BACKLOG,
            )
        )
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.ready()
