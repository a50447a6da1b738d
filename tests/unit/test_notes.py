"""Notes as people keep them: vaults, daily pages, links, tags, fields, tasks, comments, and when all of it happened."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ricordo.memory import EventOrigin, Memory
from ricordo.protocols import Skipped
from ricordo.sources import notation
from ricordo.sources.dating import is_daily, leading_date, name_date
from ricordo.sources.front_matter import FrontMatterError, read_front_matter
from ricordo.sources.markdown import MarkdownSource
from ricordo.sources.text import TextSource

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
EAST = timezone(timedelta(hours=3))


def read(path: Path, text: str | None = None) -> list[Memory]:
    if text is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [item for item in MarkdownSource(path=path, now=NOW, zone=EAST).memories() if isinstance(item, Memory)]


def faults(path: Path) -> list[Skipped]:
    return [item for item in MarkdownSource(path=path, now=NOW).memories() if isinstance(item, Skipped)]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "boat.md"


# --- links, tags, fields, tasks ---


def test_links_stay_in_the_text_and_are_told_apart(page: Path) -> None:
    text = (
        "See [[Ann Lee|Ann]], [[Plans#Next]], ![[map.png|300]] and [[Ann Lee]]; not `[[code]]`.\n\n```\n[[fence]]\n```"
    )
    (memory,) = read(page, text)
    assert memory.text == text
    assert memory.metadata["links"] == ["Ann Lee", "Plans#Next", "map.png"]


def test_a_nested_tag_is_in_those_it_is_nested_in(page: Path) -> None:
    (memory,) = read(page, "---\ntags: [home]\n---\nwax #work/boat/hull `#code` a#b [[Note#part]] #42")
    assert memory.tags == ("home", "work/boat/hull", "work/boat", "work")


def test_fields_in_the_text_are_properties_of_their_section(page: Path) -> None:
    body = "# A\nowner:: [[Ann Lee]]\n- price:: 12k\n\nBought [place:: Porto] then.\n\n# B\nstd::vector x"
    first, second = read(page, f"---\nstate: sold\n---\n{body}")[1:]
    assert {key: first.metadata[key] for key in ("owner", "price", "place", "state")} == {
        "owner": "[[Ann Lee]]",
        "price": "12k",
        "place": "Porto",
        "state": "sold",
    }
    assert second.metadata == {"state": "sold"}


def test_other_names_of_a_page_stand_behind_its_title(page: Path) -> None:
    (memory,) = read(page, "---\naliases: [Seagull, The Gull]\n---\nNeeds paint.")
    assert memory.context == "boat (Seagull, The Gull)"
    assert memory.metadata["aliases"] == ["Seagull", "The Gull"]


def test_properties_that_say_something_are_remembered_as_text(page: Path) -> None:
    front = (
        "title: Ann Lee\ncreated: 2025-01-02\nbirthday: 1991-05-03\nsister: '[[Mia]]'\npublish: true\ncssclasses: []"
    )
    properties, text = read(page, f"---\n{front}\n---\nA sailor.")
    assert properties.text == "birthday: 1991-05-03\nsister: [[Mia]]"
    assert properties.context == "Ann Lee"
    assert properties.event_timestamp == text.event_timestamp == datetime(2025, 1, 2, tzinfo=EAST)
    assert properties.metadata["links"] == ["Mia"]


def test_a_page_with_housekeeping_alone_has_no_properties_to_tell(page: Path) -> None:
    (memory,) = read(page, "---\nid: 77\ntags: a\nmodified: 2025-01-02\ndraft: true\n---\nA sailor.")
    assert memory.text == "A sailor."


def test_block_ids_and_callouts_and_tables_stay_as_they_are(page: Path) -> None:
    text = "> [!important]- Goal\n> Sail. ^goal\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nA note[^1].\n\n[^1]: Why."
    assert [memory.text for memory in read(page, text)] == [text]


# --- what nobody sees ---


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Paint %%price: 12k%% it.", "Paint  it."),
        ("One.\n\n%%\nsecret\n# not a heading\n%%\n\nTwo.", "One.\n\n\nTwo."),
        ("%% begun\nsecret %%\nTwo.", "Two."),
        ("Use `%%x%%` and ==this== now.", "Use `%%x%%` and this now."),
        ("```\n%%x%% ==y==\n```", "```\n%%x%% ==y==\n```"),
        ("if a==b and c==d: 100%% sure, 50%% not", "if a==b and c==d: 100%% sure, 50%% not"),
        ("%% never closed\nText.", "%% never closed\nText."),
    ],
)
def test_comments_are_left_out_and_marks_lose_their_signs(page: Path, text: str, shown: str) -> None:
    assert [memory.text for memory in read(page, text)] == [shown]


def test_tags_and_links_in_comments_do_not_count(page: Path) -> None:
    (memory,) = read(page, "Paint. %%#secret [[Hidden]]%%")
    assert memory.tags == ()
    assert "links" not in memory.metadata


@pytest.mark.parametrize(
    "text", ["---\ncreated: {{date:YYYY-MM-DD}}\n---\n# {{title}}", "# {{Title}}\nx", "<% tp.file.title %>\nx"]
)
def test_a_template_is_passed_over_with_the_reason(page: Path, text: str) -> None:
    assert read(page, text) == []
    (skipped,) = faults(page)
    assert "template" in skipped.why
    assert not skipped.loses_memories


@pytest.mark.parametrize(
    "text", ["Write `{{title}}` in it.", "```\n{{ date }}\n```\nx", "Helm says {{ .Values.port }}."]
)
def test_a_note_about_templates_is_a_note(page: Path, text: str) -> None:
    assert len(read(page, text)) == 1


def test_the_folder_of_templates_is_that_of_the_vault(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    assert read(vault / "Templates" / "day.md", "x") == []
    assert read(tmp_path / "Templates" / "day.md", "x")
    other = tmp_path / "other"
    (other / ".obsidian").mkdir(parents=True)
    (other / ".obsidian" / "templates.json").write_text('{"folder": "Meta/Forms"}', encoding="utf-8")
    assert read(other / "Meta" / "Forms" / "day.md", "x") == []
    assert read(other / "Templates" / "day.md", "x")


# --- daily pages and dated items ---


@pytest.mark.parametrize(
    ("form", "name", "day"),
    [
        ("DD.MM.YYYY", "Journal/03.04.2026.md", 3),
        ("MM-DD-YYYY", "Journal/04-03-2026.md", 3),
        ("YYYY/MM/YYYY-MM-DD", "Journal/2026/04/2026-04-03.md", 3),
        ("dddd, D.M.YYYY", "Journal/Friday, 3.4.2026.md", 3),
        ("[Day] YYYYMMDD", "Journal/Day 20260403.md", 3),
    ],
)
def test_the_settings_of_a_vault_say_how_its_days_are_written(tmp_path: Path, form: str, name: str, day: int) -> None:
    (tmp_path / ".obsidian").mkdir()
    daily = tmp_path / ".obsidian" / "daily-notes.json"
    daily.write_text(json.dumps({"format": form, "folder": "Journal"}), encoding="utf-8")
    memories = read(tmp_path / name, "- rope\n- paint")
    assert len(memories) == 2
    assert {memory.event_timestamp for memory in memories} == {datetime(2026, 4, day, tzinfo=EAST)}


@pytest.mark.parametrize(
    "settings", ['{"format": "DD.MM"}', '{"format": 3}', "[]", "{", '{"format": "[x"}', '{"format": ""}']
)
def test_settings_that_say_nothing_are_no_help(tmp_path: Path, settings: str) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "daily-notes.json").write_text(settings, encoding="utf-8")
    assert read(tmp_path / "03.04.2026.md", "x")[0].event_timestamp is None


def test_each_item_of_a_daily_page_is_a_memory(tmp_path: Path) -> None:
    text = "# 2026-05-14 Thursday\n\n## Stand-up\nWith Ann.\n- [x] Call the office\n  - twice\n- [ ] Buy rope #shop\n"
    rest, call, rope = read(tmp_path / "2026-05-14.md", text)
    assert rest.text == "## Stand-up\nWith Ann."
    assert (call.text, call.context) == ("- [x] Call the office\n  - twice", "2026-05-14 Thursday › Stand-up")
    assert (call.metadata["task"], rope.metadata["task"]) == ("done", "open")
    assert (call.tags, rope.tags) == ((), ("shop",))
    assert {memory.event_timestamp for memory in (rest, call, rope)} == {datetime(2026, 5, 14, tzinfo=EAST)}


def test_a_list_on_any_other_page_stays_whole(page: Path) -> None:
    assert len(read(page, "# Things\n- rope\n- paint")) == 1
    assert len(read(page.parent / "2026-05-14 Trip to Porto.md", "- rope\n- paint")) == 1


def test_what_introduces_a_list_goes_with_its_items(tmp_path: Path) -> None:
    memories = read(tmp_path / "2026-05-14.md", "Bought **today**:\n\n- rope\n- paint")
    assert [memory.context for memory in memories[1:]] == ["2026-05-14 › Bought today:"] * 2


def test_an_edited_item_leaves_the_others_who_they_were(tmp_path: Path) -> None:
    path = tmp_path / "2026-05-14.md"
    before = {memory.id for memory in read(path, "- rope\n- paint\n- oars")}
    after = {memory.id for memory in read(path, "- rope\n- white paint\n- oars")}
    assert len(before & after) == 2


def test_an_item_that_begins_with_a_date_happened_then(page: Path) -> None:
    text = "---\ndate: 2024-02-20\n---\n## Decisions\n- 2024-03-08: SQLite\n- plain\n- **2026-09-07** UUID\n"
    rest, sqlite, uuid = read(page, text)
    assert rest.text == "## Decisions\n- plain"
    assert rest.event_timestamp == datetime(2024, 2, 20, tzinfo=EAST)
    assert sqlite.event_timestamp == datetime(2024, 3, 8, tzinfo=EAST)
    assert (uuid.event_timestamp, uuid.event_origin) == (datetime(2026, 9, 7, tzinfo=EAST), EventOrigin.SOURCE)


@pytest.mark.parametrize(
    "item", ["- [[2024-03-08]] x", "* [x] 2024-03-08 x", "1. 8 March 2024: x", "- *8 марта 2024* — x"]
)
def test_a_date_may_be_written_in_many_ways(item: str) -> None:
    event = leading_date(item, UTC)
    assert event is not None
    assert event.start == datetime(2024, 3, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    "item", ["- 03/04/2026: x", "- see 2024-03-08x", "- 2024-03-081", "- http://a.example: x", "-"]
)
def test_anything_else_is_no_date(item: str) -> None:
    assert leading_date(item, UTC) is None


def test_a_time_in_a_heading_is_one_of_its_day(tmp_path: Path) -> None:
    morning, evening = read(tmp_path / "2026-05-14.md", "## 08:30 Stand-up\nx\n## 21:10\ny")
    assert (morning.event_timestamp, morning.event_end) == (datetime(2026, 5, 14, 8, 30, tzinfo=EAST), None)
    assert evening.event_timestamp == datetime(2026, 5, 14, 21, 10, tzinfo=EAST)
    (memory,) = read(tmp_path / "journal.md", "# 2026-05-14\n## 10:30\nx")
    assert memory.event_timestamp == datetime(2026, 5, 14, 10, 30, tzinfo=EAST)


@pytest.mark.parametrize(
    ("heading", "hour", "minute"),
    [("8:30 pm tea", 20, 30), ("12:05 AM", 0, 5), ("12:05 p.m.", 12, 5), ("18h40", 18, 40), ("**07:15** run", 7, 15)],
)
def test_a_time_may_be_written_in_many_ways(tmp_path: Path, heading: str, hour: int, minute: int) -> None:
    expected = datetime(2026, 5, 14, hour, minute, tzinfo=EAST)
    assert read(tmp_path / "2026-05-14.md", f"## {heading}\nx")[0].event_timestamp == expected
    assert read(tmp_path / "2026-05-14.md", f"- {heading}")[0].event_timestamp == expected


@pytest.mark.parametrize("heading", ["3.14 Pi", "24:00", "10:305", "1:2:3", "10:60", "v10:30"])
def test_a_number_in_a_heading_is_no_time(tmp_path: Path, heading: str) -> None:
    assert read(tmp_path / "2026-05-14.md", f"## {heading}\nx")[0].event_timestamp == datetime(2026, 5, 14, tzinfo=EAST)


def test_a_time_without_a_day_is_none(page: Path) -> None:
    assert read(page, "## 08:30\nx")[0].event_timestamp is None


# --- dates of names and files ---


@pytest.mark.parametrize(
    ("name", "start", "grain"),
    [
        ("2024-05-01.md", "2024-05-01", "day"),
        ("20240501.md", "2024-05-01", "day"),
        ("2024_05_01 walk.md", "2024-05-01", "day"),
        ("2024-05-01 walk.md", "2024-05-01", "day"),
        ("IMG_20240501_093000.md", "2024-05-01", "day"),
        ("202405010930 zettel.md", "2024-05-01", "day"),
        ("2024-W18.md", "2024-04-29", "week"),
        ("2024-05.md", "2024-05-01", "month"),
    ],
)
def test_a_name_holds_a_day_a_week_or_a_month(name: str, start: str, grain: str) -> None:
    event = name_date(name, UTC)
    assert event is not None
    assert (event.start.date().isoformat(), event.grain, event.origin) == (start, grain, EventOrigin.SOURCE)


@pytest.mark.parametrize(
    "name", ["03-04-2026.md", "20241399.md", "120240501.md", "2024-05-031.md", "1.2024-05.md", "W18.md"]
)
def test_no_other_name_does(name: str) -> None:
    assert name_date(name, UTC) is None


def test_a_daily_page_is_named_by_its_day_alone() -> None:
    assert all(map(is_daily, ["2024-05-01", "20240501", "2024-05-01 Wednesday", "2024-05-01 ср"]))
    assert not any(map(is_daily, ["2024-05-01 walk", "2024-05", "walk 2024-05-01", "2024-05-03-notes"]))


@pytest.mark.parametrize("reader", [MarkdownSource, TextSource])
def test_what_has_no_date_was_said_when_its_file_was_changed(
    page: Path, reader: type[MarkdownSource | TextSource]
) -> None:
    page.write_text("x", encoding="utf-8")
    changed = datetime(2026, 5, 3, 10, tzinfo=UTC)
    os.utime(page, (0, changed.timestamp()))
    (memory,) = reader(path=page, now=NOW).memories()
    assert isinstance(memory, Memory)
    assert (memory.event_timestamp, memory.event_origin) == (changed, EventOrigin.SAID)


@pytest.mark.parametrize("seconds", [0, -5, 2**31, 315532800])
def test_a_time_that_no_file_has_is_none(page: Path, seconds: int) -> None:
    page.write_text("x", encoding="utf-8")
    os.utime(page, (0, seconds))
    assert read(page)[0].event_timestamp is None


def test_a_folder_that_was_copied_dates_nothing(tmp_path: Path) -> None:
    copied, alone = datetime(2026, 5, 3, 10, tzinfo=UTC), datetime(2026, 5, 4, 10, tzinfo=UTC)
    for number in range(6):
        read(tmp_path / f"{number}.md", "x")
        os.utime(tmp_path / f"{number}.md", (0, copied.timestamp() + number))
    os.utime(tmp_path / "5.md", (0, alone.timestamp()))
    assert [read(tmp_path / f"{number}.md")[0].event_timestamp for number in (0, 4)] == [None, None]
    assert read(tmp_path / "5.md")[0].event_timestamp == alone


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_committed_file_was_said_when_it_was_committed(tmp_path: Path) -> None:
    page = tmp_path / "notes" / "boat.md"
    read(page, "x")
    person = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    environment = {**os.environ, "GIT_COMMITTER_DATE": "2024-05-01T10:00:00Z", "GIT_CONFIG_GLOBAL": os.devnull}
    for command in (("init", "-q"), ("add", "."), (*person, "commit", "-q", "-m", "x")):
        subprocess.run(["git", *command], cwd=tmp_path, env=environment, check=True)
    (memory,) = read(page)
    assert (memory.event_timestamp, memory.event_origin) == (datetime(2024, 5, 1, 10, tzinfo=UTC), EventOrigin.SAID)
    changed = datetime(2026, 5, 3, 10, tzinfo=UTC)
    page.write_text("changed since", encoding="utf-8")
    os.utime(page, (0, changed.timestamp()))
    assert read(page)[0].event_timestamp == changed


# --- any text ---

noted = st.lists(
    st.one_of(
        st.sampled_from(
            ["%%", "==", "[[", "]]", "|", "#a/b ", "::", "k:: v\n", "`", "\n", "- ", "- [x] ", "{{title}}"]
        ),
        st.sampled_from(["2024-05-01: ", "# 10:30\n", "```\n", "> [!x] ", "^id", "\n\n", "<!-- x -->"]),
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8),
    ),
    max_size=20,
).map("".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(noted)
def test_any_daily_page_is_read_alike_each_time(tmp_path: Path, text: str) -> None:
    path = tmp_path / "2026-05-14.md"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    source = MarkdownSource(path=path, now=NOW)
    first = list(source.memories())
    assert first == list(source.memories())
    found = [item for item in first if isinstance(item, Memory)]
    assert [memory.position for memory in found] == list(range(len(found)))


@given(st.text(st.characters(exclude_characters="%=")))
def test_a_line_without_signs_is_shown_as_it_is(line: str) -> None:
    assert notation.shown_text(line) == line


@given(
    st.dictionaries(st.text(max_size=8), st.text(max_size=12) | st.integers() | st.none() | st.booleans(), max_size=4)
)
def test_any_properties_are_read_or_refused(properties: dict[str, object]) -> None:
    text = "\n".join(f"{key}: {value}" for key, value in properties.items())
    try:
        front = read_front_matter(text, UTC)
    except FrontMatterError:
        return
    assert front is None or front.telling() == front.telling()


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text", ["%%" * 20_000, "==" * 20_000, "[[" * 20_000, "`" * 20_000, "a:: " * 20_000, "#a/" * 20_000]
)
def test_no_line_takes_long(page: Path, text: str) -> None:
    assert all(memory.text.strip() for memory in read(page, text))


@pytest.mark.parametrize(("name", "reader"), [("a.md", MarkdownSource), ("a.txt", TextSource)])
def test_what_ricordo_said_itself_is_not_remembered(
    tmp_path: Path, name: str, reader: type[MarkdownSource | TextSource]
) -> None:
    text = 'Before.\n\n<ricordo note="recalled">\nThe engine is sold.\n</ricordo>\n\nAfter <ricordo> is a tag.'
    (tmp_path / name).write_text(text, encoding="utf-8")
    (memory,) = reader(path=tmp_path / name, now=NOW).memories()
    assert isinstance(memory, Memory)
    assert memory.text == "Before.\n\nAfter <ricordo> is a tag."
