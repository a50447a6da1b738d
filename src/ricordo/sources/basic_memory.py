"""Notes of basic-memory: Markdown in which each observation, and each relation to another note, is a memory.

`- [category] text #tag (context)` observes, `- type [[Note]] (context)` relates. A task is neither, and neither is what
stands in a quotation. What else a note says is read as on any page. A mark such as `@2026-07-27` or
`@effective[2026-06-10,2026-07-27)` tells when an observation was so, instead of the note's own date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from ricordo.dates import STANDARD, dated, iso_time
from ricordo.memory import EventOrigin, EventTime, Json, Memory, Origin
from ricordo.occasions import refined
from ricordo.protocols import Skipped
from ricordo.sources import files, notation
from ricordo.sources.dating import name_date, written_at
from ricordo.sources.folder import shown
from ricordo.sources.pages import Blocks, Page, Section
from ricordo.timeparse import TimeOptions

__all__ = ["BasicMemorySource", "is_basic_memory"]

KIND = "basic-memory"
# Raised whenever the same note would give other memories than before.
READER = "basic-memory-1"

PATH_SEPARATOR = " › "
BULLET = r"\s*[-*+]\s+"
OBSERVATION = re.compile(
    rf"{BULLET}\[(?P<category>[^\[\]()!\n]{{2,60}}|[^\[\]()!\n xX/<>-])\](?![(\[:])\s+(?P<text>\S.*)", re.DOTALL
)
RELATION = re.compile(
    rf"""{BULLET}(?:(?P<quote>["'])(?P<quoted>[^\n]{{1,200}}?)(?P=quote)|(?P<type>[\w-]{{1,60}}))\s+\[\[(?P<to>[^\[\]\n]{{1,500}})\]\]"""
    r"\s*(?:\((?P<context>[^\n]*)\))?\s*"
)
MARK = re.compile(
    r"(?:^|(?<=\s))@(?:(?P<kind>[a-z_]+)(?::\s*|(?=[\[(])))?"
    r"(?:[\[(](?P<start>[^,\[\]()\n]{0,40}),(?P<end>[^,\[\]()\n]{0,40})[\])]|\"(?P<words>[^\"\n]{1,60})\"|(?P<date>\d{4}-\d{2}[\w:.+-]*))"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class BasicMemorySource:
    """A note. A time without a zone in it is local time."""

    path: Path
    now: datetime
    zone: tzinfo = UTC
    options: TimeOptions = STANDARD

    @property
    def origin(self) -> Origin:
        return self._origin(Page.parse(files.read_text(self.path), self.zone, self.options))

    def revision(self) -> str:
        return files.revision(self.path, READER, self.zone, self.options)

    def memories(self) -> Iterator[Memory | Skipped]:
        """The observations, relations and other passages in order; of two that are alike, the first."""
        written = files.read(self.path)
        page = Page.parse(written.text, self.zone, self.options)
        if page.fault is not None:
            yield Skipped(where=f"{shown(self.path)} (front matter)", why=page.fault, loses_memories=False)
        origin, seen = self._origin(page), set[str]()
        event = page.front.event or name_date(self.path.name, self.zone)
        for section in Blocks.parse(page.body).sections(origin.title or "", _stands_apart):
            memory = self._memory(section, origin, page)
            if memory.id not in seen:
                own = _event(section.text, self.zone, self.options) if section.item else None
                when = own or refined(event, memory.text, self.zone, self.options)
                when = when or written_at(self.path, written.data, self.now)
                yield replace(memory.happened(when), position=len(seen))
                seen.add(memory.id)

    def _memory(self, section: Section, origin: Origin, page: Page) -> Memory:
        said, known = (section.text, {}) if not section.item else _statement(section.text, origin.title or "")
        links: dict[str, Json] = {"links": list(section.links)} if section.links else {}
        return Memory(
            text=said,
            origin=origin,
            created_at=self.now,
            updated_at=self.now,
            context=origin.title or "" if section.item else PATH_SEPARATOR.join(section.above),
            group=PATH_SEPARATOR.join(section.path),
            tags=notation.nested((*page.front.tags, *section.tags)),
            metadata=page.front.metadata | links | known,
        )

    def _origin(self, page: Page) -> Origin:
        return files.origin(self.path, KIND, page.front.title or self.path.stem)


def is_basic_memory(page: Page) -> bool:
    """Whether a page is such a note: it has a permalink, as a page of a website may, and observes or relates."""
    return "permalink" in page.front.metadata and any(map(_stands_apart, page.body.split("\n")))


def _stands_apart(item: str) -> bool:
    return OBSERVATION.fullmatch(item) is not None or RELATION.fullmatch(item) is not None


def _statement(item: str, title: str) -> tuple[str, dict[str, Json]]:
    """What an item says by itself, and what it is."""
    if relation := RELATION.fullmatch(item):
        kind, to = relation["quoted"] or relation["type"], relation["to"].split("|")[0].strip()
        where = f" ({relation['context']})" if relation["context"] else ""
        return f"{title} {kind.replace('_', ' ')} {to}{where}", {"relation": kind}
    observation = OBSERVATION.fullmatch(item)
    if observation is None:
        return item, {}
    said = MARK.sub("", observation["text"]).strip()
    return said or observation["text"].strip(), {"category": observation["category"]}


def _event(item: str, zone: tzinfo, options: TimeOptions) -> EventTime | None:
    """When a mark says that an observation was so; a date that cannot be read leaves the note's own."""
    mark = MARK.search(item)
    if mark is None:
        return None
    if mark["words"] is not None:
        return dated(mark["words"], zone, options)
    if mark["date"] is not None:
        return iso_time(mark["date"], zone, EventOrigin.SOURCE)
    start = iso_time(mark["start"], zone, EventOrigin.SOURCE)
    end = iso_time(mark["end"], zone, EventOrigin.SOURCE)
    if start is None or end is None or end.start <= start.start:
        return start
    return EventTime(start=start.start, end=end.start, grain=start.grain, origin=EventOrigin.SOURCE)
