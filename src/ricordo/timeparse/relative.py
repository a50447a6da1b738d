"""Periods counted from now ("last week", "three days ago", "за последние два месяца")."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from ricordo.timeparse.atoms import holiday, month_period, season_period, weekday_period, weekend_period
from ricordo.timeparse.civil import Interval, floor, shift, within_unit
from ricordo.timeparse.clocks import part_period
from ricordo.timeparse.hints import Grain
from ricordo.timeparse.patterns import Context, rule
from ricordo.timeparse.periods import Period, compose, first_from, known, latest

__all__ = ["back"]

_FINE = (Grain.MINUTE, Grain.HOUR)
_DAY = timedelta(days=1)
_MOST = 9999
_FEW = (2, 5)
# Of "the last days", when nobody says how many.
_VAGUE = {Grain.DAY: 7, Grain.WEEK: 4, Grain.MONTH: 3, Grain.YEAR: 3, Grain.HOUR: 6, Grain.MINUTE: 30}


def _measure(unit: str) -> tuple[int, Grain]:
    """The lexicon's "month" or "6*month"."""
    count, star, name = unit.partition("*")
    return (int(count), Grain(name)) if star else (1, Grain(unit))


def back(context: Context, grain: Grain, count: int) -> datetime:
    """The moment `count` units before now; hours and minutes are counted in true time, not on the wall clock."""
    if grain in _FINE:
        moment = context.now.replace(tzinfo=context.zone).astimezone(UTC)
        return shift(moment, grain, -count).astimezone(context.zone).replace(tzinfo=None)
    return shift(context.now, grain, -count)


def _unit(context: Context, grain: Grain, count: int) -> Interval:
    return within_unit(context.now, grain, count, context.options.week_start)


@rule("day_word")
def day_word(context: Context, count: int) -> Period:
    return known(Grain.DAY, _unit(context, Grain.DAY, count))


@rule("day_part")
def day_part(context: Context, value: str) -> Period:
    """Last night, tonight: a number of days and the hours."""
    day, hours = value.split()
    turn = _unit(context, Grain.DAY, int(day))
    found = compose(part_period(hours), known(Grain.DAY, turn))
    start = turn.start + timedelta(hours=18)
    others = (Interval(start, turn.end), Interval(turn.end, turn.end + timedelta(hours=6)))
    return known(Grain.PART, found.interval, *others) if found and found.interval else known(Grain.DAY, turn)


@rule("shift adjective unit")
def shifted_kind(context: Context, count: int, _: object, unit: str) -> Period | None:
    """The last full quarter, the previous calendar year."""
    return shifted_unit(context, count, unit)


@rule("shift unit", "unit shift_after")
def shifted_unit(context: Context, first: int | str, second: int | str) -> Period | None:
    count, unit = (second, first) if isinstance(first, str) else (first, second)
    size, grain = _measure(str(unit))
    if size != 1 or grain in _FINE:
        return _rolling(context, size, grain) if count == -1 else None
    interval = _unit(context, grain, int(count))
    if count == 0:
        return known(grain, interval, Interval(interval.start, context.now))
    return known(grain, interval)


@rule("unit before the? shift=-1")
def before_last(context: Context, unit: str, *_: object) -> Period | None:
    """The week before last."""
    return shifted_unit(context, -2, unit)


@rule("earlier shift unit", bare=0.9, licensed=0.9)
def earlier(context: Context, _: object, count: int, unit: str) -> Period | None:
    size, grain = _measure(unit)
    whole = _unit(context, grain, 0)
    return known(grain, Interval(whole.start, context.now)) if count == 0 and size == 1 else None


@rule("to_date")
def to_date(context: Context, unit: str) -> Period:
    return known(Grain(unit), Interval(_unit(context, Grain(unit), 0).start, context.now))


@rule("roll num unit|units", "num roll unit|units", "roll one unit|units")
def rolling(context: Context, first: int, second: int, unit: str) -> Period | None:
    size, grain = _measure(unit)
    return _rolling(context, max(first, second) * size, grain)


@rule("roll few unit|units", "few roll unit|units", "roll vague_count unit|units", bare=0.75, licensed=0.75)
def rolling_few(context: Context, _: object, __: object, unit: str) -> Period | None:
    size, grain = _measure(unit)
    return _rolling(context, 3 * size, grain)


@rule("roll unit", "unit roll_after", bare=0.9, licensed=0.9)
@rule("over unit=week", "over unit=month", "over unit=quarter", "over unit=year", bare=0.65, licensed=0.65)
def rolling_one(context: Context, first: object, second: object) -> Period | None:
    size, grain = _measure(str(second if isinstance(second, str) else first))
    return _rolling(context, size, grain)


@rule("roll units", "units roll_after", bare=0.65, licensed=0.65)
def rolling_vague(context: Context, first: object, second: object) -> Period | None:
    size, grain = _measure(str(second if isinstance(second, str) else first))
    return _rolling(context, size * _VAGUE.get(grain, 3), grain)


@rule("vague", bare=0.6, licensed=0.6)
def vague(context: Context, length: str) -> Period | None:
    size, grain = _measure(length)
    return _rolling(context, size, grain)


@rule("next num unit|units")
def coming(context: Context, _: object, count: int, unit: str) -> Period | None:
    size, grain = _measure(unit)
    return known(grain, Interval(context.now, back(context, grain, -count * size))) if 0 < count <= _MOST else None


def _rolling(context: Context, count: int, grain: Grain) -> Period | None:
    """The last `count` units up to now; or, as others mean it, whole days or the whole units before this one."""
    if not 0 < count <= _MOST:
        return None
    window = Interval(back(context, grain, count), context.now)
    if grain in _FINE:
        return known(grain, window)
    days = Interval(floor(window.start, Grain.DAY), floor(window.end, Grain.DAY) + _DAY)
    units = Interval(_unit(context, grain, -count).start, _unit(context, grain, 0).start)
    return known(grain, window, days, units)


@rule(
    "num unit|units ago", "ago_before num unit|units", "one unit ago", "ago_before one unit", bare=0.93, licensed=0.93
)
@rule("unit|units num ago", bare=0.85, licensed=0.85)
@rule("unit ago", "ago_before unit", bare=0.85, licensed=0.85)
@rule("ago_before num unit|units ago", bare=0.93, licensed=0.93)
def ago(context: Context, *values: object) -> Period | None:
    unit = next(str(value) for value in values if isinstance(value, str))
    numbers = [value for value in values if isinstance(value, int)]
    size, grain = _measure(unit)
    return _ago(context, max(numbers) * size, grain)


@rule("num|one unit|units ago day_word=0")
def ago_today(context: Context, count: int, unit: str, *_: object) -> Period | None:
    """A week ago today: the day, not the week."""
    size, grain = _measure(unit)
    return None if grain in _FINE else known(Grain.DAY, within_unit(back(context, grain, count * size), Grain.DAY))


def _ago(context: Context, count: int, grain: Grain) -> Period | None:
    if not 0 <= count <= _MOST:
        return None
    moment = back(context, grain, count)
    if grain is Grain.MINUTE:
        return known(grain, Interval(moment, context.now))
    if grain is Grain.HOUR:
        return known(grain, Interval(moment, back(context, grain, count - 1)))
    unit = within_unit(moment, grain, 0, context.options.week_start)
    day = within_unit(moment, Grain.DAY)
    return known(grain, unit) if grain is Grain.DAY else known(grain, unit, day)


@rule("few unit|units ago", "ago_before few unit|units", bare=0.75, licensed=0.75)
def ago_few(context: Context, *values: object) -> Period | None:
    size, grain = _measure(next(str(value) for value in values if isinstance(value, str)))
    if grain in _FINE:
        return known(grain, Interval(back(context, grain, _FEW[1] * size), back(context, grain, _FEW[0] * size)))
    near, far = (within_unit(back(context, grain, n * size), grain, 0, context.options.week_start) for n in _FEW)
    return known(grain, Interval(far.start, near.end))


_NAMED: dict[str, Callable[[Context, Any], Period | None]] = {
    "weekday": weekday_period,
    "month": lambda _, month: month_period(month),
    "season": season_period,
    "part": lambda _, hours: part_period(hours),
    "holiday": holiday,
    "weekend": lambda context, _: weekend_period(context),
}


def _register(kind: str, make: Callable[[Context, Any], Period | None]) -> None:
    """Last Tuesday, this summer, el martes pasado; "last" of rolling windows counts too ("último verão")."""

    @rule(f"shift {kind}")
    def before(context: Context, count: int, value: object) -> Period | None:
        named = make(context, value)
        return named and shifted(context, named, count)

    @rule(f"{kind} shift_after")
    def after(context: Context, value: object, count: int) -> Period | None:
        return before(context, count, value)

    @rule(f"shift {kind} shift_after")
    def both(context: Context, _: object, value: object, count: int) -> Period | None:
        return before(context, count, value)

    @rule(f"{kind} before the? shift=-1")
    def before_last(context: Context, value: object, *_: object) -> Period | None:
        return before(context, -2, value)

    @rule(f"roll {kind}")
    def last(context: Context, _: object, value: object) -> Period | None:
        return before(context, -1, value)

    @rule(f"{kind} roll_after")
    def last_after(context: Context, value: object, _: object) -> Period | None:
        return before(context, -1, value)


for _kind, _make in _NAMED.items():
    _register(_kind, _make)


def shifted(context: Context, named: Period, count: int) -> Period | None:
    """The latest one that is over, this one, or the next one."""
    if count == 0:
        return _this(context, named)
    if count > 0:
        found = first_from(named, context.now)
        return found and known(named.grain, found)
    found = latest(named, context.now, finished=True)
    if found is None or named.cycle is None:
        return None
    if count < -1:
        found = latest(named, shift(found.end, named.cycle, count + 1), finished=True)
        return found and known(named.grain, found)
    before = latest(named, shift(found.end, named.cycle, -1), finished=True)
    return known(named.grain, found, before) if before else known(named.grain, found)


def _this(context: Context, named: Period) -> Period | None:
    if named.cycle is None or named.place is None:
        return None
    found = latest(named, context.now)
    if found is None or found.end <= context.now:
        turn = within_unit(context.now, named.cycle, 0, context.options.week_start)
        coming = named.place(turn)
        if found and coming and named.grain is Grain.WEEKEND and coming.start > context.now:
            return known(named.grain, found, coming)  # "what did we do this weekend" is asked on a Monday
        found = coming
    return found and known(named.grain, found)
