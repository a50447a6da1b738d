"""Dates in questions: what holds for every text, on every day, in every zone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ricordo.errors import InvalidInput
from ricordo.eval.time import fractions, read_phrases, score
from ricordo.timeparse import Relation, TimeHint, TimeOptions, TimeReading, available_languages, read_times
from ricordo.timeparse.lexicon import lexicon, parse_lexicon

MADRID = ZoneInfo("Europe/Madrid")
NOW = datetime(2026, 11, 25, 14, 30, tzinfo=MADRID)
WORDS = sorted(
    {
        word
        for code in available_languages()
        for forms in lexicon(code).entries.values()
        for entry in forms
        for word in entry.words
    }
)
FIGURES = [
    "5",
    "12",
    "24",
    "31",
    "90",
    "2024",
    "3/4/2026",
    "14.10",
    "17:00",
    "5pm",
    "2025-W06",
    "Q3",
    "90s",
    "-",
    ",",
    "?",
]


def read(text: str, now: datetime = NOW, **more: object) -> TimeReading:
    return read_times(text, now=now, zone=now.tzinfo or UTC, **more)  # type: ignore[arg-type]


def only(text: str, now: datetime = NOW, language: str = "en", **more: object) -> TimeHint:
    [hint] = read(text, now, languages=[language], **more).times
    return hint


def local(hint: TimeHint, zone: ZoneInfo) -> tuple[datetime, datetime]:
    assert hint.range.start
    assert hint.range.end
    return hint.range.start.astimezone(zone), hint.range.end.astimezone(zone)


def sound(text: str) -> None:
    reading = read(text)
    for hint in reading.times:
        assert text[hint.start : hint.end] == hint.text != ""
        assert 0.55 <= hint.confidence <= 1
        assert hint.range not in hint.alternatives
    for event in reading.events:
        assert event.text.endswith(event.anchor)
        assert text[event.start : event.end] == event.text
    places = [(hint.start, hint.end) for hint in reading.times]
    assert all(end <= start for (_, end), (start, _) in pairwise(places))


@given(st.text(max_size=300))
@settings(deadline=None)
def test_any_text_can_be_read(text: str) -> None:
    sound(text)


@given(st.lists(st.sampled_from([*WORDS, *FIGURES]), max_size=14))
@settings(max_examples=300, deadline=None)
def test_words_of_time_in_any_order_can_be_read(words: list[str]) -> None:
    sound(" ".join(words))


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=4), st.sampled_from(WORDS))
@settings(max_examples=6, deadline=None)
def test_sixteen_thousand_characters_can_be_read(odd: str, word: str) -> None:
    sound((f"{word} {odd} 5 may " * 16_000)[:16_000])


@pytest.mark.parametrize("text", ["2026-11-25 10:00 error 5 at 12 of the last week in may ", "may ", "1-", "из ", "x"])
def test_the_work_grows_with_the_length_and_no_faster(text: str) -> None:
    short, long = calls((text * 8_000)[:2_000]), calls((text * 8_000)[:8_000])
    assert long <= 5 * short


def calls(text: str) -> int:
    """How many functions are called to read a text."""
    count = 0

    def tell(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(tell)
    try:
        read(text)
    finally:
        sys.setprofile(None)
    return count


def days(zone: ZoneInfo) -> Iterator[datetime]:
    for day in range(2 * 365 + 1):
        yield datetime(2024, 1, 1, 14, 30, tzinfo=zone) + timedelta(days=day)


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("in May", lambda start, end: (start.month, start.day, end.month, end.day) == (5, 1, 6, 1)),
        ("on February 29", lambda start, end: (start.month, start.day) == (2, 29)),
        ("on December 31", lambda start, end: (start.month, start.day) == (12, 31)),
        ("on the 31st", lambda start, end: start.day == 31),
        ("on Tuesday", lambda start, end: start.weekday() == 1),
        ("in Q3", lambda start, end: (start.month, end.month) == (7, 10)),
        ("in winter", lambda start, end: (start.month, end.month) == (12, 3)),
        ("at Christmas", lambda start, end: (start.month, start.day) == (12, 25)),
        ("last weekend", lambda start, end: (start.weekday(), end.weekday()) == (5, 0)),
        ("last week", lambda start, end: start.weekday() == end.weekday() == 0),
        ("last month", lambda start, end: start.day == end.day == 1),
        ("a month ago", lambda start, end: start.day == end.day == 1),
        ("in week 1", lambda start, end: start.isocalendar().week == 1),
        ("in week 53", lambda start, end: start.isocalendar().week == 53),
        ("late March", lambda start, end: (start.month, end.month) == (3, 4)),
        ("from May to July", lambda start, end: (start.month, end.month) == (5, 8)),
        ("from October 28 to November 3", lambda start, end: (start.day, end.day) == (28, 4)),
        ("from Monday to Wednesday", lambda start, end: (start.weekday(), end.weekday()) == (0, 3)),
        ("yesterday at 5pm", lambda start, end: (start.hour, end.hour) == (17, 18)),
        ("the first Monday of March", lambda start, end: start.weekday() == 0 and start.month == 3 and start.day <= 7),
        ("the last day of last month", lambda start, end: end.day == 1),
    ],
)  # fmt: skip
def test_on_each_day_of_two_years_the_past_is_found(question: str, holds: Callable[[datetime, datetime], bool]) -> None:
    for now in days(MADRID):
        start, end = local(only(question, now), MADRID)
        assert start <= now
        assert start < end
        assert holds(start, end), (now, start, end)


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Madrid", "2026-03-29", 23),
        ("Europe/Madrid", "2026-10-25", 25),
        ("America/New_York", "2026-03-08", 23),
        ("America/New_York", "2026-11-01", 25),
        ("Australia/Sydney", "2026-10-04", 23),
        ("Australia/Sydney", "2026-04-05", 25),
        ("America/Santiago", "2026-09-06", 23),
        ("America/Santiago", "2026-04-04", 25),
    ],
)
def test_a_day_on_which_the_clock_changes_has_its_true_length(zone: str, day: str, hours: int) -> None:
    now = datetime.fromisoformat(f"{day}T18:00").replace(tzinfo=ZoneInfo(zone)) + timedelta(days=1)
    hint = only("yesterday", now)
    assert hint.range.start
    assert hint.range.end
    assert hint.range.end - hint.range.start == timedelta(hours=hours)
    assert only(f"on {day}", now).range == hint.range
    day_and_night = only("in the last 24 hours", now - timedelta(hours=12)).range
    assert day_and_night.start
    assert day_and_night.end
    assert day_and_night.end - day_and_night.start == timedelta(hours=24)


@pytest.mark.parametrize("clock", ["0:00", "0:30", "1:30", "2:00", "2:30", "3:00", "23:30"])
@pytest.mark.parametrize("day", ["2026-03-29", "2026-10-25"])
def test_a_clock_that_does_not_exist_or_comes_twice_is_still_an_interval(clock: str, day: str) -> None:
    hint = only(f"at {clock} on {day}")
    assert hint.range.start
    assert hint.range.end
    assert timedelta(hours=1) <= hint.range.end - hint.range.start <= timedelta(hours=2)


def test_the_week_may_begin_on_sunday() -> None:
    sunday = datetime(2026, 11, 29, 22, 40, tzinfo=MADRID)
    assert local(only("last week", sunday), MADRID)[0].day == 16
    assert local(only("last week", sunday, options=TimeOptions(week_start=6)), MADRID)[0].day == 22


def test_summer_in_the_south_is_in_december() -> None:
    south = TimeOptions(hemisphere="south")
    start, end = local(only("no verão passado", language="pt", options=south), MADRID)
    assert (start.month, end.month) == (12, 3)


def test_the_order_of_a_date_is_that_of_the_language_or_of_the_options() -> None:
    english, spanish = only("paid on 03/04/2026"), only("pagado el 03/04/2026", language="es")
    assert local(english, MADRID)[0].month == 3
    assert local(spanish, MADRID)[0].month == 4
    assert spanish.range in english.alternatives
    assert only("paid on 03/04/2026", options=TimeOptions(date_order="dmy")).range == spanish.range


def test_what_is_ambiguous_has_other_readings_and_less_confidence() -> None:
    tuesday = only("last Tuesday")
    assert [other.start for other in tuesday.alternatives] == [datetime(2026, 11, 16, 23, tzinfo=UTC)]
    assert only("on 03/04/2026").confidence < only("on 2026-04-03").confidence


@pytest.mark.parametrize(
    "text", ["older than 9999 years", "9999 decades ago", "the last 9999 years", "999 centuries before Christmas"]
)
def test_what_lies_beyond_the_calendar_is_no_time(text: str) -> None:
    assert [hint.text for hint in read(text, languages=["en"]).times if hint.text == text] == []


def test_relation_grain_and_words_are_told() -> None:
    since = only("what has changed since last Monday evening?")
    assert (since.relation, since.text) == (Relation.SINCE, "since last Monday evening")
    assert only("between May and July").relation is Relation.BETWEEN
    assert only("before May").relation is Relation.BEFORE
    assert only("after May").relation is Relation.AFTER
    assert str(only("in May").grain) == "month"
    assert str(only("yesterday at 5pm").grain) == "hour"


@pytest.mark.parametrize(
    ("language", "question", "relation", "anchor"),
    [
        ("en", "what changed after the release?", Relation.AFTER, "release"),
        ("en", "what did I note while I was in Berlin", Relation.IN, "I was in Berlin"),
        ("ru", "что изменилось после релиза, покажи", Relation.AFTER, "релиза"),
        ("es", "cambios después del lanzamiento", Relation.AFTER, "lanzamiento"),
        ("pt", "o que combinamos antes da mudança", Relation.BEFORE, "mudança"),
        ("en", "emails since the outage", Relation.SINCE, "outage"),
    ],
)
def test_an_event_is_told_without_an_invented_interval(
    language: str, question: str, relation: Relation, anchor: str
) -> None:
    reading = read(question, languages=[language])
    assert reading.times == ()
    assert [(event.relation, event.anchor) for event in reading.events] == [(relation, anchor)]


def test_a_new_language_takes_a_lexicon_and_nothing_else() -> None:
    words = parse_lexicon("eo", 'of = "de"\n[unit]\nweek = "semajno[_ n]"\n[shift]\n-1 = "pasint[a an]"\n')
    forms = words.entries["pasintan"].alone
    assert forms is not None
    assert forms.senses == {"shift": -1}
    assert set(words.entries) == {"de", "semajno", "semajnon", "pasinta", "pasintan"}


def test_a_naive_moment_and_an_unknown_language_are_told() -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        read_times("today", now=NOW.replace(tzinfo=None), zone=MADRID)
    with pytest.raises(InvalidInput, match="no lexicon for"):
        read("today", languages=["xx"])
    with pytest.raises(InvalidInput, match="hemisphere"):
        TimeOptions(hemisphere="east")


@pytest.mark.parametrize("told", [True, False])
def test_the_phrases_that_were_measured_are_read(data: Path, told: bool) -> None:  # noqa: FBT001
    scored = score(read_phrases(data / "time-phrases.jsonl"), tell_language=told)
    for language in ("en", "ru", "es", "pt"):
        found = fractions([each for each in scored if each.phrase.language == language])
        assert isinstance(found["right"], float)
        assert found["right"] >= 0.97
        assert isinstance(found["harmful"], float)
        assert found["harmful"] <= 0.01
        assert isinstance(found["false_positive"], float)
        assert found["false_positive"] <= 0.02


@pytest.mark.parametrize("year", [1, 9999])
@pytest.mark.parametrize(
    "text", ["database next year or tomorrow", "next decade", "last century", "в следующем году", "próximo año"]
)
def test_the_ends_of_the_calendar_are_no_error(text: str, year: int) -> None:
    for month in (1, 12):
        reading = read_times(text, now=datetime(year, month, 28, 23, tzinfo=UTC), zone=UTC)
        assert all(text[hint.start : hint.end] == hint.text for hint in reading.times)
