"""Times as short plain text: as coarse as they are known, how they are known, and how long ago; pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta, tzinfo

from ricordo.memory import EventOrigin, EventTime, Memory

__all__ = ["age", "age_of", "day", "gap", "local", "occasion", "period"]

INSTANT = timedelta(microseconds=1)
SHORTEST_DAY, LONGEST_DAY = timedelta(hours=20), timedelta(hours=28)
LEAST_GAP = timedelta(days=14)

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
HOW = {EventOrigin.SOURCE: "from its source", EventOrigin.INFERRED: "inferred"}


def occasion(memory: Memory, now: datetime, zone: tzinfo) -> str:
    """When the thing happened and how that is known; when it is unknown, when the store was told of it or read it."""
    event = memory.event
    if event is None:
        verb = "said" if memory.origin.kind == "told" else "learned"
        learned = memory.updated_at
        return f"{verb} {local(learned, zone).date().isoformat()}, {age(learned, now, zone)}"
    said = "said " if event.origin is EventOrigin.SAID else ""
    how = HOW.get(event.origin)
    return f"{said}{period(event, zone)}, {age_of(event, now, zone)}" + (f" ({how})" if how else "")


def age_of(event: EventTime, now: datetime, zone: tzinfo) -> str:
    """How long ago it began; `now` while something lasts that is longer than a day."""
    lasts = event.end is not None and event.end - event.start > LONGEST_DAY and event.start <= now < event.end
    return "now" if lasts else age(event.start, now, zone)


def period(event: EventTime, zone: tzinfo) -> str:
    """`2026-05-03`, `2026-05-03 17:00`, `week of 2026-04-27`, `May 2026`, `2026`; else its first and its last day."""
    start = local(event.start, zone)
    if event.end is None:
        return day(event.start, zone)
    end = local(event.end, zone)
    if event.end - event.start < SHORTEST_DAY:
        hours = f"{start:%Y-%m-%d %H:%M}"
        return hours if event.grain in ("minute", "hour") else f"{hours} to {end:%H:%M}"
    last = local(event.end - INSTANT, zone).date()
    if last == start.date():
        return last.isoformat()
    name = NAMES.get(event.grain or "")
    if name is not None and _is_one(event.grain or "", start, end):
        return name(start)
    return f"{start.date().isoformat()} to {last.isoformat()}"


NAMES: dict[str, Callable[[datetime], str]] = {
    "week": lambda start: f"week of {start.date().isoformat()}",
    "weekend": lambda start: f"weekend of {start.date().isoformat()}",
    "month": lambda start: f"{MONTHS[start.month - 1]} {start.year}",
    "quarter": lambda start: f"Q{(start.month + 2) // 3} {start.year}",
    "half": lambda start: f"H{(start.month + 5) // 6} {start.year}",
    "year": lambda start: str(start.year),
    "decade": lambda start: f"{start.year}s",
}
DAYS = {"week": 7, "weekend": 2}
LENGTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}


def _is_one(grain: str, start: datetime, end: datetime) -> bool:
    """Whether it is exactly one such unit of the calendar: not two, and none that began in the middle."""
    if grain in DAYS:
        return (end.date() - start.date()).days == DAYS[grain]
    months = LENGTHS[grain]
    begun = start.year * 12 + start.month - 1
    ended = end.year * 12 + end.month - 1
    return start.day == end.day == 1 and begun % months == 0 and ended - begun == months


def gap(earlier: EventTime, later: EventTime, zone: tzinfo) -> str | None:
    """How long nothing happened between two events, `3 months`; None under two weeks."""
    end = max(earlier.end or earlier.start, earlier.start)
    if later.start - end < LEAST_GAP:
        return None
    return age(end, later.start, zone).removesuffix(" ago")


def local(moment: datetime, zone: tzinfo) -> datetime:
    """The moment in the zone; in UTC where the calendar ends before it is there: in year 1 and in year 9999."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment.astimezone(UTC)


def day(moment: datetime, zone: tzinfo) -> str:
    """The date in the zone, with the time unless that is midnight."""
    there = local(moment, zone)
    return there.date().isoformat() if there.time() == time() else f"{there:%Y-%m-%d %H:%M}"


def age(moment: datetime, now: datetime, zone: tzinfo) -> str:
    """How long ago, by the calendar of the zone: `today`, `yesterday`, `3 weeks ago`, `in 2 days`."""
    days = (local(now, zone).date() - local(moment, zone).date()).days
    near = {0: "today", 1: "yesterday", -1: "tomorrow"}.get(days)
    if near:
        return near
    span = _span(abs(days))
    return f"{span} ago" if days > 0 else f"in {span}"


def _span(days: int) -> str:
    for length, unit in ((365.25, "year"), (30.44, "month"), (7, "week")):
        if days >= 2 * length:
            return f"{int(days / length)} {unit}s"
    return f"{days} days"
