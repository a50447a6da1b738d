"""Question → fields → typed tokens of one language.

A field is what stands between spaces, free of quotes and brackets. A field that names one thing (a version, a
path, an order) is opaque: it never becomes a part of a date.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ricordo.timeparse.lexicon import Entry, Lexicon, fold_word
from ricordo.timeparse.shapes import Senses, figures, roman

__all__ = ["Field", "Token", "split_fields", "typed_tokens"]

_CHUNK = re.compile(r"[,;…]|[^\s,;…]+")
_OPENING, _CLOSING = '([{<"“”„«‘¿¡*|`', ')]}>"”“»’!?:.*|`'
_PAUSES = frozenset("()[]{}!?;:…|")
_DASH = frozenset("-–—−")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s$")
_ELISION = re.compile(r"(\w{1,6}['’])(\w.*)")
_PIECE = re.compile(r"[^-–—]+")
_DATED = re.compile(r"[^-–—/]+")
_DIGIT = re.compile(r"\d")
_MONEY = frozenset("$€£₽¥#№@%~/\\+=_&")
_NUMBER_RUN = 3


@dataclass(frozen=True, slots=True)
class Field:
    """A word or figure at text[start:end], folded; `pause` if a clause ends after it."""

    start: int
    end: int
    folded: str
    raw: str
    senses: Senses
    opaque: bool = False
    pause: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """One or several fields with their meanings in a language; none for other words."""

    start: int
    end: int
    folded: str
    senses: Senses
    weak: bool = False
    capital: bool = False
    opaque: bool = False
    pause: bool = False
    lexical: int = 0


_NOTHING: Senses = {}
_COMMA: Senses = {"comma": 1}
_TO: Senses = {"to": "-"}


def split_fields(text: str, vocabulary: Collection[str]) -> list[Field]:
    """The fields of a question; compounds of known words ("mid-April", "d'octobre") fall apart."""
    fields: list[Field] = []
    for chunk in _CHUNK.finditer(text):
        fields.extend(_fields(chunk[0], chunk.start(), vocabulary))
    return _without_number_runs(fields)


def _fields(chunk: str, start: int, vocabulary: Collection[str]) -> Iterator[Field]:
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


def _named(name: str, start: int, vocabulary: Collection[str]) -> Iterator[Field]:
    name = _POSSESSIVE.sub("", name)
    folded = fold_word(name)
    end = start + len(name)
    if _DIGIT.search(name):
        yield from _figures(name, folded, start, vocabulary)
    elif name.isalpha() or folded in vocabulary:
        yield Field(start, end, folded, name, roman(name))
    elif pieces := _pieces(name, vocabulary):
        for piece, offset in pieces:
            yield Field(start + offset, start + offset + len(piece), fold_word(piece), piece, _NOTHING)
    else:
        yield Field(start, end, folded, name, _NOTHING, opaque=True)


def _figures(name: str, folded: str, start: int, vocabulary: Collection[str]) -> Iterator[Field]:
    senses = figures(folded) if name[0] not in _MONEY and name[-1] not in _MONEY else ()
    if len(senses) == 1:
        yield Field(start, start + len(name), folded, name, senses[0])
    elif senses:
        cut = next(place for place, char in enumerate(name) if char in _DASH)
        for (first, last), meaning in zip(((0, cut), (cut, cut + 1), (cut + 1, len(name))), senses, strict=True):
            yield Field(start + first, start + last, folded[first:last], name[first:last], meaning)
    elif pieces := _pieces(name, vocabulary):
        for text, offset in pieces:
            read = figures(fold_word(text))
            yield Field(
                start + offset, start + offset + len(text), fold_word(text), text, read[0] if read else _NOTHING
            )
    else:
        yield Field(start, start + len(name), folded, name, _NOTHING, opaque=True)


def _pieces(name: str, vocabulary: Collection[str]) -> list[tuple[str, int]]:
    """The words of a compound with their places, if words of time are all it is made of."""
    if match := _ELISION.fullmatch(name):
        whole = fold_word(match[1]).replace("’", "'")
        if whole in vocabulary:
            return [(match[1].replace("’", "'"), 0), (match[2], len(match[1]))]
    cut = _DATED if _DIGIT.search(name) else _PIECE
    pieces = [(piece[0], piece.start()) for piece in cut.finditer(name)]
    if len(pieces) < 2 or not all(_known(piece, vocabulary) for piece, _ in pieces):
        return []
    return pieces


def _known(piece: str, vocabulary: Collection[str]) -> bool:
    folded = fold_word(piece)
    return folded in vocabulary or (len(folded) <= 5 and len(figures(folded)) == 1)


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
        field = fields[place]
        entry = _longest(fields, place, words) if not field.opaque else None
        count = len(entry.words) if entry else 1
        tokens.append(_token(fields[place : place + count], entry))
        place += count
    return _numerals(_labelled(tokens))


def _longest(fields: Sequence[Field], place: int, words: Lexicon) -> Entry | None:
    for entry in words.entries.get(fields[place].folded, ()):
        count = len(entry.words)
        if count == 1 or tuple(field.folded for field in fields[place : place + count]) == entry.words:
            return entry
    return None


def _token(fields: Sequence[Field], entry: Entry | None) -> Token:
    first, last = fields[0], fields[-1]
    senses = {**first.senses, **entry.senses} if entry else first.senses
    opaque = first.opaque or "blocked" in senses
    return Token(
        first.start,
        last.end,
        " ".join(field.folded for field in fields),
        _NOTHING if opaque else senses,
        weak=bool(entry and entry.weak),
        capital=first.raw[:1].isupper(),
        opaque=opaque or (not senses and bool(first.raw) and not first.raw.isalpha()),
        pause=last.pause,
        lexical=len(fields) if entry else 0,
    )


def _labelled(tokens: list[Token]) -> list[Token]:
    """A number after "version", "port", "page" … is its name."""
    for place in range(len(tokens) - 1):
        number = tokens[place + 1]
        if "label" in tokens[place].senses and not number.lexical and number.senses:
            tokens[place + 1] = Token(number.start, number.end, number.folded, _NOTHING, opaque=True)
    return tokens


def _numerals(tokens: list[Token]) -> list[Token]:
    """Numbers of two words become one: "twenty five", "двадцать пятое", "treinta y uno"."""
    merged: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        link = place + 1 < len(tokens) and "and" in tokens[place + 1].senses
        unit = tokens[place + 1 + link] if place + 1 + link < len(tokens) else None
        if unit is not None and (sum_ := _sum(token, unit)):
            merged.append(Token(token.start, unit.end, f"{token.folded} {unit.folded}", sum_, lexical=2))
            place += 2 + link
        else:
            merged.append(token)
            place += 1
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
