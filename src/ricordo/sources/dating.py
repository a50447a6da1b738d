"""When what a file says happened: by its name, by the times in its headings and lists, by when it was written."""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from itertools import islice
from pathlib import Path

from ricordo.dates import STANDARD, dated, iso_time
from ricordo.memory import EventOrigin, EventTime
from ricordo.sources.git import committed_at
from ricordo.timeparse import TimeOptions

__all__ = ["EARLIEST", "at_clock", "is_daily", "leading_date", "name_date", "written_at"]

YEAR, MONTH, DAY = r"(?:19|20)\d{2}", r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
NAMED_DAY = re.compile(
    rf"(?<!\d)(?<!\d[-_.])({YEAR})([-_.]?)({MONTH})\2({DAY})(?:\d{{4}}|\d{{6}})?(?![-_.]?\d(?!\d))(?!\d)"
)
NAMED_WEEK = re.compile(rf"(?<![\w-])({YEAR})-?W([0-5]\d)(?![\w-])")
NAMED_MONTH = re.compile(rf"({YEAR})-({MONTH})(?!-?\d)")
WEEKDAY = (
    r"(?:mon|tue|tues|wed|wednes|thu|thurs|fri|sat|satur|sun)(?:day)?"
    r"|понедельник|вторник|среда|четверг|пятница|суббота|воскресенье|пн|вт|ср|чт|пт|сб|вс"
    r"|lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo|(?:segunda|ter[çc]a|quarta|quinta|sexta)(?:-feira)?"
)
DAILY = re.compile(rf"{YEAR}([-_.]?){MONTH}\1{DAY}(?:[ _,-]+(?:{WEEKDAY})\.?)?", re.IGNORECASE)
BULLET = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?")
CLOCK = re.compile(
    rf"(?:{BULLET.pattern})?[*_]{{0,2}}([01]?\d|2[0-3])[:h]([0-5]\d)\b(?![.:]?\d)(?:\s?([ap])\.?m\b)?", re.IGNORECASE
)
ISO_FIRST = re.compile(rf"[*_\[(]*({YEAR}-{MONTH}(?:-{DAY}(?:[T ][0-2]\d:[0-5]\d)?)?|{YEAR}-W[0-5]\d)(?![\w-])[*_\])]*")
DATE_BEFORE_COLON = re.compile(r"[*_]{0,2}([^:—–\n]{6,40}?)[*_]{0,2}\s*(?::(?:\s|\*)|\s[—–-]\s)")

# What archives and file systems write for want of a time; nothing that is read here was written before.
AT_ONCE = 30.0
"""Seconds before and after a change within which others belong to it."""
FEWEST_AT_ONCE, MOST_FILES = 4, 2000
EARLIEST = datetime(1980, 1, 2, tzinfo=UTC)


def name_date(name: str, zone: tzinfo) -> EventTime | None:
    """The day (`2024-05-03 title`, `20240503`), week (`2024-W18`), or month at its beginning, that a name holds.

    An order of day and month that may be the other way round is never read.
    """
    if day := NAMED_DAY.search(name):
        return iso_time("-".join(day.group(1, 3, 4)), zone, EventOrigin.SOURCE)
    if week := NAMED_WEEK.search(name):
        return iso_time(f"{week[1]}-W{week[2]}", zone, EventOrigin.SOURCE)
    month = NAMED_MONTH.match(name)
    return iso_time(month[0], zone, EventOrigin.SOURCE) if month else None


def is_daily(stem: str) -> bool:
    """Whether a page is a day's: its name is a date, perhaps with a weekday, and nothing else."""
    return DAILY.fullmatch(stem) is not None


def leading_date(item: str, zone: tzinfo, options: TimeOptions = STANDARD) -> EventTime | None:
    """The date that an item of a list begins with: `- 2024-03-08: …`, `- **3 May 2024**: …`; None for any other."""
    bullet = BULLET.match(item)
    text = item[bullet.end() :] if bullet else item
    if iso := ISO_FIRST.match(text):
        return iso_time(iso[1], zone, EventOrigin.SOURCE)
    before = DATE_BEFORE_COLON.match(text)
    return dated(before[1], zone, options) if before and before[1][:1].isalnum() else None


def at_clock(event: EventTime | None, line: str, zone: tzinfo) -> EventTime | None:
    """The moment within the event's day at which a line begins: `10:30 Stand-up`; None when it has none."""
    if event is None or event.grain != "day" or event.origin is not EventOrigin.SOURCE:
        return None
    clock = CLOCK.match(line)
    if clock is None:
        return None
    hour = int(clock[1])
    if clock[3] and 1 <= hour <= 12:
        hour = hour % 12 + (12 if clock[3].lower() == "p" else 0)
    local = event.start.astimezone(zone).replace(hour=hour, minute=int(clock[2]))
    return EventTime(start=local.astimezone(UTC), origin=EventOrigin.SOURCE)


def written_at(path: Path, data: bytes, now: datetime) -> EventTime | None:
    """When the file was last committed as it is now, else when it was last changed: the moment it was `said`.

    None for a time that no file has, and for one that has yet to come.
    """
    moment = committed_at(path, data) or _changed_at(path)
    if moment is None or not EARLIEST <= moment <= now:
        return None
    return EventTime(start=moment, origin=EventOrigin.SAID)


def _changed_at(path: Path) -> datetime | None:
    """None where most of a folder changed at once: it was copied, or a program went over it."""
    try:
        changed = path.stat().st_mtime
        folder = path.parent
        others = _changes(folder, folder.stat().st_mtime_ns)
        moment = datetime.fromtimestamp(changed, UTC)
    except (OSError, OverflowError, ValueError):
        return None
    near = bisect_right(others, changed + AT_ONCE) - bisect_left(others, changed - AT_ONCE) - 1
    return None if near >= FEWEST_AT_ONCE and near * 2 >= len(others) - 1 else moment


@lru_cache(maxsize=256)
def _changes(folder: Path, _: int) -> list[float]:
    """When the files of a folder were changed, in order."""
    with os.scandir(folder) as entries:
        return sorted(entry.stat().st_mtime for entry in islice(entries, MOST_FILES) if entry.is_file())
