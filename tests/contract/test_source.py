"""What every source promises."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from agentfiles import Session, name
from ricordo.errors import SourceError
from ricordo.memory import EventOrigin, Memory, Origin
from ricordo.protocols import Source
from ricordo.sources import NotText, open_source
from ricordo.sources.basic_memory import BasicMemorySource
from ricordo.sources.blobs import file_blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.code import CodeSource
from ricordo.sources.json_lines import statements
from ricordo.sources.markdown import MarkdownSource
from ricordo.sources.text import TextSource
from ricordo.sources.transcripts import transcripts
from ricordo.testing import ListSource

NOW = datetime(2026, 11, 16, 15, tzinfo=timezone(timedelta(hours=3)))


@dataclass(frozen=True)
class Kind:
    """A kind of source: `write` makes it say sections, and again makes the same origin say others."""

    name: str
    write: Callable[[Path, list[str]], Source]
    whole: bool = False
    dated: bool = True
    """Whether its memories have the date that the file names, 3 May 2024."""


def write_markdown(folder: Path, sections: list[str]) -> Source:
    path = folder / "2024-05-03-notes.md"
    path.write_text("\n\n".join(f"## {section.split()[0]}\n\n{section}" for section in sections), encoding="utf-8")
    return MarkdownSource(path=path, now=NOW)


def write_text(folder: Path, sections: list[str]) -> Source:
    path = folder / "2024-05-03-notes.txt"
    path.write_text("\n\n".join(sections), encoding="utf-8")
    return TextSource(path=path, now=NOW)


def write_list(folder: Path, sections: list[str]) -> Source:
    origin = Origin(kind="list", uri=folder.as_uri())
    memories = [
        Memory(text=text, origin=origin, created_at=NOW, updated_at=NOW, event_timestamp=NOW, position=position)
        for position, text in enumerate(sections)
    ]
    return ListSource(origin, memories)


def write_records(folder: Path, sections: list[str]) -> Source:
    """Records of anybody's own, each with the date."""
    path = folder / "notes.jsonl"
    records = [{"text": section, "date": "2024-05-03"} for section in sections]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    (source,) = statements(file_blob(path), Circumstances(now=NOW))
    return source


def write_transcript(folder: Path, sections: list[str]) -> Source:
    """A session in which each section is a prompt."""
    session = Session()
    for section in sections:
        session.user(section, uuid=name(section.split()[0]))
    (source,) = transcripts(file_blob(session.save(folder)), Circumstances(now=NOW))
    return source


def write_observations(folder: Path, sections: list[str]) -> Source:
    """A note of basic-memory."""
    path = folder / "2024-05-03-loom.md"
    observed = "".join(f"- [fact] {section}\n" for section in sections)
    path.write_text(f"---\ntype: note\npermalink: loom\n---\n{observed}", encoding="utf-8")
    return BasicMemorySource(path=path, now=NOW)


def write_page(folder: Path, sections: list[str]) -> Source:
    path = folder / "2024-05-03-notes.html"
    body = "".join(f"<h2>{section.split()[0]}</h2><p>{section}</p>" for section in sections)
    path.write_text(f"<title>Notes</title>{body}", encoding="utf-8")
    return open_source(path, now=NOW)


def write_mailbox(folder: Path, sections: list[str]) -> Source:
    """Each section is a message, sent on the same day."""
    path = folder / "notes.mbox"
    head = "From a@example.org\nFrom: Ann <a@example.org>\nDate: Fri, 03 May 2024 10:00:00 +0000"
    messages = [f"{head}\nMessage-ID: <{section.split()[0]}@example.org>\n\n{section}\n\n" for section in sections]
    path.write_text("".join(messages), encoding="utf-8")
    return open_source(path, now=NOW)


def write_code(folder: Path, sections: list[str]) -> Source:
    """Each section is a function's; the file is as old as the others."""
    path = folder / "notes.py"
    functions = [f"def {section.split()[0].lower()}():\n    return '{section}'\n" for section in sections]
    path.write_text("\n\n".join(functions), encoding="utf-8")
    os.utime(path, (0, datetime(2024, 5, 3, tzinfo=UTC).timestamp()))
    return open_source(path, now=NOW)


KINDS = [
    Kind(name="markdown", write=write_markdown),
    Kind(name="text", write=write_text, whole=True),
    Kind(name="list", write=write_list, dated=False),
    Kind(name="records", write=write_records),
    Kind(name="transcript", write=write_transcript, dated=False),
    Kind(name="observations", write=write_observations),
    Kind(name="page", write=write_page),
    Kind(name="mailbox", write=write_mailbox, dated=False),
    Kind(name="code", write=write_code, dated=False),
]
FILES = [MarkdownSource, TextSource, CodeSource]
SECTIONS = ["Alpha is the first.", "Beta is the second.", "Gamma is the third."]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


def said(source: Source) -> Iterator[Memory]:
    return (item for item in source.memories() if isinstance(item, Memory))


def ids(source: Source) -> list[str]:
    return [memory.id for memory in said(source)]


def test_reading_twice_says_the_same(kind: Kind, tmp_path: Path) -> None:
    first, again = kind.write(tmp_path, SECTIONS), kind.write(tmp_path, SECTIONS)
    assert list(first.memories()) == list(first.memories()) == list(again.memories())
    assert first.revision() == first.revision() == again.revision()
    assert first.origin == again.origin


def test_everything_is_said(kind: Kind, tmp_path: Path) -> None:
    text = "\n".join(memory.text for memory in said(kind.write(tmp_path, SECTIONS)))
    assert [section for section in SECTIONS if section not in text] == []


def test_an_edit_changes_the_revision_and_only_what_it_touched(kind: Kind, tmp_path: Path) -> None:
    source = kind.write(tmp_path, SECTIONS)
    revision, before = source.revision(), ids(source)
    edited = kind.write(tmp_path, [SECTIONS[0], "Beta is no longer.", SECTIONS[2]])
    assert edited.revision() != revision
    assert len(set(before) - set(ids(edited))) == 1
    assert kind.whole or len(set(before) & set(ids(edited))) == 2


def test_a_section_put_before_others_leaves_them_who_they_were(kind: Kind, tmp_path: Path) -> None:
    before = ids(kind.write(tmp_path, SECTIONS))
    after = ids(kind.write(tmp_path, ["Omega is new.", *SECTIONS]))
    assert kind.whole or after[1:] == before


def test_memories_come_in_the_order_of_their_positions(kind: Kind, tmp_path: Path) -> None:
    positions = [memory.position for memory in said(kind.write(tmp_path, SECTIONS))]
    assert positions == list(range(len(positions)))


def test_memories_bear_the_origin_and_distinct_ids(kind: Kind, tmp_path: Path) -> None:
    source = kind.write(tmp_path, SECTIONS)
    assert {memory.origin for memory in said(source)} == {source.origin}
    assert len(set(ids(source))) == len(ids(source))


def test_times_are_aware_utc(kind: Kind, tmp_path: Path) -> None:
    for memory in said(kind.write(tmp_path, SECTIONS)):
        assert memory.event_timestamp is not None
        assert {memory.created_at.tzinfo, memory.updated_at.tzinfo, memory.event_timestamp.tzinfo} == {UTC}
        assert memory.created_at == memory.updated_at == NOW


def test_what_a_file_names_as_its_date_is_that_day_and_known_from_the_source(kind: Kind, tmp_path: Path) -> None:
    if not kind.dated:
        pytest.skip("its memories were given with their times")
    for memory in said(kind.write(tmp_path, SECTIONS)):
        assert (memory.event_timestamp, memory.event_end) == (
            datetime(2024, 5, 3, tzinfo=UTC),
            datetime(2024, 5, 4, tzinfo=UTC),
        )
        assert (memory.event_grain, memory.event_origin) == ("day", EventOrigin.SOURCE)


def test_words_that_count_from_the_date_make_it_exact(kind: Kind, tmp_path: Path) -> None:
    if not kind.dated:
        pytest.skip("its memories were given with their times")
    (memory,) = said(kind.write(tmp_path, ["Вчера переехали в новый офис."]))
    assert memory.event_timestamp == datetime(2024, 5, 2, tzinfo=UTC)
    assert memory.event_origin == EventOrigin.INFERRED


def test_a_huge_origin_is_read(kind: Kind, tmp_path: Path) -> None:
    sections = [f"Section{number} says {'a great deal ' * 50}." for number in range(600)]
    text = "\n".join(memory.text for memory in said(kind.write(tmp_path, sections)))
    assert len(text) >= sum(map(len, sections))


def test_nothing_written_is_nothing_said(kind: Kind, tmp_path: Path) -> None:
    try:
        source = kind.write(tmp_path, [])
    except NotText:  # where nothing can be said, a reader may refuse at once
        return
    assert list(said(source)) == []


# --- files ---


@pytest.mark.parametrize("reader", FILES)
@pytest.mark.parametrize("content", [b"", b" \r\n\t\n", b"\xef\xbb\xbf", "\u3000".encode()])
def test_a_blank_file_says_nothing(
    reader: type[MarkdownSource | TextSource | CodeSource], content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "blank"
    path.write_bytes(content)
    source = reader(path=path, now=NOW)
    assert list(source.memories()) == []
    assert source.revision()


@pytest.mark.parametrize("reader", FILES)
def test_a_broken_file_is_named(reader: type[MarkdownSource | TextSource | CodeSource], tmp_path: Path) -> None:
    path = tmp_path / "broken"
    path.write_bytes(bytes(range(256)) * 16)
    source = reader(path=path, now=NOW)
    assert source.origin.uri == path.as_uri()
    with pytest.raises(SourceError, match=f"{path.name}: is a binary file"):
        list(source.memories())


@pytest.mark.parametrize("reader", FILES)
def test_a_file_that_is_gone_is_named(reader: type[MarkdownSource | TextSource | CodeSource], tmp_path: Path) -> None:
    source = reader(path=tmp_path / "gone", now=NOW)
    for read in (source.revision, lambda: list(source.memories())):
        with pytest.raises(SourceError, match="gone: No such file"):
            read()


@pytest.mark.parametrize("reader", FILES)
def test_a_line_of_five_megabytes_is_read(
    reader: type[MarkdownSource | TextSource | CodeSource], tmp_path: Path
) -> None:
    path = tmp_path / "line"
    path.write_bytes(b"x" * 5_000_000)
    (memory,) = said(reader(path=path, now=NOW))
    assert len(memory.text) == 5_000_000


@pytest.mark.parametrize("reader", FILES)
def test_the_zone_that_dates_are_read_in_is_part_of_the_revision(
    reader: type[MarkdownSource | TextSource | CodeSource], tmp_path: Path
) -> None:
    path = tmp_path / "2024-05-03.md"
    path.write_text("x", encoding="utf-8")
    east = timezone(timedelta(hours=3))
    assert reader(path=path, now=NOW).revision() != reader(path=path, now=NOW, zone=east).revision()
