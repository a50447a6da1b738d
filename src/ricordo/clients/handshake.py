"""A round trip with an MCP server as an assistant has it: start, initialize, list the tools, end."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO

__all__ = ["Handshake", "Refused", "shake_hands"]

PROTOCOL = "2025-06-18"
INITIALIZE: Mapping[str, object] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "ricordo-doctor", "version": "1"},
    },
}
INITIALIZED: Mapping[str, object] = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST: Mapping[str, object] = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


class Refused(Exception):
    """The server could not be started, said nothing in time, or something else than was asked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Handshake:
    """The server's tools, the seconds until it had introduced itself, and until it had listed them."""

    tools: tuple[str, ...]
    introduced: float
    listed: float


def shake_hands(command: Sequence[str], environment: Mapping[str, str], seconds: float) -> Handshake:
    """Do what an assistant does when it starts. Raises Refused, with the last that the server said for itself."""
    begin = time.monotonic()
    try:
        server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(environment)
        )
    except OSError as error:
        raise Refused(f"{command[0]} cannot be run: {error.strerror}") from error
    limit = threading.Timer(seconds, server.kill)
    limit.start()
    with server:
        try:
            _ask(server.stdin, INITIALIZE)
            _answer(server.stdout, 1)
            introduced = time.monotonic() - begin
            _ask(server.stdin, INITIALIZED)
            _ask(server.stdin, LIST)
            tools = _names(_answer(server.stdout, 2))
            return Handshake(tools=tools, introduced=introduced, listed=time.monotonic() - begin)
        except (OSError, ValueError) as error:
            late = time.monotonic() - begin >= seconds
            raise Refused(f"no answer in {seconds:.0f} s" if late else _last_words(server, str(error))) from error
        finally:
            limit.cancel()
            server.kill()


def _ask(stream: IO[bytes] | None, message: Mapping[str, object]) -> None:
    if stream is not None:
        stream.write(json.dumps(message).encode() + b"\n")
        stream.flush()


def _answer(stream: IO[bytes] | None, number: int) -> Mapping[str, object]:
    """The result of a request, whatever else is said before. Raises ValueError."""
    for line in stream or ():
        said = json.loads(line)
        if isinstance(said, dict) and said.get("id") == number:
            result = said.get("result")
            if isinstance(result, dict):
                return result
            raise ValueError(f"it refuses: {said.get('error')}")
    raise ValueError("it ended without an answer")


def _names(result: Mapping[str, object]) -> tuple[str, ...]:
    tools = result.get("tools")
    return tuple(str(tool.get("name")) for tool in tools if isinstance(tool, dict)) if isinstance(tools, list) else ()


def _last_words(server: subprocess.Popen[bytes], why: str) -> str:
    server.kill()
    lines = server.stderr.read().decode("utf-8", "replace").strip().splitlines() if server.stderr else []
    return f"{why}: {lines[-1]}" if lines else why
