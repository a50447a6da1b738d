"""Times on the command line: what was told when, the state of things at a moment, what happened in order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
Ask = Callable[..., tuple[int, dict[str, Any]]]

NOW = ("--now", "2026-11-16T09:30:00Z")
"""A Monday."""


def texts(found: dict[str, Any], name: str = "hits") -> list[str]:
    return [each["text"] for each in found[name]]


@pytest.fixture
def plans(ask: Ask) -> list[str]:
    """Three versions of a plan: of March, of June, and of last week; their ids."""
    first = ask(*NOW, "remember", "the configuration is A", "--when", "2026-03-10")[1]["id"]
    second = ask(*NOW, "remember", "the configuration is B", "--when", "june", "--supersedes", first[:8])[1]["id"]
    third = ask(*NOW, "remember", "the configuration is C", "--when", "last week", "--supersedes", second)[1]["id"]
    return [first, second, third]


@pytest.mark.parametrize(
    ("words", "start", "end", "grain", "origin"),
    [
        (("moved it", "--when", "2026-06-09"), "2026-06-09T00:00", "2026-06-10T00:00", "day", "stated"),
        (("moved it", "--when", "2026-06"), "2026-06-01T00:00", "2026-07-01T00:00", "month", "stated"),
        (("moved it", "--when", "в июне"), "2026-06-01T00:00", "2026-07-01T00:00", "month", "stated"),
        (("moved it", "--when", "last monday"), "2026-11-09T00:00", "2026-11-10T00:00", "day", "stated"),
        (("moved it", "--when", "2026-06-09T17:20"), "2026-06-09T17:20", None, None, "stated"),
        (("yesterday I moved it",), "2026-11-15T00:00", "2026-11-16T00:00", "day", "inferred"),
        (("вчера переехали",), "2026-11-15T00:00", "2026-11-16T00:00", "day", "inferred"),
        (("moved it",), "2026-11-16T09:30", None, None, "said"),
    ],
)
def test_a_memory_knows_when_it_happened_and_how_that_is_known(
    ask: Ask, words: tuple[str, ...], start: str, end: str | None, grain: str | None, origin: str
) -> None:
    shown = ask("show", ask(*NOW, "remember", *words)[1]["id"])[1]

    assert shown["event_timestamp"] == f"{start}:00+00:00"
    assert shown["event_end"] == (f"{end}:00+00:00" if end else None)
    assert (shown["event_grain"], shown["event_origin"]) == (grain, origin)


def test_people_see_a_month_as_a_month_and_what_was_inferred(run: Run) -> None:
    run(*NOW, "remember", "the pool is 60", "--when", "june")
    run(*NOW, "remember", "yesterday the lake was cold")

    shown = run(*NOW, "recall", "pool lake").stdout

    assert "June 2026, 5 months ago" in shown
    assert "2026-11-15, yesterday (inferred)" in shown


def test_a_line_of_versions_is_told_one_by_one(plans: list[str], ask: Ask) -> None:
    versions = ask("history", plans[0])[1]["versions"]

    assert [version["id"] for version in versions] == plans


def test_what_was_replaced_cannot_be_replaced_again(plans: list[str], run: Run) -> None:
    result = run("remember", "the configuration is D", "--supersedes", plans[0])

    assert result.exit_code == 2
    assert plans[1] in result.stderr


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((), ["C"]),
        (("--as-of", "2026-03-09"), []),
        (("--as-of", "2026-03-10"), ["A"]),
        (("--as-of", "april"), ["A"]),
        (("--as-of", "2026-05-31"), ["A"]),
        (("--as-of", "2026-06"), ["B"]),
        (("--as-of", "en junio"), ["B"]),
        (("--as-of", "today"), ["C"]),
        (("--as-known", "yesterday"), []),
        (("--as-known", "2026-11-16"), ["C"]),
        (("--since", "2026-06", "--until", "2026-07", "--superseded"), ["B"]),
        (("--since", "в июне", "--until", "last week", "--superseded"), ["B"]),
        (("--since", "last week"), ["C"]),
        (("--until", "last week"), []),
    ],
)
def test_the_state_of_things_at_a_time(plans: list[str], ask: Ask, options: tuple[str, ...], found: list[str]) -> None:
    hits = ask(*NOW, "recall", "configuration", *options)[1]["hits"]

    assert [hit["text"][-1] for hit in hits] == found


def test_last_week_gives_what_changed_then_and_its_history_in_order(plans: list[str], ask: Ask) -> None:
    ask(*NOW, "remember", "the configuration of the mailer is plain", "--when", "2026-02-01")
    found = ask(*NOW, "recall", "What changed in the configuration last week?", "--history")[1]

    assert found["time"]["text"] == "last week"
    assert texts(found)[0] == "the configuration is C"
    assert [version["id"] for version in found["hits"][0]["history"]] == plans


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--since", "pizza"), "--since 'pizza' names no time"),
        (("--as-of", "before march"), "--as-of 'before march' names no time"),
        (("--as-of", "2026", "--as-known", "2026"), "exclude one another"),
        (("--since", "today", "--until", "yesterday"), "before it starts"),
    ],
)
def test_times_that_cannot_be_read_are_refused(run: Run, options: tuple[str, ...], complaint: str) -> None:
    result = run(*NOW, "recall", "x", *options)

    assert result.exit_code == 2
    assert complaint in result.stderr


# --- timeline ---


def test_a_timeline_is_in_the_order_of_events(plans: list[str], ask: Ask) -> None:
    ask(*NOW, "remember", "the lake was cold", "--when", "2026-08-01")

    code, found = ask(*NOW, "timeline")

    assert code == 0
    assert set(found) == {"topic", "namespace", "time", "memories", "undated", "notices"}
    assert texts(found, "memories") == ["the lake was cold", "the configuration is C"]
    assert texts(ask(*NOW, "timeline", "--limit", "1")[1], "memories") == ["the configuration is C"]
    assert len(texts(ask(*NOW, "timeline", "--superseded")[1], "memories")) == 4


def test_a_timeline_of_a_topic_leaves_the_rest_out(plans: list[str], ask: Ask) -> None:
    ask(*NOW, "remember", "the lake was cold", "--when", "2026-08-01")

    found = ask(*NOW, "timeline", "configuration", "--superseded")[1]

    assert found["topic"] == "configuration"
    assert [memory["id"] for memory in found["memories"]] == plans


def test_a_timeline_shows_how_long_nothing_happened(plans: list[str], run: Run) -> None:
    lines = run(*NOW, "timeline", "--superseded").stdout.splitlines()

    assert "… 2 months …" in lines
    assert lines.index("… 2 months …") < lines.index("the configuration is B") < lines.index("… 4 months …")


def test_a_timeline_tells_how_many_memories_have_no_known_time(run: Run, ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Lake\n\ncold\n\n# Pool\n\nwarm", encoding="utf-8")
    (tmp_path / "2026-05-03.md").write_text("planted tomatoes", encoding="utf-8")
    run(*NOW, "ingest", str(tmp_path))

    assert ask("timeline")[1]["undated"] == 2
    assert ask("timeline", "--origin", str(tmp_path / "2026-05-03.md"))[1]["undated"] == 0
    assert "2 more of no known time" in run(*NOW, "timeline").stdout
    assert "2026-05-03, 6 months ago (from its source)" in run(*NOW, "timeline").stdout


def test_an_empty_timeline_exits_with_1(run: Run) -> None:
    result = run("timeline")

    assert result.exit_code == 1
    assert result.stdout == "nothing of known time found\n"
