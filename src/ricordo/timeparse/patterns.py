"""Rules that turn a run of typed tokens into a period.

A pattern is a row of elements: the name of a type (`num`), several (`num|ord`), a type with a value
(`unit=week`), any of them optional (`the?`), or a mark for little words that may stand between: `~` for articles
and "of", `+` for these and other prepositions. The values of the matched tokens are the arguments of the rule,
None for what is absent; marks are no arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from ricordo.timeparse.hints import TimeOptions
from ricordo.timeparse.lexicon import Lexicon
from ricordo.timeparse.periods import Period
from ricordo.timeparse.words import Token

__all__ = ["Atom", "Context", "Pattern", "atoms_at", "compile_pattern", "match", "rule", "skip"]

_LINKS = {"~": frozenset({"of", "the"}), "+": frozenset({"of", "the", "in", "at", "during"})}
_MOST_LINKS = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """One question in one language: `now` is the wall clock of `zone`."""

    tokens: Sequence[Token]
    words: Lexicon
    now: datetime
    zone: tzinfo
    options: TimeOptions


@dataclass(frozen=True, slots=True)
class Element:
    """One place of a pattern."""

    kinds: tuple[str, ...]
    value: str | None
    optional: bool
    links: frozenset[str] = frozenset()


Pattern = tuple[Element, ...]
Action = Callable[..., Period | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and what it means; how sure one may be without and with a preposition before it."""

    pattern: Pattern
    action: Action
    bare: float
    licensed: float

    @property
    def second(self) -> frozenset[str]:
        """What the second token must be one of; empty when the pattern does not say."""
        first, *rest = self.pattern
        return frozenset(rest[0].kinds) if rest and not first.optional and not rest[0].optional else frozenset()


@dataclass(frozen=True, slots=True)
class Atom:
    """What a rule made of the tokens up to `end`."""

    end: int
    period: Period
    bare: float
    licensed: float
    weak: bool = False
    parts: int = 1


_RULES: dict[str, list[tuple[frozenset[str], Rule]]] = {}


def compile_pattern(text: str) -> Pattern:
    """Read a pattern."""
    return tuple(_element(part) for part in text.split())


def _element(text: str) -> Element:
    if text in _LINKS:
        return Element(tuple(_LINKS[text]), None, True, _LINKS[text])
    body = text.removesuffix("?")
    kinds, _, value = body.partition("=")
    return Element(tuple(kinds.split("|")), value or None, body != text)


def rule(*patterns: str, bare: float = 0.95, licensed: float = 0.95) -> Callable[[Action], Action]:
    """Register a function `(context, *values) -> Period | None` for patterns."""

    def register(action: Action) -> Action:
        for text in patterns:
            made = Rule(compile_pattern(text), action, bare, licensed)
            for kind in _beginnings(made.pattern):
                _RULES.setdefault(kind, []).append((made.second, made))
        return action

    return register


def _beginnings(pattern: Pattern) -> list[str]:
    kinds: list[str] = []
    for element in pattern:
        kinds.extend(element.kinds)
        if not element.optional:
            break
    return kinds


def match(tokens: Sequence[Token], pattern: Pattern, place: int) -> tuple[int, list[object]] | None:
    """Where the pattern ends if it begins at `place`, and the values of its elements."""
    values: list[object] = []
    for element in pattern:
        if element.links:
            place = skip(tokens, place, element.links)
            continue
        value = _value(tokens[place], element) if place < len(tokens) else None
        if value is not None:
            place += 1
        elif not element.optional:
            return None
        values.append(value)
    return place, values


def _value(token: Token, element: Element) -> object:
    for kind in element.kinds:
        value = token.senses.get(kind)
        if value is not None and (element.value is None or str(value) == element.value):
            return value
    return None


def skip(tokens: Sequence[Token], place: int, kinds: frozenset[str]) -> int:
    """The first place at or after `place` whose token is none of these little words."""
    last = min(place + _MOST_LINKS, len(tokens))
    while place < last and not kinds.isdisjoint(tokens[place].senses):
        place += 1
    return place


def atoms_at(context: Context, place: int) -> list[Atom]:
    """What the rules make of the tokens that begin at `place`."""
    atoms: list[Atom] = []
    tokens = context.tokens
    after = tokens[place + 1].senses.keys() if place + 1 < len(tokens) else frozenset[str]()
    for kind in tokens[place].senses:
        for second, made in _RULES.get(kind, ()):
            if second and second.isdisjoint(after):
                continue
            found = match(tokens, made.pattern, place)
            if found is None:
                continue
            try:
                period = made.action(context, *found[1])
            except (OverflowError, ValueError):  # beyond the calendar: "5000 years ago"
                continue
            if period is not None:
                weak = _weak(context, tokens[place : found[0]])
                atoms.append(Atom(found[0], period, made.bare, made.licensed, weak))
    return atoms


def _weak(context: Context, tokens: Sequence[Token]) -> bool:
    """Whether all words are weak, or, where months have capitals, one of them lacks its own ("12 may fail")."""
    if not context.words.lower_case and any(token.weak and not token.capital for token in tokens):
        return True
    return all(token.weak for token in tokens)
