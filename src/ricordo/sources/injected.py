"""What programs put into a conversation, which nobody said: ricordo's own answers, and a system's reminders; pure.

Whatever ricordo puts before a prompt stands in an element whose name begins with `ricordo`, for example
`<ricordo-context …>…</ricordo-context>`. A reader that remembered it would remember its own echo.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["ALWAYS", "without_injected", "without_own"]

ALWAYS = frozenset({"ricordo", "system-reminder"})
"""Elements that no reader takes for something said; `ricordo` stands for every name that begins so."""

OWN = frozenset({"ricordo"})
OWN_END = re.compile(r"</ricordo", re.IGNORECASE)
TAG = re.compile(r"<(/?)([A-Za-z][\w.-]{0,60})(?:\s[^<>]{0,2000})?>")
MOST_INDENT = 200
BLANK_LINES = re.compile(r"\n{3,}")


def without_injected(text: str, names: frozenset[str] = ALWAYS) -> str:
    """The text without the elements of these names; empty when nothing else was in it.

    One that begins a line and is never closed takes the rest of the text with it; another stays.
    """
    if "<" not in text:
        return text
    kept: list[str] = []
    end = 0
    for start, after in _blocks(text, names):
        kept.append(text[end:start])
        end = after
    if not end:
        return text
    kept.append(text[end:])
    return BLANK_LINES.sub("\n\n", "".join(kept)).strip()


def without_own(text: str) -> str:
    """What a person wrote without ricordo's own answers, where some were pasted whole; all else stays as it is."""
    return without_injected(text, OWN) if OWN_END.search(text) else text


def _blocks(text: str, names: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where the elements stand. One inside another of its name ends with the outer one."""
    name, start, depth, alone = "", 0, 0, False
    for tag in TAG.finditer(text):
        closing, found = tag[1], tag[2].lower()
        if depth and found == name:
            if not closing and not alone:
                start, depth, alone = tag.start(), 1, _begins_line(text, tag.start())
                continue
            depth += -1 if closing else 1
            if not depth:
                yield start, tag.end()
        elif not closing and _is_named(found, names) and not (depth and alone):
            name, start, depth, alone = found, tag.start(), 1, _begins_line(text, tag.start())
    if depth and alone:
        yield start, len(text)


def _is_named(name: str, names: frozenset[str]) -> bool:
    return name in names or ("ricordo" in names and name.startswith("ricordo"))


def _begins_line(text: str, place: int) -> bool:
    line = text[max(0, place - MOST_INDENT) : place].rpartition("\n")[2]
    return not line.strip()
