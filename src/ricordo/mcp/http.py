"""Serving many clients over HTTP, on this machine only: with a token, and to nobody that a web page sends.

A loopback address alone is no fence: any page in a browser can send requests to it. So the `Host` and `Origin` of a
request must be this machine's (DNS rebinding), and it must bear the token.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socket
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from starlette.responses import JSONResponse

from ricordo.errors import InvalidInput
from ricordo.mcp.desk import Desk
from ricordo.mcp.server import build
from ricordo.projects import Rules
from ricordo.settings import Settings, data_directory

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["ADDRESS", "PATH", "TOKEN", "listen", "serve", "token"]

ADDRESS, PATH = "127.0.0.1", "/mcp"
TOKEN = "RICORDO_MCP_TOKEN"
LEAST_TOKEN = 16


def token() -> tuple[str, str]:
    """The token that clients must bear, and where it is from: the environment, else a file that is made once.

    Raises InvalidInput for one that could be guessed.
    """
    if given := os.environ.get(TOKEN, "").strip():
        return _long_enough(given, TOKEN), TOKEN
    file = data_directory() / "mcp-token"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        _write_once(file, secrets.token_urlsafe(32))
    return _long_enough(file.read_text(encoding="ascii").strip(), f"the token in {file}"), str(file)


def _long_enough(given: str, name: str) -> str:
    if len(given) < LEAST_TOKEN:
        raise InvalidInput(f"{name} must have {LEAST_TOKEN} characters at least")
    return given


def _write_once(file: Path, text: str) -> None:
    """Write a file that only its owner reads, unless another process was first."""
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(handle, "w", encoding="ascii") as opened:
        opened.write(f"{text}\n")


def listen(port: int) -> socket.socket:
    """A socket on this machine's loopback address; port 0 takes any that is free. Raises InvalidInput."""
    try:
        return socket.create_server((ADDRESS, port))
    except OSError as error:
        raise InvalidInput(
            f"port {port} cannot be listened on: {error.strerror}; choose another with --port"
        ) from error


async def serve(
    listening: socket.socket, bearer: str, settings: Settings, rules: Rules, clock: Callable[[], datetime]
) -> None:
    """Serve until the process is told to end."""
    async with Desk(settings=settings, clock=clock) as desk:
        app = build(desk, rules, local=False).streamable_http_app(streamable_http_path=PATH, host=ADDRESS)
        config = uvicorn.Config(_Guarded(app, bearer), log_config=None, access_log=False, timeout_graceful_shutdown=2)
        await uvicorn.Server(config).serve(sockets=[listening])


class _Guarded:
    """An application that answers only to who bears the token."""

    def __init__(self, app: ASGIApp, bearer: str) -> None:
        self._app = app
        self._expected = f"Bearer {bearer}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._bears_token(scope):
            refusal = JSONResponse({"error": "a bearer token is needed"}, 401, {"WWW-Authenticate": "Bearer"})
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _bears_token(self, scope: Scope) -> bool:
        given = dict(scope["headers"]).get(b"authorization", b"")
        return hmac.compare_digest(given, self._expected)
