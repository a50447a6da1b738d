"""Question → fields → typed tokens of one language.

A field is what stands between spaces, free of quotes and brackets. A field that names one thing (a version, a
path, an order) is opaque: it never becomes a part of a date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ricordo.timeparse.lexicon import Entry, Lexicon, fold_word
from ricordo.timeparse.shapes import Senses, figures, roman

__all__ = ["Field", "Token", "Vocabulary", "split_fields", "typed_tokens"]

_CHUNK = re.compile(r"[,;…]|[^\s,;…]+")
_OPENING, _CLOSING = '([{<"“”„«‘¿¡*|`', ')]}>"”“»’!?:.*|`'
_PAUSES = frozenset("()[]{}!?;:…|")
_DASH = frozenset("-–—−")
_POSSESSIVE = re.compile(r"(?<=[^\W\d])['’]s$")
_ELISION = re.compile(r"(\w{1,6}['’])(\w.*)")
_PIECE = re.compile(r"[^-–—]+")
_DATED = re.compile(r"[^-–—/]+")
_DIGIT = re.compile(r"\d")
_MONEY = frozenset("$€£₽¥#№@%~/\\+=_&")
_NUMBER_RUN = 3
# Meanings that a word of any other subject may have as well.
# fmt: off
_LITTLE = frozenset({
    "of", "the", "in", "at", "during", "from", "to", "and", "comma", "one", "few", "num", "by", "every", "label",
    "more", "less", "now", "since", "before", "after", "until", "between", "while", "that", "since_or_from",
    "onwards", "over", "blocked", "oclock", "half", "vague_count", "older", "newer", "short", "adjective",
    "half_past", "and_half", "year_abbreviation", "earlier", "ord",
})
# fmt: on
_NUMERALS = frozenset({"num", "ord"})


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words of time of some languages, and those of them that name a month or a weekday."""

    words: frozenset[str]
    names: frozenset[str]


class Field(NamedTuple):
    """A word or figure at text[start:end], folded; `pause` if a clause ends after it."""

    start: int
    end: int
    folded: str
    raw: str
    senses: Senses
    opaque: bool = False
    pause: bool = False


class Token(NamedTuple):
    """One or several fields with their meanings in a language; none for other words.

    `strong` if it surely speaks of time, `weak` if that takes other words of time beside it, `lexical` the
    number of words that the lexicon knows it by.
    """

    start: int
    end: int
    folded: str
    senses: Senses
    weak: bool = False
    capital: bool = False
    opaque: bool = False
    pause: bool = False
    lexical: int = 0
    strong: bool = False


_NOTHING: Senses = {}
_COMMA: Senses = {"comma": 1}
_TO: Senses = {"to": "-"}


def split_fields(text: str, vocabulary: Vocabulary) -> list[Field]:
    """The fields of a question; compounds of known words ("mid-April", "d'octobre") fall apart."""
    fields: list[Field] = []
    for chunk in _CHUNK.finditer(text):
        word, start = chunk[0], chunk.start()
        if word.isalpha():
            fields.append(Field(start, chunk.end(), fold_word(word), word, roman(word)))
        else:
            fields.extend(_fields(word, start, vocabulary))
    return _without_number_runs(fields)


def _fields(chunk: str, start: int, vocabulary: Vocabulary) -> Iterator[Field]:
    body = chunk.lstrip(_OPENING)
    opening = chunk[: len(chunk) - len(body)]
    start += len(opening)
    name = body.rstrip(_CLOSING)
    closing = body[len(name) :]
    if not _PAUSES.isdisjoint(opening):
        yield Field(start, start, "", "", _NOTHING, pause=True)
    if chunk in (",", ";", "…"):
        yield Field(start, start + 1, chunk, chunk, _COMMA if chunk == "," else _NOTHING, pause=chunk != ",")
    elif name in _DASH:
        yield Field(start, start + 1, name, name, _TO)
    elif name:
        yield from _named(name, start, vocabulary)
    if not _PAUSES.isdisjoint(closing):
        yield Field(start + len(name), start + len(name), "", "", _NOTHING, pause=True)


def _named(name: str, start: int, vocabulary: Vocabulary) -> Iterator[Field]:
    name = _POSSESSIVE.sub("", name)
    folded = fold_word(name)
    end = start + len(name)
    if _DIGIT.search(name):
        yield from _figures(name, folded, start, vocabulary)
    elif name.isalpha() or folded in vocabulary.words:
        yield Field(start, end, folded, name, roman(name))
    elif pieces := _pieces(name, vocabulary):
        yield from _compound(pieces, start, vocabulary)
    else:
        yield Field(start, end, folded, name, _NOTHING, opaque=True)


def _figures(name: str, folded: str, start: int, vocabulary: Vocabulary) -> Iterator[Field]:
    senses = figures(folded) if name[0] not in _MONEY and name[-1] not in _MONEY else ()
    if len(senses) == 1:
        yield Field(start, start + len(name), folded, name, senses[0])
    elif senses:
        cut = next(place for place, char in enumerate(name) if char in _DASH)
        for (first, last), meaning in zip(((0, cut), (cut, cut + 1), (cut + 1, len(name))), senses, strict=True):
            yield Field(start + first, start + last, folded[first:last], name[first:last], meaning)
    elif pieces := _pieces(name, vocabulary):
        yield from _compound(pieces, start, vocabulary)
    else:
        yield Field(start, start + len(name), folded, name, _NOTHING, opaque=True)


def _compound(pieces: list[tuple[str, int]], start: int, vocabulary: Vocabulary) -> Iterator[Field]:
    """The words of a compound; what stands between two months or weekdays means "to"."""
    names = len(pieces) == 2 and all(fold_word(text) in vocabulary.names for text, _ in pieces)
    for place, (text, offset) in enumerate(pieces):
        folded = fold_word(text)
        senses = figures(folded) if _DIGIT.search(text) else ()
        if place and names:
            yield Field(start + offset - 1, start + offset, "-", "-", _TO)
        yield Field(start + offset, start + offset + len(text), folded, text, senses[0] if senses else _NOTHING)


def _pieces(name: str, vocabulary: Vocabulary) -> list[tuple[str, int]]:
    """The words of a compound with their places, if words of time are all it is made of."""
    if match := _ELISION.fullmatch(name):
        whole = fold_word(match[1]).replace("’", "'")
        if whole in vocabulary.words:
            return [(match[1].replace("’", "'"), 0), (match[2], len(match[1]))]
    cut = _DATED if _DIGIT.search(name) else _PIECE
    pieces = [(piece[0], piece.start()) for piece in cut.finditer(name)]
    if len(pieces) < 2 or not all(_known(piece, vocabulary) for piece, _ in pieces):
        return []
    return pieces


def _known(piece: str, vocabulary: Vocabulary) -> bool:
    folded = fold_word(piece)
    return folded in vocabulary.words or (len(folded) <= 5 and len(figures(folded)) == 1)


def _without_number_runs(fields: list[Field]) -> list[Field]:
    """Three or more plain numbers in a row are a telephone or a card."""
    run = 0
    for place, field in enumerate([*fields, Field(0, 0, "", "", _NOTHING)]):
        if field.raw.isdigit() or (run == 0 and field.raw[:1] == "+" and field.raw[1:].isdigit()):
            run += 1
            continue
        if run >= _NUMBER_RUN:
            for index in range(place - run, place):
                number = fields[index]
                fields[index] = Field(number.start, number.end, number.folded, number.raw, _NOTHING, opaque=True)
        run = 0
    return fields


def typed_tokens(fields: Sequence[Field], words: Lexicon) -> list[Token]:
    """The fields with what they mean in a language; forms of several words become one token."""
    tokens: list[Token] = []
    place = 0
    while place < len(fields):
        entry = _longest(fields, place, words)
        count = len(entry.words) if entry else 1
        tokens.append(_token(fields, place, count, entry))
        place += count
    return _numerals(_labelled(tokens))


def _longest(fields: Sequence[Field], place: int, words: Lexicon) -> Entry | None:
    forms = words.entries.get(fields[place].folded)
    if forms is None or fields[place].opaque:
        return None
    if forms.longer and place + 1 < len(fields):
        for entry in forms.longer.get(fields[place + 1].folded, ()):
            if tuple(field.folded for field in fields[place : place + len(entry.words)]) == entry.words:
                return entry
    return forms.alone


def _token(fields: Sequence[Field], place: int, count: int, entry: Entry | None) -> Token:
    first = fields[place]
    capital = first.raw[:1].isupper()
    if entry is None and not first.senses:
        odd = first.opaque or not first.raw.isalpha()
        return Token(
            first.start, first.end, first.folded, _NOTHING, False, capital, odd and bool(first.raw), first.pause
        )
    last = fields[place + count - 1]
    senses = first.senses
    if entry:
        senses = {**senses, **entry.senses} if senses else entry.senses
    opaque = first.opaque or "blocked" in senses
    return Token(
        first.start,
        last.end,
        first.folded if count == 1 else " ".join(field.folded for field in fields[place : place + count]),
        _NOTHING if opaque else senses,
        weak=bool(entry and entry.weak),
        capital=capital,
        opaque=opaque,
        pause=last.pause,
        lexical=count if entry else 0,
        strong=not opaque and not senses.keys() <= _LITTLE,
    )


def _labelled(tokens: list[Token]) -> list[Token]:
    """A number after "version", "port", "page" … is its name, unless it counts: "what did I order 3 days ago"."""
    for place in range(len(tokens) - 1):
        number = tokens[place + 1]
        labelled = "label" in tokens[place].senses and not number.lexical and _DIGIT.search(number.folded)
        if labelled and not _counts(tokens[place + 2 : place + 4]):
            tokens[place + 1] = Token(number.start, number.end, number.folded, _NOTHING, opaque=True)
    return tokens


def _counts(following: Sequence[Token]) -> bool:
    """Whether a number is that of a day of a month, or of units that passed, by what follows it."""
    senses = [token.senses.keys() for token in following]
    if not senses:
        return False
    return "month" in senses[0] or (
        len(senses) > 1 and not senses[0].isdisjoint({"unit", "units"}) and "ago" in senses[1]
    )


def _numerals(tokens: list[Token]) -> list[Token]:
    """Numbers of two words become one: "twenty five", "двадцать пятое", "treinta y uno"."""
    merged: list[Token] = []
    rest = iter(range(len(tokens)))
    for place in rest:
        token, unit = tokens[place], None
        if token.lexical and not token.senses.keys().isdisjoint(_NUMERALS):
            after = tokens[place + 1 : place + 3]
            unit = next((each for each in after if "and" not in each.senses), None)
        if unit is not None and (senses := _sum(token, unit)):
            merged.append(Token(token.start, unit.end, f"{token.folded} {unit.folded}", senses, lexical=2))
            while tokens[next(rest)] is not unit:
                pass
        else:
            merged.append(token)
    return merged


def _sum(tens: Token, unit: Token) -> Senses:
    number = tens.senses.get("num", tens.senses.get("ord"))
    if not (tens.lexical and unit.lexical and isinstance(number, int) and 20 <= number <= 90 and number % 10 == 0):
        return {}
    return {
        kind: number + value
        for kind, value in unit.senses.items()
        if kind in ("num", "ord") and isinstance(value, int) and 1 <= value <= 9
    }
