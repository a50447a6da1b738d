"""What a question says about time: ranges that can be computed, and events that cannot."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ricordo.errors import InvalidInput
from ricordo.query import TimeRange

__all__ = ["EventHint", "Grain", "Relation", "TimeHint", "TimeOptions", "TimeReading"]


class Grain(StrEnum):
    """How coarse the words were, finest first: "at 5pm" is an hour, "in May" a month."""

    MINUTE = "minute"
    HOUR = "hour"
    PART = "part"
    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    QUARTER = "quarter"
    HALF = "half"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"

    @property
    def rank(self) -> int:
        """0 for the finest."""
        return _RANKS[self]


_RANKS = {grain: rank for rank, grain in enumerate(Grain)}


class Relation(StrEnum):
    """How what is asked for lies to the time or the event that is named."""

    IN = "in"
    SINCE = "since"
    BEFORE = "before"
    AFTER = "after"
    BETWEEN = "between"


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeHint:
    """A time range that the words `text` = question[start:end] stand for.

    `confidence` is between 0 and 1; `alternatives` are other ranges that the same words may mean.
    """

    range: TimeRange
    start: int
    end: int
    text: str
    grain: Grain
    relation: Relation
    confidence: float
    language: str
    alternatives: tuple[TimeRange, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class EventHint:
    """A time told by an event ("after the release"): no range is known before the event is found."""

    start: int
    end: int
    text: str
    relation: Relation
    anchor: str
    language: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeReading:
    """All hints of a question, in the order of its words."""

    times: tuple[TimeHint, ...] = ()
    events: tuple[EventHint, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeOptions:
    """What depends on where the asker lives.

    `week_start` is 0 for Monday … 6 for Sunday (numbered weeks are always ISO's); `hemisphere` is `north` or
    `south`; `date_order` is `dmy`, `mdy` or `ymd` for dates such as 03/04/2026, by language when None.
    """

    week_start: int = 0
    hemisphere: str = "north"
    date_order: str | None = None

    def __post_init__(self) -> None:
        if self.week_start not in range(7):
            raise InvalidInput(f"week_start must be 0 (Monday) to 6 (Sunday), not {self.week_start!r}")
        if self.hemisphere not in ("north", "south"):
            raise InvalidInput(f"hemisphere must be 'north' or 'south', not {self.hemisphere!r}")
        if self.date_order not in (None, "dmy", "mdy", "ymd"):
            raise InvalidInput(f"date_order must be 'dmy', 'mdy' or 'ymd', not {self.date_order!r}")
