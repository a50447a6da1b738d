"""Markdown pages, parted into front matter and sections, and what stands in each; pure.

A section is the text from one heading to the next, as it stands in the file, its heading line included; what precedes
the first heading is a section too. Comments are left out: who reads the page does not see them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from ricordo.dates import STANDARD
from ricordo.sources import notation
from ricordo.sources.front_matter import FrontMatter, FrontMatterError, read_front_matter
from ricordo.sources.injected import without_own
from ricordo.timeparse import TimeOptions

__all__ = ["Blocks", "Page", "Section", "first_title"]

# A longer heading is a paragraph in disguise; it is cut where it stands above other text.
MAX_HEADING = 200
# PyYAML reads some 100 kB a second; real front matter has a few hundred bytes.
MAX_FRONT_MATTER = 65_536

# Only the blocks of a page are wanted; its inline markup costs most of the time and can take far more.
BLOCKS = MarkdownIt("commonmark").enable("table").disable("inline")
INLINE = MarkdownIt("commonmark")
FRONT = MarkdownIt("zero").disable("inline").use(front_matter_plugin)

# As generators of sites have it.
TOML = re.compile(r"\+\+\+[ \t]*\n(.*?)\n?^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
TITLE_LINE = re.compile(r"^ {0,3}(?:#(?:[ \t].*)?|=+[ \t]*)$", re.MULTILINE)
NOTHING_SAID = re.compile(r"[\s*_#-]*")
CODE_BLOCKS = ("fence", "code_block")


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A section's source text, its title and headings, those of them that stand above the text, the headings alone.

    An item of a list that stands by itself is a section too: `item`, below its section's headings. So are the
    `properties` of the page.
    """

    text: str
    path: tuple[str, ...]
    above: tuple[str, ...]
    headings: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    fields: dict[str, str] = field(default_factory=dict)
    item: bool = False
    properties: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A page parted into front matter, as written and as understood, and body; `fault` is why it was not."""

    written: str
    front: FrontMatter
    body: str
    fault: str | None = None

    @classmethod
    def parse(cls, text: str, zone: tzinfo, options: TimeOptions = STANDARD) -> Page:
        """The page; the last two are at hand, since one is asked for its kind, its title and its sections in turn."""
        return _page(text, zone, options)

    @property
    def unread(self) -> str:
        """Front matter that could not be understood: it is said as it is written."""
        return self.written.strip("\n").rstrip() if self.fault is not None else ""


@lru_cache(maxsize=2)
def _page(text: str, zone: tzinfo, options: TimeOptions) -> Page:
    text = without_own(text)
    if toml := TOML.match(text, 0, MAX_FRONT_MATTER):
        written, body = toml[1], text[toml.end() :]
    else:
        tokens = FRONT.parse(text[:MAX_FRONT_MATTER]) if text.startswith("---") else []
        if not tokens or tokens[0].type != "front_matter":
            return Page(written="", front=FrontMatter(), body=text)
        written, body = tokens[0].content, "\n".join(text.split("\n")[_lines(tokens[0]).stop :])
    try:
        front = read_front_matter(written, zone, options, toml=toml is not None)
    except FrontMatterError as error:
        return Page(written=written, front=FrontMatter(), body=body, fault=str(error))
    if front is None:
        return Page(written="", front=FrontMatter(), body=text)
    return Page(written=written, front=front, body=body)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Heading:
    """A heading: its depth, its text without markup, its own lines, and whether its text was cut."""

    level: int
    title: str
    lines: range
    cut: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """The lines of a section, the names above it, its own included or not, and the headings."""

    lines: range
    path: tuple[str, ...]
    above: tuple[str, ...]
    headings: tuple[_Heading, ...] = ()

    @property
    def below_heading(self) -> int:
        return self.headings[-1].lines.stop if self.headings else self.lines.start


@dataclass(frozen=True, kw_only=True, slots=True)
class Blocks:
    """What the parser tells of a page's body: headings, items of the outermost lists, code, comments, prose."""

    lines: list[str]
    headings: list[_Heading]
    items: list[range]
    code: frozenset[int]
    comments: frozenset[int]
    prose: list[tuple[int, str]]
    """The first line of each stretch of prose, and its text."""

    @classmethod
    def parse(cls, body: str) -> Blocks:
        tokens = BLOCKS.parse(body)
        lines, code = body.split("\n"), _code(tokens)
        comments = frozenset(notation.comment_lines(lines, code)) if "%%" in body else frozenset()
        if comments:
            # What stands in them is neither heading nor list.
            lines = ["" if number in comments else line for number, line in enumerate(lines)]
            tokens = BLOCKS.parse("\n".join(lines))
            code = _code(tokens)
        return cls(
            lines=lines,
            headings=[
                _heading(*pair) for pair in pairwise(tokens) if pair[0].type == "heading_open" and not pair[0].level
            ],
            items=[_lines(token) for token in tokens if token.type == "list_item_open" and token.level == 1],
            code=code,
            comments=comments | {line for token in tokens if _is_comment(token) for line in _lines(token)},
            prose=[(_lines(token).start, token.content) for token in tokens if token.type == "inline"],
        )

    @property
    def title(self) -> str | None:
        """The text of the first heading of the first level."""
        return next((heading.title for heading in self.headings if heading.level == 1 and heading.title), None)

    def sections(self, title: str, apart: Callable[[str], bool]) -> Iterator[Section]:
        """The sections in order, each before those of its list items that stand `apart`."""
        for place in self._places(title):
            items = [item for item in self._items(place.lines) if apart(self._text(item))]
            within = frozenset(line for item in items for line in item)
            # What is left of a list is nothing but its heading, which the items know.
            if not within or self._says(place.below_heading, place.lines.stop, within):
                yield self._section(place, self._text(place.lines, within), place.lines, place.above, within)
            yield from self._items_apart(items, place)

    def _items_apart(self, items: Sequence[range], place: _Place) -> Iterator[Section]:
        """These items, each with the line above its list that says what they are: one that ends with a colon."""
        end, introduction = place.below_heading, ""
        for item in items:
            above = next((line for line in reversed(self.lines[end : item.start]) if line.strip()), None)
            if above is not None or end == place.below_heading:
                introduction = _plain(above) if above and above.rstrip().endswith(":") else ""
            end = item.stop
            if self._says(item.start, item.stop):
                names = (*place.path, introduction) if introduction else place.path
                yield _as_item(self._section(place, _dedented(self._text(item)), item, names))

    def _places(self, title: str) -> Iterator[_Place]:
        ends = [heading.lines.start for heading in self.headings] + [len(self.lines)]
        if self._says(0, ends[0]):
            yield _Place(lines=range(ends[0]), path=(title,), above=(title,))
        above: list[_Heading] = []
        for position, heading in enumerate(self.headings):
            end = ends[position + 1]
            above = [outer for outer in above if outer.level < heading.level]
            above.append(heading)
            names = _names(title, above)
            if self._is_bare(position, ends) or not self._says(heading.lines.start, end):
                continue
            upper = names[:-1] if heading.title else names
            lines = range(heading.lines.start, end)
            yield _Place(lines=lines, path=names, above=upper, headings=tuple(above))

    def _is_bare(self, position: int, ends: Sequence[int]) -> bool:
        """Whether a heading says nothing that the sections below it do not say in their context."""
        heading, below = self.headings[position], self.headings[position + 1 : position + 2]
        followed = bool(below) and below[0].level > heading.level
        if not followed or heading.cut or self._says(heading.lines.stop, ends[position + 1]):
            return False
        return self._says(below[0].lines.start, ends[position + 2])

    def _items(self, lines: range) -> list[range]:
        first, last = (bisect_left(self.items, line, key=lambda item: item.start) for line in (lines.start, lines.stop))
        return self.items[first:last]

    def _says(self, start: int, end: int, without: Collection[int] = ()) -> bool:
        return not NOTHING_SAID.fullmatch(self._text(range(start, end), without))

    def _text(self, lines: range, without: Collection[int] = ()) -> str:
        kept = (line for line in lines if line not in self.comments and line not in without)
        shown = (self.lines[line] if line in self.code else notation.shown_text(self.lines[line]) for line in kept)
        return "\n".join(shown).strip("\n").rstrip()

    def _section(
        self, place: _Place, text: str, lines: range, above: tuple[str, ...], without: Collection[int] = ()
    ) -> Section:
        first, last = (bisect_left(self.prose, line, key=lambda found: found[0]) for line in (lines.start, lines.stop))
        stretches = [prose for line, prose in self.prose[first:last] if line not in without]
        prose = "\n\n".join(notation.shown_text(each) for each in stretches)
        return Section(
            text=text,
            path=place.path,
            above=above,
            headings=tuple(heading.title for heading in place.headings),
            tags=tuple(notation.tags(prose)),
            links=tuple(dict.fromkeys(notation.links(prose))),
            fields=notation.fields(prose),
        )


def first_title(body: str) -> str | None:
    """The text of the first heading of the first level.

    It almost always is the first line that looks like one, and then the page below it need not be parsed.
    """
    candidate = TITLE_LINE.search(body)
    if candidate is None:
        return None
    return Blocks.parse(body[: candidate.end()]).title or Blocks.parse(body).title


def _as_item(section: Section) -> Section:
    return replace(section, item=True)


def _dedented(text: str) -> str:
    """An item without the indent it has in its list."""
    indent = len(text) - len(text.lstrip(" "))
    return "\n".join(line[indent:] if not line[:indent].strip() else line for line in text.split("\n"))


def _code(tokens: Iterable[Token]) -> frozenset[int]:
    return frozenset(line for token in tokens if token.type in CODE_BLOCKS for line in _lines(token))


def _names(title: str, headings: list[_Heading]) -> tuple[str, ...]:
    """The title and the headings, outermost first; the heading that gave the title is not said twice."""
    names = [heading.title for heading in headings if heading.title]
    if names and names[0].casefold() == title.casefold():
        del names[0]
    return (title, *names)


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


def _is_comment(token: Token) -> bool:
    if token.type != "html_block":
        return False
    content = token.content.strip()
    return content.startswith("<!--") and content.endswith("-->") and content.count("-->") == 1


def _lines(token: Token) -> range:
    return range(*token.map) if token.map else range(0)
