"""How near to each other the words of a question stand in a text; pure.

Term proximity (Rasolofo and Savoy, Term Proximity Scoring for Keyword-Based Retrieval Systems, ECIR 2003): two words
that follow each other in the question, or have one between them, count by the idf of the commoner, over how many words
they stand apart in the text. What is asked of the deploy window is answered where windows are deployed, not where
something is deployed and a window opens elsewhere. Words are looked for by how their forms begin, which needs no
analysis of the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ricordo.characters import fold

__all__ = ["Sought", "beginnings", "proximity"]

REACH = 2
"""How many words further in the question a word is still a neighbour; the second counts half."""
MOST = 8
"""Places of a word that are looked at; a text that says it more often says it near everything."""


class Sought(NamedTuple):
    """A word of the question: what its forms begin with, its idf, and the lexemes it is looked for by."""

    beginnings: tuple[str, ...]
    value: float
    lexemes: frozenset[str] = frozenset()


def beginnings(forms: Iterable[str]) -> tuple[str, ...]:
    """The forms that begin with no other of them."""
    kept: list[str] = []
    for form in sorted(set(forms), key=lambda form: (len(form), form)):
        if not form.startswith(tuple(kept)):
            kept.append(form)
    return tuple(kept)


def proximity(text: str, words: Sequence[Sought]) -> float:
    """What the neighbours among the words of a question count together in a text."""
    folded = " ".join(("", *fold(text).split()))
    places = [_places(folded, word.beginnings) for word in words]
    return sum(
        min(words[first].value, words[first + step].value) / (step * _apart(places[first], places[first + step]))
        for step in range(1, REACH + 1)
        for first in range(len(words) - step)
        if places[first] and places[first + step] and words[first] != words[first + step]
    )


def _places(text: str, forms: Sequence[str]) -> list[int]:
    """Which words of a text, counted from its beginning, begin so."""
    found: list[int] = []
    for form in forms:
        place = text.find(form)
        while place >= 0 and len(found) < MOST:
            if not text[place - 1].isalnum():
                found.append(text.count(" ", 0, place))
            place = text.find(form, place + 1)
    return found


def _apart(here: Sequence[int], there: Sequence[int]) -> int:
    """How many words lie from one of these places to the nearest of those, at least 1."""
    return max(1, min(abs(one - other) for one in here for other in there))
