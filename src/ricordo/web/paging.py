"""Long lists a page at a time. A cursor is where the next page begins; clients give it back as it is."""

from __future__ import annotations

import binascii
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from ricordo.errors import InvalidInput
from ricordo.memory import Memory
from ricordo.protocols import Store
from ricordo.query import MAX_LIMIT, Filters, TimeRange

__all__ = ["earlier", "page_of", "within_limits"]

T = TypeVar("T")
Place = tuple[datetime, str]

INSTANT = timedelta(microseconds=1)
LAST = datetime.max.replace(tzinfo=UTC)
FACTOR = 4


def within_limits(limit: int) -> int:
    """Raises InvalidInput for a limit outside 1…1000."""
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit must be between 1 and {MAX_LIMIT}, not {limit}")
    return limit


def page_of(items: Sequence[T], limit: int, cursor: str | None) -> tuple[Sequence[T], str | None]:
    """A page of a list that is at hand, and the cursor of the next one. Raises InvalidInput."""
    start = _number(_opened(cursor)) if cursor else 0
    end = start + within_limits(limit)
    return items[start:end], _closed(end) if end < len(items) else None


def _any(_: Memory) -> bool:
    return True


async def earlier(
    store: Store,
    namespace: str,
    filters: Filters,
    limit: int,
    cursor: str | None,
    wanted: Callable[[Memory], bool] = _any,
) -> tuple[tuple[Memory, ...], str | None]:
    """The latest memories of known time before the cursor, earliest first, and the cursor of those before them.

    Of what passes the filters only those that are `wanted` count. Raises InvalidInput, StoreError.
    """
    within_limits(limit)
    before = _place(_opened(cursor)) if cursor else None
    bounded = replace(filters, time=_until(filters.time, before[0])) if before else filters
    asked = limit + 1
    while True:
        found = await store.timeline(namespace, bounded, asked)
        kept = [memory for memory in found if wanted(memory) and (before is None or _where(memory) < before)]
        if len(kept) > limit or len(found) < asked:
            break
        asked *= FACTOR  # many happened at the same moment, or few are wanted
    page = tuple(kept[-limit:])
    return page, _closed([page[0].event_timestamp.isoformat(), page[0].id]) if len(kept) > limit else None  # type: ignore[union-attr]  # a timeline has times


def _where(memory: Memory) -> Place:
    if memory.event_timestamp is None:
        raise ValueError(f"{memory.id} has no time")
    return memory.event_timestamp, memory.id


def _until(range_: TimeRange | None, moment: datetime) -> TimeRange | None:
    """The range as far as the moment; all of it where the moment lies before its start, as of what began earlier."""
    if range_ is None or range_.start is None or range_.start <= moment:
        end = moment + INSTANT if moment < LAST else None
        return TimeRange(start=range_.start if range_ else None, end=end)
    return range_


def _closed(place: object) -> str:
    return urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def _opened(cursor: str) -> object:
    try:
        found: object = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError, binascii.Error) as error:
        raise _no_cursor(cursor) from error
    return found


def _number(found: object) -> int:
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < 2**40:
        raise _no_cursor(str(found))
    return found


def _place(found: object) -> Place:
    match found:
        case [str(moment), str(memory_id)]:
            try:
                when = datetime.fromisoformat(moment)
                if when.tzinfo is not None:
                    return when.astimezone(UTC), memory_id
            except (ValueError, OverflowError) as error:
                raise _no_cursor(moment) from error
    raise _no_cursor(str(found))


def _no_cursor(text: str) -> InvalidInput:
    return InvalidInput(f"{text!r} is no cursor; give back the one that the page before had as `next`")
