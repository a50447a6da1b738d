"""Where a text has joints, from its blocks down to its words; pure.

Each finder takes a text and gives the offsets at which it may be parted, in order, each with the kind of
joint there. A text parted at them is whole: nothing lies between two parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import pairwise
from typing import TypeAlias

from ricordo.sentences import sentence_starts

__all__ = ["FINDERS", "Joint", "Joints", "opening_heading", "table_heads", "tables"]


class Joint(IntEnum):
    """What begins at a joint, the better place to cut being the larger."""

    UNDER_HEADING = 0
    CHARACTER = 1
    WORD = 2
    SENTENCE = 3
    LINE = 4
    ITEM = 5
    PARAGRAPH = 6
    HEADING = 7


Joints: TypeAlias = list[tuple[int, Joint]]

FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})")
HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*)$")
UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
TABLE_ROW = re.compile(r"[ \t]*\|")
TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
BLANK_LINE = re.compile(r"\n[ \t]*\n\s*^", re.MULTILINE)
ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+(?=\S)", re.MULTILINE)
LINE_END = re.compile(r"\n+")
SPACE = re.compile(r"\s+")
LEADING_LETTER = re.compile(r"[ \t>]*([^\W\d_])")
SENTENCE_MARKS = (".", "!", "?", "…", ":", ";", "。", "！", "？")
# Prose wrapped by hand fills its lines; shorter ones end where their author meant them to.
WRAPPED_LINE = 60


def opening_heading(text: str) -> str | None:
    """The heading that a text begins with, without its marks."""
    first, _, rest = text.lstrip("\n").partition("\n")
    match = HEADING.match(first)
    if match is not None:
        return match[1].rstrip().rstrip("#").strip() or None
    underline, _, _ = rest.partition("\n")
    return first.strip() or None if UNDERLINE.match(underline) else None


def tables(text: str) -> list[str]:
    """The first row of each table whose rows begin with a bar: it names the columns."""
    return [head for head, rule in pairwise(text.split("\n")) if _is_head(head, rule)] if "|" in text else []


def table_heads(pieces: Sequence[str]) -> list[str]:
    """For each piece of a text the first row of the table that it begins within; empty where it begins in none."""
    heads: list[str] = []
    open_table = ""
    for piece in pieces:
        lines = piece.split("\n")
        begins_anew = len(lines) > 1 and _is_head(lines[0], lines[1])
        goes_on = bool(open_table) and TABLE_ROW.match(lines[0]) is not None and not begins_anew
        heads.append(open_table if goes_on else "")
        open_table = _open_table(lines, open_table if goes_on else "")
    return heads


def _open_table(lines: Sequence[str], head: str) -> str:
    """The head of the table that the last of these lines is a row of."""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if _is_head(line, following):
            head = line
        elif not TABLE_ROW.match(line):
            head = ""
    return head


def _is_head(line: str, following: str) -> bool:
    return TABLE_ROW.match(line) is not None and "-" in following and TABLE_RULE.match(following) is not None


def blocks(text: str) -> Joints:
    """Paragraphs, and whole code fences, blank lines and all; lists and tables are parted by blank lines only."""
    return [(offset, joint) for offset, joint in _blocks(text) if offset]


def _blocks(text: str) -> Iterator[tuple[int, Joint]]:
    fence, previous, apart = "", "", False
    for offset, line in _lines(text):
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence, apart = "", True
            continue
        opening = FENCE.match(line)
        is_heading = HEADING.match(line) is not None
        if line.strip() and (apart or opening or is_heading):
            yield offset, Joint.HEADING if is_heading else _joint_after(previous, line)
        if opening:
            fence = opening[1]
        # What follows a heading stands apart from it, blank line or not, and yet belongs to it.
        apart = is_heading or not line.strip()
        previous = line if line.strip() else previous


def _joint_after(previous: str, line: str) -> Joint:
    if HEADING.match(previous):
        return Joint.UNDER_HEADING
    introduced = previous.rstrip().endswith(":")
    return Joint.ITEM if introduced or line[0] in " \t" else Joint.PARAGRAPH


def _lines(text: str) -> Iterator[tuple[int, str]]:
    offset = 0
    for line in text.split("\n"):
        yield offset, line
        offset += len(line) + 1


def paragraphs(text: str) -> Joints:
    """Blank lines, those in code fences too."""
    return [(match.end(), Joint.ITEM) for match in BLANK_LINE.finditer(text) if match.end() < len(text)]


def items(text: str) -> Joints:
    """List items of the outermost list."""
    found = [(match.start(), len(match[0]) - len(match[0].lstrip())) for match in ITEM.finditer(text)]
    outermost = min((indent for _, indent in found), default=0)
    return [(offset, Joint.ITEM) for offset, indent in found if indent == outermost and offset]


def lines(text: str) -> Joints:
    """Lines, but for those that were only wrapped in the middle of a sentence."""
    joints: Joints = []
    start = 0
    for match in LINE_END.finditer(text):
        if match.end() < len(text) and not _is_wrapped(text[start : match.start()].rstrip(), text, match.end()):
            joints.append((match.end(), Joint.LINE))
        start = match.end()
    return joints


def _is_wrapped(line: str, text: str, following: int) -> bool:
    letter = LEADING_LETTER.match(text, following)
    if letter is None or line.endswith(SENTENCE_MARKS):
        return False
    return letter[1].islower() or len(line) >= WRAPPED_LINE


def sentences(text: str) -> Joints:
    return [(offset, Joint.SENTENCE) for offset in sentence_starts(text)]


def words(text: str) -> Joints:
    return [(match.end(), Joint.WORD) for match in SPACE.finditer(text) if 0 < match.end() < len(text)]


# From the coarsest to the finest.
FINDERS = (blocks, paragraphs, items, lines, sentences, words)
