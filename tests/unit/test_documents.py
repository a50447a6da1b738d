"""Documents, e-mail and source code, each made here byte by byte or by the library that reads it."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pypdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ricordo.errors import SourceError
from ricordo.memory import Memory
from ricordo.protocols import Skipped, Source
from ricordo.sources import find_sources, open_source

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


def opened(path: Path, data: bytes) -> Source:
    path.write_bytes(data)
    return open_source(path, now=NOW)


def memories(path: Path, data: bytes) -> list[Memory]:
    return [item for item in opened(path, data).memories() if isinstance(item, Memory)]


def faults(path: Path, data: bytes) -> list[str]:
    return [item.why for item in opened(path, data).memories() if isinstance(item, Skipped)]


def reason(path: Path, data: bytes) -> str | None:
    """Why a file cannot be read; None for one that can."""
    try:
        list(opened(path, data).memories())
    except SourceError as error:
        return error.why
    return None


# --- HTML ---

PAGE = """<!doctype html><html><head><meta charset="windows-1251"><title>Ключи</title>
<meta property="article:published_time" content="2026-05-03T10:00:00Z"><style>p {color: red}</style></head>
<body><nav>Home | About</nav><h1>Keys</h1>
<p>The spare key is <b>under</b> the mat_2 by <a href="x.html">the door</a>.</p>
<h2>Garage</h2><ul><li>left hook</li></ul>
<table><tr><th>key</th><th>place</th></tr><tr><td>car</td><td>hall</td></tr></table>
<pre>x = 1\n\ny = 2</pre><script>alert(1)</script><img src="data:image/png;base64,AAAA" alt="a photo"></body></html>"""


def test_a_page_gives_its_sections_in_any_encoding(tmp_path: Path) -> None:
    keys, garage = memories(tmp_path / "a.html", PAGE.encode("cp1251"))
    assert keys.text == "# Keys\n\nThe spare key is **under** the mat_2 by [the door](x.html)."
    assert (keys.context, garage.context) == ("Ключи", "Ключи › Keys")
    assert "- left hook" in garage.text
    assert "| car | hall |" in garage.text
    assert "x = 1\n\ny = 2" in garage.text
    assert "a photo" in garage.text
    assert not any(word in garage.text for word in ("alert", "base64", "About", "color"))


def test_a_page_was_written_when_it_says_so(tmp_path: Path) -> None:
    memory = memories(tmp_path / "a.html", PAGE.encode("cp1251"))[0]
    assert (memory.event_timestamp, memory.event_origin) == (datetime(2026, 5, 3, 10, tzinfo=UTC), "source")
    assert memories(tmp_path / "2024-05-03.html", b"<p>x</p>")[0].event_timestamp == datetime(2024, 5, 3, tzinfo=UTC)


@pytest.mark.parametrize("data", [b"<", b"<<<>>>", b"<p>" * 3000, b"<table>" * 50 + b"x", b"\xff\xfe\x00", b"<title>x"])
def test_no_page_is_too_broken(tmp_path: Path, data: bytes) -> None:
    assert reason(tmp_path / "a.html", data) != ""


# --- Word ---

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def docx(body: str, core: str = "") -> bytes:
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{RELATIONS}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
        "docProps/core.xml": f'<c xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:t="http://purl.org/dc/terms/">{core}</c>',
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return stream.getvalue()


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


CORE = "<dc:title>Keys</dc:title><dc:creator>Ann Lee</dc:creator><t:created>2026-05-03T10:00:00Z</t:created>"


def test_a_word_file_gives_its_paragraphs_its_author_and_when_it_was_made(tmp_path: Path) -> None:
    (memory,) = memories(tmp_path / "a.docx", docx(paragraph("Ключ под ковриком.") + paragraph("Second."), CORE))
    assert (memory.text, memory.context) == ("Ключ под ковриком.\n\nSecond.", "Keys")
    assert memory.metadata == {"author": "Ann Lee"}
    assert (memory.event_timestamp, memory.event_origin) == (datetime(2026, 5, 3, 10, tzinfo=UTC), "said")
    assert memory.origin.kind == "docx"


@pytest.mark.parametrize("data", [b"PK\x03\x04 cut", b"no archive", docx("")[:400]])
def test_a_broken_word_file_is_named(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(SourceError, match=r"a.docx: cannot be read"):
        memories(tmp_path / "a.docx", data)


# --- PDF ---


def pdf(*pages: str, about: dict[str, str] | None = None, password: str | None = None) -> bytes:
    writer = pypdf.PdfWriter()
    for text in pages:
        page = writer.add_blank_page(300, 300)
        font = pypdf.generic.DictionaryObject(
            {
                pypdf.generic.NameObject("/Type"): pypdf.generic.NameObject("/Font"),
                pypdf.generic.NameObject("/Subtype"): pypdf.generic.NameObject("/Type1"),
                pypdf.generic.NameObject("/BaseFont"): pypdf.generic.NameObject("/Helvetica"),
            }
        )
        fonts = pypdf.generic.DictionaryObject({pypdf.generic.NameObject("/F1"): font})
        page[pypdf.generic.NameObject("/Resources")] = pypdf.generic.DictionaryObject(
            {pypdf.generic.NameObject("/Font"): fonts}
        )
        content = pypdf.generic.DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode() if text else b"")
        page[pypdf.generic.NameObject("/Contents")] = content
    writer.add_metadata(about or {})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def test_each_page_of_a_pdf_is_a_memory(tmp_path: Path) -> None:
    about = {"/Title": "Keys", "/CreationDate": "D:20260503120000+02'00'", "/Author": "Ann Lee"}
    first, third = memories(tmp_path / "a.pdf", pdf("Under the mat.", "", "In the hall.", about=about))
    assert (first.text, first.context) == ("Under the mat.", "Keys › page 1")
    assert (third.text, third.metadata) == ("In the hall.", {"author": "Ann Lee", "page": 3})
    assert (first.event_timestamp, first.event_origin) == (datetime(2026, 5, 3, 10, tzinfo=UTC), "said")


def test_a_pdf_of_pictures_says_so(tmp_path: Path) -> None:
    assert faults(tmp_path / "a.pdf", pdf("", "")) == ["holds no text; its pages may be pictures of text"]


def test_a_locked_pdf_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="locked with a password"):
        memories(tmp_path / "a.pdf", pdf("x", password="secret"))


@pytest.fixture
def without_libraries() -> Iterator[None]:
    # Patched because the libraries are installed here, and their absence cannot be had otherwise.
    with pytest.MonkeyPatch.context() as patch:
        for name in ("bs4", "mammoth", "pypdf", "markdownify"):
            patch.setitem(sys.modules, name, None)
        yield


@pytest.mark.usefixtures("without_libraries")
@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.html"])
def test_a_library_that_is_missing_is_named_with_the_mend(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError, match=r"not installed; pip install 'ricordo\[documents\]'"):
        memories(tmp_path / name, docx(paragraph("x")) if name == "a.docx" else b"x")


# --- e-mail ---


def message(text: str, *, number: int = 1, html: bool = False, **headers: str) -> EmailMessage:
    made = EmailMessage()
    made["From"] = "Ann Lee <ann@example.org>"
    made["To"] = "Bob Ray <bob@example.org>"
    made["Subject"] = "Ключи"
    made["Date"] = "Sun, 03 May 2026 12:00:00 +0200"
    made["Message-ID"] = f"<{number}@example.org>"
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(text, subtype="html" if html else "plain")
    return made


def mbox(*messages: EmailMessage) -> bytes:
    return b"".join(b"From ann@example.org Sun May  3 10:00:00 2026\n" + bytes(each) + b"\n\n" for each in messages)


def test_a_message_knows_who_wrote_it_to_whom_about_what_and_when(tmp_path: Path) -> None:
    mail = message("Ключ под ковриком.", In_Reply_To="<0@example.org>")
    mail.add_attachment(b"x", maintype="image", subtype="png", filename="map.png")
    (memory,) = memories(tmp_path / "a.eml", bytes(mail))
    assert memory.text == "Ключ под ковриком."
    assert memory.context == "Ключи › Ann Lee <ann@example.org> to Bob Ray <bob@example.org>"
    assert (memory.speaker, memory.group) == ("Ann Lee <ann@example.org>", "<0@example.org>")
    assert (memory.event_timestamp, memory.event_origin) == (datetime(2026, 5, 3, 10, tzinfo=UTC), "source")
    assert memory.metadata["attachments"] == ["map.png"]


def test_a_message_in_html_is_made_readable(tmp_path: Path) -> None:
    (memory,) = memories(tmp_path / "a.eml", bytes(message("<p>Under <b>the</b> mat.</p>", html=True)))
    assert memory.text == "Under **the** mat."


def test_yesterday_is_the_day_before_a_message_was_sent(tmp_path: Path) -> None:
    (memory,) = memories(tmp_path / "a.eml", bytes(message("Yesterday we sold the engine. It was old.")))
    assert (memory.event_timestamp, memory.event_origin) == (datetime(2026, 5, 2, tzinfo=UTC), "inferred")


@pytest.mark.usefixtures("without_libraries")
def test_a_message_in_html_that_cannot_be_read_costs_itself_alone(tmp_path: Path) -> None:
    box = mbox(message("<p>one</p>", html=True), message("two", number=2))
    fault, memory = opened(tmp_path / "a.mbox", box).memories()
    assert isinstance(fault, Skipped)
    assert fault.where.endswith("a.mbox, message 1")
    assert "pip install 'ricordo[documents]'" in fault.why
    assert isinstance(memory, Memory)
    assert memory.text == "two"


def test_each_message_of_a_mailbox_is_a_memory(tmp_path: Path) -> None:
    one, two, three = (message(f"Text {number}.", number=number) for number in (1, 2, 3))
    before = memories(tmp_path / "a.mbox", mbox(one, two, three))
    assert [memory.text for memory in before] == ["Text 1.", "Text 2.", "Text 3."]
    after = memories(tmp_path / "a.mbox", mbox(two, three))
    assert [memory.id for memory in after] == [memory.id for memory in before[1:]]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"Subject: x\nContent-Type: text/plain; charset=martian\n\nSpare \xea\xeb\xfe\xf7 key",
        b"Date: not a date\nFrom: \xff\xfe<<>>\nSubject: =?utf-8?b?!!!?=\n\nbody",
        b"Content-Type: multipart/mixed; boundary=x\n\n--x\nno end",
        b"Content-Transfer-Encoding: base64\n\n!!!!",
    ],
)
def test_no_message_is_too_broken(tmp_path: Path, data: bytes) -> None:
    for source in (opened(tmp_path / "a.eml", data), opened(tmp_path / "b.mbox", b"From x\n" + data)):
        assert all(isinstance(item, Memory | Skipped) for item in source.memories())


# --- source code ---

PYTHON = '''"""Doors.

What opens and closes (or not), whatever is (said).
"""

import os

LIMIT = 3


def open_door(key):
    """Open."""
    if key:

        return os.name


@dataclass
class Lock:
    kind: str

    def turn(self):
        return 1
'''


def symbols(path: Path, text: str) -> list[object]:
    return [memory.metadata.get("symbol") for memory in memories(path, text.encode())]


def test_each_definition_is_a_memory_and_what_stands_between_goes_together(tmp_path: Path) -> None:
    head, function, lock = memories(tmp_path / "door.py", PYTHON.encode())
    assert head.text.startswith('"""Doors.\n\nWhat opens')
    assert head.text.endswith("import os\n\nLIMIT = 3")
    assert function.text.startswith("def open_door(key):")
    assert function.text.endswith("return os.name")
    assert lock.text.endswith("return 1")
    assert (function.metadata, lock.metadata) == ({"symbol": "open_door"}, {"symbol": "Lock"})
    assert function.context.endswith("/door.py")
    assert function.origin.kind == "code"


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        (
            "a.go",
            "package door\n\nfunc (l *Lock) Turn() int {\n\treturn 1\n}\n\nfunc Open() {}\n",
            [None, "Turn", "Open"],
        ),
        (
            "a.ts",
            "export const open = async (k: Key) => {\n  x();\n\n  y();\n};\n\nexport class Lock {}\n",
            ["open", "Lock"],
        ),
        ("a.rs", "pub(crate) fn open() {}\n\nimpl<T> Lock<T> {\n    fn x() {}\n}\n", ["open", "Lock"]),
        ("a.c", "static int open(int key)\n{\n  return key;\n}\n\nint x = 3;\n", ["open", None]),
        ("a.sql", "CREATE TABLE IF NOT EXISTS door (id int);\n\nSELECT 1;\n", ["door", None]),
        ("a.java", "public final class Door {\n\n  int x;\n\n  int y;\n}\n", ["Door"]),
        ("a.sh", "echo x\n\nfunction open() {\n  y\n}\n", [None, "open"]),
    ],
)
def test_definitions_are_found_in_any_language(tmp_path: Path, name: str, text: str, found: list[str | None]) -> None:
    assert symbols(tmp_path / name, text) == found


def test_an_edited_function_leaves_the_others_who_they_were(tmp_path: Path) -> None:
    before = {memory.id for memory in memories(tmp_path / "door.py", PYTHON.encode())}
    after = {memory.id for memory in memories(tmp_path / "door.py", PYTHON.replace("Open.", "Close.").encode())}
    assert len(before & after) == 2


def test_line_ends_encodings_and_a_missing_last_newline_change_nothing(tmp_path: Path) -> None:
    text = "# ключ под ковриком\ndef f():\n    return 1"
    plain = memories(tmp_path / "a.py", text.encode())
    (legacy,) = memories(tmp_path / "a.py", text.replace("\n", "\r\n").encode("cp1251"))
    assert [legacy.id] == [memory.id for memory in plain]
    assert legacy.metadata["encoding"] == "cp1251"


def test_a_film_with_the_suffix_of_a_program_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "film.ts").write_bytes(b"\x47\x40\x00\x10\x00\x00\xb0\x0d" * 300)
    assert list(find_sources([tmp_path], now=NOW)) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(st.sampled_from("ab {}()=:\n\t\"'#def class fn"), max_size=300))
def test_no_line_of_code_is_lost(tmp_path: Path, text: str) -> None:
    found = memories(tmp_path / "a.py", text.encode())
    said = {line.rstrip() for memory in found for line in memory.text.split("\n")}
    assert {line.rstrip() for line in text.split("\n") if line.strip()} <= said


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text", ["a " * 100_000, "int " * 50_000 + "(", "pub " * 50_000, "x(" * 100_000, "\n\nx" * 50_000]
)
def test_no_code_takes_long(tmp_path: Path, text: str) -> None:
    assert memories(tmp_path / "a.c", text.encode())


# --- damage ---

WHOLE = {
    "a.html": PAGE.encode("cp1251"),
    "a.docx": docx(paragraph("Under the mat."), CORE),
    "a.pdf": pdf("Under the mat.", "In the hall.", about={"/CreationDate": "D:20260503120000+02'00'"}),
    "a.eml": bytes(message("Под ковриком.")),
    "a.mbox": mbox(message("<p>one</p>", html=True), message("two", number=2)),
    "a.py": PYTHON.encode(),
    "a.md": b"---\ntags: [a]\n---\n# T\n- 2024-05-01: [[a|b]] #t %%c%%\n\n| a |\n|---|\n| 1 |\nk:: v",
    "a.txt": "Ключ лежит под ковриком.".encode("cp1251"),
}
EDITS = st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=6)


def damage(data: bytes, edits: list[tuple[int, int]], cut: int) -> bytes:
    damaged = bytearray(data)
    for place, byte in edits:
        damaged[place % len(damaged)] = byte
    return bytes(damaged[cut % len(damaged) :] if cut % 2 else damaged[: len(damaged) - cut % len(damaged)])


def check_damaged(path: Path, edits: list[tuple[int, int]], cut: int) -> None:
    assert reason(path, damage(WHOLE[path.name], edits, cut)) != ""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(st.sampled_from(sorted(WHOLE)), EDITS, st.integers(0, 2000))
def test_a_damaged_file_is_read_or_named(tmp_path: Path, name: str, edits: list[tuple[int, int]], cut: int) -> None:
    check_damaged(tmp_path / name, edits, cut)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=800)
@given(st.sampled_from(sorted(WHOLE)), EDITS, st.integers(0, 2000))
def test_whatever_the_damage(tmp_path: Path, name: str, edits: list[tuple[int, int]], cut: int) -> None:
    check_damaged(tmp_path / name, edits, cut)
