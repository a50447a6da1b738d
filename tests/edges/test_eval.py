"""`ricordo eval` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ricordo.cli import main

SQUAD = {
    "data": [
        {
            "title": "Birds",
            "paragraphs": [
                {"context": "Owls hunt by night.", "qas": [{"id": "1", "question": "Who hunts by night?"}]},
                {"context": "Rooks nest in trees.", "qas": [{"id": "2", "question": "Where do rooks nest?"}]},
            ],
        }
    ]
}


@pytest.fixture
def squad(tmp_path: Path) -> Path:
    file = tmp_path / "squad.json"
    file.write_text(json.dumps(SQUAD), encoding="utf-8")
    return file


def ricordo(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


def test_squad_is_measured(squad: Path) -> None:
    done = ricordo("eval", "squad", squad, "--embedder", "none")

    assert done.exit_code == 0
    assert "2 questions, 2 memories" in done.stdout
    assert "| recall@1 " in done.stdout
    assert done.stderr == ""


def test_json_is_one_document_that_a_later_run_is_compared_with(squad: Path, tmp_path: Path) -> None:
    first = ricordo("eval", "squad", squad, "--embedder", "none", "--json")
    (tmp_path / "run.json").write_text(first.stdout, encoding="utf-8")

    second = ricordo("eval", "squad", squad, "--embedder", "none", "--compare", tmp_path / "run.json", "--json")

    assert json.loads(first.stdout)["metrics"]["mrr"] == 1.0
    assert json.loads(second.stdout)["differences"]["mrr"]["mean"] == 0.0


def test_missing_data_is_wrong_use_and_says_which(tmp_path: Path) -> None:
    done = ricordo("eval", "squad", tmp_path / "absent.json")

    assert done.exit_code == 2
    assert "absent.json does not exist" in done.stderr


def test_the_users_own_store_is_left_alone(squad: Path, tmp_path: Path) -> None:
    ricordo("eval", "squad", squad, "--embedder", "none")

    assert not list(tmp_path.rglob("*.db"))


def test_ones_own_questions_are_asked_of_ones_own_store(tmp_path: Path) -> None:
    store = ("--store", f"sqlite:///{tmp_path / 'mine.db'}", "--embedder", "none")
    ricordo("remember", "Owls hunt by night.", *store)
    ricordo("remember", "Rooks nest in tall trees.", *store)
    (tmp_path / "mine.jsonl").write_text('{"question": "where do rooks nest?", "expected": ["tall trees"]}\n')

    done = ricordo("eval", "questions", tmp_path / "mine.jsonl", *store, "--json")

    found = json.loads(done.stdout)
    assert (found["n"], found["metrics"]["recall@1"], found["settings"]["memories"]) == (1, 1.0, 2)
    assert list(found["ladder"]) == ["words", "all"]


@pytest.mark.parametrize("command", ["locomo", "squad", "questions"])
def test_every_command_tells_missing_data(command: str, tmp_path: Path) -> None:
    done = ricordo("eval", command, tmp_path / "absent", "--embedder", "none", "--store", "memory:")

    assert (done.exit_code, "absent does not exist" in done.stderr) == (2, True)


def test_help_loads_nothing_that_measures() -> None:
    code = "import ricordo.cli, sys; print(*(name for name in sys.modules if name.startswith('ricordo.eval')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []
