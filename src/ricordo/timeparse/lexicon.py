"""The words of time of one language, read from `lexicons/<code>.toml`.

A lexicon is a table of types. A type without values is a list of forms (`since = "since, ever since"`), one
with values a table from value to forms (`[month] 1 = "january"`). Forms are separated by commas and may have
several words. `прошл[ый ая ого]` stands for a stem with each ending; an ending may be the name of a list in
`[endings]`. Forms are compared without accents and case.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from ricordo.errors import ConfigError

__all__ = ["Entry", "Forms", "Lexicon", "available_languages", "fold_word", "lexicon", "parse_lexicon"]

_BREVE = "\N{COMBINING BREVE}"
_POSSESSIVE = re.compile(r"(?<=\w)['’]s$")
_CLOCK = re.compile(r"(\d+):(\d\d)")
_STEM = re.compile(r"([^\[\],]*)\[([^\]]*)\]([^,]*)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One form: its words and what it may mean; `weak` if it needs other words of time beside it."""

    words: tuple[str, ...]
    senses: Mapping[str, object]
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms that begin with a word: the word alone, and longer ones by their second word, longest first."""

    alone: Entry | None
    longer: Mapping[str, tuple[Entry, ...]]

    def __iter__(self) -> Iterator[Entry]:
        if self.alone:
            yield self.alone
        for entries in self.longer.values():
            yield from entries


@dataclass(frozen=True, kw_only=True, slots=True)
class Lexicon:
    """`entries` by the first word of a form; `signs` are words and `alphabet` its letters
    beyond ASCII: both tell the language.
    """

    language: str
    entries: Mapping[str, Forms]
    signs: frozenset[str] = frozenset()
    alphabet: frozenset[str] = frozenset()
    verb_endings: tuple[str, ...] = ()
    date_order: str = "dmy"
    month_before_day: bool = False
    lower_case: bool = True


@lru_cache(maxsize=16384)
def fold_word(text: str) -> str:
    """Lower case without accents; й stays what it is."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(char for char in parts if char == _BREVE or not unicodedata.combining(char))
    return unicodedata.normalize("NFC", bare)


@cache
def available_languages() -> tuple[str, ...]:
    """Codes of the languages that have a lexicon."""
    names = (entry.name for entry in (files(__package__) / "lexicons").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@cache
def lexicon(language: str) -> Lexicon:
    """The lexicon of a language, by its code.

    Raises KeyError if there is none.
    """
    if language not in available_languages():
        raise KeyError(language)
    return parse_lexicon(language, (files(__package__) / "lexicons" / f"{language}.toml").read_text(encoding="utf-8"))


def parse_lexicon(language: str, text: str) -> Lexicon:
    """Read a lexicon from TOML.

    Raises ConfigError if the text is no TOML.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError("lexicon", language, str(error)) from error
    settings = tables.pop("settings", {})
    endings = tables.pop("endings", {})
    weak = {form for form in _forms(settings.get("weak", ""), endings)}
    senses: dict[tuple[str, ...], dict[str, object]] = {}
    for kind, value, form in _rows(tables, endings):
        senses.setdefault(form, {})[kind] = value
    entries: dict[str, list[Entry]] = {}
    for form, meaning in senses.items():
        entries.setdefault(form[0], []).append(Entry(form, meaning, form in weak))
    return Lexicon(
        language=language,
        entries={first: _forms_of(found) for first, found in entries.items()},
        signs=frozenset(map(fold_word, settings.get("signs", "").split())),
        alphabet=frozenset(settings.get("alphabet", "")),
        verb_endings=tuple(map(fold_word, settings.get("verb_endings", "").split())),
        date_order=settings.get("date_order", "dmy"),
        month_before_day=settings.get("month_before_day", False),
        lower_case=settings.get("lower_case", True),
    )


def _forms_of(entries: list[Entry]) -> Forms:
    longer: dict[str, list[Entry]] = {}
    for entry in sorted(entries, key=lambda entry: -len(entry.words)):
        if len(entry.words) > 1:
            longer.setdefault(entry.words[1], []).append(entry)
    alone = next((entry for entry in entries if len(entry.words) == 1), None)
    return Forms(alone, {second: tuple(found) for second, found in longer.items()})


def _rows(tables: Mapping[str, object], endings: Mapping[str, str]) -> Iterator[tuple[str, object, tuple[str, ...]]]:
    for kind, table in tables.items():
        rows = table.items() if isinstance(table, dict) else [("1", table)]
        for value, forms in rows:
            for form in _forms(str(forms), endings):
                yield kind, _value(value), form


def _value(text: str) -> object:
    if match := _CLOCK.fullmatch(text):
        return int(match[1]), int(match[2])
    return int(text) if text.lstrip("-").isdigit() else text


def _forms(text: str, endings: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    for spelling in _expanded(text, endings):
        if words := tuple(_POSSESSIVE.sub("", word) for word in fold_word(spelling).split()):
            yield words


def _expanded(text: str, endings: Mapping[str, str]) -> Iterator[str]:
    for form in re.split(r",(?![^\[]*\])", text):
        yield from _inflected(form.strip(), endings)


def _inflected(form: str, endings: Mapping[str, str]) -> Iterator[str]:
    match = _STEM.fullmatch(form)
    if match is None:
        yield form
        return
    stem, suffixes, rest = match.groups()
    tails = list(_inflected(rest, endings))
    for suffix in suffixes.split():
        for ending in endings.get(suffix, suffix).split():
            for tail in tails:
                yield stem + ending.replace("_", "") + tail
