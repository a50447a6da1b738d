"""Dates that are written down by themselves: in properties, file names, headings, options; pure."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, tzinfo

from ricordo.errors import InvalidInput
from ricordo.memory import EventOrigin, EventTime
from ricordo.settings import WEEKDAYS, Settings
from ricordo.timeparse import Grain, Relation, TimeHint, TimeOptions, read_times
from ricordo.timeparse.civil import within_unit

__all__ = ["STANDARD", "dated", "iso_time", "named_time", "time_options"]

STANDARD = TimeOptions()
CONFIDENT = 0.85
LONGEST = 250  # characters of a heading or a property

_ISO_MONTH = re.compile(r"(\d{4})-(\d{2})")
_ISO_WEEK = re.compile(r"(\d{4})-?W(\d{2})")
_YEAR = re.compile(r"\d{4}")
# The day comes first wherever dots stand between.
_DOTTED = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}")
# All dates that are written down lie behind these two moments; what reads alike at both has a year of its own.
_LATER = (datetime(2201, 3, 7, 12, tzinfo=UTC), datetime(2204, 10, 19, 5, tzinfo=UTC))
# A month or a year alone is a date only behind one of these: "in march", "в марте", "en marzo", "em março".
_PREPOSITIONS = ("in", "в", "en", "em")


def time_options(settings: Settings) -> TimeOptions:
    """How dates are read where the settings are at home. Raises ConfigError."""
    return TimeOptions(
        week_start=WEEKDAYS.index(settings.week_start),
        hemisphere=settings.hemisphere,
        date_order=None if settings.date_order == "auto" else settings.date_order,
    )


def iso_time(text: str, zone: tzinfo, origin: EventOrigin = EventOrigin.STATED) -> EventTime | None:
    """A date, a week, a month, or a date and time in ISO 8601; None for anything else, and beyond the calendar.

    A date is its whole day in the zone, a week (`2026-W18`) or a month (`2026-05`) all of it; a time without an offset
    is in the zone.
    """
    text = text.strip()
    try:
        if month := _ISO_MONTH.fullmatch(text):
            return _whole(datetime(int(month[1]), int(month[2]), 1), Grain.MONTH, zone, origin)  # noqa: DTZ001
        if week := _ISO_WEEK.fullmatch(text):
            monday = date.fromisocalendar(int(week[1]), int(week[2]), 1)
            return _whole(datetime.combine(monday, time()), Grain.WEEK, zone, origin)
        moment = datetime.fromisoformat(text)
        if _is_date(text):
            return _whole(moment, Grain.DAY, zone, origin)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
        return EventTime(start=moment.astimezone(UTC), origin=origin)
    except (ValueError, OverflowError):
        return None


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _whole(local: datetime, grain: Grain, zone: tzinfo, origin: EventOrigin) -> EventTime:
    unit = within_unit(local, grain)
    start, end = (moment.replace(tzinfo=zone).astimezone(UTC) for moment in unit)
    return EventTime(start=start, end=end, grain=grain.value, origin=origin)


def dated(text: str, zone: tzinfo, options: TimeOptions = STANDARD) -> EventTime | None:
    """The one date that a heading or a property names, with its year, in any language that is read.

    None when it names none, several, or no more than a year.
    """
    if len(text) > LONGEST or not _YEAR.search(text):
        return None
    if (found := iso_time(text, zone, EventOrigin.SOURCE)) is not None:
        return found
    first, again = (read_times(text, now=now, zone=zone, options=options).times for now in _LATER)
    fixed = [hint for hint in first if hint in again and _is_date_of_a_heading(hint)]
    ranges = {hint.range for hint in fixed}
    if len(ranges) != 1:
        return None
    return _event(fixed[0], EventOrigin.SOURCE)


def _is_date_of_a_heading(hint: TimeHint) -> bool:
    sure = hint.confidence >= CONFIDENT or _DOTTED.search(hint.text) is not None
    return sure and hint.relation in (Relation.IN, Relation.BETWEEN) and hint.grain.rank < Grain.YEAR.rank


def _event(hint: TimeHint, origin: EventOrigin) -> EventTime | None:
    start, end = hint.range.start, hint.range.end
    if start is None:
        return None
    return EventTime(start=start, end=end, grain=hint.grain.value if end else None, origin=origin)


def named_time(text: str, *, now: datetime, zone: tzinfo, options: TimeOptions = STANDARD) -> EventTime:
    """The time that a whole text names: in ISO 8601, or as people say it ("last monday", "в марте").

    A time that lasts "since" its beginning has no end. Raises InvalidInput for a text that says anything else,
    several times, or none.
    """
    if (found := iso_time(text, zone)) is not None:
        return found
    for asked in (text, *(f"{word} {text}" for word in _PREPOSITIONS)):
        hints = read_times(asked, now=now, zone=zone, options=options).times
        if len(hints) == 1 and _says_no_more(asked, hints[0]) and (event := _event(hints[0], EventOrigin.STATED)):
            return event
    raise InvalidInput(
        f"{text!r} names no time; write a date such as 2026-11-16 or 2026-11-16T09:30, or a phrase such as last monday"
    )


def _says_no_more(text: str, hint: TimeHint) -> bool:
    return not any(map(str.isalnum, text[: hint.start] + text[hint.end :]))
