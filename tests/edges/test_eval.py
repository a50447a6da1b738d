"""`ricordo eval` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ricordo.cli import main
from tinysets import LOCOMO
from trustworthy import LONG

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


def test_too_few_texts_to_fit_on_are_told(squad: Path) -> None:
    done = ricordo("eval", "fit", "--squad", squad, "--embedder", "none")

    assert (done.exit_code, "nothing to fit on" in done.stderr) == (2, True)


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


SHAPE = {
    "dataset": str,
    "n": int,
    "metrics": dict,
    "by_category": dict,
    "ladder": dict,
    "latency_ms": dict,
    "settings": dict,
}
MEASURED = ["recall@1", "recall@5", "recall@10", "hit@10", "mrr", "ndcg@10"]


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps(LOCOMO), encoding="utf-8")
    return file


def well_shaped(found: dict[str, Any]) -> bool:
    """Whether a document has what scripts read from it."""
    return (
        all(isinstance(found[name], kind) for name, kind in SHAPE.items())
        and list(found["metrics"]) == MEASURED
        and all(list(measures) == MEASURED for measures in found["ladder"].values())
        and all(list(measures) == ["n", *MEASURED] for measures in found["by_category"].values())
        and all(list(spread) == ["p50", "p95"] for spread in found["latency_ms"].values())
    )


def test_documents_of_files_have_what_scripts_read(squad: Path, locomo: Path) -> None:
    for command, file in (("squad", squad), ("locomo", locomo)):
        found = json.loads(ricordo("eval", command, file, "--embedder", "none", "--json").stdout)

        assert well_shaped(found)
        assert (found["dataset"], found["n"]) == (command, 2)


def test_the_document_of_ones_own_questions_has_what_scripts_read(tmp_path: Path) -> None:
    store = ("--store", f"sqlite:///{tmp_path / 'mine.db'}", "--embedder", "none")
    ricordo("remember", "Owls hunt by night.", *store)
    line = {"question": "what hunts?", "expected": ["owls"], "category": "birds"}
    (tmp_path / "mine.jsonl").write_text(json.dumps(line), encoding="utf-8")

    found = json.loads(ricordo("eval", "questions", tmp_path / "mine.jsonl", *store, "--json").stdout)

    assert well_shaped(found)
    assert list(found["by_category"]) == ["birds"]


@pytest.mark.slow
def test_the_document_of_the_agent_memory_has_what_scripts_read() -> None:
    asked = 600 if LONG else 50
    found = json.loads(ricordo("eval", "agent-memory", "--questions", asked, "--embedder", "none", "--json").stdout)

    assert well_shaped(found)
    assert (found["n"], found["settings"]["memories"]) == (asked, 12_000)
    assert set(found["by_category"]) == {"identifiers", "names", "temporal", "paraphrase", "mixed"}


def test_the_document_of_dates_has_what_scripts_read(tmp_path: Path) -> None:
    line = {"lang": "en", "query": "who won?", "now": "2026-11-25T12:00:00+00:00", "tz": "UTC", "kind": "neg"}
    (tmp_path / "phrases.jsonl").write_text(json.dumps(line), encoding="utf-8")

    found = json.loads(ricordo("eval", "time", tmp_path / "phrases.jsonl", "--json").stdout)

    for part in (found, found["by_language"]["en"]):
        assert {"n", "right", "harmful", "false_positive"} <= part.keys()
    assert (found["n"], found["false_positive"]) == (1, 0.0)


def test_gold_is_read_as_asked(locomo: Path) -> None:
    done = ricordo("eval", "locomo", locomo, "--gold", "paper", "--embedder", "none", "--json")

    assert json.loads(done.stdout)["settings"]["gold"] == "paper"


def test_tables_and_pictures_are_written_where_asked(locomo: Path, tmp_path: Path) -> None:
    wanted = ("--markdown", tmp_path / "report.md", "--plots", tmp_path / "plots")
    done = ricordo("eval", "locomo", locomo, "--embedder", "none", *wanted)

    assert (tmp_path / "report.md").read_text(encoding="utf-8") == done.stdout
    assert {file.name for file in (tmp_path / "plots").iterdir()} == {"recall.svg", "latency.svg", "categories.svg"}


def test_an_earlier_run_is_drawn_from_its_document(locomo: Path, tmp_path: Path) -> None:
    done = ricordo("eval", "locomo", locomo, "--embedder", "none", "--json", "--plots", tmp_path / "at once")
    (tmp_path / "run.json").write_text(done.stdout, encoding="utf-8")
    ricordo("eval", "plots", tmp_path / "run.json", tmp_path / "later")

    for name in ("recall.svg", "latency.svg", "categories.svg"):
        assert (tmp_path / "later" / name).read_bytes() == (tmp_path / "at once" / name).read_bytes()


def test_a_place_that_cannot_be_written_is_told(squad: Path, tmp_path: Path) -> None:
    for option, place in (("--markdown", tmp_path / "absent" / "report.md"), ("--plots", squad)):
        done = ricordo("eval", "squad", squad, "--embedder", "none", option, place)

        assert (done.exit_code, "cannot be written" in done.stderr) == (2, True)


def test_help_loads_nothing_that_measures() -> None:
    code = "import ricordo.cli, sys; print(*(name for name in sys.modules if name.startswith('ricordo.eval')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []
