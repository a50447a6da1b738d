"""Times of day: clocks, hours of a part of the day, parts of the day, time stamps."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from ricordo.timeparse.atoms import recurring
from ricordo.timeparse.civil import Interval, floor
from ricordo.timeparse.hints import Grain
from ricordo.timeparse.patterns import Context, rule
from ricordo.timeparse.periods import Period, known

_HALF_DAY = timedelta(hours=12)

__all__ = ["clock_period", "part_period"]


def clock_period(hour: int, minute: int) -> Period:
    """The hour that begins at a time of day."""

    def place(turn: Interval) -> Interval:
        start = floor(turn.start, Grain.DAY) + timedelta(hours=hour, minutes=minute)
        # "At nine this evening" is at 21:00, "at two last night" is on the next day.
        candidates = (start, start + _HALF_DAY, start + 2 * _HALF_DAY)
        start = next((each for each in candidates if turn.start <= each < turn.end), start)
        return Interval(start, start + timedelta(hours=1))

    return recurring(Grain.HOUR, place, Grain.DAY, Grain.PART, cycle=Grain.DAY)


def part_period(hours: str) -> Period:
    """A part of the day, by its hours: "18-24", "21-30" for what ends at six the next morning."""
    first, last = map(int, hours.split("-"))

    def place(turn: Interval) -> Interval:
        return Interval(turn.start + timedelta(hours=first), turn.start + timedelta(hours=last))

    return recurring(Grain.PART, place, Grain.DAY, cycle=Grain.DAY)


@rule("part", bare=0.3, licensed=0.4)
def part(_: Context, hours: str) -> Period:
    return part_period(hours)


@rule("clock", bare=0.5, licensed=0.8)
@rule("clock ampm", bare=0.75, licensed=0.85)
@rule("clock oclock")
def clock(_: Context, at: tuple[int, int], half: str | int = "") -> Period | None:
    hour, minute = at
    return _twelve_hours(hour, minute, str(half))


@rule("num ampm", bare=0.75, licensed=0.85)
@rule("at num oclock ampm?", bare=0.8, licensed=0.8)
@rule("at num", bare=0.0, licensed=0.0)
def hour(_: Context, *values: object) -> Period | None:
    numbers = [value for value in values if isinstance(value, int)]
    number = numbers[0] if len(numbers) == 1 else numbers[1]
    return _twelve_hours(number, 0, next((value for value in values if isinstance(value, str)), ""))


@rule("at num and_half", "half_past num", bare=0.7, licensed=0.8)
def half_hour(_: Context, *values: object) -> Period | None:
    """Half past three, a las tres y media."""
    number = max(value for value in values if isinstance(value, int))
    return clock_period(number, 30) if number < 24 else None


def _twelve_hours(hour: int, minute: int, half: str) -> Period | None:
    if half in ("am", "pm"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    return clock_period(hour, minute) if 0 <= hour <= 24 else None


@rule("num|clock + part", "num|clock oclock + part", bare=0.5, licensed=0.85)
def hour_of_part(_: Context, at: tuple[int, int] | int, *rest: object) -> Period | None:
    """Five in the evening, 5 вечера, 5 de la tarde."""
    hour, minute = at if isinstance(at, tuple) else (at, 0)
    first, last = map(int, str(rest[-1]).split("-"))
    small_hours = last > 24 and hour < 6
    if hour < 12 and first >= 12 and not small_hours:
        hour += 12
    return clock_period(hour, minute) if 0 <= hour <= 24 else None


@rule("stamp")
def stamp(context: Context, value: tuple[date, int, int, str]) -> Period:
    day, hours, minutes, offset = value
    start = datetime.combine(day, time(hours, minutes))
    if offset:
        aware = datetime.fromisoformat(start.isoformat() + offset.upper())
        start = aware.astimezone(UTC).astimezone(context.zone).replace(tzinfo=None)
    return known(Grain.HOUR, Interval(start, start + timedelta(hours=1)))
