"""What people tell coding agents to do: `CLAUDE.md`, `AGENTS.md` and their like, tagged as instructions.

They are rules rather than facts, and are told from facts by their tag. A line that imports another file says nothing
by itself, and the file is not followed, since it may lie outside what was asked to be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from ricordo.dates import STANDARD
from ricordo.memory import Memory, Origin
from ricordo.protocols import Skipped
from ricordo.sources.markdown import MarkdownSource
from ricordo.timeparse import TimeOptions

__all__ = ["TAG", "InstructionsSource", "is_instructions"]

TAG = "instructions"
NAMES = frozenset({"agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md"})
# Raised whenever the same file would give other memories than before.
READER = "instructions-1"

IMPORT = re.compile(r"^[ \t]*(?:[-*][ \t]+)?@[^\s@]\S*[ \t]*$\n?", re.MULTILINE)
SAYS = re.compile(r"[^\W_]")


@dataclass(frozen=True, kw_only=True, slots=True)
class InstructionsSource:
    """A file of instructions, read as a page of Markdown."""

    path: Path
    now: datetime
    zone: tzinfo = UTC
    options: TimeOptions = STANDARD

    @property
    def origin(self) -> Origin:
        found = self._page().origin
        return Origin(kind=TAG, uri=found.uri, title=found.title)

    def revision(self) -> str:
        return f"{READER}:{self._page().revision()}"

    def memories(self) -> Iterator[Memory | Skipped]:
        """The sections, each tagged, without the lines that import other files."""
        origin, position = self.origin, 0
        for found in self._page().memories():
            if isinstance(found, Skipped):
                yield found
                continue
            text = IMPORT.sub("", found.text).strip("\n").rstrip()
            if SAYS.search(text):
                tags = tuple(dict.fromkeys((TAG, *found.tags)))
                yield replace(found, id="", text=text, origin=origin, tags=tags, position=position)
                position += 1

    def _page(self) -> MarkdownSource:
        return MarkdownSource(path=self.path, now=self.now, zone=self.zone, options=self.options)


def is_instructions(path: Path) -> bool:
    """Whether coding agents read a file of this name, or in this folder of rules, as instructions."""
    rules = path.parent.name == "rules" and path.parent.parent.name == ".claude"
    return path.name.lower() in NAMES or (rules and path.suffix.lower() == ".md")
