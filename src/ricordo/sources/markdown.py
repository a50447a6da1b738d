"""Markdown files and vaults of notes: one memory for each section, with its headings, tags, links and date.

A section's context is what stands above it, `Title › Heading`, without its own heading, which is in the text; other
names of the page stand behind its title. A heading that is followed by a deeper one at once has no memory of its own:
it lives on in the context of those below it. Properties that say something are a memory too, before all sections, and
so is front matter that cannot be understood, as it is written. The items of a day's page, and those of any list that
begin with a date, are memories by themselves.

A section happened at the date of the front matter, else of the file's name, else of the nearest heading that names
one: its own, or one above it. A heading's day within the page's month counts before that month, and its time of day
within the page's day. An item that begins with a date happened then. The first words of the text can make a day exact
("yesterday"). What has no date was said when the file was committed or last changed.

Templates have nothing to remember. Of two sections alike in context and text, which would be one memory, the first
counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from ricordo.dates import STANDARD, dated, iso_time
from ricordo.errors import SourceError
from ricordo.memory import EventOrigin, EventTime, Json, Memory, Origin
from ricordo.occasions import refined
from ricordo.protocols import Skipped
from ricordo.sources import files, notation
from ricordo.sources.dating import at_clock, is_daily, leading_date, name_date, written_at
from ricordo.sources.folder import shown
from ricordo.sources.pages import Blocks, Page, Section, first_title
from ricordo.sources.vaults import daily_date, is_template
from ricordo.timeparse import TimeOptions

__all__ = ["MarkdownSource"]

# Raised whenever the same file would give other memories than before.
READER = "markdown-3"

PATH_SEPARATOR = " › "


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
            page = Page.parse(files.read_text(self.path), self.zone, self.options)
        except SourceError:
            return self._origin(None)
        return self._origin(page.front.title or first_title(page.body))

    def revision(self) -> str:
        return files.revision(self.path, READER, self.zone, self.options)

    def memories(self) -> Iterator[Memory | Skipped]:
        """The sections in order. Front matter that is not valid YAML comes first, as Skipped."""
        written = files.read(self.path)
        page = Page.parse(written.text, self.zone, self.options)
        blocks = Blocks.parse(page.body)
        if why := self._template(page, blocks):
            yield Skipped(where=shown(self.path), why=why, loses_memories=False)
            return
        if page.fault is not None:
            yield Skipped(where=f"{shown(self.path)} (front matter)", why=page.fault, loses_memories=False)
        seen: set[str] = set()
        for memory in self._memories(page, blocks, written):
            if memory.id not in seen:
                yield replace(memory, position=len(seen))
                seen.add(memory.id)

    def _template(self, page: Page, blocks: Blocks) -> str | None:
        """Why there is nothing to remember; None on a page that somebody wrote."""
        if is_template(self.path):
            return "stands in the folder of its vault's templates"
        front = page.written.split("\n")
        found = notation.placeholder(front, ()) or notation.placeholder(blocks.lines, blocks.code)
        return f"is a template: {found} has yet to be filled in" if found else None

    def _memories(self, page: Page, blocks: Blocks, written: files.Written) -> Iterator[Memory]:
        origin = self._origin(page.front.title or blocks.title)
        title = origin.title or ""
        day = daily_date(self.path)
        named = iso_time(day.isoformat(), self.zone, EventOrigin.SOURCE) if day else None
        event = page.front.event or named or name_date(self.path.name, self.zone)
        said = written_at(self.path, written.data, self.now) if event is None else event
        for section in _sections(page, blocks, title, daily=named is not None or is_daily(self.path.stem)):
            memory = Memory(
                text=section.text,
                origin=origin,
                created_at=self.now,
                updated_at=self.now,
                context=PATH_SEPARATOR.join(_named(section.above, title, page)),
                group=PATH_SEPARATOR.join(section.path),
                tags=notation.nested((*page.front.tags, *section.tags)),
                metadata=written.metadata | _metadata(page, section),
            )
            yield memory.happened(self._event(event, section) or said)

    def _event(self, page: EventTime | None, section: Section) -> EventTime | None:
        if section.item and (own := leading_date(section.text, self.zone, self.options)) is not None:
            return own
        if section.properties:
            return page
        headings = (dated(heading, self.zone, self.options) for heading in reversed(section.headings))
        heading = next((found for found in headings if found is not None), None)
        event = page if heading is None or (page is not None and not _within(heading, page)) else heading
        lines = (*section.headings, section.text if section.item else "")
        for line in reversed(lines):
            if (exact := at_clock(event, line, self.zone)) is not None:
                return exact
        return refined(event, section.text, self.zone, self.options)

    def _origin(self, title: str | None) -> Origin:
        return files.origin(self.path, "markdown", title or self.path.stem)


def _sections(page: Page, blocks: Blocks, title: str, *, daily: bool) -> Iterator[Section]:
    """The properties, as far as they say something, and then the sections."""

    def apart(item: str) -> bool:
        return daily or leading_date(item, UTC) is not None

    properties = page.unread or page.front.telling()
    if properties:
        links = tuple(dict.fromkeys(notation.links(properties)))
        yield Section(text=properties, path=(title,), above=(title,), links=links, properties=True)
    alone = not properties
    for section in blocks.sections(title, apart):
        alone = False
        yield section
    if alone and page.written.strip():
        yield Section(text=page.written.strip("\n").rstrip(), path=(title,), above=(title,), properties=True)


def _named(above: tuple[str, ...], title: str, page: Page) -> tuple[str, ...]:
    """What stands above a section, with the page's other names."""
    aliases = ", ".join(name for name in page.front.aliases if name.casefold() != title.casefold())
    if not aliases:
        return above
    return (f"{title} ({aliases})", *above[1:])


def _metadata(page: Page, section: Section) -> dict[str, Json]:
    """The properties of the page, and what the section says in their manner; the page's own count first."""
    found: dict[str, Json] = dict(section.fields)
    if section.links:
        found["links"] = list(section.links)
    if section.item and (task := notation.task(section.text)):
        found["task"] = task
    return found | page.front.metadata


def _within(heading: EventTime, page: EventTime) -> bool:
    """Whether a heading only says more exactly what the page says of itself."""
    return page.end is not None and page.start <= heading.start and (heading.end or heading.start) <= page.end
