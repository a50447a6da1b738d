"""What happened: where in time memories lie, and those of the stretch that one looks at."""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import groupby

from starlette.responses import Response

from ricordo.ages import local
from ricordo.errors import InvalidInput
from ricordo.memory import Memory
from ricordo.query import Filters, TimeRange
from ricordo.timeline import Timeline
from ricordo.web.asking import EVENTS, page_of_timeline
from ricordo.web.charts import Bar, bars
from ricordo.web.moments import Moments
from ricordo.web.paging import within_limits
from ricordo.web.rendering import Visit
from ricordo.web.surveys import Overview

__all__ = ["Span", "density", "show", "span_of"]

SPAN = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
DAY = timedelta(days=1)
FEW_YEARS = 10
MOST_YEARS = 200


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the calendar: all of it, a year, a month or a day."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def range(self, zone: tzinfo) -> TimeRange | None:
        """Where it begins and ends in the zone; open where the calendar itself begins or ends."""
        if self.year is None:
            return None
        month = self.month or 12
        first = date(self.year, self.month or 1, self.day or 1)
        last = date(self.year, month, self.day or calendar.monthrange(self.year, month)[1])
        return TimeRange(
            start=datetime.combine(first, time(), zone) if first > date.min else None,
            end=datetime.combine(last + DAY, time(), zone) if last < date.max else None,
        )

    @property
    def name(self) -> str:
        return "-".join(f"{part:0{4 if place == 0 else 2}d}" for place, part in enumerate(self._parts()))

    def _parts(self) -> list[int]:
        return [part for part in (self.year, self.month, self.day) if part is not None]

    def outwards(self) -> Iterator[Span]:
        """This span and those around it, the widest first."""
        parts = self._parts()
        return (Span(*parts[:depth]) for depth in range(len(parts) + 1))


def span_of(text: str) -> Span:
    """`2026`, `2026-03` or `2026-03-14`; the whole calendar for an empty text. Raises InvalidInput."""
    if not text:
        return Span()
    found = SPAN.fullmatch(text)
    year, month, day = (int(part) if part else None for part in found.groups()) if found else (0, None, None)
    try:
        date(year or 0, month or 1, day or 1)
    except ValueError as error:
        raise InvalidInput(f"span {text!r} is no year, month or day, such as 2026, 2026-03 or 2026-03-14") from error
    return Span(year, month, day)


def density(overview: Overview, span: Span) -> dict[str, int]:
    """How many memories lie in each part of the span: its years or months, months, days or hours; empty ones too."""
    within = span.range(overview.zone)
    if within is None:
        return _months_or_years(_by(7, overview.events.items()))
    if span.day is not None:
        counts = overview.hours(within)
        return {f"{hour:02d}": counts.get(f"{hour:02d}", 0) for hour in range(24)}
    name = span.name
    of_span = [(day, number) for day, number in overview.events.items() if day.startswith(name)]
    if span.month is not None:
        days = calendar.monthrange(span.year or 1, span.month)[1]
        return dict.fromkeys((f"{name}-{day:02d}" for day in range(1, days + 1)), 0) | dict(of_span)
    return dict.fromkeys((f"{name}-{month:02d}" for month in range(1, 13)), 0) | _by(7, of_span)


def _by(letters: int, days: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Counts of days by the year, or the month, that their names begin with."""
    counts: Counter[str] = Counter()
    for day, number in days:
        counts[day[:letters]] += number
    return dict(counts)


def _months_or_years(months: Mapping[str, int]) -> dict[str, int]:
    """By month where there are few years, else by year; without gaps, unless they are of centuries."""
    if not months:
        return {}
    first, last = min(months), max(months)
    years = range(int(first[:4]), int(last[:4]) + 1)
    if len(years) <= FEW_YEARS:
        every = (f"{year:04d}-{month:02d}" for year in years for month in range(1, 13))
        return {name: months.get(name, 0) for name in every if first <= name <= last}
    counts = _by(4, months.items())
    return dict.fromkeys((f"{year:04d}" for year in years), 0) | counts if len(years) <= MOST_YEARS else counts


async def show(visit: Visit) -> Response:
    """A stretch of time from above, and what happened in it."""
    asked = visit.asked
    span = span_of(asked.maybe("span") or "")
    filters = replace(asked.filters(visit.memory), time=span.range(visit.zone))
    topic, cursor = asked.maybe("topic"), asked.maybe("cursor")
    limit = within_limits(asked.number("limit", EVENTS))
    found, following = await _found(visit, topic, filters, limit, cursor)
    overview = await visit.service.overview(visit.memory.namespace)
    state = {
        "topic": topic,
        "span": span.name,
        "as_of": asked.maybe("as_of"),
        "superseded": filters.superseded,
        "tag": filters.tags,
        "origin": filters.origin,
        "kind": filters.kinds,
    }
    strip = bars(density(overview, span))
    return visit.render(
        "timeline.html",
        topic=topic or "",
        span=span,
        spans=tuple(span.outwards()),
        years=sorted(_by(4, overview.events.items())) if not span.name else (),
        state=state,
        strip=strip,
        links=tuple(_links(visit, strip.bars, span, state)),
        days=tuple(_days(found.memories, visit)),
        held=await _held(visit, found.memories),
        held_kinds=overview.kinds,
        undated=found.undated if not span.name else None,
        notices=found.notices,
        earlier=visit.address("/timeline", {**state, "cursor": following}) if following else None,
        bounds=_bounds(overview, visit),
        twin=visit.address("/api/timeline", {**state, **_days_of(span, visit), "limit": limit, "cursor": cursor}),
    )


async def _found(
    visit: Visit, topic: str | None, filters: Filters, limit: int, cursor: str | None
) -> tuple[Timeline, str | None]:
    if topic:
        return await visit.memory.timeline(topic, limit=limit, filters=filters), None
    return await page_of_timeline(visit.service, visit.memory.namespace, filters, limit, cursor)


def _days_of(span: Span, visit: Visit) -> dict[str, str | None]:
    """The span as REST is asked for it: by its first day, and the one after its last.

    The last day there is has none after it and is no date to ask for, but the moment at which it begins is.
    """
    range_, moments = span.range(visit.zone), Moments(visit.now, visit.zone, visit.say)

    def named(moment: datetime | None) -> str | None:
        if moment is None:
            return None
        day = moments.date(moment)
        return moment.isoformat() if day == date.max.isoformat() else day

    since, until = (range_.start, range_.end) if range_ else (None, None)
    return {"span": None, "since": named(since), "until": named(until)}


def _links(visit: Visit, drawn: Iterable[Bar], span: Span, state: Mapping[str, object]) -> Iterator[str | None]:
    """Where each bar leads: into its part of the span; hours lead nowhere."""
    kept = {name: value for name, value in state.items() if isinstance(value, str | bool | tuple)}
    for bar in drawn:
        inside = span.day is None and bar.number > 0
        yield visit.address("/timeline", {**kept, "span": bar.label}) if inside else None


def _days(memories: Iterable[Memory], visit: Visit) -> Iterator[tuple[str, list[Memory]]]:
    """The memories by the day on which what they speak of began, the latest first."""
    moments = Moments(visit.now, visit.zone, visit.say)
    latest = reversed(tuple(memories))
    for day, group in groupby(latest, lambda item: moments.date(item.event_timestamp or item.created_at)):
        yield day, list(group)


async def _held(visit: Visit, memories: Iterable[Memory]) -> dict[str, Memory]:
    """What took the place of each old version, by the old one's id."""
    found: dict[str, Memory] = {}
    for memory in memories:
        if memory.superseded_by is not None:
            line = await visit.memory.history(memory.id)
            found.update({item.supersedes: item for item in line if item.supersedes})
    return found


def _bounds(overview: Overview, visit: Visit) -> tuple[str, int, int] | None:
    """For a slider over days: the first day, how many days there are, and where on it the visit stands."""
    if not overview.quarters:
        return None
    first = local(overview.quarters[0], visit.zone).date()
    last = local(max(visit.now, overview.quarters[-1]), visit.zone).date()
    days = max(1, (last - first) // DAY)
    as_of = visit.asked.time("as_of", visit.memory)
    stands = (local(as_of.start, visit.zone).date() - first) // DAY if as_of else days
    return first.isoformat(), days, min(days, max(0, stands))
