"""A session for the OpenAI Agents SDK: the items of a conversation, which can also be recalled like any memory.

::

    with ricordo.sync.open() as memory:
        await Runner.run(agent, "hello", session=RicordoSession("mira", memory))
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar, cast

from agents.items import TResponseInputItem
from agents.memory.session import SessionABC
from anyio import Lock, to_thread

from ricordo.memory import Memory
from ricordo.query import MAX_LIMIT, Filters
from ricordo.sync import Engine

__all__ = ["RicordoSession"]

R = TypeVar("R")

SESSION, NUMBER, ITEM = "agents_session", "number", "item"


class RicordoSession(SessionABC):
    """The items of one conversation, oldest first; the latest thousand of them can be had back."""

    def __init__(self, session_id: str, memory: Engine) -> None:
        self.session_id = session_id
        self._memory = memory
        self._lock = Lock()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The latest items, all without a limit, in the order they were added."""
        kept = await to_thread.run_sync(self._kept)
        wanted = kept if limit is None else kept[-limit:] if limit > 0 else []
        return [cast("TResponseInputItem", memory.metadata[ITEM]) for memory in wanted]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items at the end."""
        async with self._lock:
            await to_thread.run_sync(self._add, list(items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the last item away."""
        async with self._lock:
            kept = await to_thread.run_sync(self._kept)
            if not kept:
                return None
            await to_thread.run_sync(self._memory.forget, [kept[-1].id])
            return cast("TResponseInputItem", kept[-1].metadata[ITEM])

    async def clear_session(self) -> None:
        """Forget all items of this conversation."""
        async with self._lock:
            while kept := await to_thread.run_sync(self._kept):
                await to_thread.run_sync(self._memory.forget, [memory.id for memory in kept])

    def _kept(self) -> list[Memory]:
        filters = Filters(metadata={SESSION: self.session_id})
        found = self._memory.timeline(limit=MAX_LIMIT, filters=filters).memories
        return sorted(found, key=lambda memory: cast("int", memory.metadata[NUMBER]))

    def _add(self, items: Sequence[TResponseInputItem]) -> None:
        kept = self._kept()
        number = cast("int", kept[-1].metadata[NUMBER]) if kept else 0
        for item in items:
            number += 1
            given: Any = item
            # A stated time makes what is said again another memory.
            tell = partial(self._memory.remember, _text(given), event_timestamp=datetime.now(UTC))
            tell(metadata={SESSION: self.session_id, NUMBER: number, ITEM: dict(given)})


def _text(item: dict[str, Any]) -> str:
    """What an item says, for people and for search."""
    content = item.get("content")
    parts = [content] if isinstance(content, str) else content if isinstance(content, list) else []
    said = [part if isinstance(part, str) else str(part.get("text", "")) for part in parts]
    text = "\n".join(filter(None, said)) or json.dumps(item, ensure_ascii=False)
    return f"{item['role']}: {text}" if item.get("role") else text
