"""What a question says about time → the window to look in; pure but for the clock.

A window that was read with confidence, and a day long at least, is a filter; any other is a ranked list of its
own. Hints that overlap are taken together ("on Tuesday, last week"); others are alternatives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise

from ricordo.memory import EventTime
from ricordo.occasions import event_of
from ricordo.query import TimeRange
from ricordo.timeparse import Grain, TimeHint, TimeOptions, TimeReading, read_times

__all__ = ["Calendar", "Window", "find_window", "utc_now"]

_OR = re.compile(r"\W*(?:or|или|либо|o|u|ou)\W*(?:\w+\W+){0,2}", re.IGNORECASE)
SURE = 0.85
DAY_PADDING = timedelta(days=1)
CLOCK_PADDING = timedelta(hours=3)
LONG_PADDING = 0.1
"""What is told of a day often happened the day before; the edges of a longer window are as soft as it is long."""

# Times stand at the beginning or the end of what is asked; a pasted page in between would only cost.
SCANNED = 300


def utc_now() -> datetime:
    """This moment, in aware UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Calendar:
    """What words such as "yesterday" are read by: the clock, the time zone, and local customs."""

    clock: Callable[[], datetime] = utc_now
    zone: tzinfo = UTC
    options: TimeOptions = field(default_factory=TimeOptions)

    def read(self, text: str) -> TimeReading:
        """The times a question names; of a very long one, only its beginning and its end are read."""
        if len(text) > 2 * SCANNED:
            text = f"{text[:SCANNED]}\n{text[-SCANNED:]}"
        return read_times(text, now=self.clock(), zone=self.zone, options=self.options)

    def event(self, text: str, stated: datetime | EventTime | None = None) -> EventTime:
        """When what somebody tells now happened: as it is stated, else as its words say."""
        if isinstance(stated, datetime):
            return EventTime(start=stated)
        return stated or event_of(text, self.clock(), self.zone, self.options)


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """Where in time to look: `range` as it was said, `padded` as it is searched, `text` the words it came from, each
    stretch of which is in `said`.

    `rest` is the question without those words, where they were surely words of time.
    """

    range: TimeRange
    padded: TimeRange
    text: str
    said: tuple[str, ...]
    confidence: float
    sure: bool
    rest: str | None = None


def find_window(question: str, reading: TimeReading) -> Window | None:
    """The window of a question; None when it names no time."""
    hints = reading.times
    if not hints:
        return None
    told = None if _are_alternatives(question, hints) else _common(hints)
    together = told is not None
    ranges = [told] if told is not None else [hint.range for hint in hints]
    searched = [*ranges, *(other for hint in hints for other in hint.alternatives)] if together else ranges
    confidence = min(hint.confidence for hint in hints)
    return Window(
        range=told or _union(ranges),
        padded=_padded(_union(searched), min(hints, key=lambda hint: hint.grain.rank).grain),
        text=" … ".join(hint.text for hint in hints),
        said=tuple(hint.text for hint in hints),
        confidence=confidence,
        sure=together and confidence >= SURE and all(hint.grain.rank >= Grain.DAY.rank for hint in hints),
        rest=_without(question, hints),
    )


def _are_alternatives(question: str, hints: Sequence[TimeHint]) -> bool:
    """Whether "or" stands between times: "yesterday or last week"."""
    pairs = pairwise(hints)
    return any(_OR.fullmatch(question[one.end : other.start]) for one, other in pairs)


def _common(hints: Sequence[TimeHint]) -> TimeRange | None:
    """What all hints have in common, None if that is nothing."""
    starts = [hint.range.start for hint in hints if hint.range.start is not None]
    ends = [hint.range.end for hint in hints if hint.range.end is not None]
    start, end = max(starts, default=None), min(ends, default=None)
    return None if start is not None and end is not None and start >= end else TimeRange(start=start, end=end)


def _union(ranges: Sequence[TimeRange]) -> TimeRange:
    """The shortest range that holds all of them."""
    starts = [each.start for each in ranges if each.start is not None]
    ends = [each.end for each in ranges if each.end is not None]
    return TimeRange(
        start=min(starts) if len(starts) == len(ranges) else None, end=max(ends) if len(ends) == len(ranges) else None
    )


def _padded(window: TimeRange, grain: Grain) -> TimeRange:
    padding = CLOCK_PADDING if grain.rank < Grain.DAY.rank else DAY_PADDING
    if grain.rank > Grain.DAY.rank and window.start is not None and window.end is not None:
        padding = (window.end - window.start) * LONG_PADDING
    try:
        return TimeRange(start=window.start and window.start - padding, end=window.end and window.end + padding)
    except OverflowError:
        return window


def _without(question: str, hints: Sequence[TimeHint]) -> str | None:
    """The question without its words of time; None unless all are sure and something is left."""
    if any(hint.confidence < SURE for hint in hints):
        return None
    rest = question
    for hint in hints:
        rest = rest.replace(hint.text, " ", 1)
    rest = " ".join(rest.split())
    return rest if sum(map(str.isalpha, rest)) > 2 else None
