"""Phrases are read from a file, and what is found in them is judged as the page says."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ricordo.errors import InvalidInput
from ricordo.eval.time import Phrase, Verdict, document, judge, markdown, read_phrases, score
from ricordo.query import TimeRange
from ricordo.timeparse import TimeHint, read_times

LINE: dict[str, object] = {
    "lang": "en",
    "query": "what changed last week?",
    "now": "2026-11-25T14:30:00+00:00",
    "tz": "UTC",
    "kind": "week",
    "start": "2026-11-16T00:00:00+00:00",
    "end": "2026-11-23T00:00:00+00:00",
    "span": "last week",
}
TIMELESS = {"lang": "es", "query": "¿quién ganó?", "now": LINE["now"], "tz": "Europe/Madrid", "kind": "neg"}


def phrases(tmp_path: Path, *values: dict[str, object]) -> list[Phrase]:
    file = tmp_path / "phrases.jsonl"
    file.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
    return read_phrases(file)


def found(phrase: Phrase) -> tuple[TimeHint, ...]:
    return read_times(phrase.question, now=phrase.now, zone=phrase.zone, languages=("en",)).times


def test_a_line_is_a_question_and_the_intervals_it_may_mean(tmp_path: Path) -> None:
    (phrase,) = phrases(tmp_path, LINE | {"alt": [[None, "2026-11-25T00:00:00+00:00"]], "tol": 60})

    assert (phrase.language, phrase.kind, phrase.words, phrase.tolerance) == ("en", "week", "last week", 60.0)
    assert phrase.meant == (
        TimeRange(start=datetime(2026, 11, 16, tzinfo=UTC), end=datetime(2026, 11, 23, tzinfo=UTC)),
        TimeRange(start=None, end=datetime(2026, 11, 25, tzinfo=UTC)),
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"now": "2026-11-25T14:30:00"}, "a moment with an offset"),
        ({"start": "yesterday"}, "should be a moment"),
        ({"tz": "Nowhere/Never"}, "should be an IANA time zone"),
        ({"query": ""}, "should be a text"),
    ],
)
def test_a_line_that_cannot_be_read_is_told(tmp_path: Path, change: dict[str, object], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        phrases(tmp_path, LINE | change)


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({}, Verdict.RIGHT),
        ({"start": "2026-11-16T00:00:30+00:00", "tol": 60}, Verdict.RIGHT),
        ({"start": "2026-11-14T00:00:00+00:00"}, Verdict.PARTIAL),
        ({"start": "2026-01-01T00:00:00+00:00"}, Verdict.HARMFUL),
        ({"span": "what changed", "start": "2026-11-15T00:00:00+00:00"}, Verdict.HARMFUL),
        ({"query": "what changed?"}, Verdict.SILENT),
        ({"kind": "neg"}, Verdict.FALSE_POSITIVE),
        ({"kind": "neg", "query": "what changed?"}, Verdict.SILENT),
    ],
)
def test_an_interval_is_judged_by_how_much_of_what_is_meant_it_leaves_out(
    tmp_path: Path, change: dict[str, object], verdict: Verdict
) -> None:
    (phrase,) = phrases(tmp_path, LINE | change)

    assert judge(phrase, found(phrase)) is verdict


def test_fractions_are_of_the_questions_that_name_a_time_and_of_the_others(tmp_path: Path) -> None:
    scored = score(phrases(tmp_path, LINE, LINE | {"query": "what changed?"}, TIMELESS))

    shares = {name: document(scored)[name] for name in ("n", "right", "harmful", "false_positive")}
    assert shares == {"n": 3, "right": 0.5, "harmful": 0.0, "false_positive": 0.0}
    assert "| es | 1 | – | – | 0.000 |" in markdown(scored)
