"""The folder in which Claude Code keeps its own memories: one a file, and `MEMORY.md` as their index.

A file is a memory whole, however long: its description and its body. Its title stands in the index, which is read for
that, and for what it says beyond its list. Links may lead nowhere: to a memory that is yet to be written, or gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from pathlib import Path

from ricordo.dates import STANDARD
from ricordo.errors import SourceError
from ricordo.memory import EventOrigin, EventTime, Json, Memory, Origin, digest
from ricordo.occasions import refined
from ricordo.protocols import Skipped
from ricordo.sources import files, notation
from ricordo.sources.dating import written_at
from ricordo.sources.folder import shown
from ricordo.sources.markdown import MarkdownSource
from ricordo.sources.pages import Page
from ricordo.sources.values import fields, moment, text
from ricordo.timeparse import TimeOptions

__all__ = ["IndexSource", "MemoryFileSource", "is_index", "is_memory_file"]

KIND = "claude-code-memory"
# Raised whenever the same file would give other memories than before.
READER = "memory-folder-1"

INDEX = "MEMORY.md"
KINDS = frozenset({"feedback", "project", "reference", "user"})
ENTRY = re.compile(r"^[ \t]*[-*+][ \t]+\[([^\]\n]{1,300})\]\(<?([^()<>\n]{1,500}\.md)>?\)[^\n]*\n?", re.MULTILINE)
# In properties that are not valid YAML, mostly for a colon in the description.
PROPERTY = re.compile(r"^[ \t]*([A-Za-z_]+):[ \t]+(\S.*)$", re.MULTILINE)
SAYS = re.compile(r"[^\W_]")


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryFileSource:
    """A file of such a folder."""

    path: Path
    now: datetime
    zone: tzinfo = UTC
    options: TimeOptions = STANDARD

    @property
    def origin(self) -> Origin:
        return files.origin(self.path, KIND, self._listed() or self.path.stem)

    def revision(self) -> str:
        """Changes with the file, and with its title in the index."""
        known = files.revision(self.path, READER, self.zone, self.options)
        return digest(known, self._listed() or "")

    def memories(self) -> Iterator[Memory | Skipped]:
        """One memory. Properties that are not valid YAML come first, as Skipped; they are read line by line."""
        written = files.read(self.path)
        page = Page.parse(written.text, self.zone, self.options)
        if page.fault is not None:
            yield Skipped(where=f"{shown(self.path)} (front matter)", why=page.fault, loses_memories=False)
        known = _properties(page)
        origin = self._origin(known)
        body, described = page.body.strip("\n").rstrip(), known.get("description", "")
        said = "\n\n".join(filter(None, ("" if described in body else described, body)))
        if not said:
            return
        memory = Memory(
            text=said,
            origin=origin,
            created_at=self.now,
            updated_at=self.now,
            context=origin.title or "",
            tags=tuple(filter(None, (known.get("type"), *page.front.tags, *notation.tags(body)))),
            metadata=written.metadata | _metadata(known, body),
        )
        changed = moment(known.get("modified"), self.zone)
        dated = EventTime(start=changed, origin=EventOrigin.SOURCE) if changed else None
        when = refined(dated, body, self.zone, self.options)
        yield memory.happened(when or written_at(self.path, written.data, self.now))

    def _origin(self, known: dict[str, str]) -> Origin:
        return files.origin(self.path, KIND, self._listed() or known.get("name") or self.path.stem)

    def _listed(self) -> str | None:
        """The title that the index gives to this file."""
        index = self.path.with_name(INDEX)
        try:
            stamp = index.stat().st_mtime_ns
        except OSError:
            return None
        return _titles(index, stamp).get(self.path.name)


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexSource:
    """The index of such a folder: what it says beside its list of files."""

    path: Path
    now: datetime
    zone: tzinfo = UTC
    options: TimeOptions = STANDARD

    @property
    def origin(self) -> Origin:
        return files.origin(self.path, KIND, self.path.stem)

    def revision(self) -> str:
        return files.revision(self.path, READER, self.zone, self.options)

    def memories(self) -> Iterator[Memory | Skipped]:
        """Its sections as on any page, without the entries of the list; mostly none."""
        page = MarkdownSource(path=self.path, now=self.now, zone=self.zone, options=self.options)
        position = 0
        for found in page.memories():
            if isinstance(found, Skipped):
                yield found
                continue
            said = ENTRY.sub("", found.text + "\n").strip("\n").rstrip()
            lines = [line for line in said.split("\n") if not line.startswith("#")]
            if SAYS.search("\n".join(lines)):
                yield replace(found, id="", text=said, origin=self.origin, position=position)
                position += 1


def is_index(path: Path, page: Page) -> bool:
    """Whether a file is the index of such a folder."""
    return path.name == INDEX and ENTRY.search(page.body) is not None


def is_memory_file(path: Path, page: Page) -> bool:
    """Whether a page has the properties of such a file, of the older kind or of the newer one.

    A note of somebody's own may have as much as the older ones: those came from a session, or stand beside an index.
    """
    known = _properties(page)
    if "name" not in known or "description" not in known:
        return False
    if known.get("node_type") == "memory":
        return True
    return known.get("type") in KINDS and ("originSessionId" in known or path.with_name(INDEX).is_file())


def _properties(page: Page) -> dict[str, str]:
    """The properties as texts, those of `metadata` beside the others."""
    if page.fault is not None:
        return {key: value.strip().strip("\"'") for key, value in PROPERTY.findall(page.written)}
    nested = fields(page.front.metadata.get("metadata"))
    merged = {**page.front.metadata, **nested}
    if page.front.title:
        merged.setdefault("name", page.front.title)
    return {key: found for key, value in merged.items() if (found := text(value).strip())}


def _metadata(known: dict[str, str], body: str) -> dict[str, Json]:
    kept = {"name": "name", "type": "type", "originSessionId": "session"}
    found: dict[str, Json] = {new: known[old] for old, new in kept.items() if old in known}
    if links := list(dict.fromkeys(notation.links(body))):
        found["links"] = list(links)
    return found


@lru_cache(maxsize=64)
def _titles(index: Path, stamp: int) -> dict[str, str]:
    """The titles of an index, by the names of the files; of an index as it was at the stamp."""
    try:
        listed = files.read_text(index)
    except SourceError:
        return {}
    return {name.split("/")[-1]: title.strip() for title, name in ENTRY.findall(listed)}
