"""Lexemes as PostgreSQL's literals: the analyzer alone says what a lexeme is, never the server's parser."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from ricordo.memory import clean, digest

__all__ = ["bands", "counted", "needles", "stored", "tsquery", "tsvector"]

LONGEST = 500  # bytes; the server takes 2046, and an index on namespace, lexeme and batch about 2700 in all
OCCURRENCES = 127  # of each lexeme in text and in context: the server keeps 256 in all
BANDS = 12
KNOWN = 1 << 16
"""Lexemes whose forms are kept: a text has the same few words again and again."""
NOTHING = "\x01"  # a lexeme that no analyzer makes


@lru_cache(KNOWN)
def stored(lexeme: str) -> str:
    """The lexeme as it is kept: a very long one by its beginning and its digest."""
    lexeme = clean(lexeme)
    if len(lexeme.encode()) <= LONGEST:
        return lexeme
    return f"{lexeme[:100]}…{digest(lexeme)}"


def tsvector(lexemes: Iterable[str], context_lexemes: Iterable[str]) -> str:
    """A literal that holds each lexeme once for each time it occurs: in the text weighed A, in the context B."""
    counts, context_counts = _count(lexemes), _count(context_lexemes)
    return " ".join(
        f"{_quoted(lexeme)}:{_positions(counts[lexeme], context_counts[lexeme])}"
        for lexeme in counts.keys() | context_counts.keys()
    )


def _count(lexemes: Iterable[str]) -> Counter[str]:
    return Counter(stored(lexeme) for lexeme in lexemes if lexeme)


@lru_cache(KNOWN)
def _positions(count: int, context_count: int) -> str:
    in_text = min(count, OCCURRENCES)
    in_all = in_text + min(context_count, OCCURRENCES)
    return ",".join(f"{number}{'A' if number <= in_text else 'B'}" for number in range(1, in_all + 1))


@lru_cache(KNOWN)
def _quoted(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def tsquery(lexemes: Iterable[str]) -> str:
    """A literal that matches any of the lexemes."""
    return "|".join(_quoted(lexeme) for lexeme in lexemes) or _quoted(NOTHING)


def bands(idf: Mapping[str, float]) -> dict[str, float | str]:
    """The named parameters by which candidates are ordered: the weightiest lexemes alone, the others together."""
    ordered = sorted(idf, key=lambda lexeme: (-idf[lexeme], lexeme))
    groups = [[lexeme] for lexeme in ordered[: BANDS - 1]] + [ordered[BANDS - 1 :]]
    groups += [[]] * (BANDS - len(groups))
    values: dict[str, float | str] = {}
    for number, group in enumerate(groups, start=1):
        values[f"idf_{number}"] = math.fsum(idf[lexeme] for lexeme in group)
        values[f"band_{number}"] = tsquery(group)
    return values


def needles(terms: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Each term with what `counted` looks for."""
    return tuple((term, f" {_quoted(stored(term))}:") for term in dict.fromkeys(terms) if term)


def counted(tsvector: str, wanted: Sequence[tuple[str, str]]) -> tuple[dict[str, int], dict[str, int]]:
    """How often each of the terms stands in a tsvector's text form: in the text, and in the context."""
    counts: dict[str, int] = {}
    context_counts: dict[str, int] = {}
    held = f" {tsvector} "
    for term, needle in wanted:
        found = held.find(needle)
        if found < 0:
            continue
        start = found + len(needle)
        end = held.index(" ", start)
        if in_text := held.count("A", start, end):
            counts[term] = in_text
        if in_context := held.count("B", start, end):
            context_counts[term] = in_context
    return counts, context_counts
