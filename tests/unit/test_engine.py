"""What the engine promises, on the shipped doubles."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import anyio
import pytest

import ricordo
from ricordo.analyzer import Analyzer, Terms
from ricordo.engine import Engine
from ricordo.errors import ConfigError, InvalidInput, NotFound
from ricordo.exchange import Encoded
from ricordo.ingest import Progress
from ricordo.memory import EventOrigin, EventTime, Json, Memory, Origin
from ricordo.query import Filters, Query, TimeRange
from ricordo.settings import Settings
from ricordo.testing import HashEmbedder, InMemoryStore, ListSource

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def memory(clock: Clock) -> AsyncIterator[Engine]:
    async with ricordo.open(InMemoryStore(), embedder=HashEmbedder(), namespace="test", clock=clock) as engine:
        yield engine


# --- remember ---


async def test_saying_the_same_twice_is_one_memory(memory: Engine) -> None:
    first = await memory.remember("the port is 8080")
    second = await memory.remember("  the port is 8080\n")

    assert (first.created, second.created) == (True, False)
    assert first.id == second.id


async def test_the_same_words_about_another_time_are_another_memory(memory: Engine) -> None:
    await memory.remember("moved the database", event_timestamp=NOW)
    again = await memory.remember("moved the database", event_timestamp=NOW - timedelta(days=30))

    assert again.created
    assert (await memory.stats()).memories == 2


async def test_what_was_true_before_can_be_true_again(memory: Engine) -> None:
    first = await memory.remember("the port is 8080")
    await memory.revise(first.id, "the port is 9090")
    again = await memory.remember("the port is 8080")

    assert again.created
    texts = [version.text for version in await memory.history(first.id)]
    assert texts == ["the port is 8080", "the port is 9090", "the port is 8080"]
    assert [hit.text for hit in await memory.recall("port")] == ["the port is 8080"]


@pytest.mark.parametrize("text", ["", "  \n\t "])
async def test_nothing_is_not_remembered(memory: Engine, text: str) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        await memory.remember(text)


async def test_a_time_without_a_zone_is_refused(memory: Engine) -> None:
    with pytest.raises(InvalidInput, match="no time zone"):
        await memory.remember("x", event_timestamp=datetime(2026, 1, 1))  # noqa: DTZ001 - what is refused


async def test_what_is_told_happened_when_its_words_say_or_when_it_was_said(memory: Engine) -> None:
    yesterday = (await memory.remember("yesterday I moved the database")).memory
    now = (await memory.remember("the port is 8080")).memory

    assert yesterday.event_timestamp == NOW.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)
    assert (yesterday.event_grain, yesterday.event_origin) == ("day", EventOrigin.INFERRED)
    assert (now.event_timestamp, now.event_end, now.event_origin) == (NOW, None, EventOrigin.SAID)


async def test_saying_the_same_later_is_no_other_memory(memory: Engine, clock: Clock) -> None:
    first = await memory.remember("yesterday I moved the database")
    clock.now = NOW + timedelta(days=12)
    again = await memory.remember("yesterday I moved the database")

    assert not again.created
    assert again.memory.event_timestamp == first.memory.event_timestamp


async def test_an_event_can_be_stated_with_its_length(memory: Engine) -> None:
    month = EventTime(start=NOW, end=NOW + timedelta(days=30), grain="month")
    kept = (await memory.remember("moved the database", event_timestamp=month)).memory

    assert kept.event == month
    assert kept.id == (await memory.remember("moved the database", event_timestamp=NOW)).id


async def test_text_that_no_store_can_keep_is_mended(memory: Engine) -> None:
    kept = await memory.remember("nul \0 and half a pair \ud83d here")

    assert kept.memory.text == "nul � and half a pair � here"


# --- recall ---


class Stuck(HashEmbedder):
    """An embedder that reads no question until it is let go."""

    def __init__(self) -> None:
        self.asked, self.let_go, self.gave_up = Event(), Event(), False

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        self.asked.set()
        self.gave_up = not self.let_go.wait(10)
        return super().encode_queries(texts)


async def test_a_recall_that_is_cancelled_does_not_wait_for_the_model() -> None:
    embedder = Stuck()
    async with ricordo.open(InMemoryStore(), embedder=embedder, namespace="test") as memory:
        await memory.remember("the port is 8080")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(memory.recall, "which port?")
            assert await anyio.to_thread.run_sync(embedder.asked.wait, 30)
            tasks.cancel_scope.cancel()
        assert not embedder.gave_up
        embedder.let_go.set()

        assert len((await memory.recall("which port?")).hits) == 1


async def test_a_hit_tells_why_when_and_where_from(memory: Engine) -> None:
    await memory.remember("order 48213 was paid", event_timestamp=NOW, tags=["orders"])
    await memory.remember("order 48214 was paid")
    recall = await memory.recall("who paid order 48213?", limit=1)

    (hit,) = recall
    assert hit.text == "order 48213 was paid"
    assert hit.arms == {"identifiers": 1, "words": 1, "vectors": 1}
    assert (hit.rank, hit.event_timestamp, hit.origin.kind) == (1, NOW, "told")
    assert set(recall.timings) == {"total", "embed", "words", "vectors", "evidence", "hits", "rerank"}
    assert recall.notices == ()


async def test_filters_reach_every_arm(memory: Engine) -> None:
    await memory.remember("config uses A", event_timestamp=NOW - timedelta(days=90), tags=["config"])
    await memory.remember("config uses B", event_timestamp=NOW, tags=["config"])
    await memory.remember("config uses C")
    recent = Filters(time=TimeRange(start=NOW - timedelta(days=7)), tags=("config",))
    recall = await memory.recall("which config", filters=recent)

    assert [hit.text for hit in recall] == ["config uses B"]
    assert recall.time is not None
    assert recall.time.applied == "filter"


@pytest.mark.parametrize(("text", "code"), [("", "empty_query"), (" \n", "empty_query"), ("?!… —", "no_terms")])
async def test_a_question_without_words_finds_nothing_and_says_why(memory: Engine, text: str, code: str) -> None:
    await memory.remember("something")
    recall = await memory.recall(text)

    assert len(recall) == 0
    assert [notice.code for notice in recall.notices] == [code]


@pytest.mark.parametrize("limit", [0, -1, 1001])
async def test_a_limit_outside_its_bounds_is_refused(memory: Engine, limit: int) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        await memory.recall("x", limit=limit)


async def test_without_an_embedder_words_answer_and_the_answer_says_so() -> None:
    async with ricordo.open(InMemoryStore(), embedder="none") as memory:
        await memory.remember("Project Baikal is a pipeline")
        recall = await memory.recall("what is baikal?")

    assert [hit.arms for hit in recall] == [{"words": 1}]
    assert [notice.code for notice in recall.notices] == ["no_embedder"]


async def test_an_unknown_embedder_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(InvalidInput, match="all-minilm-l6-v2"):
        async with ricordo.open(InMemoryStore(), embedder="gpt-9"):
            pass


# --- revise, forget ---


async def test_a_revision_keeps_what_is_not_changed(memory: Engine, clock: Clock) -> None:
    old = await memory.remember("v1", event_timestamp=NOW, tags=["t"], metadata={"k": 1})
    clock.now = NOW + timedelta(days=2)
    new = await memory.revise(old.id[:8], "v2")

    assert (new.tags, new.metadata) == (("t",), {"k": 1})
    assert (new.created_at, new.updated_at) == (NOW, NOW + timedelta(days=2))
    assert (await memory.show(old.id)).superseded_by == new.id


async def test_a_revision_happened_when_it_was_said(memory: Engine, clock: Clock) -> None:
    old = await memory.remember("v1", event_timestamp=NOW - timedelta(days=9))
    clock.now = NOW + timedelta(days=2)
    said = await memory.revise(old.id, "v2")
    stated = await memory.revise(old.id, "v3", event_timestamp=NOW)

    assert (said.event_timestamp, said.event_origin) == (clock.now, EventOrigin.SAID)
    assert (stated.event_timestamp, stated.event_origin) == (NOW, EventOrigin.STATED)


async def test_a_memory_can_be_replaced_by_another_in_saying_it(memory: Engine) -> None:
    old = await memory.remember("the port is 8080", tags=["net"])
    new = await memory.remember("the port is 9090", supersedes=old.id[:8])
    again = await memory.remember("the port is 9090", supersedes=old.id)

    assert [version.id for version in await memory.history(old.id)] == [old.id, new.id]
    assert (new.created, again.created, again.id) == (True, False, new.id)
    assert new.memory.tags == ()


async def test_only_what_is_current_can_be_replaced(memory: Engine) -> None:
    old = await memory.remember("the port is 8080")
    new = await memory.remember("the port is 9090", supersedes=old.id)

    with pytest.raises(InvalidInput, match=new.id):
        await memory.remember("the port is 7070", supersedes=old.id)
    with pytest.raises(NotFound):
        await memory.remember("the port is 7070", supersedes="ffff")


async def test_revising_an_old_version_revises_the_current_one(memory: Engine) -> None:
    first = await memory.remember("v1")
    await memory.revise(first.id, "v2")
    await memory.revise(first.id, "v3")

    assert [version.text for version in await memory.history(first.id)] == ["v1", "v2", "v3"]


async def test_forgetting_an_unknown_id_forgets_nothing(memory: Engine) -> None:
    kept = await memory.remember("kept")
    with pytest.raises(NotFound, match="ffff"):
        await memory.forget([kept.id, "ffff"])

    assert (await memory.stats()).memories == 1


# --- ingest ---


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "keys.md").write_text("# Keys\n\nStaging uses sk-proj-abc123.\n\n# Ports\n\nThe web server is on 8080.\n")
    (folder / "log.txt").write_text("Backup ran at night.\n")
    return folder


async def test_an_unchanged_folder_is_not_read_again(memory: Engine, notes: Path) -> None:
    first = await memory.ingest([notes])
    second = await memory.ingest([notes])

    assert (first.memories, first.added, first.unchanged, first.forgotten) == (3, 3, 0, 0)
    assert (second.memories, second.added, second.unchanged, second.forgotten) == (3, 0, 3, 0)
    assert second.chunks == first.chunks


async def test_one_edit_changes_one_memory(memory: Engine, notes: Path) -> None:
    await memory.ingest([notes])
    (notes / "keys.md").write_text((notes / "keys.md").read_text().replace("8080", "9090"))
    again = await memory.ingest([notes])

    assert (again.added, again.unchanged, again.forgotten) == (1, 2, 1)
    assert "9090" in (await memory.recall("9090", limit=1)).hits[0].text
    assert not any("8080" in hit.text for hit in await memory.recall("8080"))


async def test_what_was_forgotten_does_not_come_back_with_its_file(memory: Engine, notes: Path) -> None:
    await memory.ingest([notes])
    (hit,) = await memory.recall("sk-proj-abc123", limit=1)
    await memory.forget([hit.id])
    (notes / "keys.md").write_text((notes / "keys.md").read_text() + "\n# More\n\nNew text.\n")
    again = await memory.ingest([notes])

    assert again.added == 1
    assert not any("abc123" in found.text for found in await memory.recall("sk-proj-abc123"))


async def test_one_bad_file_does_not_stop_the_rest(memory: Engine, notes: Path) -> None:
    (notes / "bad.md").symlink_to(notes / "nowhere.md")
    told: list[Progress] = []
    done = await memory.ingest([notes, notes / "absent.md"], tell=told.append)

    assert done.added == 3
    assert {Path(item.where).name for item in done.skipped} == {"bad.md", "absent.md"}
    assert told[-1].so_far.skipped == done.skipped


async def test_a_source_of_ones_own_is_read_like_a_file(memory: Engine) -> None:
    said = Memory(text="Ana plays the oboe", origin=Origin(kind="chat", uri="chat:1"), created_at=NOW, updated_at=NOW)

    first = await memory.ingest([ListSource(said.origin, [said])])
    second = await memory.ingest([ListSource(said.origin, [said])])

    assert (first.added, second.added, second.unchanged) == (1, 0, 1)
    assert (await memory.recall("who plays the oboe?")).hits[0].id == said.id


# --- measuring ---


async def test_parts_can_be_left_out_to_measure_their_worth(memory: Engine) -> None:
    await memory.remember("Ana plays the oboe")
    words_alone = replace(memory.reader, arms=frozenset({"words"}))

    assert set((await words_alone.recall(Query(text="oboe", namespace="test"))).hits[0].arms) == {"words"}
    assert set((await memory.recall("oboe")).hits[0].arms) == {"vectors", "words"}


async def test_another_analyzer_serves_both_paths() -> None:
    upper = Analyzer(
        lexemes=lambda text: tuple(text.upper().split()),
        question=lambda text: Terms(weights=dict.fromkeys(text.upper().split(), 1.0), identifiers=frozenset()),
    )
    async with ricordo.open(
        InMemoryStore(), settings=Settings(store="memory:", embedder="none"), analyzer=upper
    ) as memory:
        await memory.remember("two oboes")

        assert len(await memory.recall("OBOES")) == 1
        assert len(await memory.recall("oboe")) == 0


async def test_two_sections_that_share_a_passage_are_both_found(memory: Engine, notes: Path) -> None:
    passage = "The wiring plan hangs in the cellar beside the meter. " * 12
    page = notes / "log.md"
    page.write_text(
        f"# Log\n\n## Notes\n\n{passage}\n\n## Notes\n\n{passage}\n\nA second thing altogether. {'More of it. ' * 60}\n"
    )
    await memory.ingest([notes])
    both = {hit.id: hit for hit in await memory.recall("wiring plan in the cellar") if "wiring" in hit.text}
    assert len(both) == 2
    longer = max(both, key=lambda memory_id: len(both[memory_id].memory.text))
    await memory.forget([longer])
    await memory.ingest([notes])

    left = {hit.id for hit in await memory.recall("wiring plan in the cellar") if "wiring" in hit.text}
    assert left == set(both) - {longer}


async def test_bad_properties_above_a_whole_text_do_not_keep_old_sections(memory: Engine, notes: Path) -> None:
    page = notes / "keys.md"
    page.write_text("---\ntags: [unclosed\n---\n" + page.read_text())
    await memory.ingest([notes])
    page.write_text(page.read_text().replace("8080", "9090"))
    again = await memory.ingest([notes])

    assert (again.added, again.forgotten, len(again.skipped)) == (1, 1, 1)


# --- export, import ---


async def test_an_export_comes_back_whole(memory: Engine, notes: Path) -> None:
    await memory.ingest([notes])
    first = await memory.remember("v1 of it", tags=["a"], metadata={"n": [1]}, event_timestamp=NOW)
    await memory.revise(first.id, "v2 of it")
    gone = await memory.remember("gone")
    await memory.forget([gone.id])
    lines = [line async for line in memory.export()]

    async with ricordo.open(InMemoryStore(), embedder=HashEmbedder(), namespace="test") as other:
        done = await other.load(lines)
        assert (done.added, done.skipped) == (5, ())
        assert [line async for line in other.export()] == lines
        assert (await other.load(lines)).added == 0
        assert [hit.text for hit in await other.recall("of it", limit=1)] == ["v2 of it"]


async def test_an_old_export_does_not_bring_back_what_was_forgotten_since(memory: Engine) -> None:
    gone = await memory.remember("the secret")
    old = [line async for line in memory.export()]
    await memory.forget([gone.id])
    done = await memory.load(old)

    assert done.added == 0
    assert len(await memory.recall("secret")) == 0
    assert (await memory.remember("the secret")).created


async def test_a_bad_line_is_reported_and_the_rest_imported(memory: Engine) -> None:
    await memory.remember("good")
    header, line = [line async for line in memory.export()]
    bad = ["{", "[1]", '{"type": "memory"}', line.replace('"good"', "7"), line.replace("2026-03-01", "yesterday")]
    bad += [line.replace("2026-03-01T12:00:00+00:00", "0001-01-01T00:00:00+12:00"), line.replace('"id": "', '"id": "X')]
    bad += [
        line.replace('"position": 0', '"position": 99999999999'),
        line.replace('"metadata": {}', '"metadata": {"n": NaN}'),
    ]

    async with ricordo.open(InMemoryStore(), embedder="none") as other:
        done = await other.load([header, *bad, line], where="dump.jsonl")
        assert done.added == 1
        assert [item.where for item in done.skipped] == [f"dump.jsonl:{number}" for number in range(2, 11)]


async def test_an_empty_export_is_no_success(memory: Engine) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        await memory.load(["", "  "])


@pytest.mark.parametrize("metadata", [{"n": float("inf")}, {"n": {1, 2}}])
async def test_metadata_that_json_cannot_say_is_refused(memory: Engine, metadata: Mapping[str, Json]) -> None:
    with pytest.raises(InvalidInput, match="JSON"):
        await memory.remember("x", metadata=metadata)


@pytest.mark.parametrize("first", ["not json", "{}", '{"format": "ricordo-export/9"}', "[]"])
async def test_what_is_no_export_is_refused(memory: Engine, first: str) -> None:
    with pytest.raises(InvalidInput, match="no ricordo export"):
        await memory.load([first, "{}"], where="notes.md")


# --- settings ---


def test_a_setting_comes_from_argument_environment_file_default_in_that_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ricordo.settings import load_settings

    (tmp_path / "config.toml").write_text('namespace = "file"\nembedder = "file"\nk1 = 2\n')
    environment = {"RICORDO_HOME": str(tmp_path), "RICORDO_EMBEDDER": "environment", "RICORDO_B": "0.5"}
    found = load_settings({"namespace": "argument", "embedder": None}, environment)

    assert (found.namespace, found.embedder, found.k1, found.b, found.tz) == (
        "argument",
        "environment",
        2.0,
        0.5,
        "local",
    )
    assert found.store == f"sqlite:///{tmp_path / 'memory.db'}"


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"RICORDO_K1": "many"}, "RICORDO_K1.*many.*not a number"),
        ({"RICORDO_B": "1.5"}, "between 0 and 1"),
        ({"RICORDO_TZ": "Mars/Base"}, "Mars/Base.*IANA"),
        ({"RICORDO_NAMESPACE": " "}, "namespace"),
    ],
)
def test_a_wrong_setting_is_named_with_where_it_came_from(
    tmp_path: Path, environment: dict[str, str], told: str
) -> None:
    from ricordo.settings import load_settings

    with pytest.raises(ConfigError, match=told):
        load_settings({}, {"RICORDO_HOME": str(tmp_path), **environment})


def test_an_unknown_setting_in_the_file_is_an_error(tmp_path: Path) -> None:
    from ricordo.settings import load_settings

    (tmp_path / "config.toml").write_text('embeder = "none"\n')
    with pytest.raises(ConfigError, match=r"embeder.*config\.toml"):
        load_settings({}, {"RICORDO_HOME": str(tmp_path)})


def test_settings_can_be_given_whole() -> None:
    engine = ricordo.open(settings=Settings(store="memory:", namespace="n", embedder="none"))

    assert engine.namespace == "n"
