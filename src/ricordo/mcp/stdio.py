"""Serving one client over stdin and stdout, until it is gone."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from threading import Thread
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from anyio.from_thread import BlockingPortal
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from ricordo.mcp.desk import Desk
from ricordo.mcp.early import LOOK, ORPHANED, Opening
from ricordo.mcp.wire import Wire
from ricordo.projects import Rules
from ricordo.settings import Settings

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

__all__ = ["serve"]

log = logging.getLogger(__name__)


async def serve(wire: Wire, opening: Opening, settings: Settings, rules: Rules, clock: Callable[[], datetime]) -> None:
    """Serve the client at the other end of the wire, with whom the talk has begun."""
    try:
        await _serve(wire, opening, Desk(settings=settings, clock=clock), rules)
    except* OSError as errors:
        log.info("the client has gone: %s", errors.exceptions[0])


async def _serve(wire: Wire, opening: Opening, desk: Desk, rules: Rules) -> None:
    from ricordo.mcp.server import build

    inward, requests = anyio.create_memory_object_stream["SessionMessage | Exception"](0)
    answers, outward = anyio.create_memory_object_stream["SessionMessage"](0)
    lines = _Lines(wire=wire, answered=opening.answered)
    async with desk, BlockingPortal() as portal, anyio.create_task_group() as tasks:
        # Nobody waits for its end: it may be reading still when the server has nobody left to serve.
        Thread(target=lines.forward, args=(portal, opening.lines, inward), daemon=True).start()
        tasks.start_soon(lines.back, outward)
        tasks.start_soon(_until_orphaned, lines, tasks.cancel_scope)
        server = build(desk, rules, local=True)
        await server.run(requests, answers, server.create_initialization_options())
        tasks.cancel_scope.cancel()


@dataclass(slots=True)
class _Lines:
    """Lines to messages and back. The answer to the request that is `answered` already is dropped."""

    wire: Wire
    answered: str | int | None = None
    heard: float = field(default_factory=time.monotonic)

    def forward(
        self,
        portal: BlockingPortal,
        begun: Iterable[bytes],
        inward: MemoryObjectSendStream[SessionMessage | Exception],
    ) -> None:
        """Send on what the client says, in a thread of its own, until it is gone or nobody listens any more."""
        with suppress(RuntimeError, CancelledError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            for line in chain(begun, iter(self.wire.read, b"")):
                self.heard = time.monotonic()
                portal.call(inward.send, _message(line))
            portal.call(inward.aclose)

    async def back(self, outward: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Write what the server says."""
        from mcp_types import JSONRPCResponse

        async with outward:
            async for item in outward:
                message = item.message
                if self.answered is not None and isinstance(message, JSONRPCResponse) and message.id == self.answered:
                    self.answered = None
                    continue
                line = message.model_dump_json(by_alias=True, exclude_unset=True)
                await to_thread.run_sync(self.wire.write, line.encode())


def _message(line: bytes) -> SessionMessage | Exception:
    """The message in a line, or what is wrong with it, which the SDK answers."""
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter
    from pydantic import ValidationError

    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line.decode("utf-8", "replace"), by_name=False))
    except ValidationError as error:
        return error


async def _until_orphaned(lines: _Lines, scope: anyio.CancelScope) -> None:
    while not lines.wire.orphaned or time.monotonic() - lines.heard < ORPHANED:
        await anyio.sleep(LOOK)
    log.info("the process that started this server has gone")
    scope.cancel()
