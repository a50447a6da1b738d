from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.errors import SourceError
from ricordo.memory import Memory
from ricordo.protocols import Skipped, Source
from ricordo.sources import find_sources, open_source
from ricordo.sources.encoding import decode, decoded, looks_binary
from ricordo.sources.text import TextSource

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)

RUSSIAN = [
    "да",
    "Привет",
    "МОСКВА",
    "Ёж под ёлкой",
    "позвонить маме",
    "ключ от дачи лежит под ковриком",
    "Встреча в четверг, 15:00, с Иваном Петровичем.",
    "TODO: проверить README.md и config.yaml для prod-сервера",
    "Сервер «Байкал» перезапущен; пароль: hunter2.\nСледующая проверка 3 мая, если ничего не сломается.",
]
SPANISH = [
    "año",
    "el niño",
    "CAÑÓN",
    "Contraseña: 1234",
    "¿Dónde está la niña?",
    "El coche está en el garaje; la llave, en el cajón de la cocina. Reunión con Íñigo el miércoles.",
]
PORTUGUESE = ["Não", "pão", "A reunião é amanhã às 10h em São Paulo"]
EASTERN = [
    ("gb18030", "我们走了，他来了"),
    ("gb18030", "今天下午三点开会，请带上合同。"),
    ("gbk", "密码是hunter2，请不要告诉别人\n数据库迁移到新的服务器"),
    ("big5", "明天下午三點開會，請帶合約"),
    ("shift_jis", "明日の会議は三時からです"),
    ("euc_jp", "データベースの鍵は机の下"),
    ("euc_kr", "내일 회의는 세 시에 있습니다"),
]


# --- encodings ---


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "cp866", "utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("text", RUSSIAN)
def test_russian_is_read_in_every_encoding_it_was_written_in(text: str, encoding: str) -> None:
    if "«" in text and encoding in ("koi8-r", "cp866"):
        text = text.replace("«", '"').replace("»", '"')
    assert decode(text.encode(encoding), "a.txt") == text


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("text", SPANISH + PORTUGUESE)
def test_western_text_is_read_in_every_encoding_it_was_written_in(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding), "a.txt") == text


@pytest.mark.parametrize(("encoding", "text"), EASTERN)
def test_eastern_text_is_read_in_the_encoding_it_was_written_in(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding), "a.txt") == text


@pytest.mark.parametrize(
    ("text", "encoding", "told"),
    [
        ("ключ", "utf-8", "utf-8"),
        ("ключ", "utf-16", "utf-16"),
        (RUSSIAN[-1], "cp1251", "cp1251, guessed"),
        (SPANISH[-1], "latin-1", "cp1252, guessed"),
        (EASTERN[0][1], "gb18030", "gb18030, guessed"),
    ],
)
def test_the_encoding_is_told(text: str, encoding: str, told: str) -> None:
    read = decoded(text.encode(encoding), "a.txt")
    assert read.text == text
    assert read.encoding + ", guessed" * read.guessed == told


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", ["plain English\n", RUSSIAN[-1], SPANISH[-1]])
def test_wide_encodings_are_told_without_a_mark(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding), "a.txt") == text


def test_a_big_endian_mark_counts() -> None:
    assert decode(b"\xfe\xff" + "Ключ".encode("utf-16-be"), "a.txt") == "Ключ"


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_utf8_is_never_taken_for_anything_else(text: str) -> None:
    assert decode(text.encode(), "a.txt") == text.removeprefix("\ufeff")


@given(st.binary())
def test_any_bytes_are_text_or_named_as_unreadable(data: bytes) -> None:
    looks_binary(data)
    try:
        text = decode(data, "a.txt")
    except SourceError as error:
        text = error.where
    assert "\r" not in text


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (bytes(range(256)) * 8, "binary"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary"),
        (b"\xff\xfea", "utf-16"),
        ("鄂蕲郧".encode("gb18030"), "UTF-8"),
    ],
)
def test_what_cannot_be_told_is_refused_with_the_reason(data: bytes, why: str) -> None:
    with pytest.raises(SourceError, match=f"a.txt: .*{why}"):
        decode(data, "a.txt")


@pytest.mark.parametrize(
    "data",
    [
        "Ключ от дачи лежит под ковриком у двери".encode()[:-1],
        "Ключ от дачи лежит под ковриком, ".encode() + b"\xff" + " а запасной у соседа".encode(),
        b"The spare key is under the mat by the d\x92\x81\xf3r"[:-3] + b"oor",
    ],
)
def test_a_few_broken_bytes_cost_no_more_than_themselves(data: bytes) -> None:
    read = decoded(data, "a.txt")
    assert read.guessed
    assert len(read.text) >= len(data.decode("utf-8", "ignore"))
    assert read.text.startswith(data.decode("utf-8", "ignore")[:20])


def test_line_ends_are_made_one() -> None:
    assert decode(b"a\r\nb\rc\n", "a.txt") == "a\nb\nc\n"


# --- text files ---


def read(path: Path) -> list[Memory | Skipped]:
    return list(TextSource(path=path, now=NOW).memories())


def test_a_whole_file_is_one_memory_under_its_name(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    path.write_bytes(b"\r\n  The spare key\r\n\r\nis under the mat.\r\n")
    (memory,) = read(path)
    assert isinstance(memory, Memory)
    assert memory.text == "  The spare key\n\nis under the mat."
    assert memory.context == memory.origin.title == "keys.txt"
    assert memory.origin.uri == path.resolve().as_uri()
    assert memory.origin.kind == "text"
    assert memory.event_timestamp is None


def test_a_file_named_by_its_date_happened_then(tmp_path: Path) -> None:
    path = tmp_path / "2024-05-03 garden.txt"
    path.write_text("planted tomatoes", encoding="utf-8")
    east = timezone(timedelta(hours=3))
    (memory,) = TextSource(path=path, now=NOW, zone=east).memories()
    assert isinstance(memory, Memory)
    assert memory.event_timestamp == datetime(2024, 5, 3, tzinfo=east)
    assert memory.event_end == datetime(2024, 5, 4, tzinfo=east)
    assert (memory.event_grain, memory.event_origin) == ("day", "source")


@pytest.mark.parametrize("name", ["garden 2024-05-03.txt", "garden-2024-05-03.txt", "2024-05-03.txt"])
def test_a_date_may_stand_anywhere_in_a_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("Yesterday we planted tomatoes.", encoding="utf-8")
    (memory,) = read(tmp_path / name)
    assert isinstance(memory, Memory)
    assert memory.event_timestamp == datetime(2024, 5, 2, tzinfo=UTC)
    assert memory.event_origin == "inferred"


@pytest.mark.parametrize(
    "name", ["2024-13-40.txt", "2024-13.txt", "2024-05-031.txt", "0000-01-01.txt", "99999-01-01.txt"]
)
def test_what_only_looks_like_a_date_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x", encoding="utf-8")
    (memory,) = read(tmp_path / name)
    assert isinstance(memory, Memory)
    assert memory.event_timestamp is None


def test_a_stray_nul_becomes_a_replacement_character(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("ключ\0под ковриком".encode())
    (memory,) = read(tmp_path / "a.txt")
    assert isinstance(memory, Memory)
    assert memory.text == "ключ\ufffdпод ковриком"


# --- finding files ---


def found(*paths: Path) -> list[Source | Skipped]:
    return list(find_sources(paths, now=NOW))


def names(*paths: Path) -> list[str]:
    return [item.where if isinstance(item, Skipped) else item.origin.uri.rsplit("/", 1)[1] for item in found(*paths)]


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text of {name}", encoding="utf-8")


def test_folders_are_read_in_order_without_what_is_hidden(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/z.txt", "a/b/c.md", "c.org", ".hidden.md", ".git/config", "a/.obsidian/app.json")
    write(tmp_path, "node_modules/lib/README.md", "a/__pycache__/x.txt", "lib/site-packages/y.txt")
    assert names(tmp_path) == ["c.md", "z.txt", "b.md", "c.org"]


def test_kinds_follow_the_suffix_in_any_case(tmp_path: Path) -> None:
    write(tmp_path, "a.MD", "b.markdown", "c.txt", "d.log", "e")
    kinds = [item.origin.kind for item in found(tmp_path) if not isinstance(item, Skipped)]
    assert kinds == ["markdown", "markdown", "text", "text", "text"]


def test_a_hidden_file_named_by_itself_is_read(tmp_path: Path) -> None:
    write(tmp_path, ".notes/keys.md")
    assert names(tmp_path / ".notes") == ["keys.md"]


def test_a_binary_file_is_reported_only_when_named(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0\0\x10JFIF")
    assert found(tmp_path) == []
    (skipped,) = found(tmp_path / "photo.jpg")
    assert skipped == Skipped(where=str(tmp_path / "photo.jpg"), why="is a binary file")


def test_a_missing_path_is_reported_and_stops_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    missing, read = found(tmp_path / "nowhere.md", tmp_path / "a.md")
    assert isinstance(missing, Skipped)
    assert missing.where.endswith("nowhere.md")
    assert not isinstance(read, Skipped)


def test_a_pipe_does_not_hold_up_the_rest(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(tmp_path / "pipe")
    write(tmp_path, "z.md")
    assert names(tmp_path) == ["z.md"]
    assert found(tmp_path / "pipe") == [Skipped(where=str(tmp_path / "pipe"), why="is not a regular file")]


def test_links_are_followed_once_and_loops_end(tmp_path: Path) -> None:
    write(tmp_path, "notes/a.md")
    try:
        (tmp_path / "notes/loop").symlink_to(tmp_path / "notes", target_is_directory=True)
        (tmp_path / "notes/same.md").symlink_to(tmp_path / "notes/a.md")
        (tmp_path / "notes/self").symlink_to(tmp_path / "notes/self")
        (tmp_path / "notes/to-nowhere").symlink_to(tmp_path / "gone")
    except OSError:
        pytest.skip("this system allows no symbolic links")
    found_names = names(tmp_path / "notes")
    assert found_names == ["a.md", str(tmp_path / "notes/self"), str(tmp_path / "notes/to-nowhere")]


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    assert names(tmp_path / "a.md", tmp_path) == ["a.md"]


def test_one_file_is_opened_or_refused(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    assert open_source(tmp_path / "a.md", now=NOW).origin.kind == "markdown"
    for path in (tmp_path, tmp_path / "nowhere.md"):
        with pytest.raises(SourceError, match=path.name):
            open_source(path, now=NOW)
