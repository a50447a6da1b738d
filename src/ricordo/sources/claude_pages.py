"""Pages of a claude.ai export: artifacts and documents that were published, with what was said beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

from ricordo.memory import Origin, clean
from ricordo.protocols import Skipped
from ricordo.sources.blobs import Blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.claude_turns import SITE, one_line
from ricordo.sources.conversations import Conversation, ConversationSource, Turn
from ricordo.sources.injected import without_injected
from ricordo.sources.records import MAX_RECORD, Record, elements
from ricordo.sources.values import fields, items, moment, text

__all__ = ["pages"]

# Raised whenever the same page would give other memories than before.
READER = "claude-page-1"
VERSION = re.compile(r"[\w-]{1,80}")
TAB = re.compile(r"^<!-- tab: (.*?) -->$", re.MULTILINE)
SILENT = frozenset({"script", "style", "svg", "template", "head"})
FLOWING = frozenset({"a", "abbr", "b", "code", "em", "i", "kbd", "mark", "small", "span", "strong", "sub", "sup", "u"})
LONGEST_QUOTE = 120


def pages(blob: Blob, circumstances: Circumstances) -> Iterator[ConversationSource | Skipped | Path]:
    """The page that a record describes, as it was last shown, and the comments on it.

    What is unpacked lies in files of its own, which are read as any others; then only the comments are read here.
    """
    for record in elements(blob):
        if isinstance(record, Skipped):
            yield record
            continue
        about = fields(record.value)
        if not (uuid := clean(text(about.get("id")))):
            yield Skipped(where=f"{blob.where}, record {record.number}", why="has no id")
            continue
        turns = list(_comments(blob))
        if (name := _shown(about, blob)) is not None and blob.path is not None:
            yield blob.path.parent / name
        elif name is not None and (said := _content(blob, name)):
            turns.insert(0, _page(said, about))
        title = next((one_line(text(version.get("title"))) for version in _versions(about)), "")
        link = f"{SITE}/artifacts/{uuid}"
        conversation = Conversation(
            origin=Origin(kind="claude", uri=link, title=title or None),
            turns=tuple(turns),
            updated_at=moment(about.get("updated_at")),
            link=link,
        )
        if turns:
            yield ConversationSource(conversation=conversation, circumstances=circumstances, reader=READER)


def _versions(about: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The version that is shown, then the others, the latest first."""
    versions = [fields(version) for version in items(about.get("versions"))][::-1]
    return sorted(versions, key=lambda version: version.get("id") != about.get("active_version"))


def _shown(about: Mapping[str, object], blob: Blob) -> str | None:
    """The name of the file that holds the page; None when it is not here."""
    ids = (text(version.get("id")) for version in _versions(about))
    names = ("page.md", *(f"versions/{version}.html" for version in ids if VERSION.fullmatch(version)))
    return next((name for name in names if blob.beside(name) is not None), None)


def _page(said: str, about: Mapping[str, object]) -> Turn:
    version = next(iter(_versions(about)), {})
    time = moment(about.get("updated_at")) or moment(version.get("created_at"))
    return Turn(key="page", text=said, speaker=None, time=time, context=one_line(text(version.get("description"))))


def _content(blob: Blob, name: str) -> str:
    written = _read(blob, name)
    if name.endswith(".html"):
        parser = _Words()
        parser.feed(written)
        parser.close()
        written = parser.text()
    return without_injected(TAB.sub(r"\1", written)).strip()


def _read(blob: Blob, name: str) -> str:
    beside = blob.beside(name)
    if beside is None or beside.size > MAX_RECORD:
        return ""
    return b"".join(beside.chunks()).decode("utf-8", "replace")


def _comments(blob: Blob) -> Iterator[Turn]:
    for name in ("comments.json", "artifact_comments.json"):
        if (beside := blob.beside(name)) is None:
            continue
        records = (fields(record.value) for record in elements(beside) if isinstance(record, Record))
        threads = [each for record in records for each in (items(record.get("threads")) or [record])]
        for place, thread in enumerate(map(fields, threads)):
            quoted = one_line(text(thread.get("quoted_text")))[:LONGEST_QUOTE]
            for number, comment in enumerate(map(fields, items(thread.get("comments")))):
                yield Turn(
                    key=f"{name}/{place}/{number}",
                    text=without_injected(text(comment.get("body")) or text(comment.get("text"))),
                    speaker=None,
                    time=moment(comment.get("created_at")),
                    context=f"comment on “{quoted}”" if quoted else "comment",
                )


class _Words(HTMLParser):
    """The text of a page of HTML, each block on lines of its own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.silent += tag in SILENT
        if tag not in FLOWING:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self.silent = max(0, self.silent - (tag in SILENT))
        if tag not in FLOWING:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.parts.append(data)

    def text(self) -> str:
        """What was read so far, without blank lines."""
        lines = (" ".join(line.split()) for line in "".join(self.parts).split("\n"))
        return "\n".join(filter(None, lines))
