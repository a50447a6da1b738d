"""Parts of longer periods: quarters and halves, the first week, early and late, decades and centuries."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from ricordo.timeparse.atoms import nth_weekday, numbered_week, recurring, year_period
from ricordo.timeparse.civil import Interval, iso_week, shift, within_unit
from ricordo.timeparse.hints import Grain
from ricordo.timeparse.patterns import Context, rule
from ricordo.timeparse.periods import Period, compose, known

__all__: list[str] = []

_DAY = timedelta(days=1)
_LONG = frozenset(grain for grain in Grain if grain.rank >= Grain.WEEK.rank)
_THIRDS = {"early": 0, "mid": 1, "late": 2}
_TEN_DAYS = 10
# Weeks beyond the fifth are numbered through the year, not through a month.
_WEEKS_OF_MONTH = 5
_HALF_YEAR = timedelta(days=184)


@rule("quarter_name", bare=0.75, licensed=0.93)
def named_part(_: Context, value: tuple[int, int | None]) -> Period | None:
    number, year = value
    whole = _quarter(number)
    return whole if year is None else compose(whole, year_period(year))


@rule("half_name", bare=0.6, licensed=0.93)
def named_half(_: Context, value: tuple[int, int | None]) -> Period | None:
    number, year = value
    whole = _half_year(number)
    return whole if year is None else compose(whole, year_period(year))


@rule(
    "ord ~ unit=quarter",
    "unit=quarter num|ord|roman",
    "roman unit=quarter",
    "num unit=quarter",
    bare=0.7,
    licensed=0.92,
)
def quarter(_: Context, *values: object) -> Period | None:
    number = next(value for value in values if isinstance(value, int))
    return _quarter(number) if 1 <= number <= 4 else None


@rule("ord ~ unit=half", "unit=half num|ord|roman", "roman unit=half", "num unit=half", bare=0.7, licensed=0.92)
def half_year(_: Context, *values: object) -> Period | None:
    number = next(value for value in values if isinstance(value, int))
    return _half_year(number) if 1 <= number <= 2 else None


def _quarter(number: int) -> Period:
    return recurring(
        Grain.QUARTER, lambda turn: within_unit(turn.start, Grain.QUARTER, number - 1), Grain.YEAR, cycle=Grain.YEAR
    )


def _half_year(number: int) -> Period:
    return recurring(
        Grain.HALF, lambda turn: within_unit(turn.start, Grain.HALF, number - 1), Grain.YEAR, cycle=Grain.YEAR
    )


@rule("ord half", bare=0.0, licensed=0.0)
def half(_: Context, number: int, __: object) -> Period | None:
    """The first or second half of whatever follows."""
    if number not in (1, 2, -1):
        return None

    def place(turn: Interval) -> Interval:
        middle = _point(turn, 1, 2)
        return Interval(turn.start, middle) if number == 1 else Interval(middle, turn.end)

    return recurring(Grain.HALF, place, *_LONG, cycle=None)


@rule("fuzzy", bare=0.0, licensed=0.0)
def third(_: Context, which: str) -> Period:
    """The beginning, the middle or the end of whatever follows."""
    number = _THIRDS[which]

    def place(turn: Interval) -> Interval:
        return Interval(_point(turn, number, 3), _point(turn, number + 1, 3))

    return recurring(Grain.PART, place, *_LONG, cycle=None)


def _point(turn: Interval, numerator: int, denominator: int) -> datetime:
    """A fraction of an interval, at a whole month of long ones and at a day of others; tens of days in a month."""
    if numerator == 0:
        return turn.start
    if numerator == denominator:
        return turn.end
    days = (turn.end - turn.start).days
    if 28 <= days <= 31:
        return turn.start + _DAY * (15 if denominator == 2 else _TEN_DAYS * numerator)
    months = (turn.end.year - turn.start.year) * 12 + turn.end.month - turn.start.month
    if months * numerator % denominator == 0 and turn.start.day == turn.end.day == 1:
        return shift(turn.start, Grain.MONTH, months * numerator // denominator)
    return turn.start + _DAY * round(days * numerator / denominator)


@rule("the? unit", bare=0.0, licensed=0.0)
def whole_unit(context: Context, _: object, unit: str) -> Period | None:
    """The month, of which something is a part: the latest one, if nothing more is said."""
    if "*" in unit or Grain(unit) not in _LONG:
        return None
    return recurring(Grain(unit), lambda turn: turn, cycle=Grain(unit), week_start=context.options.week_start)


@rule("unit=week", bare=0.0, licensed=0.0)
def week_of(context: Context, _: object) -> Period:
    """The week that a day lies in."""
    week_start = context.options.week_start
    return recurring(Grain.WEEK, lambda turn: within_unit(turn.start, Grain.WEEK, 0, week_start), Grain.DAY, cycle=None)


@rule("ord ~ unit", "ord num unit|units", "num ord unit|units", "ord ~ units", bare=0.0, licensed=0.0)
def nth_unit(_: Context, number: int, *rest: object) -> Period | None:
    """The first week of something, the last day of it, its first two weeks."""
    unit, count = str(rest[-1]), rest[0] if isinstance(rest[0], int) else 1
    if count in (1, -1):
        number, count = count if len(rest) > 1 else number, number if len(rest) > 1 else 1
    if "*" in unit or (number not in (1, -1) and count != 1):
        return None
    grain = Grain(unit)
    if grain is Grain.WEEK and number > _WEEKS_OF_MONTH:
        return numbered_week(number)

    def place(turn: Interval) -> Interval | None:
        if grain is Grain.WEEK and number > 0 and turn.end - turn.start > _HALF_YEAR:
            first = iso_week(turn.start.year, number)
            return first and Interval(first.start, shift(first.start, grain, count))
        if number < 0:
            return _inside(
                turn, Interval(shift(turn.end, grain, number * count), shift(turn.end, grain, number * count + count))
            )
        start = shift(turn.start, grain, number - 1)
        return _inside(turn, Interval(start, shift(start, grain, count)))

    coarser = (each for each in Grain if each.rank > grain.rank and each.rank >= Grain.WEEK.rank)
    return recurring(grain, place, *coarser, cycle=None)


@rule("ord unit=week", bare=0.75, licensed=0.88)
def nth_week_of_year(_: Context, number: int, __: object) -> Period | None:
    return numbered_week(number) if _WEEKS_OF_MONTH < number <= 53 else None


@rule("ord ~ weekday", bare=0.0, licensed=0.0)
def ordinal_weekday(_: Context, number: int, weekday: int) -> Period:
    """The first Monday of a month, its last Friday."""
    return nth_weekday(weekday, number)


def _inside(turn: Interval, found: Interval) -> Interval | None:
    """The interval if it begins within the turn; its end is cut there."""
    if not turn.start <= found.start < turn.end:
        return None
    return Interval(found.start, min(found.end, turn.end))


@rule("named_decade", bare=0.7, licensed=0.92)
@rule("the decade", bare=0.75, licensed=0.92)
@rule("decade", bare=0.45, licensed=0.92)
@rule("decade unit|units")
@rule("decade_word ~ decade|year|num")
def decade(_: Context, *values: object) -> Period | None:
    year = next((value for value in values if isinstance(value, int) and value >= _TEN_DAYS), 0)
    if year < 100:
        year += 2000 if year <= 20 else 1900
    if year % 10 or not 1000 <= year < 2200:
        return None
    return known(Grain.DECADE, whole(year, Grain.DECADE))


@rule("decade_article num", bare=0.0, licensed=0.85)
def counted_decade(context: Context, _: object, number: int) -> Period | None:
    """Los 90: a number of years that cannot be meant."""
    return decade(context, number) if 50 <= number <= 90 else None


@rule("ord|roman ~ unit=century", "unit=century roman|num|ord")
def century(_: Context, *values: object) -> Period | None:
    number = next(value for value in values if isinstance(value, int))
    if not 11 <= number <= 22:
        return None
    return known(Grain.CENTURY, whole(number * 100 - 50, Grain.CENTURY))


def whole(year: int, grain: Grain) -> Interval:
    """The decade or century that a year lies in."""
    return within_unit(datetime.combine(date(year, 1, 1), time()), grain)
