"""Writes that are sent again with their `Idempotency-Key` are answered as before, and not done again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ricordo.memory import digest

__all__ = ["LONGEST_KEY", "REPLAYED", "Repeats"]

MOST = 1000
MOST_BYTES = 2**24
LONGEST_KEY = 255
REPLAYED = "Idempotent-Replayed"


@dataclass(frozen=True, slots=True)
class _Answer:
    fingerprint: str
    status: int
    body: bytes
    media_type: str | None


@dataclass(slots=True)
class Repeats:
    """The latest answers by key, as long as the server runs. A key belongs to one request: its path and its body."""

    answers: dict[str, _Answer] = field(default_factory=dict)
    locks: dict[str, anyio.Lock] = field(default_factory=dict)

    async def once(self, key: str | None, request: tuple[str, ...], do: Callable[[], Awaitable[Response]]) -> Response:
        """What `do` answers, or answered before to the same key. `request` is all that makes the request what it is.

        Failures of the server are not kept, so that they can be tried again. Raises HTTPException with 422 when
        the key came with another request, and with 400 for a key that cannot be one.
        """
        if key is None:
            return await do()
        self._known(key, request)
        lock = self.locks.setdefault(key, anyio.Lock())
        try:
            async with lock:
                return await self._once(key, request, do)
        finally:
            if not lock.locked():
                self.locks.pop(key, None)

    def has(self, key: str | None, request: tuple[str, ...]) -> bool:
        """Whether the answer to this request under this key is kept. Raises HTTPException as `once` does."""
        return key is not None and self._known(key, request) is not None

    def _known(self, key: str, request: tuple[str, ...]) -> _Answer | None:
        if not key or len(key) > LONGEST_KEY:
            raise HTTPException(400, f"Idempotency-Key must have 1 to {LONGEST_KEY} characters")
        known = self.answers.get(key)
        if known is not None and known.fingerprint != digest(*request):
            raise HTTPException(422, "this Idempotency-Key was sent with another request before")
        return known

    async def _once(self, key: str, request: tuple[str, ...], do: Callable[[], Awaitable[Response]]) -> Response:
        if (known := self._known(key, request)) is not None:
            return Response(known.body, known.status, {REPLAYED: "true"}, media_type=known.media_type)
        response = await do()
        if response.status_code < 500:
            self.answers[key] = _Answer(
                digest(*request), response.status_code, bytes(response.body), response.headers.get("content-type")
            )
            self._let_go()
        return response

    def _let_go(self) -> None:
        """Of the oldest, where there are many or they are large; the latest stays."""
        size = sum(len(answer.body) for answer in self.answers.values())
        while len(self.answers) > MOST or (size > MOST_BYTES and len(self.answers) > 1):
            size -= len(self.answers.pop(next(iter(self.answers))).body)
