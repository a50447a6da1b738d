"""Times on pages: in numbers, which are read alike in every language, and how long ago in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from ricordo.ages import day, local
from ricordo.memory import EventTime, Memory
from ricordo.query import TimeRange
from ricordo.web.wording import Wording

__all__ = ["Moments"]

INSTANT = timedelta(microseconds=1)
UNITS = ((365.25, "years"), (30.44, "months"), (7, "weeks"), (1, "days"))


@dataclass(frozen=True, slots=True)
class Moments:
    """How times are written for a reader: as of now, in a zone, in a language."""

    now: datetime
    zone: tzinfo
    say: Wording

    def day(self, moment: datetime | None) -> str:
        """The date, with the time unless that is midnight."""
        return day(moment, self.zone) if moment else ""

    def date(self, moment: datetime) -> str:
        """The date alone."""
        return local(moment, self.zone).date().isoformat()

    def iso(self, moment: datetime) -> str:
        return moment.isoformat()

    def event(self, memory: Memory) -> str:
        """When what it speaks of happened; empty when that is unknown."""
        return self.period(memory.event) if memory.event else ""

    def period(self, event: EventTime) -> str:
        """`2026-05-03`, `2026-05`, `2026`, or its first and its last day."""
        start = local(event.start, self.zone)
        if event.end is None:
            return self.day(event.start)
        if event.grain in ("month", "year"):
            return start.date().isoformat()[: 7 if event.grain == "month" else 4]
        return self._span(event.start, event.end)

    def range(self, found: TimeRange) -> str:
        """The first and the last day of a range, either of which may be open."""
        if found.start is not None and found.end is not None:
            return self._span(found.start, found.end)
        return f"{self.day(found.start)} …" if found.start else f"… {self.day(found.end)}"

    def _span(self, start: datetime, end: datetime) -> str:
        first, last = self.date(start), self.date(end - INSTANT)
        if first != last:
            return f"{first} – {last}"
        return self.day(start) if end - start < timedelta(hours=20) else first

    def ago(self, moment: datetime | None) -> str:
        """`3 weeks ago`, by the calendar of the zone."""
        if moment is None:
            return ""
        days = (local(self.now, self.zone).date() - local(moment, self.zone).date()).days
        if days in (0, 1):
            return self.say("today" if days == 0 else "yesterday")
        length, unit = next((length, unit) for length, unit in UNITS if abs(days) >= 2 * length or unit == "days")
        return self.say("ago" if days > 0 else "ahead", span=self.say.many(unit, int(abs(days) / length)))
