"""Documents that programs write: HTML, Word and PDF, turned into Markdown or pages of text, a memory for each section.

They are read by libraries of the extra `documents`. Without it such a file is reported with what to install.
"""

from __future__ import annotations

import codecs
import io
import logging
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

from ricordo.dates import STANDARD, dated, iso_time
from ricordo.errors import SourceError
from ricordo.memory import EventOrigin, EventTime, Json, Memory, Origin, clean
from ricordo.occasions import refined
from ricordo.protocols import Skipped
from ricordo.sources import files
from ricordo.sources.dating import EARLIEST, name_date, written_at
from ricordo.sources.encoding import decode
from ricordo.sources.folder import shown
from ricordo.sources.injected import without_own
from ricordo.sources.pages import Blocks
from ricordo.timeparse import TimeOptions

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

__all__ = ["MALFORMED", "DocumentSource", "html_text", "malformed"]

# Raised whenever the same file would give other memories than before.
READER = "document-1"
EXTRA = "pip install 'ricordo[documents]'"
PATH_SEPARATOR = " › "

BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MAX_UNPACKED = 512 * 2**20
MAX_PROPERTIES = 2**20
# Of a page these say nothing, or only where to go.
UNSAID = ("script", "style", "template", "noscript", "svg", "iframe", "nav", "head", "title")
DATES_OF_PAGES = ("article:published_time", "date", "dc.date", "dcterms.created", "datepublished")
DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
TERMS = "{http://purl.org/dc/terms/}"

MALFORMED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BadZipFile,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What libraries raise for a file that breaks the rules of its format, beside errors of their own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Document:
    """What was found in a file: its title, when it was made, its text as Markdown, or page by page, and its author."""

    title: str | None = None
    made: EventTime | None = None
    markdown: str = ""
    pages: tuple[str, ...] = ()
    metadata: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentSource:
    """An HTML, Word or PDF file. `now` dates its memories; `zone` and `options` are how dates are read."""

    path: Path
    now: datetime
    zone: tzinfo = UTC
    options: TimeOptions = STANDARD

    @property
    def origin(self) -> Origin:
        """Titled by the file's name: what the document calls itself is known when it has been read."""
        return files.origin(self.path, self._kind, self.path.stem)

    def revision(self) -> str:
        return files.revision(self.path, READER, self.zone, self.options)

    def memories(self) -> Iterator[Memory | Skipped]:
        """The sections or pages in order. Raises SourceError, also when what reads such files is not installed."""
        data = files.read_bytes(self.path)
        with malformed(shown(self.path)):
            document = CONVERTERS[self.path.suffix.lower()](data, shown(self.path))
        seen: set[str] = set()
        for memory in self._memories(document, self._said(document, data)):
            if memory.id not in seen:
                seen.add(memory.id)
                yield memory
        if not seen and data:
            why = "holds no text; its pages may be pictures of text" if self._kind == "pdf" else "holds no text"
            yield Skipped(where=shown(self.path), why=why, loses_memories=False)

    @property
    def _kind(self) -> str:
        suffix = self.path.suffix.lower().lstrip(".")
        return "html" if suffix in ("htm", "xhtml") else suffix

    def _said(self, document: _Document, data: bytes) -> EventTime | None:
        """The date in the file's name, else when the document says it was made, else when the file was written."""
        if (named := name_date(self.path.name, self.zone)) is not None:
            return named
        if document.made is not None and EARLIEST <= document.made.start <= self.now:
            return document.made
        return written_at(self.path, data, self.now)

    def _memories(self, document: _Document, said: EventTime | None) -> Iterator[Memory]:
        origin = self.origin
        for position, (text, above, own) in enumerate(_sections(document, origin.title or "")):
            text = clean(text)
            memory = Memory(
                text=text,
                origin=origin,
                created_at=self.now,
                updated_at=self.now,
                context=clean(PATH_SEPARATOR.join(above)),
                position=position,
                metadata={**document.metadata, **own},
            )
            event = said if said is not None and said.origin is EventOrigin.SOURCE else None
            heading = next((date for name in reversed(above) if (date := dated(name, self.zone, self.options))), None)
            yield memory.happened(refined(event or heading, text, self.zone, self.options) or said)


def _sections(document: _Document, name: str) -> Iterator[tuple[str, tuple[str, ...], dict[str, Json]]]:
    """(text, what stands above it, metadata of its own) of each section or page that says something."""
    title = " ".join(clean(document.title or "").split()) or name
    for number, page in enumerate(document.pages, start=1):
        if text := without_own(page).strip("\n").rstrip():
            yield text, (title, f"page {number}"), {"page": number}
    for section in Blocks.parse(without_own(document.markdown)).sections(title, lambda _: False):
        if section.text.strip():
            yield section.text, section.above, {}


@contextmanager
def malformed(where: str) -> Iterator[None]:
    """Turn what a library raises for a file into SourceError, with the reason."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise SourceError(where, f"is read with {error.name}, which is not installed; {EXTRA}") from error
    except SourceError:
        raise
    except MALFORMED as error:
        why = " ".join(clean(str(error)).split())[:200] or type(error).__name__
        raise SourceError(where, f"cannot be read: {why}") from error


def html_text(data: bytes | str) -> str:
    """The text of an HTML page as Markdown. Raises ModuleNotFoundError, and what `MALFORMED` names."""
    return _markdown(_soup(data))


def _soup(data: bytes | str) -> BeautifulSoup:
    from bs4 import BeautifulSoup
    from bs4.dammit import EncodingDetector

    if isinstance(data, bytes):
        data = _decoded(data, EncodingDetector.find_declared_encoding(data, is_html=True))
    return BeautifulSoup(data, "html.parser")


def _decoded(data: bytes, declared: str | None) -> str:
    """The page in the encoding that it says it is in, unless hardly anything in it is."""
    if declared is not None and not data.startswith(BYTE_ORDER_MARKS):
        try:
            text = data.decode(declared, "replace")
        except LookupError:
            return decode(data, "the page")
        if text.count("\ufffd") * 20 <= len(text):
            return text
    return decode(data, "the page")


def _markdown(soup: BeautifulSoup) -> str:
    from markdownify import MarkdownConverter

    for element in soup(UNSAID):
        element.decompose()
    for image in soup("img"):
        image.replace_with(str(image.get("alt") or ""))
    converter = MarkdownConverter(
        heading_style="ATX", bullets="-", escape_asterisks=False, escape_underscores=False, escape_misc=False
    )
    return str(converter.convert_soup(soup)).strip()


def _from_html(data: bytes, _: str) -> _Document:
    soup = _soup(data)
    title = soup.title.get_text() if soup.title else None
    dates = (
        str(meta.get("content") or "")
        for meta in soup("meta")
        if str(meta.get("property") or meta.get("name") or meta.get("itemprop") or "").lower() in DATES_OF_PAGES
    )
    made = next((event for date in dates if (event := iso_time(date, UTC, EventOrigin.SOURCE))), None)
    return _Document(title=title, made=made, markdown=_markdown(soup))


def _from_docx(data: bytes, where: str) -> _Document:
    import mammoth

    with ZipFile(io.BytesIO(data)) as archive:
        if sum(member.file_size for member in archive.infolist()) > MAX_UNPACKED:
            raise SourceError(where, f"would unpack to more than {MAX_UNPACKED // 2**20} MiB")
        properties = _word_properties(archive)
    html = mammoth.convert_to_html(io.BytesIO(data), convert_image=mammoth.images.img_element(lambda _: {})).value
    author = properties.get(f"{DUBLIN_CORE}creator")
    return _Document(
        title=properties.get(f"{DUBLIN_CORE}title"),
        made=iso_time(properties.get(f"{TERMS}created", ""), UTC, EventOrigin.SAID),
        markdown=html_text(html),
        metadata={"author": author} if author else {},
    )


def _word_properties(archive: ZipFile) -> dict[str, str]:
    """What the file says of itself: names with their namespace → texts."""
    name = "docProps/core.xml"
    if name not in archive.namelist() or archive.getinfo(name).file_size > MAX_PROPERTIES:
        return {}
    data = archive.read(name)
    if b"<!" in data:  # entities have no place in it
        return {}
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        return {}
    return {entry.tag: clean(entry.text.strip()) for entry in root if entry.text and entry.text.strip()}


def _from_pdf(data: bytes, where: str) -> _Document:
    import pypdf
    from pypdf.errors import PyPdfError

    # What it finds odd in a file that it can read is no news.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise SourceError(where, "is locked with a password")
        about = reader.metadata
        author = clean(about.author or "").strip() if about else ""
        return _Document(
            title=about.title if about else None,
            made=_pdf_date(about.creation_date_raw if about else None),
            pages=tuple(page.extract_text() for page in reader.pages),
            metadata={"author": author} if author else {},
        )
    except PyPdfError as error:
        raise SourceError(where, f"cannot be read: {' '.join(clean(str(error)).split())[:200]}") from error


def _pdf_date(written: str | None) -> EventTime | None:
    """A date such as `D:20240503101500+02'00'`; without a zone it is taken for UTC."""
    digits = (written or "").removeprefix("D:")
    zone = digits[14:].replace("'", "")
    zone = f"{zone[:3]}:{zone[3:5] or '00'}" if zone[:1] in ("+", "-") else "+00:00"
    return iso_time(f"{digits[:8]}T{digits[8:14]}{zone}", UTC, EventOrigin.SAID)


CONVERTERS: dict[str, Callable[[bytes, str], _Document]] = {
    ".docx": _from_docx,
    ".htm": _from_html,
    ".html": _from_html,
    ".pdf": _from_pdf,
    ".xhtml": _from_html,
}
