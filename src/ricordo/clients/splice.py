"""Edits in the text of a JSON file: a part is put in or taken out, and every other byte stays; pure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from ricordo.clients.jsonc import BLANK, Node

__all__ = ["Style", "add", "cut", "style_of"]

INDENTED = re.compile(r"\n([ \t]+)\S")
SAME_LINE_COMMENT = re.compile(r"[ \t]*(?://[^\n\r]*|/\*[^\n]*?\*/)")
UNIT = "  "


@dataclass(frozen=True, kw_only=True, slots=True)
class Style:
    """How a file is laid out: what one level is indented by, and what ends a line."""

    unit: str = UNIT
    newline: str = "\n"


def style_of(text: str) -> Style:
    """The style of a text, by its first indented line and its first end of a line."""
    found = INDENTED.search(text)
    first = text.find("\n")
    return Style(unit=found[1] if found else UNIT, newline="\r\n" if first > 0 and text[first - 1] == "\r" else "\n")


def add(text: str, holder: Node, value: object, style: Style, key: str | None = None) -> str:
    """The text with a member (with a `key`) or an item put last into an object or an array."""
    spans = list(holder.spans())
    inline = bool(spans) and "\n" not in text[holder.start : spans[0][0]]
    margin = _margin(text, spans[-1][0]) if spans else _margin(text, holder.start) + style.unit
    part = _rendered(value, key, margin, None if inline else style)
    lead = " " if inline else f"{style.newline}{margin}"
    if not spans:
        place = _after_comment(text, holder.start + 1)
        closing = "" if "\n" in text[place : holder.end] else f"{style.newline}{_margin(text, holder.start)}"
        return f"{text[:place]}{lead}{part}{closing}{text[place:].lstrip(' ') if closing else text[place:]}"
    end = spans[-1][1]
    comma = _comma_after(text, end, holder.end)
    if comma is not None:
        place = _after_comment(text, comma + 1)
        return f"{text[:place]}{lead}{part},{text[place:]}"
    place = _after_comment(text, end)
    return f"{text[:end]},{text[end:place]}{lead}{part}{text[place:]}"


def cut(text: str, holder: Node, index: int) -> str:
    """The text without a member or item of an object or array, as it was before that was put in."""
    spans = list(holder.spans())
    start, end = spans[index]
    comma = _comma_after(text, end, holder.end)
    if len(spans) == 1:
        begin = _after_comment(text, holder.start + 1)
        rest = text[(comma + 1 if comma is not None else end) : holder.end - 1]
        inner = f"{text[holder.start + 1 : begin]}{rest}"
        return f"{text[: holder.start + 1]}{inner if inner.strip() else ''}{text[holder.end - 1 :]}"
    if index == 0:
        follower = spans[1][0]
        return f"{text[:start]}{text[follower:]}" if comma is not None else text
    before = _comma_after(text, spans[index - 1][1], holder.end)
    begin = start if before is None else _after_comment(text, before + 1)
    if comma is None and before is not None:
        return f"{text[:before]}{text[before + 1 : begin]}{text[end:]}"
    return f"{text[:begin]}{text[(end if comma is None else comma + 1) :]}"


def _margin(text: str, place: int) -> str:
    """The white space that the line of a place begins with."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _rendered(value: object, key: str | None, margin: str, style: Style | None) -> str:
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if style is None:
        return name + json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=style.unit).split("\n")
    return name + f"{style.newline}{margin}".join(lines)


def _after_comment(text: str, place: int) -> int:
    """The place after a comment that stands right behind this one in the same line; else the place itself."""
    found = SAME_LINE_COMMENT.match(text, place)
    return found.end() if found else place


def _comma_after(text: str, place: int, limit: int) -> int | None:
    """Where the comma stands that follows a part, if one does."""
    blank = BLANK.match(text, place, limit)
    at = blank.end() if blank else place
    return at if text[at : at + 1] == "," else None
