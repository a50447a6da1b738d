"""`ricordo models`: what it prints, as text and as JSON, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tinyhub import MODEL, Hub, served

Run = Callable[..., Result]
Ask = Callable[..., tuple[int, dict[str, Any]]]

NAME = "sentence-transformers/all-MiniLM-L6-v2"
PACKAGED = "all-minilm-l6-v2"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with served(tmp_path) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)  # the environment is how a user names another hub
        yield hub


def states(document: dict[str, Any]) -> dict[str, str]:
    return {model["name"]: model["state"] for model in document["models"]}


def test_the_list_tells_what_is_here_and_what_is_in_force(ask: Ask, run: Run) -> None:
    code, document = ask("models", "list", "--embedder", PACKAGED)
    assert code == 0
    assert (states(document)[PACKAGED], states(document)[NAME]) == ("here", "absent")
    assert [model["name"] for model in document["models"] if model["in_force"]] == [PACKAGED]
    assert PACKAGED in run("models", "list").stdout


def test_a_model_is_shown_with_files_licences_and_hashes(ask: Ask, run: Run) -> None:
    code, document = ask("models", "show", PACKAGED)
    assert code == 0
    assert document["fingerprint"] == "all-minilm-l6-v2/8199be6f-be50c362/int8/mean/384"
    assert [file["licence"] for file in document["files"]] == ["Apache-2.0", "Apache-2.0"]
    assert document["files"][0]["sha256"].startswith("8199be6f")
    assert "sha256" in run("models", "show", PACKAGED).stdout


def test_a_model_that_is_not_here_is_shown_with_the_fix(ask: Ask) -> None:
    code, document = ask("models", "show", NAME)
    assert (code, document["state"], document["fingerprint"]) == (0, "absent", None)
    assert f"ricordo models fetch {NAME}" in document["problem"]


def test_a_model_is_fetched_verified_and_removed(hub: Hub, ask: Ask) -> None:
    code, fetched = ask("models", "fetch", NAME)
    assert (code, [file["downloaded"] for file in fetched["files"]]) == (0, [True, True])
    assert ask("models", "fetch", NAME)[1]["files"][0]["downloaded"] is False
    assert states(ask("models", "verify")[1])[NAME] == "here"
    assert ask("models", "remove", NAME) == (0, {"name": NAME, "removed": True})
    assert ask("models", "remove", NAME) == (1, {"name": NAME, "removed": False})
    assert not Path(fetched["files"][0]["path"]).exists()


def test_people_are_told_the_same(hub: Hub, run: Run) -> None:
    assert "downloaded: " in run("models", "fetch", NAME, COLUMNS="400").stdout
    assert "here already: " in run("models", "fetch", NAME, COLUMNS="400").stdout
    assert f"here  {NAME}" in run("models", "verify", NAME).stdout
    assert f"removed: {NAME}" in run("models", "remove", NAME).stdout


def test_a_damaged_file_is_found_and_named(hub: Hub, ask: Ask, run: Run) -> None:
    path = Path(ask("models", "fetch", NAME)[1]["files"][0]["path"])
    path.write_bytes(path.read_bytes() + b"\0")
    code, document = ask("models", "verify", NAME)
    assert (code, document["ok"], states(document)[NAME]) == (3, False, "damaged")
    assert f"{path} is damaged" in document["models"][0]["problem"]
    assert run("models", "verify", NAME).exit_code == 3


def test_a_model_that_is_here_in_part_is_not_passed_over(hub: Hub, ask: Ask) -> None:
    weights, tokenizer = (Path(file["path"]) for file in ask("models", "fetch", NAME)[1]["files"])
    tokenizer.unlink()
    code, document = ask("models", "verify")
    assert (code, states(document)[NAME]) == (3, "damaged")
    assert f"{tokenizer}, which does not exist; run: ricordo models fetch {NAME}" in document["models"][-1]["problem"]
    weights.unlink()
    assert ask("models", "verify")[0] == 0


def test_what_the_hub_does_not_have_is_an_error_that_names_the_fix(hub: Hub, run: Run) -> None:
    del hub.files[MODEL]
    result = run("models", "fetch", NAME)
    assert result.exit_code == 3
    assert "does not exist there" in result.stderr
    assert "put it at" in result.stderr


def test_offline_nothing_is_fetched(hub: Hub, run: Run) -> None:
    result = run("models", "fetch", NAME, RICORDO_OFFLINE="1")
    assert result.exit_code == 3
    assert "RICORDO_OFFLINE is set" in result.stderr
    assert hub.asked == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "gpt"), "no model is named 'gpt'"),
        (("fetch", PACKAGED), "is not a model of the hub"),
        (("remove", PACKAGED), "was not downloaded"),
    ],
)
def test_wrong_use_is_told(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run("models", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.slow
def test_a_bench_measures_speed_and_memory(start: Callable[..., Any]) -> None:
    done = start("--json", "models", "bench", PACKAGED, "--threads", "1")
    (measured,) = json.loads(done.stdout)["models"]
    assert done.returncode == 0
    assert (measured["name"], measured["threads"]) == (PACKAGED, 1)
    speeds = ("load_seconds", "query_p50_ms", "query_p95_ms", "short_per_second", "long_per_second", "maxsim_ms")
    assert all(measured[name] > 0 for name in speeds)
    assert measured["query_p50_ms"] <= measured["query_p95_ms"]
