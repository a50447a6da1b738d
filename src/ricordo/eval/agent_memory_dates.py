"""How people write the day of an event, and how they ask for a time; in English and Russian, pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from ricordo.query import TimeRange

__all__ = ["NOW", "asked_times", "stated"]

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
"""When the questions are asked: a Wednesday."""

_DAY = timedelta(days=1)
_ENGLISH_MONTHS = "January February March April May June July August September October November December"
_RUSSIAN_MONTHS = "января февраля марта апреля мая июня июля августа сентября октября ноября декабря"
_IN_RUSSIAN_MONTHS = "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре"
_ENGLISH_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
_RUSSIAN_WEEKDAYS = "понедельник вторник среду четверг пятницу субботу воскресенье"

_MONTHS = {"en": _ENGLISH_MONTHS.split(), "ru": _RUSSIAN_MONTHS.split()}
_IN_MONTHS = {"en": _MONTHS["en"], "ru": _IN_RUSSIAN_MONTHS.split()}
_WEEKDAYS = {"en": _ENGLISH_WEEKDAYS.split(), "ru": _RUSSIAN_WEEKDAYS.split()}
_AGO = {"en": ("This morning", "Yesterday", "Two days ago"), "ru": ("Сегодня утром", "Вчера", "Позавчера")}


def stated(event: datetime, language: str, random: Random) -> tuple[str, datetime]:
    """How a record tells its day, perhaps not at all, and when it was written."""
    manner = random.random()
    if manner < 0.4:
        return "", event + random.randrange(3) * _DAY
    if manner < 0.65:
        return _absolute(event, language, random), event + random.randrange(20) * _DAY
    days = random.randrange(7)
    if days < len(_AGO[language]):
        return _AGO[language][days], event + days * _DAY
    weekday = _WEEKDAYS[language][event.weekday()]
    last = f"Last {weekday}" if language == "en" else f"В прошлый раз, в {weekday}"
    return last, event + days * _DAY


def _absolute(day: datetime, language: str, random: Random) -> str:
    month = _MONTHS[language][day.month - 1]
    if language == "ru":
        return random.choice((f"{day.day} {month} {day.year}", f"{day:%d.%m.%Y}", f"{day:%Y-%m-%d}"))
    return random.choice((f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", f"{day:%Y-%m-%d}"))


_ASKED = {
    "en": {
        "day": "on {day}",
        "week": "in the week of {week}",
        "month": "in {in_month} {year}",
        "quarter": "in Q{quarter} {year}",
        "yesterday": "yesterday",
        "last week": "last week",
        "last month": "last month",
    },
    "ru": {
        "day": "{day}",
        "week": "на неделе с {week}",
        "month": "в {in_month} {year} года",
        "quarter": "в {quarter} квартале {year}",
        "yesterday": "вчера",
        "last week": "на прошлой неделе",
        "last month": "в прошлом месяце",
    },
}


def asked_times(event: datetime, language: str, random: Random) -> list[tuple[str, TimeRange]]:
    """Phrases for intervals in which the event lies: those that count from now first, the others in any order."""
    week = _monday(event)
    slots = {
        "day": _absolute(event, language, random),
        "week": f"{week.day} {_MONTHS[language][week.month - 1]} {week.year}",
        "in_month": _IN_MONTHS[language][event.month - 1],
        "quarter": (event.month - 1) // 3 + 1,
        "year": event.year,
    }
    named = list(_named_spans(event).items())
    random.shuffle(named)
    spans = [(name, span) for name, span in _RELATIVE_SPANS.items() if event in span]
    return [(_ASKED[language][name].format_map(slots), span) for name, span in (*spans, *named)]


def _named_spans(event: datetime) -> dict[str, TimeRange]:
    day, week, month = _midnight(event), _monday(event), _midnight(event).replace(day=1)
    quarter = month.replace(month=(month.month - 1) // 3 * 3 + 1)
    return {
        "day": TimeRange(start=day, end=day + _DAY),
        "week": TimeRange(start=week, end=week + 7 * _DAY),
        "month": TimeRange(start=month, end=_after(month, 1)),
        "quarter": TimeRange(start=quarter, end=_after(quarter, 3)),
    }


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0)


def _monday(moment: datetime) -> datetime:
    return _midnight(moment) - moment.weekday() * _DAY


def _after(month: datetime, months: int) -> datetime:
    count = month.year * 12 + month.month - 1 + months
    return month.replace(year=count // 12, month=count % 12 + 1)


_RELATIVE_SPANS = {
    "yesterday": TimeRange(start=_midnight(NOW) - _DAY, end=_midnight(NOW)),
    "last week": TimeRange(start=_monday(NOW) - 7 * _DAY, end=_monday(NOW)),
    "last month": TimeRange(start=_after(_midnight(NOW).replace(day=1), -1), end=_midnight(NOW).replace(day=1)),
}
