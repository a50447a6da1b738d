"""Markdown files by what they are: pages, and the notes and instructions that assistants keep as Markdown."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from pathlib import Path

from ricordo.dates import STANDARD
from ricordo.errors import SourceError
from ricordo.protocols import Source
from ricordo.sources import files
from ricordo.sources.basic_memory import BasicMemorySource, is_basic_memory
from ricordo.sources.instructions import InstructionsSource, is_instructions
from ricordo.sources.markdown import MarkdownSource
from ricordo.sources.memory_folder import IndexSource, MemoryFileSource, is_index, is_memory_file
from ricordo.sources.pages import Page
from ricordo.timeparse import TimeOptions

__all__ = ["open_note"]


def open_note(*, path: Path, now: datetime, zone: tzinfo = UTC, options: TimeOptions = STANDARD) -> Source:
    """The reader of a Markdown file, by its structure; a file of instructions is known by its name alone."""
    if is_instructions(path):
        return InstructionsSource(path=path, now=now, zone=zone, options=options)
    try:
        page = Page.parse(files.read_text(path), zone, options)
    except SourceError:
        return MarkdownSource(path=path, now=now, zone=zone, options=options)
    if is_index(path, page):
        return IndexSource(path=path, now=now, zone=zone, options=options)
    if is_memory_file(path, page):
        return MemoryFileSource(path=path, now=now, zone=zone, options=options)
    if is_basic_memory(page):
        return BasicMemorySource(path=path, now=now, zone=zone, options=options)
    return MarkdownSource(path=path, now=now, zone=zone, options=options)
