"""Export and import through the command line."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
Ask = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def filled(run: Run, ask: Ask, tmp_path: Path) -> Run:
    """The command line over a store with versions, a tombstone, two namespaces and a file."""
    note = tmp_path / "note.md"
    note.write_text("---\ndate: 2026-05-01\ntags: [x]\nn: 3\n---\n# Озеро\n\nВода холодная.", encoding="utf-8")
    old = ask("remember", "the pool is 20", "--when", "2026-01-01", "--meta", "n=1")[1]["id"]
    ask("revise", old, "the pool is 60")
    ask("remember", "fact", "-n", "work", "--tag", "y")
    ask("forget", ask("remember", "gone")[1]["id"])
    ask("ingest", str(note))
    return run


def test_an_export_comes_back_whole(filled: Run, tmp_path: Path) -> None:
    exported = filled("export", "--all").stdout
    fresh = f"sqlite:///{tmp_path / 'fresh.db'}"

    imported = filled("import", "-", "--store", fresh, input=exported)

    assert imported.exit_code == 0
    again = filled("export", "--all", "--store", fresh).stdout
    assert sorted(again.splitlines()) == sorted(exported.splitlines())
    assert len(exported.splitlines()) == 7


def test_importing_twice_changes_nothing(filled: Run, ask: Ask) -> None:
    exported = filled("export").stdout

    code, counts = ask("import", "-", input=exported)

    assert code == 0
    assert (counts["added"], counts["unchanged"]) == (0, 4)
    assert filled("export").stdout == exported


def test_an_export_holds_one_namespace_unless_all_are_asked_for(filled: Run) -> None:
    namespaces = {json.loads(line).get("namespace") for line in filled("export").stdout.splitlines()[1:]}

    assert namespaces == {"default"}


def test_an_export_to_a_file_takes_its_place_and_is_its_owners(filled: Run, ask: Ask, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    file.write_text("old", encoding="utf-8")

    code, exported = ask("export", str(file))

    assert (code, exported) == (0, {"exported": 5, "file": str(file)})
    assert file.read_text(encoding="utf-8") == filled("export").stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_a_device_is_written_to_and_stays(filled: Run) -> None:
    assert filled("export", "/dev/null").exit_code == 0
    assert not Path("/dev/null").is_file()


def test_a_bad_line_is_skipped_and_told(run: Run) -> None:
    result = run("import", "-", input='{"format": "ricordo-export/1"}\n{"type": "memory"}\n')

    assert result.exit_code == 1
    assert result.stderr == "skipped standard input:2: 'namespace' is missing\n"


def test_an_import_forgets_what_was_forgotten_elsewhere_unless_it_was_told_again_since(
    run: Run, ask: Ask, tmp_path: Path
) -> None:
    here = f"sqlite:///{tmp_path / 'here.db'}"
    told = [ask("remember", text, "--now", "2026-05-01")[1]["id"] for text in ("a garden", "a cellar")]
    run("import", "-", "--store", here, input=run("export").stdout)
    run("forget", *told, "--now", "2026-05-02")
    run("import", "-", "--store", here, input=run("export").stdout)
    assert ask("stats", "--store", here)[1]["memories"] == 0

    ask("remember", "a cellar", "--store", here, "--now", "2026-05-03")
    counts = ask("import", "-", "--store", here, input=run("export").stdout)[1]

    assert counts["forgotten"] == 0
    assert ask("stats", "--store", here)[1]["memories"] == 1
    assert run("doctor", "--store", here).exit_code == 0


@pytest.mark.parametrize("given", [b"# no export\n", b'{"format": "ricordo-export/1"}\n\xff\xfe\n'])
def test_what_is_no_export_is_refused(run: Run, given: bytes) -> None:
    result = run("import", "-", input=given)

    assert result.exit_code == 2
    assert result.stderr.startswith("ricordo: standard input:")
