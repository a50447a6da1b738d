"""Periods that recur by name: months, days of months, weekdays, seasons, holidays, weeks; and years."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta

from ricordo.timeparse.civil import Interval, floor, iso_week, shift, within_unit
from ricordo.timeparse.hints import Grain
from ricordo.timeparse.patterns import Context, rule
from ricordo.timeparse.periods import Period, compose, known

__all__ = [
    "day_of_month",
    "month_period",
    "nth_weekday",
    "numbered_week",
    "recurring",
    "season_period",
    "weekday_period",
    "weekend_period",
    "year_period",
]

_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
_DAY = timedelta(days=1)
# A year further off than this is more likely a number.
_FAR_FUTURE = 2


def recurring(
    grain: Grain,
    place: Callable[[Interval], Interval | None],
    *part_of: Grain,
    cycle: Grain | None,
    week_start: int = 0,
) -> Period:
    """A period at a place inside each turn of a cycle, or inside an outer period of one of the grains `part_of`."""
    return Period(grain=grain, place=place, cycle=cycle, part_of=frozenset(part_of), week_start=week_start)


def month_period(month: int) -> Period:
    """A month of a year that is not known yet."""

    def place(turn: Interval) -> Interval:
        return within_unit(turn.start.replace(month=month, day=1), Grain.MONTH)

    return recurring(Grain.MONTH, place, Grain.YEAR, cycle=Grain.YEAR)


def day_of_month(day: int) -> Period:
    """A day of a month that is not known yet; none in a month that is too short."""

    def place(turn: Interval) -> Interval | None:
        start = turn.start + _DAY * (day - 1)
        return Interval(start, start + _DAY) if start < turn.end else None

    return recurring(Grain.DAY, place, Grain.MONTH, cycle=Grain.MONTH)


def weekday_period(context: Context, weekday: int) -> Period:
    """A day of a week."""

    def place(turn: Interval) -> Interval:
        start = turn.start + _DAY * ((weekday - turn.start.weekday()) % 7)
        return Interval(start, start + _DAY)

    return recurring(Grain.DAY, place, Grain.WEEK, cycle=Grain.WEEK, week_start=context.options.week_start)


def season_period(context: Context, season: str) -> Period:
    """A season of three whole months; the winter of a year begins in its December."""
    month = _SEASONS[season]
    if context.options.hemisphere == "south":
        month = (month + 5) % 12 + 1

    def place(turn: Interval) -> Interval:
        start = turn.start.replace(month=month, day=1)
        return Interval(start, shift(start, Grain.MONTH, 3))

    return recurring(Grain.SEASON, place, Grain.YEAR, cycle=Grain.YEAR)


@rule("year", bare=0.3, licensed=0.9)
def bare_year(context: Context, year: int) -> Period | None:
    return year_period(year) if year <= context.now.year + _FAR_FUTURE else None


@rule("year unit=year", "unit=year ~ year", "year year_abbreviation", "year unit=years")
def said_year(context: Context, *values: object) -> Period | None:
    year = next(value for value in values if isinstance(value, int))
    return year_period(year) if year <= context.now.year + 10 * _FAR_FUTURE else None


@rule("short_year", bare=0.0, licensed=0.0)
def short_year(_: Context, year: int) -> Period:
    return year_period(year)


def year_period(year: int) -> Period:
    """A whole year."""
    start = datetime.combine(date(year, 1, 1), time())
    return known(Grain.YEAR, Interval(start, shift(start, Grain.YEAR, 1)))


@rule("month", bare=0.65, licensed=0.92)
@rule("unit=month ~ month")
def month(_: Context, *values: object) -> Period | None:
    return month_period(int(str(values[-1])))


@rule("num|ord ~ month", "num|ord monthday_after ~ month", bare=0.9)
def day_and_month(_: Context, day: int, *rest: object) -> Period | None:
    return compose(day_of_month(day), month_period(int(str(rest[-1])))) if 1 <= day <= 31 else None


@rule("month the? num|ord", bare=0.9)
def month_and_day(context: Context, month: int, _: object, day: int) -> Period | None:
    if not context.words.month_before_day or not 1 <= day <= 31:
        return None
    return compose(day_of_month(day), month_period(month))


@rule("figure_ord", bare=0.0, licensed=0.7)
def ordinal_day(_: Context, day: int) -> Period | None:
    return day_of_month(day) if 1 <= day <= 31 else None


@rule("num|ord monthday_after", bare=0.7, licensed=0.88)
def day_number(context: Context, day: int, _: object) -> Period | None:
    return ordinal_day(context, day)


@rule("monthday num|ord", bare=0.7, licensed=0.88)
def numbered_day(context: Context, _: object, day: int) -> Period | None:
    return ordinal_day(context, day)


@rule("weekday", bare=0.75, licensed=0.92)
def weekday(context: Context, number: int) -> Period:
    return weekday_period(context, number)


@rule("weekday the? figure_ord", "weekday monthday? num")
def weekday_and_day(_: Context, number: int, __: object, day: int) -> Period | None:
    """Tuesday the 24th: the month in which the two agree."""
    whole = day_of_month(day)

    def place(turn: Interval) -> Interval | None:
        found = whole.place(turn) if whole.place else None
        return found if found and found.start.weekday() == number else None

    return recurring(Grain.DAY, place, Grain.MONTH, cycle=Grain.MONTH) if 1 <= day <= 31 else None


def weekend_period(context: Context) -> Period:
    """Saturday and Sunday of a week, or of the week that a day lies in."""

    def place(turn: Interval) -> Interval:
        monday = floor(turn.start, Grain.WEEK)
        return Interval(monday + 5 * _DAY, monday + 7 * _DAY)

    week_start = context.options.week_start
    return recurring(Grain.WEEKEND, place, Grain.WEEK, Grain.DAY, cycle=Grain.WEEK, week_start=week_start)


@rule("weekend", bare=0.6, licensed=0.85)
def weekend(context: Context, _: object) -> Period:
    return weekend_period(context)


@rule("season_adverb", bare=0.75, licensed=0.85)
@rule("season", bare=0.3, licensed=0.85)
def season(context: Context, name: str) -> Period:
    return season_period(context, name)


@rule("holiday", bare=0.6, licensed=0.9)
def holiday(_: Context, when: str) -> Period | None:
    """Of a fixed date "12-25", or the fourth Thursday of a month: "11-3#4"."""
    month, day = when.split("-", 1)
    weekday, _hash, number = day.partition("#")
    inner = nth_weekday(int(weekday), int(number)) if number else day_of_month(int(day))
    return compose(inner, month_period(int(month)))


def nth_weekday(weekday: int, number: int) -> Period:
    """The n-th Monday … of a longer period; counted from its end when `number` is negative."""

    def place(turn: Interval) -> Interval | None:
        if number < 0:
            start = turn.end - _DAY * ((turn.end.weekday() - weekday - 1) % 7 + 1 + 7 * (-number - 1))
        else:
            start = turn.start + _DAY * ((weekday - turn.start.weekday()) % 7 + 7 * (number - 1))
        return Interval(start, start + _DAY) if turn.start <= start < turn.end else None

    return recurring(Grain.DAY, place, Grain.MONTH, Grain.QUARTER, Grain.YEAR, cycle=None)


@rule("date")
def iso_date(_: Context, day: date) -> Period:
    return known(Grain.DAY, _whole_day(day))


@rule("local_date")
def local_date(context: Context, orders: Mapping[str, date | None]) -> Period | None:
    """A date whose figures allow one order only, or whose order is set."""
    settled = orders.get(context.options.date_order or "")
    days = {settled} if settled else {orders["dmy"], orders["mdy"]} - {None}
    return known(Grain.DAY, *map(_whole_day, filter(None, days))) if len(days) == 1 else None


@rule("local_date", bare=0.8, licensed=0.8)
def ambiguous_date(context: Context, orders: Mapping[str, date | None]) -> Period | None:
    """03/04/2026 by the order of the language; the other order is another reading."""
    preferred = orders.get(context.options.date_order or context.words.date_order) or orders["dmy"] or orders["mdy"]
    others = (day for day in (orders["dmy"], orders["mdy"]) if day and day != preferred)
    return known(Grain.DAY, _whole_day(preferred), *map(_whole_day, others)) if preferred else None


@rule("day_month", bare=0.4, licensed=0.85)
def day_month(context: Context, orders: Mapping[str, tuple[int, int]]) -> Period | None:
    order = context.options.date_order or context.words.date_order
    day, month = orders.get("mdy" if order == "ymd" else order) or next(iter(orders.values()))
    return compose(day_of_month(day), month_period(month))


@rule("month_year", bare=0.6, licensed=0.88)
def month_year(_: Context, value: tuple[int, int]) -> Period | None:
    return compose(month_period(value[1]), year_period(value[0]))


@rule("iso_week")
def iso_week_of_year(_: Context, value: tuple[int, int]) -> Period | None:
    return compose(numbered_week(value[0]), year_period(value[1]))


@rule("week_name", bare=0.5, licensed=0.88)
def week_name(_: Context, number: int) -> Period:
    return numbered_week(number)


@rule("unit=week num", bare=0.75, licensed=0.88)
def week_number(_: Context, __: str, number: int) -> Period | None:
    return numbered_week(number) if 1 <= number <= 53 else None


def numbered_week(number: int) -> Period:
    """A week by its ISO number, which does not depend on where weeks begin."""
    return recurring(Grain.WEEK, lambda turn: iso_week(turn.start.year, number), Grain.YEAR, cycle=Grain.YEAR)


def _whole_day(day: date) -> Interval:
    start = floor(datetime.combine(day, time()), Grain.DAY)
    return Interval(start, start + _DAY)
