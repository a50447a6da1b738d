from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.ages import age, day, gap, occasion, period
from ricordo.memory import Chunk, EventOrigin, EventTime, Memory, Origin
from ricordo.protocols import Stats
from ricordo.query import Hit, Notice, Query, Recall, TimeRange, TimeUse
from ricordo.render.documents import document
from ricordo.render.layouts import to_text
from ricordo.render.phrases import excerpt, flat, place, safe, size_advice
from ricordo.render.reports import View

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
VIEW = View(json=False, now=NOW, zone=UTC)
NOTE = Origin(kind="markdown", uri="file:///home/mira/notes/baikal.md", title="Project Baikal")
TOLD = Origin(kind="told", uri="told:4f")


def a_memory(text: str, origin: Origin = NOTE, event: datetime | None = NOW - timedelta(days=21)) -> Memory:
    return Memory(text=text, origin=origin, created_at=NOW, updated_at=NOW, event_timestamp=event)


def a_recall(*texts: str, notices: tuple[Notice, ...] = (), time: TimeUse | None = None) -> Recall:
    hits = []
    for rank, text in enumerate(texts, start=1):
        memory = a_memory(text)
        chunk = Chunk(memory_id=memory.id, origin_uri=NOTE.uri, text=text)
        hits.append(Hit(rank=rank, score=0.03, arms={"vectors": 4, "words": rank}, chunk=chunk, memory=memory))
    return Recall(query=Query(text="baikal"), hits=tuple(hits), notices=notices, time=time, timings={"total": 18.2})


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (0, "today"),
        (1, "yesterday"),
        (-1, "tomorrow"),
        (3, "3 days ago"),
        (21, "3 weeks ago"),
        (100, "3 months ago"),
        (800, "2 years ago"),
        (-9, "in 9 days"),
    ],
)
def test_an_age_is_said_in_the_unit_people_would_use(days: int, said: str) -> None:
    assert age(NOW - timedelta(days=days), NOW, UTC) == said


def test_an_age_goes_by_the_calendar_of_the_zone() -> None:
    moment, now = datetime(2026, 11, 15, 23, tzinfo=UTC), datetime(2026, 11, 16, 1, tzinfo=UTC)

    assert age(moment, now, UTC) == "yesterday"
    assert age(moment, now, ZoneInfo("Europe/Lisbon")) == "yesterday"
    assert age(moment, now, ZoneInfo("Asia/Irkutsk")) == "today"


def test_a_time_of_day_is_told_unless_it_is_midnight_in_the_zone() -> None:
    midnight_in_moscow = datetime(2026, 11, 15, 21, tzinfo=UTC)

    assert day(midnight_in_moscow, ZoneInfo("Europe/Moscow")) == "2026-11-16"
    assert day(midnight_in_moscow, UTC) == "2026-11-15 21:00"


def test_a_moment_that_a_zone_has_no_date_for_is_told_in_utc() -> None:
    first, last = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 30, tzinfo=UTC)

    assert day(first, ZoneInfo("America/New_York")) == "0001-01-01"
    assert day(last, ZoneInfo("Asia/Irkutsk")) == "9999-12-31 23:30"
    assert age(first, NOW, ZoneInfo("America/New_York")) == "2025 years ago"


def test_what_has_no_event_time_says_when_it_was_learned() -> None:
    assert occasion(a_memory("x", TOLD, None), NOW, UTC) == "said 2026-11-16, today"
    assert occasion(a_memory("x", NOTE, None), NOW, UTC) == "learned 2026-11-16, today"


def between(start: str, end: str | None, grain: str | None) -> EventTime:
    first = datetime.fromisoformat(start).replace(tzinfo=UTC)
    return EventTime(start=first, end=datetime.fromisoformat(end).replace(tzinfo=UTC) if end else None, grain=grain)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (between("2026-05-03", None, None), "2026-05-03"),
        (between("2026-05-03T17:20", None, None), "2026-05-03 17:20"),
        (between("2026-05-03T17:00", "2026-05-03T18:00", "hour"), "2026-05-03 17:00"),
        (between("2026-05-03T06:00", "2026-05-03T12:00", "part"), "2026-05-03 06:00 to 12:00"),
        (between("2026-05-03", "2026-05-04", "day"), "2026-05-03"),
        (between("2026-05-03", "2026-05-06", "day"), "2026-05-03 to 2026-05-05"),
        (between("2026-04-27", "2026-05-04", "week"), "week of 2026-04-27"),
        (between("2026-04-27", "2026-05-11", "week"), "2026-04-27 to 2026-05-10"),
        (between("2026-05-02", "2026-05-04", "weekend"), "weekend of 2026-05-02"),
        (between("2026-05-01", "2026-06-01", "month"), "May 2026"),
        (between("2026-05-03", "2026-06-03", "month"), "2026-05-03 to 2026-06-02"),
        (between("2026-04-01", "2026-07-01", "quarter"), "Q2 2026"),
        (between("2026-07-01", "2027-01-01", "half"), "H2 2026"),
        (between("2026-06-01", "2026-09-01", "season"), "2026-06-01 to 2026-08-31"),
        (between("2026-01-01", "2027-01-01", "year"), "2026"),
        (between("2010-01-01", "2020-01-01", "decade"), "2010s"),
    ],
)
def test_an_event_is_told_as_exactly_as_it_is_known(event: EventTime, said: str) -> None:
    assert period(event, UTC) == said


@pytest.mark.parametrize(("first", "last"), [("2026-03-29", "2026-03-30"), ("2026-10-25", "2026-10-26")])
def test_a_day_on_which_the_clock_changes_is_a_day(first: str, last: str) -> None:
    lisbon = ZoneInfo("Europe/Lisbon")
    start, end = (datetime.fromisoformat(each).replace(tzinfo=lisbon).astimezone(UTC) for each in (first, last))

    assert period(EventTime(start=start, end=end, grain="day"), lisbon) == first


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        (EventOrigin.STATED, "May 2026, 6 months ago"),
        (EventOrigin.SOURCE, "May 2026, 6 months ago (from its source)"),
        (EventOrigin.INFERRED, "May 2026, 6 months ago (inferred)"),
        (EventOrigin.SAID, "said May 2026, 6 months ago"),
    ],
)
def test_an_occasion_says_how_it_is_known(origin: EventOrigin, said: str) -> None:
    may = EventTime(
        start=datetime(2026, 5, 1, tzinfo=UTC), end=datetime(2026, 6, 1, tzinfo=UTC), grain="month", origin=origin
    )

    assert occasion(a_memory("x", TOLD).happened(may), NOW, UTC) == said


def test_what_lasts_is_now() -> None:
    year = between("2026-01-01", "2027-01-01", "year")

    assert occasion(a_memory("x", TOLD).happened(year), NOW, UTC) == "2026, now"


def test_a_silence_of_two_weeks_is_a_gap() -> None:
    march, june = between("2026-03-01", "2026-04-01", "month"), between("2026-06-09", None, None)

    assert gap(march, june, UTC) == "2 months"
    assert gap(between("2026-06-01", None, None), june, UTC) is None
    assert gap(june, june, UTC) is None


def test_a_place_is_a_title_and_a_path_below_home() -> None:
    home = Path("/home/mira")

    assert place(NOTE, home) == "Project Baikal (~/notes/baikal.md)"
    assert place(Origin(kind="text", uri="file:///srv/a%20b.txt", title="a b"), home) == "/srv/a b.txt"
    assert place(TOLD, home) == ""


def test_escape_codes_and_direction_overrides_are_made_visible() -> None:
    assert safe("\x1b[31mred\x07\x9b\u202egnp.exe\u2069\x7f") == "\u241b[31mred\u2407\ufffd\ufffdgnp.exe\ufffd\u2421"


@given(st.text())
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    left = set(safe(text)) - {"\n"}

    assert not {character for character in left if character < " " or "\x7f" <= character < "\xa0"}
    assert not left & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
    assert "\n" not in flat(text)


def test_a_short_text_is_shown_whole_without_its_blank_lines() -> None:
    assert excerpt("# Title\n\nBody\n") == "# Title\nBody"


def test_a_long_text_is_cut_around_the_words_asked_for() -> None:
    text = "filler words here " * 60 + "the backup of the orders database is kept in Helsinki " + "more filler " * 60

    shown = excerpt(text, "where are backups of orders?", size=120)

    assert "the backup of the orders" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")


@given(st.text(), st.text(max_size=40))
def test_an_excerpt_is_never_longer_than_asked(text: str, question: str) -> None:
    assert len(excerpt(text, question, size=50)) <= 52


def test_a_large_file_is_told_of_postgresql() -> None:
    assert size_advice("sqlite:////m.db", 200_000) is None
    assert "PostgreSQL" in (size_advice("sqlite:////m.db", 200_001) or "")
    assert size_advice("postgresql://h/d", 900_000) is None


def test_a_recall_shows_rank_text_time_place_and_arms() -> None:
    shown = to_text(a_recall("Baikal is our pipeline"), VIEW, width=80)

    lines = shown.splitlines()
    assert lines[0] == "1 Baikal is our pipeline"
    assert lines[1].startswith("  2026-10-26 12:00, 3 weeks ago · Project Baikal (/home/mira/notes/baikal.md)")
    assert lines[2].startswith("  words 1 · vectors 4 · ")
    assert lines[-1] == "1 hit in 18 ms"


def test_notices_and_the_time_used_stand_below() -> None:
    use = TimeUse(range=TimeRange(start=NOW), text="since noon", applied="filter")
    shown = to_text(a_recall(time=use, notices=(Notice(code="x", message="words alone"),)), VIEW, width=80)

    assert shown.splitlines() == [
        "nothing found",
        "time: since 2026-11-16 12:00 (since noon) as a filter",
        "note: words alone",
    ]


def test_markup_in_a_memory_is_text() -> None:
    assert "[bold]x[/bold] :smile:" in to_text(a_recall("[bold]x[/bold] :smile:"), VIEW, width=80)


@pytest.mark.parametrize("width", [20, 40, 80])
def test_lines_keep_to_the_width_in_every_script(width: int) -> None:
    from rich.cells import cell_len

    shown = to_text(
        a_recall("Резервные копии базы делаем каждую ночь", "深い湖の水は冷たい" * 9, "x" * 200), VIEW, width=width
    )

    assert max(map(cell_len, shown.splitlines())) <= width


def test_full_shows_all_of_a_long_text() -> None:
    text = "first " + "middle " * 200 + "last"
    full = View(json=False, now=NOW, zone=UTC, full=True)

    assert "last" not in to_text(a_recall(text), VIEW, width=80)
    assert "last" in to_text(a_recall(text), full, width=80)


def test_the_json_of_a_recall_has_exactly_the_promised_keys() -> None:
    use = TimeUse(range=TimeRange(start=NOW), text="", applied="filter")
    found = document(a_recall("Baikal", time=use))

    assert list(found) == ["query", "namespace", "time", "hits", "notices", "timings_ms"]
    assert found["time"] == {"start": "2026-11-16T12:00:00+00:00", "end": None, "text": "", "applied": "filter"}
    hits = found["hits"]
    assert isinstance(hits, list)
    assert list(hits[0]) == [
        "rank",
        "id",
        "text",
        "score",
        "arms",
        "created_at",
        "updated_at",
        "event_timestamp",
        "event_end",
        "event_grain",
        "event_origin",
        "source",
        "context",
        "group",
        "speaker",
        "superseded_by",
        "metadata",
        "parts",
        "history",
        "restated",
    ]
    assert hits[0]["source"] == {"kind": "markdown", "uri": NOTE.uri, "title": "Project Baikal"}


def test_the_json_of_stats_has_exactly_the_promised_keys() -> None:
    stats = Stats(
        memories=2,
        chunks=3,
        namespaces={"default": 2},
        store="sqlite:////m.db",
        schema_version=1,
        size_bytes=4096,
        embedders={"f": 3},
        token_embedders={"f/tokens": 2},
    )

    assert document(stats) == {
        "memories": 2,
        "chunks": 3,
        "namespaces": {"default": 2},
        "store": "sqlite:////m.db",
        "schema_version": 1,
        "embedders": [{"fingerprint": "f", "vectors": 3}],
        "token_embedders": [{"fingerprint": "f/tokens", "chunks": 2}],
        "size_bytes": 4096,
    }


def test_a_value_nobody_can_show_is_a_bug() -> None:
    with pytest.raises(TypeError, match="int has no JSON document"):
        document(3)
