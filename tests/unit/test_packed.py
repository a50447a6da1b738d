"""Files that were packed one by one."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from agentfiles import Session, memories, reported, rollout, source, text_lines, told
from ricordo.sources import packed

SAID = [("user", "Weave."), ("assistant", "Woven.")]


def zstd(data: bytes) -> bytes:
    try:
        library = import_module("compression.zstd")
    except ImportError:
        library = pytest.importorskip("backports.zstd", reason="Python before 3.14 needs the extra `zstd`")
    found: bytes = library.compress(data)
    return found


PACKINGS = pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".zst", zstd)], ids=["gzip", "zstd"])


@PACKINGS
def test_what_was_packed_is_read_as_it_was(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / f"rollout-1.jsonl{suffix}"
    path.write_bytes(pack(text_lines(rollout(*SAID)).encode()))
    assert told(memories(path)) == SAID


@PACKINGS
def test_a_session_is_the_same_packed_or_not(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    session = Session()
    session.user("Weave.")
    path = session.save(tmp_path)
    beside = path.with_name(f"{path.name}{suffix}")
    beside.write_bytes(pack(path.read_bytes()))
    assert (source(path).origin, source(path).revision()) == (source(beside).origin, source(beside).revision())


@PACKINGS
def test_a_packed_file_that_is_broken_is_told(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    data = pack(text_lines(rollout(*SAID * 200)).encode())
    path = tmp_path / f"rollout-1.jsonl{suffix}"
    path.write_bytes(data[: len(data) // 2] + b"\x00" * 40)
    assert reported(path)


@PACKINGS
def test_a_bomb_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    # A bomb of a harmless size.
    monkeypatch.setattr(packed, "HARMLESS_BYTES", 10_000)
    lines = text_lines(rollout(*SAID)).encode()
    path = tmp_path / f"rollout-1.jsonl{suffix}"
    path.write_bytes(pack(lines + lines[-300:] * 20_000))
    assert ["200 times" in fault.why for fault in reported(path)] == [True]


def test_other_packed_files_in_a_folder_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "picture.gz").write_bytes(gzip.compress(b"\x89PNG\x00\x01" * 100))
    assert reported(tmp_path) == []
