"""When what is told happened, read from its words in four languages."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ricordo.dates import dated, iso_time, named_time
from ricordo.errors import ConfigError, InvalidInput
from ricordo.memory import EventOrigin, EventTime
from ricordo.occasions import event_of, refined, time_options
from ricordo.settings import Settings

LISBON = ZoneInfo("Europe/Lisbon")
SAID = datetime(2026, 5, 8, 10, tzinfo=UTC)
"""A Friday."""


def day(year: int, month: int, number: int) -> tuple[date, date, str]:
    first = date(year, month, number)
    return first, first + timedelta(days=1), "day"


def local(event: EventTime) -> tuple[date, date, str]:
    assert event.end is not None
    assert event.grain is not None
    start, end = (moment.astimezone(LISBON) for moment in (event.start, event.end))
    assert start.time() == end.time() == datetime.min.time()
    return start.date(), end.date(), event.grain


YESTERDAY = day(2026, 5, 7)
LAST_WEEK = (date(2026, 4, 27), date(2026, 5, 4), "week")
MARCH = (date(2026, 3, 1), date(2026, 4, 1), "month")


@pytest.mark.parametrize(
    ("text", "happened"),
    [
        ("Yesterday I moved the database", YESTERDAY),
        ("Вчера я перенёс базу", YESTERDAY),
        ("Ayer migré la base de datos", YESTERDAY),
        ("Ontem mudei o banco de dados", YESTERDAY),
        ("Позавчера созвонились с Аней", day(2026, 5, 6)),
        ("Last week we agreed to raise the timeout to 30 seconds", LAST_WEEK),
        ("На прошлой неделе договорились про таймаут", LAST_WEEK),
        ("La semana pasada cambiamos de proveedor", LAST_WEEK),
        ("Na semana passada trocamos de fornecedor", LAST_WEEK),
        ("On Wednesday Dana said that the door code is 4471", day(2026, 5, 6)),
        ("Last Saturday Dana said that the door code is 4471", day(2026, 5, 2)),
        ("El miércoles pasó Dana", day(2026, 5, 6)),
        ("We decided in March to drop it", MARCH),
        ("El 3 de mayo de 2026 firmamos el contrato", day(2026, 5, 3)),
        ("The offsite is on 12 June 2027", day(2027, 6, 12)),
        ("Born on 4 July 1987", day(1987, 7, 4)),
    ],
)
def test_the_time_that_is_named_tells_when(text: str, happened: tuple[date, date, str]) -> None:
    event = event_of(text, SAID, LISBON)

    assert local(event) == happened
    assert event.origin is EventOrigin.INFERRED


@pytest.mark.parametrize("text", ["We have used Redis since March", "С марта пользуемся Redis"])
def test_what_lasts_since_a_time_began_in_it(text: str) -> None:
    assert local(event_of(text, SAID, LISBON)) == MARCH


def test_a_clock_time_lasts_an_hour() -> None:
    event = event_of("At 5pm yesterday the alarm rang", SAID, LISBON)

    assert (event.start, event.grain) == (datetime(2026, 5, 7, 16, tzinfo=UTC), "hour")


@pytest.mark.parametrize(
    ("text", "happened"),
    [
        ("Two days ago, and again yesterday, the disk filled up", day(2026, 5, 6)),
        ("In 1969 men walked on the moon, Ana told me yesterday", YESTERDAY),
        ("Ontem soube que o contrato vai de 2024-05-01 a 2026-05-01", YESTERDAY),
        ("In May 2026, on 3 May 2026, it broke", day(2026, 5, 3)),
        ("2026-05-03: the launch is put off to 2026-06-01", day(2026, 5, 3)),
    ],
)
def test_of_several_times_the_one_that_tells_when(text: str, happened: tuple[date, date, str]) -> None:
    assert local(event_of(text, SAID, LISBON)) == happened


@pytest.mark.parametrize(
    "text",
    [
        "Dana's door code is 4471",
        "The lease was signed on 3 May 2026 and paid on 9 April 2026",
        "Договор от 3 марта 2025, акт от 8 апреля 2026",
        "Every Monday we deploy",
        "По пятницам созвон с командой",
        "The cache lives for 5 minutes",
        "Before 2020 we used Subversion",
        "The contract runs until 2027-01-31",
        "After the release we froze the branch",
        "Tomorrow at 5pm there is a meeting with Bob",
        "На следующей неделе переезжаем",
        "My birthday is 4 July",
        "La reunión con el proveedor pasó al lunes",
        "Встречу перенесли на понедельник",
        "The demo is on Sunday",
        "Call Ana at 5pm",
        "I will be on vacation from 10 to 20 August",
        "Mia turned 30 last year",
        "Version 2024.5 listens on port 2025",
        "",
    ],
)
def test_without_a_time_that_tells_when_it_happened_when_it_was_said(text: str) -> None:
    assert event_of(text, SAID, LISBON) == EventTime(start=SAID, origin=EventOrigin.SAID)


@pytest.mark.parametrize("text", ["Today I moved the database", "Сегодня утром упал сервер"])
def test_the_moment_is_known_better_than_the_day_that_it_is_in(text: str) -> None:
    assert event_of(text, SAID, LISBON) == EventTime(start=SAID, origin=EventOrigin.SAID)


def test_yesterday_begins_where_the_speaker_is() -> None:
    late = datetime(2026, 5, 8, 23, 30, tzinfo=UTC)

    assert event_of("yesterday", late, UTC).start == datetime(2026, 5, 7, tzinfo=UTC)
    assert event_of("yesterday", late, ZoneInfo("Asia/Tokyo")).start == datetime(2026, 5, 7, 15, tzinfo=UTC)


@settings(deadline=None)
@given(
    st.text(max_size=300),
    st.datetimes(min_value=datetime(1, 1, 3), timezones=st.just(UTC)),  # noqa: DTZ001 - hypothesis adds the zone
)
def test_any_words_at_any_moment_have_a_time(text: str, said_at: datetime) -> None:
    event = event_of(f"yesterday {text} since last summer", said_at, LISBON)

    assert event.start <= said_at
    assert event.end is None or event.start < event.end


# --- what sources say ---

WRITTEN = EventTime(
    start=datetime(2026, 5, 7, 23, tzinfo=UTC),
    end=datetime(2026, 5, 8, 23, tzinfo=UTC),
    grain="day",
    origin=EventOrigin.SOURCE,
)


@pytest.mark.parametrize(
    ("text", "happened"),
    [
        ("yesterday we moved", YESTERDAY),
        ("## 2026-05-08\n\nВчера переехали.\n\nПотом было другое.", YESTERDAY),
        ("On Wednesday we moved.", day(2026, 5, 6)),
    ],
)
def test_words_count_from_the_date_of_the_source(text: str, happened: tuple[date, date, str]) -> None:
    event = refined(WRITTEN, text, LISBON)

    assert event is not None
    assert local(event) == happened
    assert event.origin is EventOrigin.INFERRED


@pytest.mark.parametrize(
    "text",
    [
        "We moved.",
        "Today we moved.",
        "This week we move.",
        "We moved. Yesterday we had packed.",
        "Tomorrow we move.",
        "The contract of 3 March 2024 ended.",
        "An hour ago it rained.",
    ],
)
def test_other_words_leave_the_date_of_the_source(text: str) -> None:
    assert refined(WRITTEN, text, LISBON) == WRITTEN


def test_words_do_not_count_from_a_month_nor_from_what_somebody_stated() -> None:
    month = EventTime(start=WRITTEN.start, end=WRITTEN.end, grain="month", origin=EventOrigin.SOURCE)
    stated = EventTime(start=WRITTEN.start)

    assert refined(month, "yesterday we moved", LISBON) == month
    assert refined(stated, "yesterday we moved", LISBON) == stated


def test_a_text_without_a_date_has_the_only_one_it_begins_with() -> None:
    event = refined(None, "# Lease\n\nSigned on 3 May 2026 in Lisbon. It ends on 2 May 2031.", LISBON)

    assert event is not None
    assert local(event) == day(2026, 5, 3)


@pytest.mark.parametrize(
    "text", ["Yesterday we moved.", "In 2019 it began.", "Signed 3 May 2026, paid 4 June 2026.", "We moved in May."]
)
def test_a_text_without_a_date_stays_without(text: str) -> None:
    assert refined(None, text, LISBON) is None


# --- dates that stand alone ---


@pytest.mark.parametrize(
    ("heading", "when"),
    [
        ("2026-05-03", day(2026, 5, 3)),
        ("3 May 2026", day(2026, 5, 3)),
        ("Sunday, 3 May 2026: standup", day(2026, 5, 3)),
        ("8 мая 2026", day(2026, 5, 8)),
        ("03.05.2026", day(2026, 5, 3)),
        ("12 de março de 2026", day(2026, 3, 12)),
        ("El 12 de marzo de 2026", day(2026, 3, 12)),
        ("[1.2.0] - 2026-05-03", day(2026, 5, 3)),
        ("2026-03", MARCH),
        ("March 2026", MARCH),
        ("Март 2026", MARCH),
        ("2026-W18", LAST_WEEK),
    ],
)
def test_a_heading_names_a_date(heading: str, when: tuple[date, date, str]) -> None:
    found = dated(heading, LISBON)

    assert found is not None
    assert local(found) == when
    assert found.origin is EventOrigin.SOURCE


@pytest.mark.parametrize(
    "heading",
    ["Monday", "3 May", "In 2024", "Port 2024", "Plans until March 2027", "3 May 2026, 4 June 2026", "03/05/2026", ""],
)
def test_a_heading_without_one_date_and_its_year_names_none(heading: str) -> None:
    assert dated(heading, LISBON) is None


def test_the_order_of_a_date_can_be_set() -> None:
    options = time_options(Settings(store="memory:", date_order="dmy"))

    found = dated("03/05/2026", LISBON, options)
    assert found is not None
    assert local(found) == day(2026, 5, 3)


def test_a_time_in_iso_is_a_moment() -> None:
    east = timezone(timedelta(hours=3))

    assert iso_time("2026-05-03T09:30", east) == EventTime(start=datetime(2026, 5, 3, 6, 30, tzinfo=UTC))
    assert iso_time("2026-05-03T09:30Z", east) == EventTime(start=datetime(2026, 5, 3, 9, 30, tzinfo=UTC))


@pytest.mark.parametrize("text", ["", "2026-13", "2026-W60", "2026-02-30", "May", "9999-12-31", "0001-01-01T00:00+14"])
def test_what_is_no_iso_time_or_beyond_the_calendar_is_none(text: str) -> None:
    assert iso_time(text, LISBON) is None


@pytest.mark.parametrize(
    ("phrase", "when"),
    [
        ("2026-05-03", day(2026, 5, 3)),
        ("yesterday", YESTERDAY),
        ("last monday", day(2026, 5, 4)),
        ("la semana pasada", LAST_WEEK),
        ("в марте", MARCH),
        ("март", MARCH),
        ("march", MARCH),
    ],
)
def test_a_phrase_names_a_time(phrase: str, when: tuple[date, date, str]) -> None:
    assert local(named_time(phrase, now=SAID, zone=LISBON)) == when


@pytest.mark.parametrize("phrase", ["pizza", "pizza last week", "before march", "monday and friday last month", " "])
def test_what_names_no_time_is_refused(phrase: str) -> None:
    with pytest.raises(InvalidInput, match="names no time"):
        named_time(phrase, now=SAID, zone=LISBON)


@pytest.mark.parametrize(
    ("name", "value"), [("week_start", "caturday"), ("hemisphere", "up"), ("date_order", "ddmmyyyy")]
)
def test_settings_of_time_are_checked(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        Settings(store="memory:", **{name: value})  # type: ignore[arg-type]


def test_the_week_can_start_on_sunday() -> None:
    sunday = datetime(2026, 5, 10, 10, tzinfo=UTC)
    options = time_options(Settings(store="memory:", week_start="sunday"))

    assert local(named_time("this week", now=sunday, zone=LISBON, options=options))[0] == date(2026, 5, 10)


@pytest.mark.parametrize(
    "text",
    [
        "We will deploy in August",
        "Anna is going to leave in March",
        "В августе будет релиз, а пока ждём",
        "Планируем переезд в марте",
        "Vamos a migrar en agosto",
        "Vamos migrar em agosto",
    ],
)
def test_what_is_meant_for_the_future_has_no_date_of_the_past(text: str) -> None:
    event = event_of(text, datetime(2026, 11, 16, 9, tzinfo=UTC), UTC)

    assert event.origin is EventOrigin.SAID
