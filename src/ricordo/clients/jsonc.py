"""JSON as people write it into configuration files, with the place of every part; pure.

Comments and trailing commas are allowed, as the editors of these files allow them. Nothing is ever written back from
the parsed form: edits are made in the text, at the places found here, so that all else stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from json import JSONDecodeError, JSONDecoder

from ricordo.errors import InvalidInput

__all__ = ["BLANK", "Malformed", "Member", "Node", "line_of", "parse"]

DEPTH = 200
"""Deeper than any configuration goes, and less than Python's stack."""

BLANK = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
STRINGS = JSONDecoder()
WORDS = {"true": True, "false": False, "null": None}


class Malformed(InvalidInput):
    """The text is not JSON, from this line on."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line
        self.what = what


@dataclass(slots=True)
class Member:
    """One `"key": value` of an object; it begins at its key."""

    key: str
    start: int
    node: Node

    @property
    def end(self) -> int:
        return self.node.end


@dataclass(slots=True)
class Node:
    """A value between two places of the text: an object, an array, or a scalar."""

    kind: str
    start: int
    end: int = 0
    scalar: object = None
    members: list[Member] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)

    def get(self, key: str) -> Node | None:
        """The value of an object's key: the last, where it stands twice."""
        return next((member.node for member in reversed(self.members) if member.key == key), None)

    def walk(self, *keys: str) -> Node | None:
        """The value at the end of a path of keys."""
        node: Node | None = self
        for key in keys:
            node = node.get(key) if node is not None else None
        return node

    def spans(self) -> Iterator[tuple[int, int]]:
        """Where each member or item begins and ends."""
        yield from ((part.start, part.end) for part in (self.members or self.items))

    def value(self) -> object:
        """The plain value."""
        if self.kind == "object":
            return {member.key: member.node.value() for member in self.members}
        if self.kind == "array":
            return [item.value() for item in self.items]
        return self.scalar


def parse(text: str) -> Node:
    """The one value that the text holds. Raises Malformed."""
    reader = _Reader(text)
    node = reader.value(reader.blank(0), 0)
    end = reader.blank(node.end)
    if end != len(text):
        raise reader.malformed(end, f"{text[end]!r} stands where the text should end")
    return node


def line_of(text: str, place: int) -> int:
    """The number of the line that a place is in, from 1."""
    return text.count("\n", 0, place) + 1


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def malformed(self, place: int, what: str) -> Malformed:
        return Malformed(line_of(self.text, place), what)

    def blank(self, place: int) -> int:
        """The first place that is neither space nor comment."""
        found = BLANK.match(self.text, place)
        return found.end() if found else place

    def value(self, place: int, depth: int) -> Node:
        if depth > DEPTH:
            raise self.malformed(place, f"nested more than {DEPTH} levels deep")
        sign = self.text[place : place + 1]
        if sign == "{":
            return self._object(place, depth)
        if sign == "[":
            return self._array(place, depth)
        if sign == '"':
            string, end = self._string(place)
            return Node("scalar", place, end, string)
        return self._word(place)

    def _string(self, place: int) -> tuple[str, int]:
        try:
            string, end = STRINGS.raw_decode(self.text, place)
        except JSONDecodeError as error:
            raise self.malformed(error.pos, error.msg) from error
        return str(string), end

    def _word(self, place: int) -> Node:
        for word, value in WORDS.items():
            if self.text.startswith(word, place):
                return Node("scalar", place, place + len(word), value)
        found = NUMBER.match(self.text, place)
        if found is None or not found[0]:
            there = repr(self.text[place]) if place < len(self.text) else "the end"
            raise self.malformed(place, f"{there} stands where a value should begin")
        integral = found[0].lstrip("-").isdigit()
        return Node("scalar", place, found.end(), int(found[0]) if integral else float(found[0]))

    def _object(self, place: int, depth: int) -> Node:
        node = Node("object", place)
        at = self.blank(place + 1)
        while self.text[at : at + 1] != "}":
            if self.text[at : at + 1] != '"':
                raise self.malformed(at, "a name in quotes is missing here")
            key, end = self._string(at)
            colon = self.blank(end)
            if self.text[colon : colon + 1] != ":":
                raise self.malformed(colon, f"a colon is missing after {key!r}")
            node.members.append(Member(key, at, self.value(self.blank(colon + 1), depth + 1)))
            at = self._next(node.members[-1].end, "}")
        node.end = at + 1
        return node

    def _array(self, place: int, depth: int) -> Node:
        node = Node("array", place)
        at = self.blank(place + 1)
        while self.text[at : at + 1] != "]":
            node.items.append(self.value(at, depth + 1))
            at = self._next(node.items[-1].end, "]")
        node.end = at + 1
        return node

    def _next(self, end: int, closing: str) -> int:
        """Where the next part begins after one that ends here, or where the whole is closed."""
        at = self.blank(end)
        if self.text[at : at + 1] == ",":
            return self.blank(at + 1)
        if self.text[at : at + 1] != closing:
            raise self.malformed(at, f"a comma or {closing!r} is missing here")
        return at
