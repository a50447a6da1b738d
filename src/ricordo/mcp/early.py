"""The part of a talk that needs no SDK: who is there, and which tools there are.

Loading the SDK takes a second and tens of megabytes, a client that waits too long for its first answers gives up, and
most clients never call a tool. So these requests are answered at once, and the SDK is loaded at the first that is
something else. A test holds each answer equal to the one that the SDK gives.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ricordo.mcp.greeting import CAPABILITIES, INSTRUCTIONS, NAME, NEWEST, VERSIONS, version
from ricordo.mcp.surface import RESOURCES, TEMPLATES, tools

if TYPE_CHECKING:
    from ricordo.mcp.wire import Wire

__all__ = ["LOOK", "ORPHANED", "Opening", "Talk", "greet"]

LOOK = 5.0
"""Seconds between two looks whether the process that started this one is still there."""
ORPHANED = 30.0
"""Seconds of silence after which a server whose parent has gone is alone: something else holds its stdin open."""

META = "io.modelcontextprotocol/"
ENDED: Mapping[str, Any] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}

LISTS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "tools/list": lambda: {"tools": tools()},
    "resources/list": lambda: {"resources": list(RESOURCES)},
    "resources/templates/list": lambda: {"resourceTemplates": list(TEMPLATES)},
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Opening:
    """What the SDK must know of the talk so far: lines that change its state, and the first that was not answered.

    Without lines the client has gone. The request with the id `answered` is among them and was answered.
    """

    lines: tuple[bytes, ...] = ()
    answered: str | int | None = None


class Talk:
    """A talk as far as it needs no SDK."""

    def __init__(self) -> None:
        self._state: list[bytes] = []
        self._answered: str | int | None = None

    def opening(self, line: bytes) -> Opening:
        """What to go on from, where this line is not answered here."""
        return Opening(lines=(*self._state, line), answered=self._answered)

    def answer(self, line: bytes) -> bytes | None:
        """The answer to a line, empty where it wants none; None where it is for the SDK."""
        request = _request(line)
        if request is None:
            return None
        method, number, params = request
        if number is None:
            return self._noted(line) if method == "notifications/initialized" and self._state else None
        result = self._result(method, params)
        if result is None:
            return None
        if method == "initialize":
            self._state, self._answered = [line], number
        message = {"jsonrpc": "2.0", "id": number, "result": result}
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()

    def _noted(self, line: bytes) -> bytes:
        if len(self._state) == 1:
            self._state.append(line)
        return b""

    def _result(self, method: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
        if method == "initialize":
            return None if self._state else _initialize(params)
        if self._state:
            return _old(method, params)
        return _new(method, params)


def greet(wire: Wire) -> Opening:
    """Talk to a client until it asks for something that needs the SDK, or is gone. Raises OSError for a client gone."""
    talk, heard = Talk(), time.monotonic()
    while True:
        while not wire.readable(LOOK):
            if wire.orphaned and time.monotonic() - heard > ORPHANED:
                return Opening()
        line = wire.read()
        if not line:
            return Opening()
        heard = time.monotonic()
        answer = talk.answer(line)
        if answer is None:
            return talk.opening(line)
        if answer:
            wire.write(answer)


def _request(line: bytes) -> tuple[str, str | int | None, Mapping[str, Any]] | None:
    """Method, id (None for a notification) and parameters of a message; None for what is not a whole one."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return None
    method, number, params = message.get("method"), message.get("id"), message.get("params", {})
    if not isinstance(method, str) or not isinstance(params, dict):
        return None
    if isinstance(number, bool) or not isinstance(number, str | int | None):
        return None
    return method, number, params


def _initialize(params: Mapping[str, Any]) -> dict[str, Any] | None:
    asked, capabilities = params.get("protocolVersion"), params.get("capabilities")
    if set(params) - {"_meta"} != {"protocolVersion", "capabilities", "clientInfo"} or not isinstance(asked, str):
        return None
    if not _is_of_objects(capabilities) or not isinstance(params.get("_meta", {}), dict):
        return None
    if not _is_program(params["clientInfo"]):
        return None
    return {
        "protocolVersion": asked if asked in VERSIONS else VERSIONS[-1],
        "capabilities": CAPABILITIES,
        "serverInfo": _server(),
        "instructions": INSTRUCTIONS,
    }


def _old(method: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
    """What is answered after `initialize`."""
    said = params.get("_meta", {})
    if set(params) - {"_meta"} or not isinstance(said, dict) or f"{META}protocolVersion" in said:
        return None
    if method == "ping":
        return {}
    return LISTS[method]() if method in LISTS else None


def _new(method: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
    """What is answered where each request says of which revision it is."""
    said = params.get("_meta")
    if set(params) != {"_meta"} or not isinstance(said, dict) or said.get(f"{META}protocolVersion") != NEWEST:
        return None
    if not _is_of_objects(said.get(f"{META}clientCapabilities")) or not _is_program(said.get(f"{META}clientInfo")):
        return None
    ended = {**ENDED, "_meta": {f"{META}serverInfo": _server()}}
    if method == "server/discover":
        return {"supportedVersions": [NEWEST], "capabilities": CAPABILITIES, "instructions": INSTRUCTIONS, **ended}
    return {**LISTS[method](), **ended} if method in LISTS else None


def _server() -> dict[str, str]:
    return {"name": NAME, "version": version()}


def _is_of_objects(capabilities: object) -> bool:
    return isinstance(capabilities, dict) and all(isinstance(each, dict) for each in capabilities.values())


def _is_program(info: object) -> bool:
    return isinstance(info, dict) and all(isinstance(info.get(name), str) for name in ("name", "version"))
