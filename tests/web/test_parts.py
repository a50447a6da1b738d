"""The pure parts of the pages: marks, differences, names, spans, what is kept for how long."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any
from zoneinfo import ZoneInfo

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.responses import Response

from ricordo.errors import StoreError
from ricordo.exchange import Batch, Entry, Survey
from ricordo.memory import Chunk, told
from ricordo.query import TimeRange
from ricordo.render.phrases import safe
from ricordo.stores import open_store
from ricordo.testing import InMemoryStore
from ricordo.web.charts import bars, parts
from ricordo.web.marking import changes, marked
from ricordo.web.pages.timeline import Span, density, span_of
from ricordo.web.repeats import MOST_BYTES, Repeats
from ricordo.web.surveys import Overview, Surveys
from ricordo.web.trash import KEPT_SECONDS, Trash
from ricordo.web.uploads import lasting_name

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
LISBON, KATHMANDU = ZoneInfo("Europe/Lisbon"), ZoneInfo("Asia/Kathmandu")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def overview(*moments: str, zone: ZoneInfo = LISBON) -> Overview:
    quarters = {datetime.fromisoformat(text): 1 for text in moments}
    survey = Survey(current=0, superseded=0, undated=0, origins=(), events=quarters, learned={}, tags={})
    return Overview.of(survey, zone)


# --- marks and differences ---


@settings(deadline=None)
@given(text=st.text(), question=st.text())
def test_marks_change_no_letter(text: str, question: str) -> None:
    assert "".join(piece.text for piece in marked(text, question)) == safe(text)


@settings(deadline=None)
@given(old=st.text(), new=st.text())
def test_differences_hold_both_texts_whole(old: str, new: str) -> None:
    pieces = changes(old, new)

    assert "".join(piece.text for piece in pieces if piece.kind != "added") == safe(old)
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == safe(new)


@pytest.mark.parametrize(
    ("text", "question", "words"),
    [
        ("The pools are closed", "when does the pool close", ["pools", "closed"]),
        ("Ключи у Марины", "ключ Марина", ["Ключи", "Марины"]),
        ("ticket OPS-4471 is open", "OPS-4471", ["OPS-4471"]),
        ("nothing shared", "elsewhere", []),
        ("the and of", "the and of", ["the", "and", "of"]),
    ],
)
def test_words_are_marked_in_any_form(text: str, question: str, words: list[str]) -> None:
    assert [piece.text for piece in marked(text, question) if piece.kind == "mark"] == words


# --- names ---


@settings(deadline=None)
@given(st.text())
def test_a_name_of_a_file_stays_below_its_folder(given_name: str) -> None:
    name = lasting_name(given_name)

    assert name == lasting_name(name)
    assert not PurePosixPath(name).is_absolute()
    assert not PureWindowsPath(name).drive
    assert not {"", ".", ".."} & set(name.split("/"))
    assert not re.search(r'[\x00-\x1f\\:<>"|?*]', name)
    assert all(len(part) <= 120 for part in name.split("/"))


def test_a_long_name_keeps_its_suffix() -> None:
    assert lasting_name("a" * 300 + ".md").endswith("aaa.md")


# --- spans ---


@settings(deadline=None)
@given(st.dates())
def test_a_day_lies_in_its_month_and_its_year(day: object) -> None:
    whole = span_of(str(day))
    for span in whole.outwards():
        outer, inner = span.range(UTC) or TimeRange(), whole.range(UTC)
        assert inner is not None
        assert outer.start is None or (inner.start is not None and outer.start <= inner.start)
        assert outer.end is None or (inner.end is not None and inner.end <= outer.end)


def test_the_days_of_a_month_are_those_of_the_zone() -> None:
    found = density(overview("2026-02-28T18:30+00:00", zone=KATHMANDU), Span(2026, 3))

    assert len(found) == 31
    assert {day for day, number in found.items() if number} == {"2026-03-01"}


def test_a_day_has_the_hours_of_the_zone() -> None:
    found = density(overview("2026-07-01T22:45+00:00", "2026-07-01T23:00+00:00"), Span(2026, 7, 1))

    assert (len(found), found["23"], sum(found.values())) == (24, 1, 1)


@pytest.mark.parametrize(
    ("moments", "names"),
    [
        (("2026-01-05T00:00+00:00", "2026-03-05T00:00+00:00"), ["2026-01", "2026-02", "2026-03"]),
        (("1990-01-05T00:00+00:00", "2003-03-05T00:00+00:00"), [str(year) for year in range(1990, 2004)]),
        (("0900-01-05T00:00+00:00", "2003-03-05T00:00+00:00"), ["0900", "2003"]),
        ((), []),
    ],
)
def test_all_years_are_shown_without_gaps_unless_they_are_centuries(moments: tuple[str, ...], names: list[str]) -> None:
    assert list(density(overview(*moments), Span())) == names


# --- plots ---


@settings(deadline=None)
@given(st.dictionaries(st.text(), st.integers(min_value=0, max_value=10**9).map(float), max_size=60))
def test_bars_stay_in_their_box_and_can_be_seen(numbers: dict[str, float]) -> None:
    chart = bars(numbers)

    for bar in chart.bars:
        assert 0 <= bar.x <= bar.x + bar.width <= chart.width + 0.02
        assert bar.y + bar.height == pytest.approx(chart.height, abs=0.02)
        assert (bar.height > 0) == (bar.number > 0)


@settings(deadline=None)
@given(st.dictionaries(st.text(), st.floats(min_value=-1e6, max_value=1e6), max_size=30))
def test_parts_reach_from_the_middle_to_their_side(values: dict[str, float]) -> None:
    for part in parts(values):
        assert part.x == pytest.approx(50 if part.value >= 0 else 50 - part.width, abs=0.11)
        assert 0 <= part.width <= 50


# --- what is kept ---


def test_what_was_forgotten_is_let_go_when_its_time_is_up() -> None:
    clock = Clock()
    trash = Trash(clock=clock)
    binned = trash.put("a", (told("gone", now=NOW),))
    clock.now = KEPT_SECONDS - 1
    trash.sweep()
    assert trash.seconds_left(binned) == 1
    clock.now += 1
    trash.sweep()

    assert trash.kept == {}
    assert trash.take(binned.key) is None


def test_only_so_much_is_kept() -> None:
    trash = Trash(clock=Clock())
    for number in range(60):
        trash.put("a", (told(f"note {number}", now=NOW),))

    assert len(trash.kept) == 50


def test_what_could_not_be_put_back_is_kept() -> None:
    trash = Trash(clock=Clock())
    binned = trash.put("a", (told("gone", now=NOW),))

    with pytest.raises(StoreError), trash.taken(binned.key):
        raise StoreError("the disk is full")
    assert trash.of("a") == [binned]

    with trash.taken(binned.key) as taken:
        assert (taken, trash.of("a")) == (binned, [])  # nobody else puts it back meanwhile
    assert trash.take(binned.key) is None


@pytest.mark.anyio
async def test_large_answers_are_not_all_kept() -> None:
    repeats, done = Repeats(), list[int]()

    async def answer() -> Response:
        done.append(1)
        return Response(b"x" * (MOST_BYTES // 2))

    for key in ("one", "two", "three", "three", "one"):
        await repeats.once(key, ("import",), answer)

    assert (len(done), list(repeats.answers)) == (4, ["three", "one"])


@pytest.mark.anyio
async def test_of_requests_with_one_key_one_is_done_at_a_time_also_after_one_that_failed() -> None:
    repeats, busy, most = Repeats(), 0, 0

    async def fail() -> Response:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await anyio.sleep(0.01)
        busy -= 1
        return Response(status_code=503)

    async def ask(times: int) -> None:
        for _ in range(times):
            await repeats.once("key", ("import",), fail)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask, 2)
        tasks.start_soon(ask, 1)

    assert (most, repeats.locks) == (1, {})


@pytest.fixture
async def store() -> InMemoryStore:
    opened = InMemoryStore()
    await opened.open()
    return opened


async def write(store: InMemoryStore, text: str) -> None:
    memory = told(text, now=NOW)
    chunk = Chunk(memory_id=memory.id, origin_uri=memory.origin.uri, text=text)
    await store.add("a", Batch(memories=(memory,), entries=(Entry(chunk=chunk, lexemes=tuple(text.split())),)))


@pytest.mark.anyio
async def test_an_overview_is_kept_as_long_as_nothing_was_written(store: InMemoryStore) -> None:
    surveys = Surveys(clock=Clock())
    await write(store, "one")
    first = await surveys.of(store, "a", UTC)
    assert await surveys.of(store, "a", UTC) is first
    await write(store, "two words")

    assert await surveys.of(store, "a", UTC, fresh=False) is first
    assert (await surveys.of(store, "a", UTC)).survey.current == 2


@pytest.mark.anyio
async def test_what_we_changed_ourselves_is_looked_at_anew(store: InMemoryStore) -> None:
    surveys = Surveys(clock=Clock())
    first = await surveys.of(store, "a", UTC)
    surveys.changed("a")

    assert await surveys.of(store, "a", UTC) is not first


@pytest.mark.anyio
async def test_an_old_overview_is_shown_once_more_while_a_new_one_is_made(store: InMemoryStore) -> None:
    clock, waiting = Clock(), list[Callable[[], Coroutine[Any, Any, None]]]()
    surveys = Surveys(clock=clock, spawn=waiting.append)
    first = await surveys.of(store, "a", UTC)
    clock.now += timedelta(minutes=2).total_seconds()
    assert [await surveys.of(store, "a", UTC) for _ in range(3)] == [first] * 3
    (renew,) = waiting
    await renew()

    assert await surveys.of(store, "a", UTC) is not first


@pytest.mark.anyio
async def test_nobody_who_needs_no_fresh_counts_waits_for_them(store: InMemoryStore) -> None:
    clock, waiting = Clock(), list[Callable[[], Coroutine[Any, Any, None]]]()
    surveys = Surveys(clock=clock, spawn=waiting.append)
    first = await surveys.stats(store, fresh=False)
    await write(store, "one")
    clock.now += timedelta(minutes=2).total_seconds()
    assert await surveys.stats(store, fresh=False) is first
    (recount,) = waiting
    await recount()
    assert ((await surveys.stats(store, fresh=False)).memories, len(waiting)) == (1, 1)


@pytest.mark.anyio
async def test_a_store_that_cannot_be_counted_in_the_background_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await Surveys().recount(open_store(f"sqlite:///{tmp_path / 'never-opened.db'}"))

    assert "could not be counted" in caplog.text


@pytest.mark.anyio
async def test_without_a_background_an_old_overview_is_made_anew_at_once(store: InMemoryStore) -> None:
    clock = Clock()
    surveys = Surveys(clock=clock)
    first = await surveys.of(store, "a", UTC)
    clock.now += timedelta(minutes=2).total_seconds()

    assert await surveys.of(store, "a", UTC) is not first


@pytest.mark.anyio
async def test_a_survey_that_cannot_be_made_anew_is_logged_and_tried_again(
    store: InMemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    waiting: list[Callable[[], Coroutine[Any, Any, None]]] = []
    clock = Clock()
    surveys = Surveys(clock=clock, spawn=waiting.append)
    await surveys.of(store, "a", UTC)
    clock.now += timedelta(minutes=2).total_seconds()
    kept = surveys.kept["a"]
    await surveys.of(store, "a", UTC)
    await store.close()
    await waiting[0]()

    assert "could not be renewed" in caplog.text
    assert (kept.renewing, surveys.kept) == (False, {})
