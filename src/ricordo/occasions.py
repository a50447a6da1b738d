"""When what is told happened: the time its words name, seen from the moment they were said; pure.

"Yesterday I moved the database", said on 8 May, happened on the 7th. A wrong time is worse than none, so a text's
words count only where they leave little doubt; otherwise it happened when it was said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from ricordo.dates import CONFIDENT, STANDARD, time_options
from ricordo.memory import EventOrigin, EventTime
from ricordo.query import TimeRange
from ricordo.sentences import sentence_starts
from ricordo.timeparse import Grain, Relation, TimeHint, TimeOptions, read_times
from ricordo.timeparse.civil import shift, utc_range, within_unit

__all__ = ["event_of", "refined", "time_options"]

# Who tells something says when near the beginning; further down stand times of other things.
READ_CHARACTERS = 2000
OPENING_CHARACTERS = 400
# Longer ones tell too little: "over the last 30 years".
LONGEST_SPAN, LONGEST_DATE = timedelta(days=366), timedelta(days=3660)
# Far enough, and odd enough, that no time counted from now is the same at both.
ELSEWHEN = timedelta(days=1234, hours=5)
INSTANT = timedelta(microseconds=1)
# How often what has a name comes again: an hour, a weekday, a day of a month, a month.
CYCLES = (Grain.DAY, Grain.WEEK, Grain.MONTH, Grain.YEAR)

_TELLING = frozenset({Relation.IN, Relation.SINCE, Relation.BETWEEN})
# Characters before a time, and after it up to a pause, in which the verb that goes with it stands.
NEARBY = 80
_PAUSE = re.compile(r"[.!?;,\n]")
_TO_COME = re.compile(
    r"""\b(?:
        will|won't|shall|going\ to|plans?\ to|planning\ to|wants?\ to|intends?\ to|hopes?\ to|due|scheduled
        |буд(?:ет|ут|ем|у)|собира(?:ется|ются|емся|юсь)|планиру\w+|намерен\w*|хо(?:чет|тим|тят|чу)|запланирован\w*
        |va(?:n|mos)?\ a|voy\ a|piensa[ns]?|planea\w*|quiere[ns]?|previst[oa]s?
        |(?:vai|vão|vamos|vou)\ \w+[aei]r|pretende[mn]?|planeja\w*|quer(?:em)?
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_HEADING = re.compile(r"\s*#{1,6}\s.*")
_MARKS = re.compile(r"[\W_]*")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Speaker:
    """Whose words are read: the moment they were said at, and how dates are read there."""

    said_at: datetime
    zone: tzinfo
    options: TimeOptions

    def read(self, text: str, now: datetime | None = None) -> tuple[TimeHint, ...]:
        moment = self.said_at if now is None else now
        return read_times(text, now=moment, zone=self.zone, options=self.options).times


@dataclass(frozen=True, kw_only=True, slots=True)
class _Time:
    """A time that a text names: `absolute` when it is the same whenever it is said, `lasting` when since then."""

    start: datetime
    end: datetime | None
    grain: Grain
    absolute: bool
    lasting: bool
    place: int

    def within(self, other: _Time) -> bool:
        return other.start <= self.start and (self.end or self.start) <= (other.end or other.start)

    def event(self) -> EventTime:
        return EventTime(start=self.start, end=self.end, grain=self.grain.value, origin=EventOrigin.INFERRED)


def event_of(text: str, said_at: datetime, zone: tzinfo, options: TimeOptions = STANDARD) -> EventTime:
    """When what somebody tells happened: `inferred` from its words, else the moment at which it was `said`.

    What it names counted from now comes before a date. Of several dates the one that the text begins with counts,
    or the finest of those that lie in one another; else none does. What is yet to come counts only by its full
    date, and what happens again and again has no time.
    """
    said = EventTime(start=said_at.astimezone(UTC), origin=EventOrigin.SAID)
    try:
        times = _times(text[:READ_CHARACTERS], _Speaker(said_at=said_at, zone=zone, options=options))
    except (OverflowError, ValueError):  # at the end of the calendar
        return said
    chosen = _telling(times, text)
    if chosen is None or _is_now(chosen, said_at):
        return said
    return chosen.event()


def refined(event: EventTime | None, text: str, zone: tzinfo, options: TimeOptions = STANDARD) -> EventTime | None:
    """The event time of what a source says, made exact by the first words of its text.

    Words such as "yesterday" count from the source's date, when that is a day or a moment. Without a date, only a
    single one that is written out with its year tells when: what else a file says was said nobody knows when.
    """
    opening = _opening(text)
    if event is None:
        return _only_date(opening, zone, options)
    if event.origin is not EventOrigin.SOURCE or event.grain not in (None, Grain.DAY):
        return event
    said_at = event.end - INSTANT if event.end is not None else event.start
    speaker = _Speaker(said_at=said_at, zone=zone, options=options)
    times = [time for time in _times(opening, speaker) if not time.absolute and _is_of_that_day(time, event)]
    if not times or times[0].start <= event.start < (times[0].end or times[0].start):
        return event
    return times[0].event()


def _only_date(opening: str, zone: tzinfo, options: TimeOptions) -> EventTime | None:
    epoch = datetime(2200, 1, 1, tzinfo=UTC)
    times = _times(opening, _Speaker(said_at=epoch, zone=zone, options=options))
    dates = [time for time in times if time.absolute and time.grain.rank <= Grain.MONTH.rank]
    return dates[0].event() if len(times) == len(dates) == 1 else None


def _is_of_that_day(time: _Time, event: EventTime) -> bool:
    """Whether it can be told from the day alone: hours that were counted from a moment cannot."""
    return event.grain is None or time.grain.rank >= Grain.PART.rank


def _opening(text: str) -> str:
    """The first sentence below a heading."""
    lines = text.splitlines()
    while lines and (not lines[0].strip() or _HEADING.fullmatch(lines[0])):
        del lines[0]
    body = "\n".join(lines)[:OPENING_CHARACTERS].partition("\n\n")[0]
    starts = sentence_starts(body)
    return body[: starts[0]] if starts else body


def _is_now(time: _Time, said_at: datetime) -> bool:
    """Whether it is the very day: then the moment is known better than its words tell."""
    end = time.end or time.start
    return time.grain.rank <= Grain.DAY.rank and time.start <= said_at < end and not time.absolute


def _telling(times: list[_Time], text: str) -> _Time | None:
    counted = [time for time in times if not time.absolute]
    if counted:
        return counted[0]
    if not times:
        return None
    finest = min(times, key=lambda time: (time.end or time.start) - time.start)
    if all(finest.within(time) for time in times):
        return finest
    return times[0] if _MARKS.fullmatch(text[: times[0].place]) else None


def _times(text: str, speaker: _Speaker) -> list[_Time]:
    """The times that may tell when it happened, in the order of the words."""
    hints = [
        hint
        for hint in speaker.read(text)
        if hint.confidence >= CONFIDENT and hint.relation in _TELLING and hint.range.start is not None
    ]
    if not hints:
        return []
    elsewhen = speaker.read(text, speaker.said_at + ELSEWHEN)
    found = (_time(hint, elsewhen, speaker) for hint in hints)
    return [time for time in found if time is not None and _is_told(time, text, speaker)]


def _time(hint: TimeHint, elsewhen: Sequence[TimeHint], speaker: _Speaker) -> _Time | None:
    """The time of a hint, by what the same text means at quite another moment."""
    absolute = any(hint.start == other.start and hint.range == other.range for other in elsewhen)
    start, end = hint.range.start, hint.range.end
    if start is None:
        return None
    if hint.relation is Relation.SINCE:
        end = _first_unit(start, hint.grain, speaker.zone).end
    elif end is None:
        return None
    return _Time(
        start=start,
        end=end,
        grain=hint.grain,
        absolute=absolute,
        lasting=hint.relation is Relation.SINCE,
        place=hint.start,
    )


def _first_unit(start: datetime, grain: Grain, zone: tzinfo) -> TimeRange:
    """What began "since March" began in March."""
    local = start.astimezone(zone).replace(tzinfo=None)
    if grain is Grain.SEASON:
        end = shift(local, Grain.MONTH, 3)
    elif grain is Grain.PART:
        end = local + timedelta(hours=1)
    elif grain is Grain.WEEKEND:
        end = shift(local, Grain.DAY, 2)
    else:
        unit = within_unit(local, grain)
        end = unit.end if unit.start == local else shift(local, grain, 1)
    return utc_range(local, end, zone) or TimeRange(start=start)


def _is_told(time: _Time, text: str, speaker: _Speaker) -> bool:
    length = (time.end or time.start) - time.start
    if time.absolute:
        return length <= LONGEST_DATE
    if length > LONGEST_SPAN or time.start > speaker.said_at or _is_to_come(text, time.place):
        return False
    return time.lasting or not any(_may_be_the_next(time, cycle, text, speaker) for cycle in CYCLES)


def _is_to_come(text: str, place: int) -> bool:
    """Whether the words around a time say that it is meant for the future: "we will deploy in August"."""
    after = _PAUSE.split(text[place : place + NEARBY], maxsplit=1)[0]
    return _TO_COME.search(text[max(0, place - NEARBY) : place] + after) is not None


def _may_be_the_next(time: _Time, cycle: Grain, text: str, speaker: _Speaker) -> bool:
    """Whether words that come true again and again ("on Friday", "on 4 July") more likely mean what is to come.

    That is when the next one is nearer than the last.
    """
    start = time.start.astimezone(speaker.zone).replace(tzinfo=None)
    following = utc_range(shift(start, cycle, 1), None, speaker.zone)
    if following is None or following.start is None:
        return False
    ahead, past = following.start - speaker.said_at, speaker.said_at - (time.end or time.start)
    if not timedelta() < ahead < past:
        return False
    hints = speaker.read(text, following.start + timedelta(hours=1))
    return any(hint.start == time.place and hint.range.start == following.start for hint in hints)
