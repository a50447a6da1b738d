"""What the forms of a word have in common: Snowball stems, and for Russian lemmas as well where they can be had.

Stems carry a mark that no word begins with, so that the form somebody wrote never passes for the stem of
another. Lemmas carry their own: an index written without pymorphy3 answers questions asked with it by the
stems, which are always there.
"""

from __future__ import annotations

import threading
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import Stemmer

from ricordo.characters import fold

if TYPE_CHECKING:
    from pymorphy3 import MorphAnalyzer

__all__ = ["LEMMA", "STEM", "lemmas", "stems", "unaccented"]

STEM = "≈"
LEMMA = "≋"

_SHORTEST_WORD, _LONGEST_WORD = 2, 40


class _Stemmers(threading.local):
    """Snowball stemmers by language. They are not safe to share between threads."""

    def __init__(self) -> None:
        self._known: dict[str, Stemmer.Stemmer] = {}

    def stem(self, word: str, language: str) -> str:
        stemmer = self._known.get(language)
        if stemmer is None:
            stemmer = self._known[language] = Stemmer.Stemmer(language, 0)
        return str(stemmer.stemWord(word))


_STEMMERS = _Stemmers()


@lru_cache(maxsize=65536)
def stems(word: str, latin: tuple[str, ...]) -> tuple[str, ...]:
    """The marked stems of a folded word, each once: Russian for Cyrillic, in the languages of `latin` for Latin.

    Nothing for what is not a word of letters in one of these scripts.
    """
    if not _is_word(word):
        return ()
    if _is_cyrillic(word):
        return (STEM + _STEMMERS.stem(word, "russian"),)
    if not _is_latin(word):
        return ()
    return tuple(dict.fromkeys(STEM + _STEMMERS.stem(word, language) for language in latin))


@lru_cache(maxsize=65536)
def lemmas(word: str) -> tuple[str, ...]:
    """The marked dictionary form of a Russian word, if pymorphy3 is installed."""
    if not (_is_word(word) and _is_cyrillic(word)):
        return ()
    morphology = _morphology()
    return (LEMMA + fold(morphology.parse(word)[0].normal_form),) if morphology else ()


@lru_cache(maxsize=65536)
def unaccented(word: str) -> str:
    """A word as people write it who leave the accents out."""
    if word.isascii() or not _is_latin(word):
        return word
    letters = unicodedata.normalize("NFD", word)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _is_word(word: str) -> bool:
    return _SHORTEST_WORD <= len(word) <= _LONGEST_WORD and word.isalpha()


def _is_cyrillic(word: str) -> bool:
    return "\u0400" <= word[0] <= "\u04ff"


def _is_latin(word: str) -> bool:
    return word[0] <= "\u024f"


@cache
def _morphology() -> MorphAnalyzer | None:
    try:
        import pymorphy3
    except ImportError:
        return None
    return pymorphy3.MorphAnalyzer()
