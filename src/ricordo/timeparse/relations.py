"""Since, before, after, until, between, from … to: one period or two and the words that relate to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from ricordo.timeparse.chains import Chains
from ricordo.timeparse.civil import Interval, shift
from ricordo.timeparse.hints import Grain, Relation
from ricordo.timeparse.patterns import Atom, compile_pattern, match, skip
from ricordo.timeparse.periods import latest
from ricordo.timeparse.ranges import AND, LINKS, Bounds, Draft, neighbours_at, ranges_at, ranges_inside, until_now
from ricordo.timeparse.relative import back
from ricordo.timeparse.words import Token

__all__ = ["drafts_at"]

_PREPOSITIONS = frozenset({"in", "of", "the", "at", "during", "from", "comma"})
_LICENSES = frozenset({"in", "of", "at", "during", "from", "since_or_from", "by"})
_CLOCKS = (Grain.HOUR, Grain.MINUTE)
_OPEN = 0.93
# Above that of a range, which "за неделю до Нового года" might be taken for.
_DISTANT = 0.94
_WEAK = 0.4
_HABITUAL = 0.8
"""What may be done "on Sunday" is told of any Sunday, not of the last one: too little to filter by."""
_SHORT = 4
_COUNTABLE = frozenset({"unit", "units", "half", "weekday", "weekend", "part", "season", "label"})
_DOUBTFUL = (Grain.DAY, Grain.MONTH, Grain.SEASON, Grain.DECADE)


def drafts_at(chains: Chains, place: int) -> Iterator[Draft]:
    """Every reading that begins with the token at `place`."""
    senses = chains.context.tokens[place].senses
    for kind, read in _OPENERS.items():
        if kind in senses:
            yield from read(chains, place + 1)
    for first in range(place, skip(chains.context.tokens, place, _PREPOSITIONS) + 1):
        yield from _plain(chains, place, first)
        yield from ranges_at(chains, first)
        yield from neighbours_at(chains, first)
    yield from _counted(chains, place)


def _periods(chains: Chains, place: int) -> Iterator[tuple[Atom, Interval]]:
    """The periods that begin here, at their latest turns."""
    for atom in chains.at(place):
        interval = latest(atom.period, chains.context.now)
        if interval is not None:
            yield atom, interval


def _after_links(chains: Chains, place: int) -> int:
    return skip(chains.context.tokens, place, LINKS)


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
        yield from ranges_inside(chains, atom)


def _sureness(chains: Chains, atom: Atom, place: int, first: int) -> float:
    """Weak words alone need a preposition, no noun after them, and no capital where a name would have one."""
    tokens = chains.context.tokens
    licenses = [token for token in tokens[place:first] if not _LICENSES.isdisjoint(token.senses)]
    sure = atom.licensed if licenses else atom.bare
    if atom.parts > 1 or atom.period.grain not in _DOUBTFUL:
        return sure
    if atom.period.cycle is Grain.WEEK and any("habit" in token.senses for token in tokens[:place]):
        sure = min(sure, _HABITUAL)
    noun, name = _next_word(chains, atom.end)
    if "short" in tokens[first].senses:
        return min(sure, _WEAK)
    if atom.period.grain is Grain.SEASON:
        return sure if any("in" in token.senses for token in licenses) else atom.bare
    if atom.period.grain is Grain.DECADE:
        return min(sure, _WEAK) if noun else sure
    if "figure_ord" in tokens[first].senses and atom.end == first + 1:
        unit = atom.end < len(tokens) and not _COUNTABLE.isdisjoint(tokens[atom.end].senses)
        return min(sure, _WEAK) if noun or unit else sure
    if not atom.weak:
        return min(sure, _WEAK) if name and not licenses and "weekday" in tokens[first].senses else sure
    capital = chains.context.words.lower_case and tokens[first].capital
    named = capital and all("in" not in token.senses for token in licenses)
    return min(sure, _WEAK) if named or not licenses or (noun and _like_another(tokens[first])) else sure


def _like_another(token: Token) -> bool:
    """Whether the word is an ordinal too ("segunda"), or short enough to be something else ("sat")."""
    return "ord" in token.senses or ("weekday" in token.senses and len(token.folded) <= _SHORT)


def _next_word(chains: Chains, place: int) -> tuple[bool, bool]:
    """Whether what follows is likely a noun, or a name: a word that is no verb, of no function, not about time."""
    words, tokens = chains.context.words, chains.context.tokens
    if place >= len(tokens) or tokens[place - 1].pause:
        return False, False
    token = tokens[place]
    if token.senses.keys() - {"label"} or not token.folded.isalpha() or token.folded in words.signs:
        return False, False
    return not token.capital and not token.folded.endswith(words.verb_endings or ("\0",)), token.capital


def _open_ended(
    relation: Relation, pick: Callable[[Interval], Bounds], other: Callable[[Interval], Bounds] | None = None
) -> Callable[[Chains, int], Iterator[Draft]]:
    def read(chains: Chains, place: int) -> Iterator[Draft]:
        for atom, interval in _periods(chains, _after_links(chains, place)):
            if max(atom.bare, atom.licensed) <= 0:
                continue
            others = [other(interval)] if other else []
            others += [pick(each) for each in atom.period.alternatives]
            if other and atom.period.grain is Grain.PART:  # "until the end of the year"
                interval = Interval(interval.end, interval.end)
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
        start = draft.bounds[0]
        if start is not None and start < chains.context.now:
            yield until_now(chains, end + 1, start, draft.grain)


def _weekend_or_since(chains: Chains, place: int) -> Iterator[Draft]:
    """Russian "с": since Monday, but photos "from" the weekend."""
    for draft in _OPENERS["since"](chains, place):
        if draft.grain is Grain.WEEKEND:
            for atom, interval in _periods(chains, _after_links(chains, place)):
                yield Draft(atom.end, Relation.IN, interval, Grain.WEEKEND, 0.85, (draft.bounds,))
        else:
            yield draft


def _between(chains: Chains, place: int) -> Iterator[Draft]:
    yield from ranges_at(chains, _after_links(chains, place), AND)


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


_BEFORE_PERIOD = tuple(
    map(compile_pattern, ("num|one unit|units before|after", "unit before|after", "over num? unit|units before|after"))
)
_COUNTED = frozenset({"num", "one", "unit", "over", "older", "newer", "more", "less", "ago_before"})
_MORE_AGO = (
    compile_pattern("older num|one|few unit|units"),
    compile_pattern("more num|one|few unit|units ago"),
    compile_pattern("ago_before more num|one|few unit|units"),
    compile_pattern("more ago_before num|one|few unit|units"),
)
_LESS_AGO = (
    compile_pattern("newer num|one|few unit|units"),
    compile_pattern("less num|one|few unit|units ago"),
    compile_pattern("ago_before less num|one|few unit|units"),
    compile_pattern("less ago_before num|one|few unit|units"),
)


def _counted(chains: Chains, place: int) -> Iterator[Draft]:
    """More than two weeks ago, less than an hour ago, two days before Christmas."""
    if _COUNTED.isdisjoint(chains.context.tokens[place].senses):
        return
    try:
        yield from (*_older_or_newer(chains, place), *_beside_a_period(chains, place))
    except (OverflowError, ValueError):  # beyond the calendar: "older than 9000 years"
        return


def _older_or_newer(chains: Chains, place: int) -> Iterator[Draft]:
    context = chains.context
    for patterns, older in ((_MORE_AGO, True), (_LESS_AGO, False)):
        for pattern in patterns:
            if found := match(context.tokens, pattern, place):
                grain, moment = _moment(chains, found[1])
                bounds: Bounds = (None, moment) if older else (moment, context.now)
                relation = Relation.BEFORE if older else Relation.SINCE
                yield Draft(found[0], relation, bounds, grain, 0.9)


def _beside_a_period(chains: Chains, place: int) -> Iterator[Draft]:
    tokens = chains.context.tokens
    for pattern in _BEFORE_PERIOD:
        if found := match(tokens, pattern, place):
            counts = [value for value in found[1][:-1] if isinstance(value, int)]
            unit = next(value for value in found[1] if isinstance(value, str))
            sign = -1 if "before" in tokens[found[0] - 1].senses else 1
            yield from _distant(chains, found[0], unit, sign * max(counts, default=1))


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
        moved: Bounds = (shift(interval.start, grain, count), shift(interval.end, grain, count))
        window: Bounds = (moved[0], interval.start) if count < 0 else (interval.end, moved[1])
        # "The week before Christmas" is all of it; "two weeks before Christmas" is a day.
        main, other = (window, moved) if abs(count) == 1 and grain.rank > Grain.DAY.rank else (moved, window)
        yield Draft(atom.end, Relation.IN, main, atom.period.grain, _DISTANT, (other,))
