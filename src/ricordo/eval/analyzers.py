"""Plainer analyzers than ricordo's own, for baselines and for comparison with published numbers.

Words are cut as scikit-learn and bm25s cut them, into runs of two or more word characters. A word that a
question repeats counts each time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from ricordo.analyzer import STANDARD, Analyzer, Terms
from ricordo.stems import stems

__all__ = ["ANALYZERS"]

_WORD = re.compile(r"\b\w\w+\b")
# Those of Lucene's EnglishAnalyzer.
_ENGLISH = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was
will with
"""
_STOP_WORDS = frozenset(_ENGLISH.split())


def words(text: str) -> tuple[str, ...]:
    """Lower-cased words as they stand."""
    return tuple(_WORD.findall(text.lower()))


def stemmed(text: str, language: str) -> tuple[str, ...]:
    """Snowball stems of the words that are no English stop words."""
    return tuple(_stem(word, language) for word in words(text) if word not in _STOP_WORDS)


def _stem(word: str, language: str) -> str:
    return next(iter(stems(word, (language,))), word)


def _question(text: str, lexemes: Callable[[str], tuple[str, ...]]) -> Terms:
    weights = {word: float(count) for word, count in Counter(lexemes(text)).items()}
    return Terms(weights=weights, identifiers=frozenset())


def _analyzer(lexemes: Callable[[str], tuple[str, ...]]) -> Analyzer:
    return Analyzer(lexemes=lexemes, question=partial(_question, lexemes=lexemes))


ANALYZERS: Mapping[str, Analyzer] = MappingProxyType(
    {
        "standard": STANDARD,
        "plain": _analyzer(words),
        **{
            f"snowball-{language}": _analyzer(partial(stemmed, language=language))
            for language in ("english", "portuguese", "russian", "spanish")
        },
    }
)
"""By name: ricordo's own, words as they stand, and Snowball stems of one language."""
