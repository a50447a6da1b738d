"""Text → tokens: words as they stand, identifiers whole, and the parts of both.

A text is normalised (NFKC), cut at white space, brackets, quotes and whatever else never belongs to a name,
and freed of the punctuation that only sentences need. What is left between two cuts is one token, however
many connectors it has inside: `sk-proj-abc123`, `mira@example.org`, `C:\\notes\\keys.md`, `C++`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ricordo.characters import CURRENCY, FLAG, JOINER, PICTURE, SKIN, SOFT, UNSPACED, fold, plain
from ricordo.identifiers import names_one_thing

__all__ = ["MAX_LEXEME", "Token", "scan"]

MAX_LEXEME = 120
"""Characters, of at most four bytes each: no lexeme reaches 500 bytes."""

_CACHED_FIELD = 48


@dataclass(frozen=True, slots=True)
class Token:
    """`whole` as it stands and its `parts`, all folded; `identifier` if it names exactly one thing."""

    whole: str
    parts: tuple[str, ...] = ()
    identifier: bool = False


def scan(text: str) -> Iterator[Token]:
    """The tokens of a text."""
    cut = plain(text)
    for field in cut.split():
        yield from _cached_tokens(field) if len(field) <= _CACHED_FIELD else _tokens(field)
    for match in _SPACED_NUMBER.finditer(cut):
        digits = _NOT_DIGIT.sub("", match[0])
        if len(digits) >= _LEAST_SPACED_DIGITS:
            yield Token(digits, _national(digits), identifier=True)


_EDGE = re.escape(SOFT.replace("_", "") + CURRENCY + JOINER)
_LETTER = r"[^\W\d_]"
_BODY = re.compile(
    # Openings that belong to the token: ~/home, /root, --option, -v, -41, .env, #tag, @name, $HOME, +7, ::1
    rf"(?:~/|(?<![\w./\\])/(?=\w)|(?<![\w-])--(?={_LETTER})|(?<![\w-])-(?=\d|[a-zA-Z]$)|(?<![\w.])\.(?={_LETTER})"
    rf"|[#@{CURRENCY}](?=\w)|(?<!\w)\+(?=\d)|(?<![\w:])::(?=[0-9a-fA-F]))?"
    rf"[^{_EDGE}](?:.*[^{_EDGE}])?"
    # and endings that do: C++, C#, 50%, 20€
    rf"(?:(?<={_LETTER})(?:\+\+?|#)|(?<=\d)[%{CURRENCY}])?"
)
_RUNS = re.compile(
    f"(?P<picture>[{FLAG}]{{2}}|[{PICTURE}{FLAG}][{SKIN}]?(?:{JOINER}[{PICTURE}][{SKIN}]?)*)"
    f"|(?P<unspaced>[{UNSPACED}]+)"
    f"|(?P<named>[^{PICTURE}{FLAG}{UNSPACED}]+)"
)
_SKINS = re.compile(f"[{SKIN}]")
# Phone and card numbers, written in groups. Dates are not numbers.
_SPACED_NUMBER = re.compile(r"(?<![\w.,:/-])(?!\d{4}-\d\d-\d\d)\+?\d{1,4}(?:[ -]{1,3}\d{2,4}){2,6}(?![\w-])")
_LEAST_SPACED_DIGITS = 9
_NOT_DIGIT = re.compile(r"\D+")
_PHONE = re.compile(r"\+?\d{11,15}")
_VERSION = re.compile(r"[vV](\d+(?:\.\d+)+)")
_UPPER, _LOWER = "A-ZÀ-ÖØ-ÞА-Я", "a-zß-öø-ÿа-яё"
# Loosest first: what an assignment joins may be a URL, what a URL joins may be a path, and so on.
# Dots and commas between digits belong to the number; "don't" has no parts.
_CONNECTORS = tuple(
    re.compile(pattern)
    for pattern in (
        r"[=&?!*]+|(?<!\d),+|,+(?!\d)",
        r"://|@",
        r"[/\\]+",
        r":+",
        r"(?<!\d)\.+|\.+(?!\d)",
        rf"[-+~#%{CURRENCY}]+",
        r"_+",
        r"(?<!n)'+|'+(?!t$)",
        rf"(?<=[{_LOWER}])(?=[{_UPPER}])|(?<=[{_UPPER}])(?=[{_UPPER}][{_LOWER}])",
    )
)


def _tokens(field: str) -> tuple[Token, ...]:
    if field.isascii():
        return _named(field)
    tokens: list[Token] = []
    for run in _RUNS.finditer(field):
        if run["named"]:
            tokens.extend(_named(run[0].replace(JOINER, "")))
        elif run["unspaced"]:
            tokens.extend(_pairs(fold(run[0])))
        else:
            picture = run[0].replace(JOINER, "")
            bare = _SKINS.sub("", picture)
            tokens.append(Token(picture, (bare,) if bare and bare != picture else ()))
    return tuple(tokens)


_cached_tokens = lru_cache(maxsize=32768)(_tokens)


def _pairs(run: str) -> Iterator[Token]:
    """Every two neighbours of a script without spaces, and the single characters as their parts."""
    if len(run) == 1:
        yield Token(run)
    for place in range(len(run) - 1):
        pair = run[place : place + 2]
        # Vowel signs are nothing without their letter.
        yield Token(pair, tuple(filter(str.isalnum, pair if place == 0 else pair[1])))


def _named(field: str) -> tuple[Token, ...]:
    body = _BODY.search(field)
    if body is None or not any(map(str.isalnum, field)):
        return ()
    name = body[0]
    whole = fold(name)
    if whole.isalpha() and name[1:] == whole[1:] and len(whole) <= MAX_LEXEME:
        return (Token(whole),)
    parts = dict.fromkeys(part for piece in _pieces(name) for part in _bounded(fold(piece)))
    kept, *slices = _bounded(whole)
    parts.update(dict.fromkeys(slices))
    parts.pop(kept, None)
    return (Token(kept, tuple(parts), bool(slices) or names_one_thing(name)),)


def _pieces(name: str) -> Iterator[str]:
    """What the connectors join, level by level, each piece once."""
    pieces = [name]
    for connector in _CONNECTORS:
        finer: list[str] = []
        for piece in pieces:
            if not connector.search(piece):
                finer.append(piece)
                continue
            cut = [part.rstrip(":") for part in connector.split(piece) if any(map(str.isalnum, part))]
            yield from cut
            finer.extend(cut)
        pieces = finer
    for piece in pieces:
        if version := _VERSION.fullmatch(piece):
            yield version[1]
    yield from _national(name)


def _national(digits: str) -> tuple[str, ...]:
    """A phone number without the prefix of its country, which people leave out or write in two ways."""
    return (digits[-10:],) if _PHONE.fullmatch(digits) else ()


def _bounded(lexeme: str) -> tuple[str, ...]:
    """The lexeme itself, or for one too long to index: its beginning with a digest of it all, then its slices."""
    if len(lexeme) <= MAX_LEXEME:
        return (lexeme,)
    mark = hashlib.blake2b(lexeme.encode(), digest_size=16).hexdigest()
    slices = (lexeme[start : start + MAX_LEXEME] for start in range(0, len(lexeme), MAX_LEXEME))
    return (f"{lexeme[: MAX_LEXEME // 2]}~{mark}", *slices)
