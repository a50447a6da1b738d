"""Archives are read where they are, and hostile ones do nothing but be told of."""

from __future__ import annotations

import io
import json
import os
import random
import stat
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claudefiles import conversation, message, write_zip
from ricordo.errors import SourceError
from ricordo.memory import Memory
from ricordo.protocols import Skipped
from ricordo.sources import find_sources
from trustworthy import tried

pytestmark = pytest.mark.usefixtures("tries")

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
EXAMPLES = int(os.environ.get("RICORDO_TEST_EXAMPLES", "100"))
EXPORT = json.dumps([conversation("A talk", [message("hm?", "Said in an archive")])]).encode()
SAID = ["Said in an archive"]


def read(path: Path) -> tuple[list[str], list[str]]:
    """The texts, and why something was skipped. Nothing may appear beside the file."""
    tried()
    before = sorted(path.parent.rglob("*"))
    said: list[str] = []
    why: list[str] = []
    for source in find_sources([path], now=NOW):
        try:
            for item in (source,) if isinstance(source, Skipped) else source.memories():
                if isinstance(item, Memory):
                    said.append(item.text)
                elif isinstance(item, Skipped):
                    why.append(item.why)
        except SourceError as error:  # no archive any longer, and no text either
            why.append(error.why)
    assert sorted(path.parent.rglob("*")) == before
    return said, why


@pytest.mark.parametrize("name", ["../../evil.json", "/etc/evil.json", "C:\\evil.json", "a/../../b.json", "x" * 300])
def test_a_name_in_an_archive_is_no_path(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "deeper"
    assert read(write_zip(folder / "export.zip", {name: EXPORT})) == (SAID, [])
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [folder / "export.zip"]


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("conversations.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("more.json", EXPORT)
    assert read(path) == (SAID, ["is a symbolic link, which is not followed in an archive"])


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice_is_read_both_times(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", EXPORT)
        archive.writestr("conversations.json", json.dumps([conversation("B", [message("b?", "The other")])]))
    assert read(path) == ([*SAID, "The other"], [])


def test_an_encrypted_member_is_told(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "export.zip", {"conversations.json": EXPORT})
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1
    path.write_bytes(data)
    assert "is encrypted" in read(path)[1]


def bomb(megabytes: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.json", "w") as member:
        member.write(b'[{"uuid":"')
        for _ in range(megabytes):
            member.write(b" " * 2**20)
        member.write(b'","chat_messages":[]}]')
    return stream.getvalue()


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    (tmp_path / "bomb.zip").write_bytes(bomb(100))
    said, (why,) = read(tmp_path / "bomb.zip")
    assert said == []
    assert why == "would unpack to 100 MiB, more than 200 times its size"


def test_a_bomb_in_an_archive_does_not_keep_the_rest_from_being_read(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("bomb.zip", bomb(100))
        archive.writestr("conversations.json", EXPORT)
    said, (why,) = read(path)
    assert said == SAID
    assert why.startswith("would unpack to 100 MiB")


def test_archives_in_archives_end_at_the_third(tmp_path: Path) -> None:
    inner = EXPORT
    for number in range(4):
        name = "conversations.json" if number == 0 else "inner.zip"
        inner = write_zip(tmp_path / "export.zip", {name: inner}).read_bytes()
    assert "is an archive in 3 others" in read(tmp_path / "export.zip")[1]


def test_an_archive_without_an_export_is_told_when_it_is_named(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "photos.zip", {"one.jpg": b"\xff\xd8\xff" + bytes(99)})
    assert read(path) == ([], ["is an archive that holds no export that is known"])
    assert list(find_sources([tmp_path], now=NOW)) == []


def test_a_cut_archive_is_told(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "export.zip", {"conversations.json": EXPORT})
    path.write_bytes(path.read_bytes()[:-30])
    assert read(path)[1] == ["is a broken archive: File is not a zip file"]


def test_a_damaged_member_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("broken.json", EXPORT.replace(b"A talk", b"XXXXXX"))
        archive.writestr("whole.json", EXPORT)
    path.write_bytes(path.read_bytes().replace(b"XXXXXX", b"YYYYYY", 1))
    said, (why,) = read(path)
    assert set(said) == set(SAID)
    assert why.startswith("Bad CRC-32")


# --- mutated ---

NAMES = ["conversations.json", "../x.json", "/x.json", "a/b.zip", "", ".x", "x\\y.json", "é\u202e.json", "dir/"]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


def packed(chance: random.Random, depth: int = 0) -> bytes:
    """An archive of odd members, in archives."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", chance.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
        for _ in range(chance.randrange(4)):
            info = zipfile.ZipInfo(chance.choice(NAMES))
            info.external_attr = chance.choice([0, stat.S_IFLNK << 16, 0x10, 2**32 - 1])
            contents = [EXPORT, EXPORT[: chance.randrange(len(EXPORT))], bytes(2**14), b"PK\x03\x04", b""]
            archive.writestr(
                info, packed(chance, depth + 1) if depth < 3 and chance.random() < 0.3 else chance.choice(contents)
            )
    return stream.getvalue()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_mutated_archives_are_read_or_told_of(folder: Path, chance: random.Random) -> None:
    data = bytearray(packed(chance))
    for _ in range(chance.randrange(8)):
        place = chance.randrange(len(data))
        match chance.randrange(3):
            case 0:
                data[place] = chance.randrange(256)
            case 1:
                del data[place : place + chance.randrange(1, 40)]
            case _:
                data[place:place] = chance.randbytes(chance.randrange(1, 40))
        data = data or bytearray(b"PK")
    path = folder / "export.zip"
    path.write_bytes(data)
    read(path)
