"""From one period to another: "May to July 2025", "с 5 по 12 марта", "between 2 and 4 pm yesterday"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from ricordo.timeparse.atoms import day_of_month
from ricordo.timeparse.chains import GAP, Chains
from ricordo.timeparse.civil import Interval, within_unit
from ricordo.timeparse.clocks import clock_period
from ricordo.timeparse.hints import Grain, Relation
from ricordo.timeparse.patterns import Atom, skip
from ricordo.timeparse.periods import Period, compose, first_from, known, latest

__all__ = ["AND", "LINKS", "TO", "Bounds", "Draft", "neighbours_at", "ranges_at", "ranges_inside", "until_now"]

Bounds = tuple[datetime | None, datetime | None]

TO = frozenset({"to", "until"})
AND = frozenset({"and", "to"})
LINKS = frozenset({"of", "the", "in", "at"})
_OPENINGS = GAP | {"from", "since_or_from"}
_CLOCKS = (Grain.HOUR, Grain.MINUTE)
_NOON = 12
# No first side of a range has more tokens.
_REACH = 12
_SURE = 0.93
_SOME_DAY = known(Grain.DAY, Interval(datetime.fromisoformat("2000-01-01"), datetime.fromisoformat("2000-01-02")))


@dataclass(frozen=True, slots=True)
class Draft:
    """A reading of the tokens up to `end`, on the wall clock."""

    end: int
    relation: Relation
    bounds: Bounds
    grain: Grain
    confidence: float
    alternatives: tuple[Bounds, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Both sides of a range; `complete` if they stand without a period that holds them."""

    end: int
    first: Period
    last: Period
    complete: bool


def ranges_at(chains: Chains, place: int, links: frozenset[str] = TO) -> Iterator[Draft]:
    """Ranges whose first side begins at `place`, the two sides joined by one of `links`."""
    tokens = chains.context.tokens
    for pair in _pairs(chains, place, links):
        if pair.complete:
            yield from _drafts(chains, pair)
        after = skip(tokens, pair.end, GAP)
        if after < len(tokens) and not tokens[after - 1].pause:
            for outer in chains.at(after):
                yield from _drafts(chains, _within(pair, outer, outer.end))
    for first in chains.at(place):
        yield from _to_now(chains, first, links)


def ranges_inside(chains: Chains, outer: Atom) -> Iterator[Draft]:
    """Ranges that follow the period they lie in: "yesterday from two to four"."""
    tokens = chains.context.tokens
    place = skip(tokens, outer.end, _OPENINGS)
    links = TO
    if place < len(tokens) and "between" in tokens[place].senses:
        place, links = skip(tokens, place + 1, LINKS), AND
    if place < len(tokens) and not tokens[place - 1].pause:
        for pair in _pairs(chains, place, links):
            yield from _drafts(chains, _within(pair, outer, pair.end))


def _within(pair: Pair, outer: Atom, end: int) -> Pair | None:
    first, last = compose(pair.first, outer.period), compose(pair.last, outer.period)
    return Pair(end, first, last, True) if outer.licensed > 0 and first and last else None


def _drafts(chains: Chains, pair: Pair | None) -> Iterator[Draft]:
    bounds = pair and _span(pair.first, pair.last, chains.context.now)
    if pair and bounds:
        yield Draft(pair.end, Relation.BETWEEN, bounds, pair.last.grain, _SURE)


def _to_now(chains: Chains, first: Atom, links: frozenset[str]) -> Iterator[Draft]:
    tokens = chains.context.tokens
    if first.licensed <= 0 or first.end >= len(tokens) or links.isdisjoint(tokens[first.end].senses):
        return
    after = skip(tokens, first.end + 1, LINKS)
    found = latest(first.period, chains.context.now)
    if found and after < len(tokens) and "now" in tokens[after].senses:
        yield until_now(chains, after + 1, found.start, first.period.grain)


def until_now(chains: Chains, end: int, start: datetime, grain: Grain) -> Draft:
    """Up to this moment; or, as "until today" may mean, to the end of the day."""
    now = chains.context.now
    tonight = within_unit(now, Grain.DAY).end
    return Draft(end, Relation.BETWEEN, (start, now), grain, _SURE, ((start, tonight),))


def _pairs(chains: Chains, place: int, links: frozenset[str]) -> Iterator[Pair]:
    tokens = chains.context.tokens
    if all(links.isdisjoint(token.senses) for token in tokens[place + 1 : place + _REACH]):
        return
    for first in (*chains.at(place), *_numbers(chains, place)):
        link = first.end
        if link < len(tokens) and "comma" in tokens[link].senses:
            link += 1
        if link >= len(tokens) or links.isdisjoint(tokens[link].senses) or tokens[link - 1].pause:
            continue
        after = skip(tokens, link + 1, LINKS)
        for last in (*chains.at(after), *_numbers(chains, after)):
            yield from _paired(chains, first, last, after)


def neighbours_at(chains: Chains, place: int) -> Iterator[Draft]:
    """Two periods side by side: "Q2 and Q3 of 2025", «в мае и июне»."""
    for pair in _pairs(chains, place, frozenset({"and"})):
        bounds = _span(pair.first, pair.last, chains.context.now) if pair.complete else None
        if bounds and pair.first.grain is pair.last.grain and pair.first.grain.rank >= Grain.DAY.rank:
            gap = latest(pair.first, bounds.end)
            if gap and first_from(pair.last, gap.end) == Interval(gap.end, bounds.end):
                yield Draft(pair.end, Relation.IN, bounds, pair.last.grain, _SURE)


def _numbers(chains: Chains, place: int) -> Iterator[Atom]:
    """A number without more: a day of the month or an hour, if something else tells which."""
    if place >= len(chains.context.tokens):
        return
    senses = chains.context.tokens[place].senses
    number = senses.get("num", senses.get("ord"))
    if isinstance(number, int) and 1 <= number <= 31:
        yield Atom(place + 1, day_of_month(number), 0.0, 0.0, parts=0)
    if isinstance(number, int) and 0 <= number <= 24:
        yield Atom(place + 1, clock_period(number, 0), 0.0, 0.0, parts=0)


def _paired(chains: Chains, first: Atom, last: Atom, place: int) -> Iterator[Pair]:
    """A bare number must take its meaning from the other side, or both from a period around them."""
    given = first.period, last.period
    alike = given[0].grain is given[1].grain
    if first.parts == 0 and last.parts == 0:
        if alike:
            yield Pair(last.end, *given, complete=False)
        return
    if last.period.cycle is Grain.DAY and first.period.grain not in _CLOCKS:
        return
    if first.parts == 0 and alike and last.period.grain is Grain.HOUR:
        given = _same_half(first.period, last.period, chains.context.tokens[place].folded), last.period
    pair = _shared(*given)
    if 0 in (first.parts, last.parts) and pair == given and last.period.grain is not Grain.HOUR:
        return
    if 0 in (first.parts, last.parts) and not alike:
        return
    yield Pair(last.end, *pair, complete=max(first.licensed, last.licensed) >= 0.5)


def _same_half(first: Period, last: Period, text: str) -> Period:
    """The first of "2 to 4 pm" is in the afternoon too; that of "2 to 16:00" is not."""
    if ":" in text:
        return first
    start, end = _beginning(first), _beginning(last)
    if start is None or end is None or start.hour >= _NOON or end.hour < _NOON:
        return first
    return clock_period(start.hour + _NOON, 0) if start.hour + _NOON < end.hour else first


def _beginning(period: Period) -> datetime | None:
    found = period if period.interval else compose(period, _SOME_DAY)
    return found.interval.start if found and found.interval else None


def _shared(first: Period, last: Period) -> tuple[Period, Period]:
    """Give the side that lacks it the month, the year or the day that the other side names."""
    for outer in last.outers:
        if (found := compose(first, outer)) is not None:
            return found, last
    for outer in first.outers:
        if (found := compose(last, outer)) is not None:
            return first, found
    return first, last


def _span(first: Period, last: Period, now: datetime) -> Interval | None:
    """From the beginning of the first to the end of the last; to the beginning of a last that is a time of day."""
    if last.interval is not None:
        start = latest(first, last.interval.start)
        end: Interval | None = last.interval
    else:
        start = latest(first, now)
        end = start and first_from(last, start.start)
    if start is None or end is None:
        return None
    stop = end.start if last.grain in _CLOCKS else end.end
    if stop <= start.start and last.grain in _CLOCKS:
        stop += timedelta(hours=_NOON)
    return Interval(start.start, stop) if start.start < stop else None
