"""Twelve kinds of naming a time, in English and Russian, with the interval that each means; pure.

The intervals are computed here from the calendar, and not by what reads times in questions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from ricordo.query import TimeRange

__all__ = ["EXTREMES", "KINDS", "NOW", "Phrase"]

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
"""When the questions are asked: a Wednesday."""

EXTREMES = ("first", "latest")
"""What the kind "order" asks for in place of a time."""

_DAY = timedelta(days=1)
_TODAY = NOW.replace(hour=0)
_MONDAY = _TODAY - _TODAY.weekday() * _DAY
_YEARS = (2024, 2025, 2026)


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_MONTHS = _listed("January February March April May June July August September October November December")
_MONTHS_OF = _listed("января февраля марта апреля мая июня июля августа сентября октября ноября декабря")
_MONTHS_IN = _listed("январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре")
_MONTHS_BY = _listed("январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь")
_WEEKDAYS = _listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
_WEEKDAYS_ON = _listed("понедельник вторник среду четверг пятницу субботу воскресенье")
_LAST_WEEKDAYS = ("прошлый", "прошлый", "прошлую", "прошлый", "прошлую", "прошлую", "прошлое")
_ORDINALS = ("first", "second", "third", "fourth")
_ORDINALS_IN = ("первом", "втором", "третьем", "четвёртом")


@dataclass(frozen=True, kw_only=True, slots=True)
class Phrase:
    """Words for a time, by language, and the interval they mean."""

    words: Mapping[str, str]
    range: TimeRange


def _phrase(english: str, russian: str, start: datetime | None, end: datetime | None) -> Phrase:
    return Phrase(words={"en": english, "ru": russian}, range=TimeRange(start=start, end=end))


def _month(year: int, month: int) -> datetime:
    """The beginning of a month; months go on beyond 12."""
    count = year * 12 + month - 1
    return datetime(count // 12, count % 12 + 1, 1, tzinfo=UTC)


def _day_of(day: datetime, random: Random) -> tuple[str, str]:
    """A date in English and Russian, with its year."""
    if random.random() < 0.3:
        return f"{day:%Y-%m-%d}", f"{day:%Y-%m-%d}"
    month = day.month - 1
    english = random.choice((f"{day.day} {_MONTHS[month]} {day.year}", f"{_MONTHS[month]} {day.day}, {day.year}"))
    return english, f"{day.day} {_MONTHS_OF[month]} {day.year} года"


def _any_day(random: Random, latest: int = 1050) -> datetime:
    return _TODAY - random.randrange(1, latest) * _DAY


def _days(random: Random) -> Phrase:
    count = random.randrange(1, 20)
    start = _TODAY - count * _DAY
    named = {1: ("yesterday", "вчера"), 2: ("the day before yesterday", "позавчера")}
    english, russian = named.get(count, (f"{count} days ago", f"{count} {'дня' if count < 5 else 'дней'} назад"))
    return _phrase(english, russian, start, start + _DAY)


def _week(random: Random) -> Phrase:
    count = random.randrange(6)
    named = (
        ("this week", "на этой неделе"),
        ("last week", "на прошлой неделе"),
        ("the week before last", "на позапрошлой неделе"),
    )
    start = _MONDAY - 7 * count * _DAY
    day = f"{start.day} {_MONTHS_OF[start.month - 1]} {start.year} года"
    other = (f"in the week of {start.day} {_MONTHS[start.month - 1]} {start.year}", f"на неделе с {day}")
    english, russian = named[count] if count < len(named) else other
    return _phrase(english, russian, start, start + 7 * _DAY)


def _month_of(random: Random) -> Phrase:
    manner = random.randrange(3)
    if manner == 0:
        return _phrase("last month", "в прошлом месяце", _month(2026, 10), _month(2026, 11))
    if manner == 1:
        month = random.randrange(10)
        return _phrase(
            f"in {_MONTHS[month]}", f"в {_MONTHS_IN[month]}", _month(2026, month + 1), _month(2026, month + 2)
        )
    year, month = random.choice(_YEARS), random.randrange(10)
    words = f"in {_MONTHS[month]} {year}", f"в {_MONTHS_IN[month]} {year} года"
    return _phrase(*words, _month(year, month + 1), _month(year, month + 2))


def _quarter(random: Random) -> Phrase:
    if random.random() < 0.3:
        return _phrase("last quarter", "в прошлом квартале", _month(2026, 7), _month(2026, 10))
    year, quarter = random.choice(_YEARS), random.randrange(3)
    english = random.choice((f"in Q{quarter + 1} {year}", f"in the {_ORDINALS[quarter]} quarter of {year}"))
    russian = f"в {_ORDINALS_IN[quarter]} квартале {year} года"
    return _phrase(english, russian, _month(year, 3 * quarter + 1), _month(year, 3 * quarter + 4))


def _year(random: Random) -> Phrase:
    year = random.choice(_YEARS)
    named = {2025: ("last year", "в прошлом году"), 2026: ("this year", "в этом году")}
    plain = (f"in {year}", f"в {year} году")
    english, russian = random.choice((plain, named.get(year, plain)))
    return _phrase(english, russian, _month(year, 1), _month(year + 1, 1))


def _since(random: Random) -> Phrase:
    if random.random() < 0.5:
        month = random.randrange(6, 11)
        return _phrase(f"since {_MONTHS[month - 1]}", f"с {_MONTHS_OF[month - 1]}", _month(2026, month), None)
    day = _any_day(random, 120)
    english, russian = _day_of(day, random)
    return _phrase(f"since {english}", f"с {russian}", day, None)


def _before(random: Random) -> Phrase:
    if random.random() < 0.5:
        year, month = random.choice((2024, 2025)), random.randrange(12)
        return _phrase(
            f"before {_MONTHS[month]} {year}", f"до {_MONTHS_OF[month]} {year} года", None, _month(year, month + 1)
        )
    day = _TODAY - random.randrange(500, 1000) * _DAY
    english, russian = _day_of(day, random)
    return _phrase(f"before {english}", f"до {russian}", None, day)


def _between(random: Random) -> Phrase:
    if random.random() < 0.5:
        year, month = random.choice(_YEARS), random.randrange(8)
        last = month + random.randrange(1, 3)
        words = (
            f"from {_MONTHS[month]} to {_MONTHS[last]} {year}",
            f"с {_MONTHS_OF[month]} по {_MONTHS_BY[last]} {year} года",
        )
        return _phrase(*words, _month(year, month + 1), _month(year, last + 2))
    first = _TODAY - random.randrange(60, 1000) * _DAY
    last_day = first + random.randrange(5, 50) * _DAY
    (english, russian), (english_end, russian_end) = _day_of(first, random), _day_of(last_day, random)
    words = f"between {english} and {english_end}", f"с {russian} по {russian_end}"
    return _phrase(*words, first, last_day + _DAY)


def _weekday(random: Random) -> Phrase:
    count = random.choice((1, 2, 3, 4, 5, 6))
    day = _TODAY - count * _DAY
    number = day.weekday()
    english, russian = f"on {_WEEKDAYS[number]}", f"в {_WEEKDAYS_ON[number]}"
    # Of days of this week, "last Tuesday" may mean the one before.
    if count > _TODAY.weekday() and random.random() < 0.5:
        english, russian = f"last {_WEEKDAYS[number]}", f"в {_LAST_WEEKDAYS[number]} {_WEEKDAYS_ON[number]}"
    return _phrase(english, russian, day, day + _DAY)


def _date(random: Random) -> Phrase:
    day = _any_day(random)
    english, russian = _day_of(day, random)
    return _phrase(f"on {english}", russian, day, day + _DAY)


def _season(random: Random) -> Phrase:
    year = random.choice(_YEARS)
    halves = (("first", "первой", 1), ("second", "второй", 7))
    seasons = (("spring", "весной", 3), ("summer", "летом", 6), ("autumn", "осенью", 9))
    if random.random() < 0.4:
        english, russian, month = random.choice(halves)
        words = f"in the {english} half of {year}", f"в {russian} половине {year} года"
        return _phrase(*words, _month(year, month), _month(year, month + 6))
    english, russian, month = random.choice(seasons)
    words = f"in the {english} of {year}", f"{russian} {year} года"
    return _phrase(*words, _month(year, month), _month(year, month + 3))


KINDS: Mapping[str, Callable[[Random], Phrase] | None] = {
    "days ago": _days,
    "week": _week,
    "month": _month_of,
    "quarter": _quarter,
    "year": _year,
    "since": _since,
    "before": _before,
    "between": _between,
    "weekday": _weekday,
    "date": _date,
    "season or half": _season,
    "order": None,
}
"""Each kind with what makes a phrase of it; "order" asks for the first or the latest, and names no time."""
