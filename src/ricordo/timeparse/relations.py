"""Since, before, after, until, between, from … to: one period or two and the words that relate to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ricordo.timeparse.atoms import clock_period, day_of_month
from ricordo.timeparse.chains import GAP, Chains
from ricordo.timeparse.civil import Interval, shift
from ricordo.timeparse.hints import Grain, Relation
from ricordo.timeparse.patterns import Atom, compile_pattern, match, skip
from ricordo.timeparse.periods import Period, compose, first_from, latest
from ricordo.timeparse.relative import back

__all__ = ["Draft", "drafts_at"]

Bounds = tuple[datetime | None, datetime | None]

_PREPOSITIONS = frozenset({"in", "of", "the", "at", "during", "from", "comma"})
_LICENSES = frozenset({"in", "of", "at", "during", "from", "since_or_from", "by"})
_LINKS = frozenset({"of", "the", "in", "at"})
_CLOCKS = (Grain.HOUR, Grain.MINUTE)
_RANGE = 0.93
_OPEN = 0.93
_WEAK = 0.4


@dataclass(frozen=True, slots=True)
class Draft:
    """A reading of the tokens up to `end`, on the wall clock."""

    end: int
    relation: Relation
    bounds: Bounds
    grain: Grain
    confidence: float
    alternatives: tuple[Bounds, ...] = ()


def drafts_at(chains: Chains, place: int) -> Iterator[Draft]:
    """Every reading that begins with the token at `place`."""
    senses = chains.context.tokens[place].senses
    for kind, read in _OPENERS.items():
        if kind in senses:
            yield from read(chains, place + 1)
    for first in range(place, skip(chains.context.tokens, place, _PREPOSITIONS) + 1):
        yield from _plain(chains, place, first)
        yield from _ranges(chains, first)
    yield from _counted(chains, place)


def _periods(chains: Chains, place: int) -> Iterator[tuple[Atom, Interval]]:
    """The periods that begin here, at their latest turns."""
    for atom in chains.at(place):
        interval = latest(atom.period, chains.context.now)
        if interval is not None:
            yield atom, interval


def _after_links(chains: Chains, place: int) -> int:
    return skip(chains.context.tokens, place, _LINKS)


def _plain(chains: Chains, place: int, first: int) -> Iterator[Draft]:
    tokens = chains.context.tokens
    before = tokens[place:first]
    if any(not _OPENERS.keys().isdisjoint(token.senses) for token in before):
        return
    for atom, interval in _periods(chains, first):
        sure = _sureness(chains, atom, place, first)
        yield Draft(atom.end, Relation.IN, interval, atom.period.grain, sure, atom.period.alternatives)
        if atom.end < len(tokens) and "onwards" in tokens[atom.end].senses:
            yield Draft(atom.end + 1, Relation.SINCE, (interval.start, None), atom.period.grain, _OPEN)


def _sureness(chains: Chains, atom: Atom, place: int, first: int) -> float:
    """Weak words alone need a preposition, no noun after them, and no capital where a name would have one."""
    tokens = chains.context.tokens
    licenses = [token for token in tokens[place:first] if not _LICENSES.isdisjoint(token.senses)]
    sure = atom.licensed if licenses else atom.bare
    if not atom.weak:
        return sure
    name = chains.context.words.lower_case and tokens[first].capital and all("in" not in t.senses for t in licenses)
    noun = atom.period.grain is Grain.DAY and _noun_follows(chains, atom.end)
    return min(sure, _WEAK) if name or noun or not licenses else sure


def _noun_follows(chains: Chains, place: int) -> bool:
    words, tokens = chains.context.words, chains.context.tokens
    if place >= len(tokens) or tokens[place - 1].pause:
        return False
    token = tokens[place]
    if token.senses or token.capital or not token.folded.isalpha() or token.folded in words.signs:
        return False
    return not token.folded.endswith(words.verb_endings or ("\0",))


def _open_ended(
    relation: Relation, pick: Callable[[Interval], Bounds], other: Callable[[Interval], Bounds] | None = None
) -> Callable[[Chains, int], Iterator[Draft]]:
    def read(chains: Chains, place: int) -> Iterator[Draft]:
        for atom, interval in _periods(chains, _after_links(chains, place)):
            if max(atom.bare, atom.licensed) <= 0:
                continue
            others = [other(interval)] if other else []
            others += [pick(each) for each in atom.period.alternatives]
            draft = Draft(atom.end, relation, pick(interval), atom.period.grain, _OPEN, tuple(others))
            yield draft
            yield from _ended(chains, draft)

    return read


def _ended(chains: Chains, draft: Draft) -> Iterator[Draft]:
    """Since Monday until now, desde marzo hasta mayo."""
    tokens = chains.context.tokens
    if draft.relation is not Relation.SINCE or draft.end >= len(tokens):
        return
    if {"to", "until"}.isdisjoint(tokens[draft.end].senses):
        return
    end = _after_links(chains, draft.end + 1)
    if end < len(tokens) and "now" in tokens[end].senses:
        yield replace(draft, end=end + 1, relation=Relation.BETWEEN, bounds=(draft.bounds[0], chains.context.now))


def _weekend_or_since(chains: Chains, place: int) -> Iterator[Draft]:
    """Russian "с": since Monday, but photos "from" the weekend."""
    for draft in _OPENERS["since"](chains, place):
        if draft.grain is Grain.WEEKEND:
            for atom, interval in _periods(chains, _after_links(chains, place)):
                yield Draft(atom.end, Relation.IN, interval, Grain.WEEKEND, 0.85, (draft.bounds,))
        else:
            yield draft


def _between(chains: Chains, place: int) -> Iterator[Draft]:
    yield from _ranges(chains, _after_links(chains, place), frozenset({"and", "to"}))


_OPENERS: dict[str, Callable[[Chains, int], Iterator[Draft]]] = {
    "since": _open_ended(Relation.SINCE, lambda interval: (interval.start, None)),
    "before": _open_ended(Relation.BEFORE, lambda interval: (None, interval.start)),
    "until": _open_ended(
        Relation.BEFORE, lambda interval: (None, interval.start), lambda interval: (None, interval.end)
    ),
    "after": _open_ended(Relation.AFTER, lambda interval: (interval.end, None)),
    "since_or_from": _weekend_or_since,
    "between": _between,
}


def _ranges(chains: Chains, place: int, links: frozenset[str] = frozenset({"to", "until"})) -> Iterator[Draft]:
    """A period, a word such as "to", another period; a bare number may stand for either."""
    tokens = chains.context.tokens
    for first in (*chains.at(place), *_numbers(chains, place)):
        link = first.end
        if link < len(tokens) and "comma" in tokens[link].senses:
            link += 1
        if link >= len(tokens) or links.isdisjoint(tokens[link].senses) or tokens[link - 1].pause:
            continue
        after = skip(tokens, link + 1, _LINKS)
        if after < len(tokens) and "now" in tokens[after].senses:
            yield from _to_now(chains, first, after)
        for last in (*chains.at(after), *_numbers(chains, after)):
            if first.parts + last.parts > 0:
                yield from _ranged(chains, first, last, place)


def _to_now(chains: Chains, first: Atom, after: int) -> Iterator[Draft]:
    found = latest(first.period, chains.context.now)
    if found and first.licensed > 0:
        yield Draft(after + 1, Relation.BETWEEN, (found.start, chains.context.now), first.period.grain, _RANGE)


def _numbers(chains: Chains, place: int) -> Iterator[Atom]:
    """A number without more: a day of the month or an hour, if the other side of the range tells which."""
    if place >= len(chains.context.tokens):
        return
    senses = chains.context.tokens[place].senses
    number = senses.get("num", senses.get("ord"))
    if isinstance(number, int) and 1 <= number <= 31:
        yield Atom(place + 1, day_of_month(number), 0.0, 0.0, parts=0)
    if isinstance(number, int) and 0 <= number <= 24:
        yield Atom(place + 1, clock_period(number, 0), 0.0, 0.0, parts=0)


def _ranged(chains: Chains, first: Atom, last: Atom, place: int) -> Iterator[Draft]:
    now = chains.context.now
    pair = _shared(first.period, last.period)
    if first.parts == 0 or last.parts == 0:
        numbers = first.period if first.parts == 0 else last.period
        other = last.period if first.parts == 0 else first.period
        if pair == (first.period, last.period) and not _same_kind(numbers, other):
            return
    for end, (start_period, end_period) in _outside(chains, pair, last.end, place):
        bounds = _span(start_period, end_period, now)
        if bounds is not None:
            sure = _RANGE if max(first.licensed, last.licensed) >= 0.5 else 0.0
            yield Draft(end, Relation.BETWEEN, bounds, end_period.grain, sure)


def _same_kind(number: Period, other: Period) -> bool:
    return number.grain is other.grain is Grain.HOUR


def _shared(first: Period, last: Period) -> tuple[Period, Period]:
    """Give the side that lacks it the month, the year or the day that the other side names."""
    for outer in last.outers:
        if (found := compose(first, outer)) is not None:
            return found, last
    for outer in first.outers:
        if (found := compose(last, outer)) is not None:
            return first, found
    return first, last


def _outside(
    chains: Chains, pair: tuple[Period, Period], end: int, place: int
) -> Iterator[tuple[int, tuple[Period, Period]]]:
    """The pair as it is, and inside a period that follows it: "from 2 to 4 pm yesterday"."""
    yield end, pair
    tokens = chains.context.tokens
    after = skip(tokens, end, GAP)
    if after < len(tokens) and not tokens[after - 1].pause:
        for outer in chains.at(after):
            if outer.licensed > 0 and (both := _within(pair, outer.period)):
                yield outer.end, both


def _within(pair: tuple[Period, Period], outer: Period) -> tuple[Period, Period] | None:
    first, last = compose(pair[0], outer), compose(pair[1], outer)
    return (first, last) if first and last else None


def _span(first: Period, last: Period, now: datetime) -> Bounds | None:
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
        stop += timedelta(hours=12)
    return (start.start, stop) if start.start < stop else None


_BEFORE_PERIOD = compile_pattern("num|one unit|units before|after")
_MORE_AGO = (
    compile_pattern("more num|one|few unit|units ago"),
    compile_pattern("ago_before more num|one|few unit|units"),
    compile_pattern("more ago_before num|one|few unit|units"),
)
_LESS_AGO = (
    compile_pattern("less num|one|few unit|units ago"),
    compile_pattern("ago_before less num|one|few unit|units"),
    compile_pattern("less ago_before num|one|few unit|units"),
)


def _counted(chains: Chains, place: int) -> Iterator[Draft]:
    """More than two weeks ago, less than an hour ago, two days before Christmas."""
    context = chains.context
    for patterns, older in ((_MORE_AGO, True), (_LESS_AGO, False)):
        for pattern in patterns:
            if found := match(context.tokens, pattern, place):
                grain, moment = _moment(chains, found[1])
                bounds: Bounds = (None, moment) if older else (moment, context.now)
                relation = Relation.BEFORE if older else Relation.SINCE
                yield Draft(found[0], relation, bounds, grain, 0.9)
    if found := match(context.tokens, _BEFORE_PERIOD, place):
        count, unit, _ = found[1]
        sign = -1 if "before" in context.tokens[found[0] - 1].senses else 1
        yield from _distant(chains, found[0], str(unit), sign * int(str(count)))


def _moment(chains: Chains, values: list[object]) -> tuple[Grain, datetime]:
    count = max(value for value in values if isinstance(value, int))
    unit = next(str(value) for value in values if isinstance(value, str))
    size, star, name = unit.partition("*")
    grain = Grain(name if star else unit)
    return grain, back(chains.context, grain, count * (int(size) if star else 1))


def _distant(chains: Chains, place: int, unit: str, count: int) -> Iterator[Draft]:
    if "*" in unit or abs(count) > 999:
        return
    grain = Grain(unit)
    for atom, interval in _periods(chains, _after_links(chains, place)):
        if atom.licensed <= 0 or grain in _CLOCKS:
            continue
        moved = shift(interval.start, grain, count), shift(interval.end, grain, count)
        window: Bounds = (moved[0], interval.start) if count < 0 else (interval.end, moved[1])
        yield Draft(atom.end, Relation.IN, moved, atom.period.grain, 0.85, (window,))
