"""The demonstration, with the real embedder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from ricordo.demo import QUESTIONS

Run = Callable[..., Result]


def test_every_question_finds_its_note_first(run: Run, tmp_path: Path) -> None:
    result = run("demo", "--json", "--embedder", "all-minilm-l6-v2")

    shown = json.loads(result.stdout)
    assert result.exit_code == 0
    assert set(shown) == {"ingested", "seconds", "questions"}
    first = [Path(question["hits"][0]["source"]["uri"]).name for question in shown["questions"]]
    assert first == [question.note for question in QUESTIONS]
    assert not (tmp_path / "home").exists()


def test_paths_are_read_too_and_the_way_on_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "extra.md").write_text("one more note", encoding="utf-8")

    result = run("demo", str(tmp_path / "extra.md"))

    assert result.exit_code == 0
    assert result.stdout.startswith("Read 26 memories in 26 chunks")
    assert "ricordo remember" in result.stdout


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.note)
def test_a_demonstration_names_a_note_it_has(question: object) -> None:
    from importlib.resources import files

    assert (files("ricordo.demo") / "notes" / getattr(question, "note", "")).is_file()
