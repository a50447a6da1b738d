"""Secrets are kept unless it is asked that they are not, and never shown by what counts them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from ricordo import sync
from ricordo.settings import Settings

Run = Callable[..., Result]

KEY = "sk-ant-" + "api03-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
SIGN = "[redacted: anthropic-key]"


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"


@pytest.fixture
def opened(store: str) -> Callable[[str], sync.Engine]:
    return lambda redact: sync.open(settings=Settings(store=store, embedder="none", redact=redact))


def texts(memory: sync.Engine) -> str:
    return "".join(memory.export())


def test_secrets_are_kept_by_default_and_left_out_when_asked(opened: Callable[[str], sync.Engine]) -> None:
    with opened("off") as memory:
        memory.remember(f"The key of staging is {KEY}")
        assert KEY in texts(memory)
    with opened("on") as memory:
        done = memory.remember(f"The key of production is {KEY}", metadata={"key": KEY}, tags=[KEY])
        assert done.memory.text == f"The key of production is {SIGN}"
        assert memory.revise(done.id, f"The new key is {KEY}").text == f"The new key is {SIGN}"
        assert texts(memory).count(KEY) == 1


def test_a_file_read_before_is_read_again_without_its_secrets(
    opened: Callable[[str], sync.Engine], store: str, tmp_path: Path
) -> None:
    note = tmp_path / "keys.md"
    note.write_text(f"---\napi: {KEY}\n---\n# Keys {KEY}\n\n## Staging\n\n{KEY}\n\n## Door\n\n4471\n", encoding="utf-8")
    with opened("off") as memory:
        assert memory.ingest([note]).added == 3
    with opened("on") as memory:
        counts = memory.ingest([note])
        assert counts.added == counts.forgotten == 3
        assert KEY not in texts(memory)
        assert memory.ingest([note]).added == 0
    assert KEY.encode() not in Path(store.removeprefix("sqlite:///")).read_bytes()


def test_the_option_is_the_setting(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(KEY, encoding="utf-8")
    run("remember", f"key {KEY}", "--redact")
    run("ingest", str(tmp_path / "a.txt"), "--redact")
    exported = run("export").stdout
    assert KEY not in exported
    assert exported.count(SIGN) == 2


def test_the_doctor_counts_secrets_and_does_not_tell_them(run: Run) -> None:
    run("remember", f"keys {KEY} and {KEY}, card 4111 1111" + " 1111 1111")
    result = run("doctor", "--json")
    told = result.stdout
    (finding,) = [found for found in json.loads(told)["checks"] if found["name"] == "secrets"]
    assert (result.exit_code, finding["status"]) == (0, "note")
    assert "2 anthropic-key, 1 card-number" in finding["message"]
    assert KEY not in told
    assert "1111" not in finding["message"]
