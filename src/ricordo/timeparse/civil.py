"""Arithmetic on the wall clock: naive local times, which become UTC only at the very end.

Days have 24 hours here; `utc_range` gives them their true length, so that a day on which the clock changes
lasts 23 or 25 hours.
"""

from __future__ import annotations

import calendar
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple

from ricordo.query import TimeRange
from ricordo.timeparse.hints import Grain

__all__ = ["Interval", "floor", "iso_week", "shift", "utc_range", "within_unit"]

_MONTHS = {Grain.MONTH: 1, Grain.QUARTER: 3, Grain.HALF: 6, Grain.YEAR: 12, Grain.DECADE: 120, Grain.CENTURY: 1200}
_LENGTHS = {
    Grain.MINUTE: timedelta(minutes=1),
    Grain.HOUR: timedelta(hours=1),
    Grain.DAY: timedelta(days=1),
    Grain.WEEK: timedelta(weeks=1),
    Grain.WEEKEND: timedelta(weeks=1),
}


class Interval(NamedTuple):
    """Half-open `[start, end)` on the wall clock."""

    start: datetime
    end: datetime


def shift(moment: datetime, grain: Grain, count: int) -> datetime:
    """`count` units later; the 31st becomes the last day of a shorter month.

    Raises OverflowError outside the years 1 to 9999.
    """
    if grain in _LENGTHS:
        return moment + _LENGTHS[grain] * count
    years, month = divmod(moment.year * 12 + moment.month - 1 + _MONTHS[grain] * count, 12)
    if not MINYEAR <= years <= MAXYEAR:
        raise OverflowError(f"year {years} is out of range")
    day = min(moment.day, calendar.monthrange(years, month + 1)[1])
    return moment.replace(year=years, month=month + 1, day=day)


def floor(moment: datetime, grain: Grain, week_start: int = 0) -> datetime:
    """The beginning of the unit that holds the moment."""
    if grain is Grain.MINUTE:
        return moment.replace(second=0, microsecond=0, fold=0)
    if grain is Grain.HOUR:
        return moment.replace(minute=0, second=0, microsecond=0, fold=0)
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    if grain in (Grain.DAY, Grain.PART):
        return day
    if grain in (Grain.WEEK, Grain.WEEKEND):
        return day - timedelta(days=(day.weekday() - week_start) % 7)
    if grain is Grain.DECADE:
        return day.replace(year=day.year // 10 * 10, month=1, day=1)
    if grain is Grain.CENTURY:
        return day.replace(year=(day.year - 1) // 100 * 100 + 1, month=1, day=1)
    months = _MONTHS[grain]
    return day.replace(month=(day.month - 1) // months * months + 1, day=1)


def within_unit(moment: datetime, grain: Grain, count: int = 0, week_start: int = 0) -> Interval:
    """The whole unit that lies `count` units after the one that holds the moment."""
    start = shift(floor(moment, grain, week_start), grain, count)
    return Interval(start, shift(start, grain, 1))


def iso_week(year: int, number: int) -> Interval | None:
    """Week `number` of the year by ISO 8601, None if the year has no such week."""
    try:
        start = datetime.combine(date.fromisocalendar(year, number, 1), datetime.min.time())
    except ValueError:
        return None
    return Interval(start, start + timedelta(weeks=1))


def utc_range(start: datetime | None, end: datetime | None, zone: tzinfo) -> TimeRange | None:
    """Wall clock → UTC; None if nothing is left between the two."""
    first = start and start.replace(tzinfo=zone).astimezone(UTC)
    last = end and end.replace(tzinfo=zone).astimezone(UTC)
    if first is not None and last is not None and first >= last:
        # The clock jumped over the interval, or back behind its beginning: keep its length.
        length = end - start if start is not None and end is not None else timedelta()
        if not timedelta() < length < timedelta(days=1):
            return None
        last = first + length
    return TimeRange(start=first, end=last)
