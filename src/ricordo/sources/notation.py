"""What notes add to Markdown, as Obsidian and its like read it: links, tags, fields, tasks, comments, marks; pure.

Nothing in code counts. Functions that take `lines` take those of a page, and the numbers of those that are code.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence

__all__ = ["comment_lines", "fields", "links", "nested", "placeholder", "shown_text", "tags", "task"]

CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
# As in Obsidian: a letter must be in it, so that #42 stays an issue; a slash nests.
TAG = re.compile(r"(?<!\S)#([\w/-]*[^\W\d][\w/-]*)")
LINK = re.compile(r"\[\[([^\[\]|\n]{1,500}?)\\?(?:\|[^\[\]\n]{0,500})?\]\]")
COMMENT = re.compile(r"(?<![\w%])%%(?!%)[^%]*(?:%(?!%)[^%]*)*%%(?![\w%])")
OPENS_COMMENT = re.compile(r"\s*%%(?!%)")
CLOSES_COMMENT = re.compile(r"(?<!%)%%\s*$")
MARK = re.compile(r"(?<![\w=])==(?=[^\s=])([^=\n]*(?:=(?!=)[^=\n]*)*)(?<=[^\s=])==(?![\w=])")
KEY = r"[^\W\d_][\w /-]{0,38}[\w]|[^\W\d_]"
FIELD = re.compile(rf"^[ \t>]*(?:[-*+] (?:\[.\] )?)?(?:\*\*)?({KEY})(?:\*\*)?::[ \t]+(\S.*)$")
FIELD_IN_TEXT = re.compile(rf"[\[(]({KEY})::[ \t]+([^\[\]()]+|\[\[[^\[\]]+\]\])[\])]")
TASK = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+\[(.)\]\s")
TASKS = {
    " ": "open",
    "x": "done",
    "X": "done",
    "/": "in progress",
    ">": "moved",
    "<": "scheduled",
    "-": "cancelled",
}
# What Obsidian and its Templater put in when a note is made from a template; other braces are somebody's text.
PLACEHOLDER = re.compile(r"\{\{\s*(?:title|date|time)\s*(?::[^{}\n]*)?\}\}|<%[*_-]*\s*tp\.", re.IGNORECASE)


def tags(text: str) -> list[str]:
    """The tags of a text, without their signs; a nested one whole."""
    return TAG.findall(_without_code(text)) if "#" in text else []


def nested(found: Iterable[str]) -> tuple[str, ...]:
    """The tags, each once, and behind each those that it is nested in: `work/app` is in `work`."""
    every: dict[str, None] = {}
    for tag in found:
        parts = tag.strip("/").split("/")
        every |= dict.fromkeys("/".join(parts[:count]) for count in range(len(parts), 0, -1))
    return tuple(every)


def links(text: str) -> list[str]:
    """What the `[[links]]` and `![[embeds]]` of a text lead to, with the heading or block, without the alias."""
    if "[[" not in text:
        return []
    return [target for found in LINK.findall(_without_code(text)) if (target := found.strip())]


def fields(text: str) -> dict[str, str]:
    """The `key:: value` fields of a text, those in brackets too; of the same key the first."""
    if "::" not in text:
        return {}
    found: dict[str, str] = {}
    for line in _without_code(text).split("\n"):
        whole = FIELD.match(line)
        pairs = [whole.groups()] if whole else FIELD_IN_TEXT.findall(line)
        for key, value in pairs:
            found.setdefault(key.strip(), value.strip())
    return found


def task(text: str) -> str | None:
    """What has become of the task that a list item is: `open`, `done`, `moved` …; None when it is none."""
    box = TASK.match(text)
    return TASKS.get(box[1]) if box else None


def placeholder(lines: Sequence[str], code: Collection[int]) -> str | None:
    """The first thing on a page that a template has and a note has not; None on a note."""
    prose = (line for number, line in enumerate(lines) if number not in code)
    found = (PLACEHOLDER.search(_without_code(line)) for line in prose if "{{" in line or "<%" in line)
    return next((match[0] for match in found if match), None)


def comment_lines(lines: Sequence[str], code: Collection[int]) -> Iterator[int]:
    """The lines of `%%` comments that begin a line and go on over others; one that is never closed is text."""
    closers = [number for number, line in enumerate(lines) if number not in code and CLOSES_COMMENT.search(line)]
    number = 0
    while number < len(lines):
        end = number
        if number not in code and OPENS_COMMENT.match(COMMENT.sub("", lines[number])):
            place = bisect_left(closers, number + 1)
            if place < len(closers):
                end = closers[place]
                yield from range(number, end + 1)
        number = end + 1


def shown_text(line: str) -> str:
    """A line of prose as a reader of the page sees it: no `%%comment%%` within it, no signs around ==marked== words."""
    if "%%" not in line and "==" not in line:
        return line
    parts, place = [], 0
    for span in CODE_SPAN.finditer(line):
        parts += [_shown(line[place : span.start()]), span[0]]
        place = span.end()
    return "".join([*parts, _shown(line[place:])])


def _shown(prose: str) -> str:
    return MARK.sub(r"\1", COMMENT.sub("", prose))


def _without_code(text: str) -> str:
    return CODE_SPAN.sub(" ", text) if "`" in text else text
