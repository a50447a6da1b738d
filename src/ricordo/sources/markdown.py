"""Markdown files: one memory for each section, with its headings, tags and date.

A section is the text from one heading to the next, as it stands in the file, its heading line included;
what precedes the first heading is a section too. Its context is what stands above it, `Title › Heading`,
without its own heading, which is in the text. A heading that is followed by a deeper one at once has no
memory of its own: it lives on in the context of those below it. A page of front matter alone is
remembered as that.

A section happened at the date of the front matter, else of the file's name, else of the nearest heading that names
one: its own, or one above it. A heading's day within the page's month counts before that month. The first words of
the text can make a day exact ("yesterday").

Comments that fill a block of their own are left out: who reads the page does not see them. Of two
sections alike in context and text, which would be one memory, the first counts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from ricordo.dates import STANDARD, dated
from ricordo.errors import SourceError
from ricordo.memory import EventTime, Memory, Origin
from ricordo.occasions import refined
from ricordo.protocols import Skipped
from ricordo.sources import files
from ricordo.sources.folder import shown
from ricordo.sources.front_matter import FrontMatter, FrontMatterError, read_front_matter, unique
from ricordo.timeparse import TimeOptions

__all__ = ["MarkdownSource"]

# Raised whenever the same file would give other memories than before.
READER = "markdown-2"

PATH_SEPARATOR = " › "
# A longer heading is a paragraph in disguise; it is cut where it stands above other text.
MAX_HEADING = 200
# PyYAML reads some 100 kB a second; real front matter has a few hundred bytes.
MAX_FRONT_MATTER = 65_536

# Only the blocks of a page are wanted; its inline markup costs most of the time and can take far more.
BLOCKS = MarkdownIt("commonmark").enable("table").disable("inline")
INLINE = MarkdownIt("commonmark")
FRONT = MarkdownIt("zero").disable("inline").use(front_matter_plugin)

TITLE_LINE = re.compile(r"^ {0,3}(?:#(?:[ \t].*)?|=+[ \t]*)$", re.MULTILINE)
CODE_SPAN = re.compile(r"`+[^`]*`+")
# As in Obsidian: a letter must be in it, so that #42 stays an issue; a slash nests.
TAG = re.compile(r"(?<!\S)#([\w/-]*[^\W\d][\w/-]*)")
NOTHING_SAID = re.compile(r"[\s*_#-]*")


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkdownSource:
    """A Markdown file. `now` dates its memories; `zone` and `options` are how dates are read."""

    path: Path
    now: datetime
    zone: tzinfo = UTC
    options: TimeOptions = STANDARD

    @property
    def origin(self) -> Origin:
        """Titled by the front matter, else by the first heading of the first level, else by the file's name."""
        try:
            page = self._page()
        except SourceError:
            return self._origin(None)
        return self._origin(page.front.title or _first_title(page.body))

    def revision(self) -> str:
        return files.revision(self.path, READER, self.zone, self.options)

    def memories(self) -> Iterator[Memory | Skipped]:
        """The sections in order. Front matter that is not valid YAML comes first, as Skipped."""
        page = self._page()
        if page.fault is not None:
            yield Skipped(where=f"{shown(self.path)} (front matter)", why=page.fault, loses_memories=False)
        blocks = _Blocks.parse(page.body)
        origin = self._origin(page.front.title or blocks.title)
        event = page.front.event or files.name_date(self.path, self.zone)
        seen: set[str] = set()
        for section in page.sections(blocks, origin.title or ""):
            memory = Memory(
                text=section.text,
                origin=origin,
                created_at=self.now,
                updated_at=self.now,
                context=PATH_SEPARATOR.join(section.above),
                group=PATH_SEPARATOR.join(section.path),
                position=len(seen),
                tags=unique((*page.front.tags, *section.tags)),
                metadata=page.front.metadata,
            )
            if memory.id not in seen:
                seen.add(memory.id)
                yield memory.happened(self._event(event, section))

    def _page(self) -> _Page:
        return _Page.read(self.path, self.zone, self.options)

    def _event(self, page: EventTime | None, section: _Section) -> EventTime | None:
        headings = (dated(heading, self.zone, self.options) for heading in reversed(section.headings))
        heading = next((found for found in headings if found is not None), None)
        event = page if heading is None or (page is not None and not _within(heading, page)) else heading
        return refined(event, section.text, self.zone, self.options)

    def _origin(self, title: str | None) -> Origin:
        return files.origin(self.path, "markdown", title or self.path.stem)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Section:
    """A section's source text, its title and headings, those of them that stand above the text, the headings alone."""

    text: str
    path: tuple[str, ...]
    above: tuple[str, ...]
    headings: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Page:
    """A page parted into front matter, as written and as understood, and body; `fault` is why it was not."""

    written: str
    front: FrontMatter
    body: str
    fault: str | None = None

    @classmethod
    def read(cls, path: Path, zone: tzinfo, options: TimeOptions) -> _Page:
        text = files.read_text(path)
        tokens = FRONT.parse(text[:MAX_FRONT_MATTER]) if text.startswith("---") else []
        if not tokens or tokens[0].type != "front_matter":
            return cls(written="", front=FrontMatter(), body=text)
        written = tokens[0].content
        body = "\n".join(text.split("\n")[_lines(tokens[0]).stop :])
        try:
            front = read_front_matter(written, zone, options)
        except FrontMatterError as error:
            return cls(written=written, front=FrontMatter(), body=body, fault=str(error))
        if front is None:
            return cls(written="", front=FrontMatter(), body=text)
        return cls(written=written, front=front, body=body)

    def sections(self, blocks: _Blocks, title: str) -> Iterator[_Section]:
        alone = True
        for section in blocks.sections(title):
            alone = False
            yield section
        if alone and self.fault is None and self.written.strip():
            yield _Section(text=self.written.strip("\n").rstrip(), path=(title,), above=(title,))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Heading:
    """A heading: its depth, its text without markup, its own lines, and whether its text was cut."""

    level: int
    title: str
    lines: range
    cut: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class _Blocks:
    """What the parser tells of a page's body: headings, lines that are comments, tags with their lines."""

    lines: list[str]
    headings: list[_Heading]
    comments: frozenset[int]
    tags: list[tuple[int, str]]

    @classmethod
    def parse(cls, body: str) -> _Blocks:
        tokens = BLOCKS.parse(body)
        return cls(
            lines=body.split("\n"),
            headings=[
                _heading(*pair) for pair in pairwise(tokens) if pair[0].type == "heading_open" and not pair[0].level
            ],
            comments=frozenset(line for token in tokens if _is_comment(token) for line in _lines(token)),
            tags=[(_lines(token).start, tag) for token in tokens if token.type == "inline" for tag in _tags(token)],
        )

    @property
    def title(self) -> str | None:
        return next((heading.title for heading in self.headings if heading.level == 1 and heading.title), None)

    def sections(self, title: str) -> Iterator[_Section]:
        ends = [heading.lines.start for heading in self.headings] + [len(self.lines)]
        if self._says(0, ends[0]):
            yield self._section(range(ends[0]), (title,), (title,), [])
        above: list[_Heading] = []
        for position, heading in enumerate(self.headings):
            end = ends[position + 1]
            above = [outer for outer in above if outer.level < heading.level]
            above.append(heading)
            names = _names(title, above)
            if self._is_bare(position, end) or not self._says(heading.lines.start, end):
                continue
            upper = names[:-1] if heading.title else names
            yield self._section(range(heading.lines.start, end), names, upper, above)

    def _is_bare(self, position: int, end: int) -> bool:
        """Whether a heading says nothing that the sections below it do not say in their context."""
        heading, below = self.headings[position], self.headings[position + 1 : position + 2]
        followed = bool(below) and below[0].level > heading.level
        return followed and not heading.cut and not self._says(heading.lines.stop, end)

    def _says(self, start: int, end: int) -> bool:
        return not NOTHING_SAID.fullmatch(self._text(start, end))

    def _text(self, start: int, end: int) -> str:
        kept = (self.lines[line] for line in range(start, end) if line not in self.comments)
        return "\n".join(kept).strip("\n").rstrip()

    def _section(
        self, lines: range, path: tuple[str, ...], above: tuple[str, ...], headings: list[_Heading]
    ) -> _Section:
        first, last = (bisect_left(self.tags, line, key=lambda tag: tag[0]) for line in (lines.start, lines.stop))
        tags = tuple(tag for _, tag in self.tags[first:last])
        titles = tuple(heading.title for heading in headings)
        text = self._text(lines.start, lines.stop)
        return _Section(text=text, path=path, above=above, headings=titles, tags=tags)


def _within(heading: EventTime, page: EventTime) -> bool:
    """Whether a heading only says more exactly what the page says of itself."""
    return page.end is not None and page.start <= heading.start and (heading.end or heading.start) <= page.end


def _names(title: str, headings: list[_Heading]) -> tuple[str, ...]:
    """The title and the headings, outermost first; the heading that gave the title is not said twice."""
    names = [heading.title for heading in headings if heading.title]
    if names and names[0].casefold() == title.casefold():
        del names[0]
    return (title, *names)


def _first_title(body: str) -> str | None:
    """The text of the first heading of the first level.

    It almost always is the first line that looks like one, and then the page below it need not be parsed.
    """
    candidate = TITLE_LINE.search(body)
    if candidate is None:
        return None
    return _Blocks.parse(body[: candidate.end()]).title or _Blocks.parse(body).title


def _heading(opening: Token, inline: Token) -> _Heading:
    text = _plain(inline.content)
    cut = len(text) > MAX_HEADING
    title = text[:MAX_HEADING].rstrip() + "…" if cut else text
    return _Heading(level=int(opening.tag[1:]), title=title, lines=_lines(opening), cut=cut)


def _plain(content: str) -> str:
    """A heading's text without its inline markup."""
    children = INLINE.parseInline(content[: 4 * MAX_HEADING])[0].children or []
    words = (
        " " if child.type.endswith("break") else child.content for child in children if child.type != "html_inline"
    )
    return " ".join("".join(words).split())


def _tags(inline: Token) -> list[str]:
    return TAG.findall(CODE_SPAN.sub(" ", inline.content)) if "#" in inline.content else []


def _is_comment(token: Token) -> bool:
    if token.type != "html_block":
        return False
    content = token.content.strip()
    return content.startswith("<!--") and content.endswith("-->") and content.count("-->") == 1


def _lines(token: Token) -> range:
    return range(*token.map) if token.map else range(0)
