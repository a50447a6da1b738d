"""Every command through its edge: what it prints, as text and as JSON, and its exit code."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from ricordo.cli import main

Run = Callable[..., Result]
Ask = Callable[..., tuple[int, dict[str, Any]]]

COMMANDS = list(main.commands)


def test_remember_tells_an_id_and_whether_it_is_new(ask: Ask) -> None:
    code, first = ask("remember", "Dana's door code is 4471")
    again, second = ask("remember", "Dana's door code is 4471")

    assert (code, again) == (0, 0)
    assert set(first) == {"id", "created"}
    assert first["created"] is True
    assert second == {"id": first["id"], "created": False}


def test_a_recall_finds_what_was_remembered(run: Run) -> None:
    run("remember", "Dana's door code is 4471", "--when", "2026-06-01")

    result = run("recall", "door code", "--now", "2026-06-22")

    assert result.exit_code == 0
    assert "Dana's door code is 4471" in result.stdout
    assert "2026-06-01, 3 weeks ago" in result.stdout
    assert "words 1" in result.stdout


def test_the_json_of_a_recall_is_what_the_contract_says(ask: Ask) -> None:
    ask("remember", "Dana's door code is 4471", "--when", "2026-06-01", "--meta", "floor=3")

    code, found = ask("recall", "door code")

    assert code == 0
    assert set(found) == {"query", "namespace", "time", "hits", "notices", "timings_ms"}
    assert set(found["timings_ms"]) == {"total", "embed", "words", "vectors", "evidence", "rerank", "hits"}
    (hit,) = found["hits"]
    assert (hit["rank"], hit["text"], hit["arms"]["words"]) == (1, "Dana's door code is 4471", 1)
    assert hit["event_timestamp"] == "2026-06-01T00:00:00+00:00"
    assert hit["metadata"] == {"floor": 3}
    assert [notice["code"] for notice in found["notices"]] == ["no_embedder"]


def test_a_recall_without_hits_exits_with_1(run: Run, ask: Ask) -> None:
    result = run("recall", "zebra")

    assert result.exit_code == 1
    assert result.stdout.startswith("nothing found\n")
    assert ask("recall", "zebra")[1]["hits"] == []


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--since", "2026-06-01"), {"a", "b", "c"}),
        (("--until", "2026-06-01"), set()),
        (("--since", "2026-06-02T00:00:00+00:00"), {"b", "c"}),
        (("--since", "2026-06-01", "--until", "2026-06-02"), {"a"}),
        (("--tag", "x"), {"a", "b"}),
        (("--tag", "x", "--tag", "y"), {"b"}),
        (("--meta", "n=1"), {"a"}),
        (("--meta", "n=2"), set()),
        (("--origin", "told:"), {"a", "b", "c"}),
        (("--limit", "1", "--tag", "y"), {"b"}),
    ],
)
def test_filters_narrow_a_recall(run: Run, ask: Ask, options: tuple[str, ...], found: set[str]) -> None:
    run("remember", "fact a", "--when", "2026-06-01", "--tag", "x", "--meta", "n=1")
    run("remember", "fact b", "--when", "2026-06-02", "--tag", "x", "--tag", "y")
    run("remember", "fact c")

    hits = ask("recall", "fact", *options)[1]["hits"]

    assert {hit["text"][-1] for hit in hits} == found


def test_the_origin_filter_takes_a_path(ask: Ask, tmp_path: Path) -> None:
    for name in ("notes", "notes-old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"fact from {name}", encoding="utf-8")
    ask("ingest", str(tmp_path / "notes"), str(tmp_path / "notes-old"))

    hits = ask("recall", "fact", "--origin", str(tmp_path / "notes"))[1]["hits"]

    assert [hit["text"] for hit in hits] == ["fact from notes"]


def test_the_kind_filter_takes_any_of_the_kinds_named(run: Run, ask: Ask, tmp_path: Path) -> None:
    for name in ("a.md", "b.txt"):
        (tmp_path / name).write_text(f"fact {name}", encoding="utf-8")
    ask("ingest", str(tmp_path / "a.md"), str(tmp_path / "b.txt"))
    run("remember", "fact told")

    def found(*kinds: str) -> set[str]:
        options = [part for kind in kinds for part in ("--kind", kind)]
        return {hit["text"] for hit in ask("recall", "fact", *options)[1]["hits"]}

    assert found("markdown") == {"fact a.md"}
    assert found("markdown", "told") == {"fact a.md", "fact told"}
    assert len(ask("timeline", "--kind", "text")[1]["memories"]) == 1


def test_a_date_is_read_in_the_time_zone_given(run: Run, ask: Ask) -> None:
    run("remember", "fact", "--when", "2026-06-01", "--tz", "Europe/Moscow")

    hit = ask("recall", "fact")[1]["hits"][0]

    assert hit["event_timestamp"] == "2026-05-31T21:00:00+00:00"


def test_now_is_the_clock_of_everything(ask: Ask) -> None:
    memory_id = ask("--now", "2026-01-02T03:04:05Z", "remember", "fact")[1]["id"]

    shown = ask("show", memory_id)[1]

    assert shown["created_at"] == shown["updated_at"] == "2026-01-02T03:04:05+00:00"


def test_ids_may_be_shortened(run: Run, ask: Ask) -> None:
    memory_id = ask("remember", "fact", "--tag", "x")[1]["id"]

    assert ask("show", memory_id[:8])[1]["id"] == memory_id
    assert memory_id in run("show", memory_id[:8]).stdout


def test_the_json_of_show_holds_all_of_a_memory(ask: Ask) -> None:
    memory_id = ask("remember", "fact", "--tag", "x")[1]["id"]

    code, shown = ask("show", memory_id)

    assert code == 0
    assert set(shown) == {
        "id", "text", "context", "created_at", "updated_at", "event_timestamp", "event_end", "event_grain",
        "event_origin", "source", "group", "speaker", "position", "tags", "metadata", "supersedes", "superseded_by",
    }  # fmt: skip
    assert shown["tags"] == ["x"]


def test_revise_puts_a_new_version_in_place(run: Run, ask: Ask) -> None:
    old = ask("remember", "the pool is 20")[1]["id"]
    code, revised = ask("revise", old, "the pool is 60")

    assert code == 0
    assert revised["supersedes"] == old
    assert [hit["text"] for hit in ask("recall", "pool")[1]["hits"]] == ["the pool is 60"]
    assert [version["text"] for version in ask("history", old)[1]["versions"]] == ["the pool is 20", "the pool is 60"]
    assert "current" in run("history", old).stdout


def test_old_versions_are_found_when_asked_for_and_marked(run: Run, ask: Ask) -> None:
    old = ask("remember", "the pool is 20")[1]["id"]
    new = ask("revise", old, "the pool is 60")[1]["id"]

    shown = run("recall", "pool", "--superseded").stdout

    assert "the pool is 20" in shown
    assert f"superseded by {new[:8]}" in shown


def test_bury_puts_behind_all_others_until_it_is_undone(ask: Ask) -> None:
    first = ask("remember", "the pool is 20")[1]["id"]
    second = ask("remember", "a pool of 30 chairs")[1]["id"]

    assert ask("bury", first[:8]) == (0, {"buried": [first]})
    assert [hit["id"] for hit in ask("recall", "the pool is 20")[1]["hits"]] == [second, first]
    assert ask("bury", first, "--undo") == (0, {"unburied": [first]})
    assert [hit["id"] for hit in ask("recall", "the pool is 20")[1]["hits"]] == [first, second]


def test_forget_removes_for_good(ask: Ask) -> None:
    first = ask("remember", "the pool is 20")[1]["id"]
    second = ask("remember", "the lake is cold")[1]["id"]

    code, forgotten = ask("forget", first[:8], second)

    assert (code, forgotten) == (0, {"forgotten": sorted([first, second])})
    assert ask("recall", "pool lake")[0] == 1


@pytest.mark.parametrize("command", [("show",), ("history",), ("bury",), ("forget", "--yes"), ("revise",)])
def test_an_unknown_id_exits_with_1(run: Run, command: tuple[str, ...]) -> None:
    text = ("new",) if command == ("revise",) else ()

    result = run(*command, "abcdef", *text)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "ricordo: no memory has the id 'abcdef' in this namespace\n"


def test_namespaces_see_nothing_of_each_other(run: Run) -> None:
    run("remember", "fact", "-n", "work")

    assert run("recall", "fact").exit_code == 1
    assert run("-n", "work", "recall", "fact").exit_code == 0


def test_global_options_stand_before_or_after(run: Run) -> None:
    run("remember", "fact", "--namespace", "work")

    for arguments in (
        ("--json", "-n", "work", "recall", "fact"),
        ("recall", "fact", "--json", "-n", "work"),
        ("-n", "other", "recall", "-n", "work", "fact", "--json"),
    ):
        assert json.loads(run(*arguments).stdout)["namespace"] == "work"


def test_stats_count_all_namespaces(run: Run, ask: Ask) -> None:
    run("remember", "fact")
    run("remember", "fact", "-n", "work")

    code, stats = ask("stats")

    assert code == 0
    assert set(stats) == {
        "memories", "chunks", "namespaces", "store", "schema_version", "embedders", "token_embedders",
        "size_bytes",
    }  # fmt: skip
    assert (stats["memories"], stats["namespaces"]) == (2, {"default": 1, "work": 1})
    assert "work: 1 memory" in run("stats").stdout


def test_a_home_may_have_any_name(run: Run, tmp_path: Path) -> None:
    home = tmp_path / "mira #1 50%20?"

    assert run("remember", "fact", RICORDO_HOME=str(home)).exit_code == 0
    assert (home / "memory.db").is_file()


def test_ingest_counts_what_it_read(run: Run, ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Title\n\nfact", encoding="utf-8")

    code, counts = ask("ingest", str(tmp_path / "a.md"))

    assert code == 0
    assert counts == {
        "memories": 1,
        "chunks": 1,
        "added": 1,
        "unchanged": 0,
        "forgotten": 0,
        "origins": {"new": 1, "changed": 0, "unchanged": 0},
        "dry_run": False,
        "skipped": [],
    }
    assert run("ingest", str(tmp_path / "a.md")).stdout == (
        "1 memory in 1 chunk: 0 added, 1 unchanged, 0 forgotten\n"
    )  # fmt: skip


def test_ingest_says_so_where_there_is_nothing_to_remember(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = run("ingest", str(tmp_path / "empty"))

    assert result.exit_code == 1
    assert f"nothing in {tmp_path / 'empty'} can be remembered" in result.stderr


def test_ingest_tells_what_it_skipped_and_exits_with_1_when_it_read_nothing(run: Run, ask: Ask, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.md")

    result = run("ingest", missing)

    assert result.exit_code == 1
    assert result.stderr.startswith(f"skipped {missing}: ")
    assert ask("ingest", missing)[1]["skipped"][0]["where"] == missing


def test_a_purge_lets_go_of_what_is_on_record_of_files_that_were_not_read(run: Run, tmp_path: Path) -> None:
    run("ingest", str(tmp_path / "missing.md"), "--store", f"sqlite:///{tmp_path / 'other.db'}")
    run("ingest", str(tmp_path / "missing.md"))
    folder = tmp_path / "home" / "state" / "skipped"
    assert len(list(folder.glob("*.jsonl"))) == 2

    assert run("store", "purge").exit_code == 0
    assert len(list(folder.glob("*.jsonl"))) == 1


def test_doctor_finds_a_sound_store_sound(run: Run, ask: Ask) -> None:
    code, diagnosis = ask("doctor", "--namespace", "work")

    assert code == 0
    assert set(diagnosis) == {"ok", "settings", "checks"}
    assert diagnosis["settings"]["namespace"] == {"value": "work", "from": "--namespace"}
    assert diagnosis["settings"]["embedder"] == {"value": "none", "from": "RICORDO_EMBEDDER"}
    assert diagnosis["settings"]["k1"]["from"] == "default"
    assert {check["name"] for check in diagnosis["checks"]} == {
        "versions", "embedder", "Russian", "store", "secrets", "assistants",
    }  # fmt: skip
    assert "all is well" in run("doctor").stdout


def test_doctor_tries_the_embedder_for_real(ask: Ask) -> None:
    code, diagnosis = ask("doctor", "--embedder", "auto")

    embedder = next(check for check in diagnosis["checks"] if check["name"] == "embedder")
    assert code == 0
    assert embedder["status"] == "ok"
    assert "loaded and used" in embedder["message"]


def test_doctor_exits_with_3_when_the_store_cannot_be_used(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "broken.db").write_bytes(b"this is no database, not at all" * 100)

    code, diagnosis = ask("doctor", "--store", f"sqlite:///{tmp_path / 'broken.db'}")

    assert code == 3
    assert diagnosis["ok"] is False
    assert [check["name"] for check in diagnosis["checks"] if check["status"] == "fault"] == ["store"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("remember", "  "), "there is nothing to remember: the text is empty"),
        (("remember", "x", "--when", "soon"), "--when 'soon' names no time"),
        (("remember", "x", "--meta", "alone"), "--meta 'alone' must have the form key=value"),
        (("recall", "x", "--limit", "0"), "limit must be between 1 and 1000, not 0"),
        (("recall", "x", "--since", "2026-02-01", "--until", "2026-01-01"), "the time range ends"),
        (("recall", "x", "--store", "nowhere.db"), "no store is behind 'nowhere.db'"),
        (("recall", "x", "--tz", "Mars/Olympus"), "is no IANA time zone"),
        (("recall", "x", "--embedder", "word2vec"), "no embedder is named 'word2vec'"),
        (("recall", "x", "--now", "0001-01-01", "--tz", "Asia/Tokyo"), "is no ISO date or time"),
        (("import", "missing.jsonl"), "cannot read missing.jsonl"),
        (("export", "missing/x.jsonl"), "cannot write missing/x.jsonl"),
        (("show", ""), "an id, or the beginning of one, is needed"),
    ],
)
def test_wrong_use_exits_with_2_and_one_line(run: Run, arguments: tuple[str, ...], complaint: str) -> None:
    result = run(*arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert complaint in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [("recall",), ("remember", "x", "--wrong"), ("frobnicate",)])
def test_what_click_cannot_parse_exits_with_2(run: Run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2
    assert run(*arguments).stdout == ""


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        (("show", "abcdef"), 1, "not_found"),
        (("remember", " "), 2, "invalid_input"),
        (("recall",), 2, "usage"),
        (("export",), 2, "invalid_input"),
    ],
)
def test_with_json_an_error_is_a_document_too(ask: Ask, arguments: tuple[str, ...], exit_code: int, code: str) -> None:
    status, found = ask(*arguments)

    assert status == exit_code
    assert set(found) == {"error"}
    assert set(found["error"]) == {"code", "message"}
    assert found["error"]["code"] == code


def test_an_unusable_store_exits_with_3(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.db").write_bytes(b"this is no database, not at all" * 100)

    result = run("recall", "x", "--store", f"sqlite:///{tmp_path / 'broken.db'}")

    assert result.exit_code == 3
    assert result.stderr.count("\n") == 1


def test_a_store_that_breaks_under_a_recall_is_one_line_too(run: Run, ask: Ask) -> None:
    run("remember", "fact")
    path = ask("stats")[1]["store"].removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE lexeme_vocabulary")

    result = run("recall", "fact")

    assert result.exit_code == 3
    assert result.stderr.count("\n") == 1


def test_a_wrong_setting_names_where_it_came_from(run: Run) -> None:
    result = run("stats", RICORDO_TZ="Mars/Olympus")

    assert result.exit_code == 2
    assert "tz" in result.stderr


def test_the_version_can_be_asked_for_anywhere(run: Run) -> None:
    assert run("--version").stdout.startswith("ricordo ")
    assert run("recall", "--version").stdout == run("--version").stdout
    assert set(json.loads(run("--json", "--version").stdout)) == {"version"}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_an_example(run: Run, command: str) -> None:
    shown = run(command, "--help")

    assert shown.exit_code == 0
    assert f"Examples:\n    {'' if command == 'completion' else 'ricordo ' + command}" in shown.stdout
    assert "Global options:" in shown.stdout


def test_no_arguments_show_the_help(run: Run) -> None:
    result = run()

    assert result.exit_code == 2
    assert "Commands:" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(run: Run, ask: Ask, shell: str) -> None:
    script = run("completion", shell).stdout

    assert f"_RICORDO_COMPLETE={shell}_complete" in script
    assert ask("completion", shell)[1]["script"] in script


def test_completion_completes(run: Run) -> None:
    result = run(_RICORDO_COMPLETE="bash_complete", COMP_WORDS="ricordo re", COMP_CWORD="1")

    assert [line.split(",")[1] for line in result.stdout.splitlines()] == [
        "remember",
        "recall",
        "revise",
        "restore",
    ]
