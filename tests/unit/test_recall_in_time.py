"""Times in questions: windows before ranking, what replaced what, each fact once, the story in order."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

import ricordo
from ricordo.engine import Engine
from ricordo.memory import told
from ricordo.order import Order, asked_order
from ricordo.query import AsOf, Filters, Recall, TimeRange
from ricordo.settings import Settings
from ricordo.testing import HashEmbedder, InMemoryStore
from ricordo.timeparse import read_times
from ricordo.window import Window, find_window

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)  # a Wednesday
LAST_WEEK = TimeRange(start=datetime(2026, 11, 16, tzinfo=UTC), end=datetime(2026, 11, 23, tzinfo=UTC))


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory:", "sqlite"])
async def memory(
    request: pytest.FixtureRequest, clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Engine]:
    store = InMemoryStore() if request.param == "memory:" else f"sqlite:///{tmp_path_factory.mktemp('s') / 'm.db'}"
    settings = Settings(store="memory:" if request.param == "memory:" else str(store), namespace="work", tz="UTC")
    async with ricordo.open(store, embedder=HashEmbedder(), settings=settings, clock=clock) as engine:
        yield engine


def texts(found: Recall) -> list[str]:
    return [hit.text for hit in found]


async def line(memory: Engine, clock: Clock) -> str:
    """The configuration of one project: A in March, B in June, C last week; each in place of the one before."""
    clock.now = datetime(2026, 3, 3, 9, tzinfo=UTC)
    first = await memory.remember("the configuration of Atlas changed: the pool is 20")
    clock.now = datetime(2026, 6, 9, 9, tzinfo=UTC)
    second = await memory.revise(first.id, "the configuration of Atlas changed: the pool is 60")
    clock.now = datetime(2026, 11, 18, 9, tzinfo=UTC)
    third = await memory.revise(second.id, "the configuration of Atlas changed: the pool is 90")
    clock.now = NOW
    return third.id


# --- the window ---


def window(question: str) -> Window | None:
    return find_window(question, read_times(question, now=NOW, zone=UTC))


def test_a_sure_window_of_days_is_a_filter_and_its_words_are_not_for_the_model() -> None:
    found = window("what changed in the configuration last week?")

    assert found is not None
    assert (found.range, found.text, found.sure) == (LAST_WEEK, "last week", True)
    assert found.rest == "what changed in the configuration ?"


def test_the_edges_of_a_long_window_are_softer() -> None:
    week, year = window("last week"), window("in 2025")

    assert week is not None
    assert year is not None
    assert week.padded.start == datetime(2026, 11, 15, 7, 12, tzinfo=UTC)
    assert year.padded.end == datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=36.5)


def test_hints_that_overlap_are_one_window_and_others_are_unsure() -> None:
    together, apart = window("on 18 November, last week"), window("compare March 2025 with June 2025")

    assert together is not None
    assert together.range == TimeRange(start=datetime(2026, 11, 18, tzinfo=UTC), end=datetime(2026, 11, 19, tzinfo=UTC))
    assert apart is not None
    assert not apart.sure
    assert apart.range == TimeRange(start=datetime(2025, 3, 1, tzinfo=UTC), end=datetime(2025, 7, 1, tzinfo=UTC))


def test_a_question_without_a_time_has_no_window() -> None:
    assert window("which port does version 2.10.3 listen on?") is None


# --- recall ---


async def test_what_happened_in_the_window_is_found_and_the_window_is_told(memory: Engine) -> None:
    for days in (1, 7, 30):
        await memory.remember(f"deployed build {days}", event_timestamp=NOW - timedelta(days=days))
    found = await memory.recall("which build was deployed last week?")

    assert texts(found) == ["deployed build 7"]
    assert found.time is not None
    assert (found.time.range, found.time.text, found.time.applied) == (LAST_WEEK, "last week", "filter")


async def test_what_happened_close_to_the_window_comes_behind_it(memory: Engine) -> None:
    await memory.remember("deployed the build", event_timestamp=datetime(2026, 11, 15, 20, tzinfo=UTC))
    await memory.remember("deployed the other build of the two", event_timestamp=datetime(2026, 11, 17, tzinfo=UTC))

    found = await memory.recall("deployed the build last week")
    assert texts(found) == ["deployed the other build of the two", "deployed the build"]


async def test_an_empty_window_is_widened_and_says_so(memory: Engine) -> None:
    await memory.remember("deployed the build", event_timestamp=datetime(2025, 1, 5, tzinfo=UTC))
    found = await memory.recall("deployed the build last week")

    assert texts(found) == ["deployed the build"]
    assert found.time is not None
    assert found.time.applied == "widened"
    assert "window_empty" in {notice.code for notice in found.notices}


async def test_a_time_that_is_read_unsurely_raises_and_hides_nothing(memory: Engine) -> None:
    await memory.remember("the release was late", event_timestamp=datetime(2026, 11, 24, 12, tzinfo=UTC))
    await memory.remember("the release was early", event_timestamp=datetime(2026, 11, 20, 12, tzinfo=UTC))
    found = await memory.recall("how was the release yesterday at noon?")

    assert found.time is not None
    assert found.time.applied == "boost"
    assert texts(found) == ["the release was late", "the release was early"]


async def test_filters_that_name_a_time_beat_the_question(memory: Engine) -> None:
    await memory.remember("deployed build 7", event_timestamp=NOW - timedelta(days=7))
    await memory.remember("deployed build 30", event_timestamp=NOW - timedelta(days=30))
    october = TimeRange(start=datetime(2026, 10, 1, tzinfo=UTC), end=datetime(2026, 11, 1, tzinfo=UTC))
    found = await memory.recall("which build was deployed last week?", filters=Filters(time=october))

    assert texts(found) == ["deployed build 30"]
    assert found.time is not None
    assert (found.time.range, found.time.text) == (october, "")


# --- what replaced what ---


async def test_last_week_gives_the_last_version_and_its_history_in_order(memory: Engine, clock: Clock) -> None:
    await line(memory, clock)
    await memory.remember(
        "the configuration of Boreas changed: the pool is 20", event_timestamp=datetime(2026, 11, 18, tzinfo=UTC)
    )
    found = await memory.recall("what changed in the configuration of Atlas last week?", history=True)

    assert found.hits[0].text.endswith("the pool is 90")
    assert [version.text[-2:] for version in found.hits[0].versions] == ["20", "60", "90"]


async def test_a_window_of_the_past_gives_what_was_replaced_since_and_marks_it(memory: Engine, clock: Clock) -> None:
    await line(memory, clock)
    (hit,) = (await memory.recall("the configuration of Atlas in March 2026")).hits

    assert hit.text.endswith("20")
    assert hit.memory.superseded_by is not None


async def test_of_several_versions_in_the_window_the_latest_answers(memory: Engine, clock: Clock) -> None:
    await line(memory, clock)

    assert [text[-2:] for text in texts(await memory.recall("the configuration of Atlas since February 2026"))] == [
        "90"
    ]
    assert [text[-2:] for text in texts(await memory.recall("the configuration of Atlas in 2026"))] == ["90"]


@pytest.mark.parametrize(("month", "expected"), [(2, []), (4, ["20"]), (7, ["60"]), (12, ["90"])])
async def test_the_state_of_a_past_moment_is_found(
    memory: Engine, clock: Clock, month: int, expected: list[str]
) -> None:
    await line(memory, clock)
    moment = datetime(2026, month, 20, tzinfo=UTC)
    for known in (False, True):
        found = await memory.recall("configuration of Atlas", filters=Filters(as_of=AsOf(moment=moment, known=known)))
        assert [text[-2:] for text in texts(found)] == expected


# --- each fact once ---


async def test_a_fact_told_again_in_other_words_is_one_answer_and_the_older_is_named(
    memory: Engine, clock: Clock
) -> None:
    older = await memory.remember("The staging database moved to port 6432.")
    clock.now = NOW + timedelta(days=1)
    await memory.remember("Staging database has moved to the port 6432")
    (hit,) = (await memory.recall("port of the staging database")).hits

    assert hit.text == "Staging database has moved to the port 6432"
    assert hit.restated == (older.id,)


async def test_a_fact_told_again_and_buried_hides_not_the_one_that_is_not_buried(memory: Engine, clock: Clock) -> None:
    kept = await memory.remember("The staging database moved to port 6432.")
    clock.now = NOW + timedelta(days=1)
    buried = await memory.remember("Staging database has moved to the port 6432")
    await memory.bury([buried.id])
    (hit,) = (await memory.recall("port of the staging database")).hits

    assert (hit.id, hit.restated) == (kept.id, (buried.id,))
    assert kept.id in [hit.id for hit in (await memory.context("port of the staging database")).recall]


async def test_what_differs_in_a_number_a_name_or_a_negation_is_not_the_same(memory: Engine) -> None:
    for text in ("staging moved to port 6432", "staging moved to port 6433", "staging not moved to port 6432"):
        await memory.remember(text)

    assert len((await memory.recall("staging moved to port 6432")).hits) == 3


async def test_the_same_event_on_two_days_is_two_answers(memory: Engine) -> None:
    for day in (3, 4):
        await memory.remember("the backup failed", event_timestamp=datetime(2026, 11, day, tzinfo=UTC))

    assert len((await memory.recall("the backup failed")).hits) == 2


# --- order ---


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("what is the current port?", Order.LATEST),
        ("какой порт сейчас?", Order.LATEST),
        ("¿cuál es el último puerto?", Order.LATEST),
        ("qual é a porta atual?", Order.LATEST),
        ("when did we start using Redis?", Order.EARLIEST),
        ("когда мы впервые взяли Redis?", Order.EARLIEST),
        ("¿cuándo empezamos con Redis?", Order.EARLIEST),
        ("quando começamos com Redis?", Order.EARLIEST),
        ("what port does it listen on?", None),
        ("the first and the last port", None),
    ],
)
def test_a_question_tells_which_end_of_the_story_it_wants(question: str, order: Order | None) -> None:
    assert asked_order(question) is order


async def test_equally_good_hits_come_in_the_order_asked_for(memory: Engine) -> None:
    for month in (5, 2, 9):
        stamp = datetime(2026, month, 1, tzinfo=UTC)
        await memory.remember(f"office manager became person {month}", event_timestamp=stamp)

    latest = await memory.recall("who is currently the office manager?")
    earliest = await memory.recall("who was the first office manager?")
    assert [hit.memory.event_timestamp and hit.memory.event_timestamp.month for hit in latest] == [9, 5, 2]
    assert [hit.memory.event_timestamp and hit.memory.event_timestamp.month for hit in earliest] == [2, 5, 9]


def test_a_memory_told_now_is_not_dated_by_itself() -> None:
    assert told("x", now=NOW).event is None


# --- what was taken back ---


async def test_what_was_taken_back_comes_last_and_is_not_told_unasked(memory: Engine) -> None:
    await memory.remember("the walnut cake is the cake for Ana", metadata={"branch": "abandoned"})
    kept = await memory.remember("the cake for Ana: no walnut, hazelnut")

    found = await memory.recall("the walnut cake for Ana")
    told = await memory.context("the walnut cake for Ana")

    assert texts(found) == ["the cake for Ana: no walnut, hazelnut", "the walnut cake is the cake for Ana"]
    assert [hit.id for hit in told.recall] == [kept.id]
