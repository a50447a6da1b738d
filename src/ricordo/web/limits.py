"""How much a request may bring, and how slowly. What is beyond is answered 413 or 408 and not read further."""

from __future__ import annotations

import time
from dataclasses import dataclass

import anyio
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["LARGE", "SMALL", "Limits"]

MEGABYTE = 2**20
SMALL = MEGABYTE
"""Bytes of a form, or of a JSON document."""
LARGE = 512 * MEGABYTE
"""Bytes of files that are imported."""
PATIENCE = 15.0
"""Seconds between two pieces of a body."""
GRACE = 20.0
LEAST_RATE = 16 * 1024
"""Bytes a second that a body must bring once the grace is over."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Holds the bodies of requests within bounds; `large` are the paths that files are sent to."""

    app: ASGIApp
    large: frozenset[str] = frozenset()
    patience: float = PATIENCE
    grace: float = GRACE

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        most = LARGE if scope["path"] in self.large else SMALL
        await self.app(scope, _Body(receive, most, self, _announced(scope)).receive, send)


def _announced(scope: Scope) -> int:
    """What the header says the body has; 0 when it says nothing that can be read."""
    found = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(found[0]) if found and found[0].isdigit() else 0


class _Body:
    """A body under way. Errors are raised where it is read, so that they are answered as all others are."""

    def __init__(self, receive: Receive, most: int, limits: Limits, announced: int) -> None:
        self._receive = receive
        self._most = most
        self._limits = limits
        self._announced = announced
        self._bytes = 0
        self._begun = time.monotonic()
        self._whole = False

    async def receive(self) -> Message:
        if self._whole:
            return await self._receive()
        if self._announced > self._most:
            self._too_large()
        with anyio.move_on_after(self._limits.patience) as scope:
            message = await self._receive()
        if scope.cancelled_caught:
            raise HTTPException(408, "the body of the request came too slowly")
        if message["type"] == "http.request":
            self._take(message)
        return message

    def _take(self, message: Message) -> None:
        self._bytes += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._bytes > self._most:
            self._too_large()
        spent = time.monotonic() - self._begun
        if not self._whole and spent > self._limits.grace and self._bytes < spent * LEAST_RATE:
            raise HTTPException(408, "the body of the request came too slowly")

    def _too_large(self) -> None:
        raise HTTPException(413, f"a request to this address may bring {self._most // MEGABYTE} MiB at most")
