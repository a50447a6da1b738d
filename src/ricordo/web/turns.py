"""Who is answered when: what asks the models waits for its like, and what only looks something up waits for neither."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response

__all__ = ["Turns"]

LOOKUPS = 4
CLOSED = 499
"""What is noted of an answer that nobody waits for; it is sent to nobody."""


def _cores() -> int:
    """Questions keep a core busy each: with more of them at once, all would take longer and none come sooner."""
    return max(2, os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class Turns:
    """The questions and the look-ups that are answered at once; the others wait, first come, first served."""

    questions: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(_cores()))
    lookups: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(LOOKUPS))

    async def take(self, request: Request, answer: Callable[[], Awaitable[Response]], *, asks: bool) -> Response:
        """The answer, when it is its turn, unless whoever asked has left by then: one who types asks at every pause."""
        async with self.questions if asks else self.lookups:
            if await request.is_disconnected():
                return Response(status_code=CLOSED)
            return await answer()
