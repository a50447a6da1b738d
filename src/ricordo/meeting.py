"""Which words of a text the words of a question are nearest to, by their token vectors; pure.

Late interaction (`tokenvectors`) scores a text by the nearest of its tokens to each token of the question. Here the
pairs themselves are told, word by word. A cosine means little alone, since one model spreads them wide and another
does not, so each pair also has its `strength`: how far it lies on the way from the text's usual token to the same one,

    strength = (max - median) / (1 - median)

over the similarities of one token of the question to all tokens of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ricordo.exchange import TokenVectors

__all__ = ["Meeting", "meetings", "places"]

_EDGES = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Meeting:
    """A word of the question and the word of the text that is nearest to it, which stands at `text[start:end]`.

    Both as the model parts them. `start` and `end` are None where the word stands in the context of the text.
    """

    asked: str
    found: str
    similarity: float
    strength: float
    start: int | None = None
    end: int | None = None


def meetings(question: TokenVectors, text: TokenVectors, said: str, begins: int = 0) -> tuple[Meeting, ...]:
    """For each word of the question, in its order, its best token's nearest word of the text.

    `said` is what `text` was made of; what counts as the text begins at `begins`, and its context before that.
    """
    if not len(question.rows) or not len(text.rows):
        return ()
    similar = question.rows @ text.rows.T
    nearest = similar.argmax(axis=1)
    best = similar.max(axis=1)
    usual = np.median(similar, axis=1)
    strengths = (best - usual) / np.maximum(1 - usual, np.finfo(np.float32).eps)
    where = places(text.words, said)
    found = []
    for word, tokens in _runs(question.words):
        token = max(tokens, key=lambda each: float(strengths[each]))
        place = int(nearest[token])
        start, end = where[place] or (0, 0)
        within = end > start >= begins
        found.append(
            Meeting(
                asked=_bare(word),
                found=_bare(text.words[place]),
                similarity=float(best[token]),
                strength=float(np.clip(strengths[token], 0, 1)),
                start=start - begins if within else None,
                end=end - begins if within else None,
            )
        )
    return tuple(found)


def places(words: Sequence[str], text: str) -> list[tuple[int, int] | None]:
    """Where the word of each token stands in a text that they are of, in order; None for one that is not seen there.

    Models may read without case and accents. Tokens of one word that follow one another have one place.
    """
    folded, origin = _folded(text)
    found: list[tuple[int, int] | None] = [None] * len(words)
    cursor = 0
    for word, tokens in _runs(words):
        plain, _ = _folded(_bare(word))
        at = folded.find(plain, cursor) if plain else -1
        if at < 0:
            continue
        cursor = at + len(plain)
        for token in tokens:
            found[token] = (origin[at], origin[cursor - 1] + 1)
    return found


def _runs(words: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    """Each word with the tokens that it consists of."""
    for word, tokens in groupby(range(len(words)), key=lambda token: words[token]):
        yield word, list(tokens)


def _bare(word: str) -> str:
    """The word without the punctuation that some models leave at its end."""
    return _EDGES.sub("", word) or word


def _folded(text: str) -> tuple[str, list[int]]:
    """The text without case and accents, and where each of its characters comes from."""
    pairs = [
        (each, place)
        for place, character in enumerate(text)
        for each in unicodedata.normalize("NFKD", character.casefold())
        if not unicodedata.combining(each)
    ]
    return "".join(each for each, _ in pairs), [place for _, place in pairs]
