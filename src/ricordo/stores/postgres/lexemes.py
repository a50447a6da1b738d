"""Lexemes as PostgreSQL's literals: the analyzer alone says what a lexeme is, never the server's parser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ricordo.memory import clean, digest

__all__ = ["Bands", "bands", "stored", "tsquery", "tsvector"]

LONGEST = 500  # bytes; the server takes 2046, and an index on namespace, lexeme and batch about 2700 in all
OCCURRENCES = 127  # of each lexeme in text and in context: the server keeps 256 in all
BANDS = 4
NOTHING = "\x01"  # a lexeme that no analyzer makes

Bands = Sequence[tuple[float, str]]


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


def _positions(count: int, context_count: int) -> str:
    in_text = min(count, OCCURRENCES)
    in_all = in_text + min(context_count, OCCURRENCES)
    return ",".join(f"{number}{'A' if number <= in_text else 'B'}" for number in range(1, in_all + 1))


def _quoted(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def tsquery(lexemes: Iterable[str]) -> str:
    """A literal that matches any of the lexemes."""
    return "|".join(_quoted(lexeme) for lexeme in lexemes) or _quoted(NOTHING)


def bands(idf: Mapping[str, float]) -> Bands:
    """The lexemes in four groups of like rarity, each as (mean idf, query): the rarest three stand alone."""
    ordered = sorted(idf, key=lambda lexeme: (-idf[lexeme], lexeme))
    groups = [[lexeme] for lexeme in ordered[: BANDS - 1]] + [ordered[BANDS - 1 :]]
    filled = [group for group in groups if group]
    found = [(sum(idf[lexeme] for lexeme in group) / len(group), tsquery(group)) for group in filled]
    return [*found, *[(0.0, tsquery(()))] * (BANDS - len(found))]
