"""Periods told by several groups of words: "at five on Tuesday last week", "5 de marzo de 2025 por la tarde"."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ricordo.timeparse.civil import within_unit
from ricordo.timeparse.hints import Grain
from ricordo.timeparse.patterns import Atom, Context, atoms_at, skip
from ricordo.timeparse.periods import Period, compose

__all__ = ["GAP", "Chains"]

GAP = frozenset({"of", "the", "in", "at", "during", "comma"})
_COMPOSED = 0.94
_MOST_PARTS = 6


@dataclass(slots=True)
class Chains:
    """All periods that begin at a token, found once."""

    context: Context
    _found: dict[int, list[Atom]] = field(default_factory=dict)
    _atoms: dict[int, list[Atom]] = field(default_factory=dict)

    def at(self, place: int) -> list[Atom]:
        """Periods of any length that begin here."""
        if place >= len(self.context.tokens):
            return []
        if place not in self._found:
            self._found[place] = self._grown(place)
        return self._found[place]

    def _grown(self, place: int) -> list[Atom]:
        found: list[Atom] = []
        growing = self._simple(place)
        while growing:
            longer: dict[int, Atom] = {}
            for atom in growing:
                found.append(atom)
                if atom.parts < _MOST_PARTS:
                    for each in self._extended(atom):
                        # Of two that end at the same word the first is by the earlier rule.
                        longer.setdefault(hash((each.end, each.period.grain, each.period.interval)), each)
            growing = list(longer.values())
        return found

    def _simple(self, place: int) -> list[Atom]:
        if place not in self._atoms:
            self._atoms[place] = atoms_at(self.context, place)
        return self._atoms[place]

    def _extended(self, atom: Atom) -> list[Atom]:
        tokens = self.context.tokens
        longer: list[Atom] = []
        stop = skip(tokens, atom.end, GAP | {"since_or_from"} if _is_week_of(atom.period) else GAP)
        for place in range(atom.end, min(stop + 1, len(tokens))):
            if tokens[place - 1].pause:
                break
            comma = any("comma" in token.senses for token in tokens[atom.end : place])
            for other in self._simple(place):
                if (comma and other.weak) or (period := _joined(atom.period, other.period)) is None:
                    continue
                sure = 0.0 if period.cycle is None and period.interval is None else _COMPOSED
                longer.append(Atom(other.end, period, sure, sure, parts=atom.parts + 1))
        return longer


def _joined(first: Period, second: Period) -> Period | None:
    """One inside the other, whichever way round, but "week" only before its day.

    A weekday beside a full date adds nothing.
    """
    composed = compose(first, second)
    if composed is None and not _is_week_of(second):
        composed = compose(second, first)
    if composed is not None:
        return composed
    for weekday, day in ((first, second), (second, first)):
        if weekday.grain is day.grain is Grain.DAY and weekday.cycle is Grain.WEEK and _agree(weekday, day):
            return replace(day)
    return None


def _is_week_of(period: Period) -> bool:
    """The week of a day that is told behind it: "the week of 5 March", "на неделе с 5 марта"."""
    return period.grain is Grain.WEEK and period.part_of == {Grain.DAY}


def _agree(weekday: Period, day: Period) -> bool:
    """Whether the day may be that weekday; without a year nobody can say."""
    if day.interval is None:
        return day.cycle in (Grain.YEAR, Grain.MONTH)
    week = within_unit(day.interval.start, Grain.WEEK, 0, weekday.week_start)
    return weekday.place is not None and weekday.place(week) == day.interval
