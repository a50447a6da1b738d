"""Periods: what words such as "in May", "yesterday" or "at five" stand for before the year or day is known.

A period either is known, or recurs: it has a place inside each turn of a cycle (May inside each year). A
recurring period becomes another one, or known, when it is put inside an outer period: five o'clock inside
5 March inside 2025. What still recurs at the end is taken at its latest turn that has begun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from ricordo.timeparse.civil import Interval, within_unit
from ricordo.timeparse.hints import Grain

__all__ = ["Period", "compose", "first_from", "known", "latest"]

# Leap days are the rarest of a year: eight years may lie between two of them. A 31st comes every other month.
_LEAP_TURNS = 9
_SHORT_TURNS = 15
# The first week of a year may begin in the old one.
_AHEAD = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Period:
    """Known (`interval`) or recurring (`place` inside each turn of `cycle`).

    `part_of` are the grains of outer periods it may be put into, `outers` those it was put into.
    A period without interval and cycle means nothing on its own ("the first week").
    """

    grain: Grain
    interval: Interval | None = None
    place: Callable[[Interval], Interval | None] | None = None
    cycle: Grain | None = None
    part_of: frozenset[Grain] = frozenset()
    outers: tuple[Period, ...] = ()
    alternatives: tuple[Interval, ...] = ()
    week_start: int = 0


def known(grain: Grain, interval: Interval, *alternatives: Interval) -> Period:
    """A period that needs nothing more."""
    return Period(grain=grain, interval=interval, alternatives=alternatives)


def compose(inner: Period, outer: Period) -> Period | None:
    """The inner period inside the outer one; None if it cannot be a part of it."""
    if inner.place is None or outer.grain not in inner.part_of:
        return None
    outers = (*(compose(other, outer) or other for other in inner.outers), outer, *outer.outers)
    if outer.interval is not None:
        interval = inner.place(outer.interval)
        if interval is None:
            return None
        alternatives = tuple(filter(None, map(inner.place, outer.alternatives)))
        return replace(known(inner.grain, interval, *alternatives), outers=outers)
    return replace(
        inner, place=_inside(inner, outer), cycle=outer.cycle, part_of=outer.part_of, outers=outers, alternatives=()
    )


def _inside(inner: Period, outer: Period) -> Callable[[Interval], Interval | None]:
    def place(turn: Interval) -> Interval | None:
        if outer.place is None or inner.place is None:
            return None
        interval = outer.place(turn)
        return interval and inner.place(interval)

    return place


def latest(period: Period, moment: datetime, *, finished: bool = False) -> Interval | None:
    """The last interval that has begun by the moment, or with `finished` is over by then; the one that is known."""
    if period.interval is not None:
        return period.interval
    turns = _turns(period, moment, range(_AHEAD, -_turns_back(period), -1))
    return next((each for each in turns if (each.end if finished else each.start) <= moment), None)


def first_from(period: Period, moment: datetime) -> Interval | None:
    """The first interval that does not begin before the moment; the one that is known."""
    if period.interval is not None:
        return period.interval
    turns = _turns(period, moment, range(-1, _turns_back(period)))
    return next((each for each in turns if each.start >= moment), None)


def _turns_back(period: Period) -> int:
    return _LEAP_TURNS if period.cycle is Grain.YEAR else _SHORT_TURNS


def _turns(period: Period, moment: datetime, turns: range) -> Iterator[Interval]:
    """The intervals of a recurring period in the turns about a moment."""
    if period.place is None or period.cycle is None:
        return
    for turn in turns:
        interval = period.place(within_unit(moment, period.cycle, turn, period.week_start))
        if interval is not None:
            yield interval
