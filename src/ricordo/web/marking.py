"""What of a text the eye should find: the words that a question and it share, and what a new version changed; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from ricordo.analyzer import analyze_question, lexemes
from ricordo.render.phrases import safe

__all__ = ["FAINT", "STRONG", "Piece", "changes", "marked"]

WORD = re.compile(r"\w+(?:[-'’._/@]\w+)*")
STEP = re.compile(r"\s+|\w+|[^\w\s]+")
LONGEST = 20_000
FAINT, STRONG = 0.2, 0.45
"""From which strength a meeting of words is worth showing, and from which it is a sure one."""
MOST_STEPS = 4000


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text: `same`, `mark`, `faint`, `added` or `removed`."""

    text: str
    kind: str = "same"


def marked(text: str, question: str) -> tuple[Piece, ...]:
    """The text, with the words that are in the question in any of their forms as marks."""
    text = safe(text)
    wanted = frozenset(analyze_question(question).weights) if question.strip() else frozenset[str]()
    if not wanted or len(text) > LONGEST:
        return (Piece(text),)
    return tuple(_joined(_words(text, wanted)))


def _words(text: str, wanted: frozenset[str]) -> Iterator[Piece]:
    end = 0
    for word in WORD.finditer(text):
        if wanted & _forms(word[0]):
            yield Piece(text[end : word.start()])
            yield Piece(word[0], "mark")
            end = word.end()
    yield Piece(text[end:])


@lru_cache(maxsize=20_000)
def _forms(word: str) -> frozenset[str]:
    return frozenset(lexemes(word))


def changes(old: str, new: str) -> tuple[Piece, ...]:
    """How one text became another, word by word."""
    before, after = STEP.findall(safe(old)), STEP.findall(safe(new))
    if len(before) + len(after) > MOST_STEPS:
        return (Piece(safe(old), "removed"), Piece(safe(new), "added"))
    return tuple(_joined(_steps(before, after)))


def _steps(before: list[str], after: list[str]) -> Iterator[Piece]:
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Piece("".join(before[i:j]))
        else:
            yield Piece("".join(before[i:j]), "removed")
            yield Piece("".join(after[k:m]), "added")


def _joined(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Without empty pieces, and with neighbours of one kind as one."""
    last: Piece | None = None
    for piece in pieces:
        if last is not None and last.kind == piece.kind:
            last = Piece(last.text + piece.text, last.kind)
        elif piece.text:
            if last is not None and last.text:
                yield last
            last = piece
    if last is not None and last.text:
        yield last
