"""What is told at an event: memories that bear on a prompt, or the latest that somebody told, quoted as data."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from ricordo.across import across
from ricordo.context import BUDGET, MOST
from ricordo.disarm import without_quotes
from ricordo.engine import Engine
from ricordo.hooks.workplace import Workplace
from ricordo.memory import Memory
from ricordo.query import AsOf, Filters, Query
from ricordo.quoting import Quote, block, estimated_tokens, fitted, quote, quote_memory

__all__ = ["brief", "context"]

PROMPT = 6_000
"""Characters of a prompt that are looked at: what is asked stands at its beginning or at its end."""
COMMANDS = ("/", "!", "#")
"""What a prompt begins with that is for the assistant's program and not for the assistant."""
BRIEF = 300
LATEST = 5
SPARE = 20
"""Memories looked at beyond those, in place of those that are buried."""
TOLD = "told:"


async def context(memory: Engine, prompt: str, workplace: Workplace, now: datetime) -> str:
    """The memories that surely bear on a prompt; empty when none does. Raises StoreError, ModelError."""
    asked = without_quotes(prompt).strip()
    if not asked or asked.startswith(COMMANDS):
        return ""
    if len(asked) > PROMPT:
        asked = f"{asked[: PROMPT // 2]}\n{asked[-PROMPT // 2 :]}"
    scope = workplace.scope()
    recalls = [
        await memory.reader.context(Query(text=asked, namespace=namespace, limit=MOST)) for namespace in scope.searched
    ]
    zone = memory.settings.zone()
    several = len(scope.searched) > 1
    quotes = [
        quote(placed.hit, now, zone, placed.namespace if several else None) for placed in across(recalls, MOST).placed
    ]
    return _told([replace(each, why="") for each in quotes], BUDGET)


async def brief(memory: Engine, workplace: Workplace, now: datetime) -> str:
    """The latest memories that were told, and not read somewhere, newest first. Raises StoreError."""
    zone = memory.settings.zone()
    scope = workplace.scope()
    filters = Filters(origin=TOLD, as_of=AsOf(moment=now, known=True))
    found: list[tuple[Memory, str]] = []
    for namespace in scope.searched:
        timeline = await memory.within(namespace).timeline(limit=LATEST + SPARE, filters=filters)
        found += [(each, namespace) for each in timeline.memories if not each.withheld]
    found.sort(key=lambda each: (each[0].event_timestamp or each[0].created_at, each[0].id), reverse=True)
    several = len(scope.searched) > 1
    quotes = [quote_memory(each, now, zone, namespace if several else None) for each, namespace in found[:LATEST]]
    return _told(quotes, BRIEF)


def _told(quotes: list[Quote], budget: int) -> str:
    return block(fitted(quotes, budget, estimated_tokens))
