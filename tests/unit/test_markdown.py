from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ricordo.memory import Memory
from ricordo.protocols import Skipped
from ricordo.sources.markdown import MarkdownSource
from ricordo.timeparse import TimeOptions

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
EAST = timezone(timedelta(hours=3))


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "house.md"


def source(page: Path, text: str | bytes, zone: tzinfo = UTC) -> MarkdownSource:
    page.write_bytes(text if isinstance(text, bytes) else text.encode())
    return MarkdownSource(path=page, now=NOW, zone=zone)


def memories(page: Path, text: str | bytes, zone: tzinfo = UTC) -> list[Memory]:
    return [item for item in source(page, text, zone).memories() if isinstance(item, Memory)]


def sections(page: Path, text: str) -> list[tuple[str, str]]:
    return [(memory.context, memory.text) for memory in memories(page, text)]


# --- sections ---


def test_each_section_is_a_memory_under_the_headings_above_it(page: Path) -> None:
    text = "# House\n\nOld.\n\n## Kitchen\n\nOven.\n\n### Taps\n\nCold left.\n\n## Garden\n\nRoses.\n"
    assert sections(page, text) == [
        ("", "# House\n\nOld."),
        ("House", "## Kitchen\n\nOven."),
        ("House › Kitchen", "### Taps\n\nCold left."),
        ("House", "## Garden\n\nRoses."),
    ]
    assert [memory.group for memory in memories(page, text)] == [
        "House",
        "House › Kitchen",
        "House › Kitchen › Taps",
        "House › Garden",
    ]
    assert [memory.position for memory in memories(page, text)] == [0, 1, 2, 3]


def test_what_precedes_the_first_heading_is_a_section(page: Path) -> None:
    assert sections(page, "Hello.\n\n## Kitchen\nOven.") == [("house", "Hello."), ("house", "## Kitchen\nOven.")]


def test_a_heading_without_a_body_lives_on_in_those_below_it(page: Path) -> None:
    assert sections(page, "# House\n## Kitchen\n### Taps\nCold left.") == [("House › Kitchen", "### Taps\nCold left.")]


def test_a_heading_with_nothing_below_it_is_remembered(page: Path) -> None:
    assert sections(page, "# House") == [("", "# House")]
    assert sections(page, "# To do\n## Call Bob\n## Buy milk") == [
        ("To do", "## Call Bob"),
        ("To do", "## Buy milk"),
    ]


def test_a_level_may_be_left_out(page: Path) -> None:
    assert sections(page, "### Deep\na\n# Top\nb\n#### Deeper\nc")[2] == ("Top", "#### Deeper\nc")


def test_underlined_headings_count(page: Path) -> None:
    assert sections(page, "House\n=====\na\n\nKitchen\n-------\nb") == [
        ("", "House\n=====\na"),
        ("House", "Kitchen\n-------\nb"),
    ]


def test_markup_stays_in_the_text_and_out_of_the_context(page: Path) -> None:
    text = "## The *spare* `key` [here](http://a.example)\n\na\n### Sub\nb"
    assert sections(page, text)[1] == ("house › The spare key here", "### Sub\nb")


@pytest.mark.parametrize(
    "block",
    [
        "```sh\n# not a heading\n\n## nor this\n```",
        "- item\n\n  ```py\n  # not a heading\n\n  x = 1\n  ```\n- next",
        "    # indented code",
        "> # quoted",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```\nnever closed\n# so no heading",
        "[link]: http://a.example 'never shown'",
        "a\n\n***\n\nb",
        "<div>\n# html\n</div>",
    ],
)
def test_blocks_are_kept_as_they_stand(page: Path, block: str) -> None:
    assert sections(page, f"# House\n\n{block}\n") == [("", f"# House\n\n{block}")]


def test_comments_of_their_own_are_left_out(page: Path) -> None:
    text = "# House\n<!-- toc -->\nOld.\n\n<!--\nhidden\n-->\n\nNew <!-- kept --> wing.\n"
    assert sections(page, text) == [("", "# House\nOld.\n\n\nNew <!-- kept --> wing.")]
    assert sections(page, "<!-- never closed\ntext") == [("house", "<!-- never closed\ntext")]


def test_nothing_is_lost_to_an_empty_heading(page: Path) -> None:
    assert sections(page, "# House\n##\n") == [("", "# House")]
    assert sections(page, "# House\na\n##\nb") == [("", "# House\na"), ("House", "##\nb")]


def test_of_two_sections_alike_the_first_counts(page: Path) -> None:
    assert [memory.position for memory in memories(page, "# A\n## Note\nx\n## Note\nx\n## Other\ny")] == [0, 1]


# --- title ---


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Our house\n---\n# House\nx", "Our house"),
        ("---\ntitle: 2024\n---\nx", "2024"),
        ("intro\n\n## Two\n\n# House *old*\nx", "House old"),
        ("House\n===\nx", "House"),
        ("```\n# code\n```\n# House\nx", "House"),
        ("# \n\n## Two\nx", "house"),
        ("x", "house"),
    ],
)
def test_the_title_is_that_of_the_page(page: Path, text: str, title: str) -> None:
    assert source(page, text).origin.title == title
    assert {memory.origin.title for memory in memories(page, text)} == {title}


def test_a_title_that_is_also_the_heading_is_said_once(page: Path) -> None:
    assert sections(page, "---\ntitle: House\n---\n# HOUSE\nx\n## Sub\ny") == [
        ("", "# HOUSE\nx"),
        ("House", "## Sub\ny"),
    ]
    assert sections(page, "---\ntitle: Notes\n---\n# House\nx\n## Sub\ny")[1] == ("Notes › House", "## Sub\ny")


def test_a_heading_as_long_as_a_paragraph_is_cut_above_others(page: Path) -> None:
    (first, second) = memories(page, f"# {'long ' * 100}\n## Sub\ny")
    assert len(first.text) > 400
    assert len(second.context) < 250


# --- front matter ---


def test_front_matter_gives_tags_event_time_and_metadata(page: Path) -> None:
    text = "---\ntitle: T\ntags: [home, '#garden/roses', home]\ndate: 2024-05-03\nstars: 4\nwho: {name: Bob}\n---\nx"
    properties, memory = memories(page, text)
    assert (properties.text, memory.text) == ("stars: 4\nwho: name Bob", "x")
    assert memory.tags == ("home", "garden/roses", "garden")
    assert memory.event_timestamp == datetime(2024, 5, 3, tzinfo=UTC)
    assert memory.metadata == {"stars": 4, "who": {"name": "Bob"}}


@pytest.mark.parametrize("tags", ["[a, b]", "a, b", "a b", "'#a #b'", "\n- a\n- '#b'", "'#a, #b'"])
def test_tags_may_be_a_list_or_a_string(page: Path, tags: str) -> None:
    assert memories(page, f"---\ntags: {tags}\n---\nx")[0].tags == ("a", "b")


def test_tags_in_the_text_belong_to_their_section(page: Path) -> None:
    text = "---\ntags: home\n---\n# A #one\nsee #two/three, not a#b, #42, `#code`\n\n```\n#fence\n```\n## B\n#дом"
    assert [memory.tags for memory in memories(page, text)] == [
        ("home", "one", "two/three", "two"),
        ("home", "дом"),
    ]


@pytest.mark.parametrize(
    ("properties", "event"),
    [
        ("date: 2024-05-03", datetime(2024, 5, 3, tzinfo=EAST)),
        ("created: '2024-05-03'", datetime(2024, 5, 3, tzinfo=EAST)),
        ("event: 2024-05-03 10:30", datetime(2024, 5, 3, 10, 30, tzinfo=EAST)),
        ("date: 2024-05-03T10:30:00", datetime(2024, 5, 3, 10, 30, tzinfo=EAST)),
        ("date: 2024-05-03T10:30:00Z", datetime(2024, 5, 3, 10, 30, tzinfo=UTC)),
        ("date: 2024-05-03T10:30:00-05:00", datetime(2024, 5, 3, 15, 30, tzinfo=UTC)),
        ("created: 2020-01-01\ndate: 2024-05-03", datetime(2024, 5, 3, tzinfo=EAST)),
        ("date: last spring\ncreated: 2024-05-03", datetime(2024, 5, 3, tzinfo=EAST)),
        ("date: 2024-05", datetime(2024, 5, 1, tzinfo=EAST)),
        ("date: May 2024", datetime(2024, 5, 1, tzinfo=EAST)),
        ("дата: x\ndate: 3 мая 2024 года", datetime(2024, 5, 3, tzinfo=EAST)),
        ("date: last spring", None),
        ("date: 0001-01-01", None),
        ("date:", None),
        ("modified: 2024-05-03", None),
        ("date: 20240503", datetime(2024, 5, 3, tzinfo=EAST)),
        ("created: 1714732200000", datetime(2024, 5, 3, 10, 30, tzinfo=UTC)),
        ("created: 1714732200", datetime(2024, 5, 3, 10, 30, tzinfo=UTC)),
        ("created: 2024", None),
        ("created: true", None),
        ("date: 2024-W18", datetime(2024, 4, 29, tzinfo=EAST)),
        ("date: 03/04/2026", None),
        ("date: 03/04/2026\ncreated: 2024-05-03", datetime(2024, 5, 3, tzinfo=EAST)),
        ("date: 2024-13-45", None),
    ],
)
def test_the_event_time_is_a_date_that_was_written_down(page: Path, properties: str, event: datetime | None) -> None:
    assert memories(page, f"---\n{properties}\n---\nx", EAST)[0].event_timestamp == event


def test_the_file_name_dates_a_page_without_a_date(tmp_path: Path) -> None:
    page = tmp_path / "2024-05-03-roses.md"
    assert memories(page, "x", EAST)[0].event_timestamp == datetime(2024, 5, 3, tzinfo=EAST)
    assert memories(page, "---\ndate: 2023-01-01\n---\nx")[0].event_timestamp == datetime(2023, 1, 1, tzinfo=UTC)


def event(text: str, page: Path) -> tuple[datetime, datetime | None, str | None, str]:
    """Start, end, grain and origin of the event of the last section."""
    memory = memories(page, text)[-1]
    assert memory.event_timestamp is not None
    assert memory.event_origin is not None
    return memory.event_timestamp, memory.event_end, memory.event_grain, memory.event_origin


MAY_3 = (datetime(2026, 5, 3, tzinfo=UTC), datetime(2026, 5, 4, tzinfo=UTC), "day", "source")
MAY_8 = (datetime(2026, 5, 8, tzinfo=UTC), datetime(2026, 5, 9, tzinfo=UTC), "day", "source")
MAY = (datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC), "month", "source")


@pytest.mark.parametrize(
    "heading", ["2026-05-03", "3 May 2026", "3 мая 2026", "3 de mayo de 2026", "3 de maio de 2026: standup"]
)
def test_a_heading_dates_what_stands_below_it(page: Path, heading: str) -> None:
    assert event(f"# Journal\n\n## {heading}\n\nWe moved.", page) == MAY_3
    assert event(f"# Journal\n\n## {heading}\n\n### Work\n\nWe moved.", page) == MAY_3
    assert memories(page, f"# Journal\n\nx\n\n## {heading}\n\nWe moved.")[0].event_timestamp is None


def test_the_nearest_dated_heading_counts(page: Path) -> None:
    text = "# May 2026\n\nPlans.\n\n## 2026-05-03\n\nWe moved.\n\n## Later\n\nWe rested."
    assert [(memory.event_timestamp, memory.event_grain) for memory in memories(page, text)] == [
        (MAY[0], "month"),
        (MAY_3[0], "day"),
        (MAY[0], "month"),
    ]


def test_a_date_of_the_page_counts_before_those_of_its_headings(tmp_path: Path) -> None:
    section = "## 2026-05-03\n\nWe moved."
    assert event(f"---\ndate: 2026-05-08\n---\n{section}", tmp_path / "2026-01-01.md") == MAY_8
    assert event(section, tmp_path / "2026-05-08.md") == MAY_8
    assert event("We moved.", tmp_path / "2026-05.md") == MAY


def test_a_heading_says_more_exactly_what_the_page_says(tmp_path: Path) -> None:
    assert event("## 2026-05-03\n\nWe moved.", tmp_path / "2026-05 journal.md") == MAY_3


def test_yesterday_is_the_day_before_the_date_of_the_section(page: Path) -> None:
    start, end, grain, origin = event("## 8 May 2026\n\nYesterday we moved. It rained.", page)
    assert (start, end) == (datetime(2026, 5, 7, tzinfo=UTC), datetime(2026, 5, 8, tzinfo=UTC))
    assert (grain, origin) == ("day", "inferred")


def test_without_a_date_yesterday_is_nobody_knows_when(page: Path) -> None:
    assert memories(page, "# Notes\n\nYesterday we moved.")[0].event_timestamp is None


def test_the_way_dates_are_read_is_part_of_the_revision(page: Path) -> None:
    page.write_text("x", encoding="utf-8")
    ordered = MarkdownSource(path=page, now=NOW, options=TimeOptions(date_order="dmy"))
    assert ordered.revision() != MarkdownSource(path=page, now=NOW).revision()


@pytest.mark.parametrize(
    "properties",
    [
        "a: [",
        "a: b: c",
        "a: &x [1]\nb: *x",
        "[" * 5000,
        "n: " + "1" * 5000,
        "a: !!python/none",
    ],
)
def test_front_matter_that_cannot_be_read_is_reported_and_the_page_is_read(page: Path, properties: str) -> None:
    skipped, unread, memory = source(page, f"---\n{properties}\n---\n# House\nx").memories()
    assert isinstance(skipped, Skipped)
    assert skipped.where == f"{page} (front matter)"
    assert isinstance(unread, Memory)
    assert unread.text == properties
    assert isinstance(memory, Memory)
    assert memory.text == "# House\nx"


def test_front_matter_may_be_toml(page: Path) -> None:
    front = 'title = "T"\ndate = 2024-05-03T10:30:00+03:00\ntags = ["a", "b"]\nat = 10:30:00\n[who]\nname = "Bob"'
    properties, memory = memories(page, f"+++\n{front}\n+++\nx")
    assert memory.text == "x"
    assert (memory.origin.title, memory.tags) == ("T", ("a", "b"))
    assert memory.event_timestamp == datetime(2024, 5, 3, 10, 30, tzinfo=EAST)
    assert memory.metadata == {"at": "10:30:00", "who": {"name": "Bob"}}
    assert properties.text == "at: 10:30:00\nwho: name Bob"
    skipped, unread, _ = source(page, "+++\ntitle = [\n+++\nx").memories()
    assert isinstance(skipped, Skipped)
    assert "TOML" in skipped.why
    assert isinstance(unread, Memory)
    assert unread.text == "title = ["


@pytest.mark.parametrize("text", ["+++", "+++\nnever closed", "+++ loud +++", "a\n+++\nb\n+++"])
def test_pluses_alone_are_text(page: Path, text: str) -> None:
    assert [memory.text for memory in memories(page, text)] == [text]


def test_prose_between_two_rules_is_no_front_matter(page: Path) -> None:
    assert sections(page, "---\nJust a thought.\n\n---\nMore.") == [("house", "---\nJust a thought.\n\n---\nMore.")]
    assert sections(page, "---\n- milk\n---\n") == [("house", "---\n- milk\n---")]


def test_a_page_of_properties_alone_is_remembered(page: Path) -> None:
    (memory,) = memories(page, "---\nperson: Bob\nphone: 123\n---\n")
    assert memory.text == "person: Bob\nphone: 123"
    assert memory.metadata == {"person": "Bob", "phone": 123}


def test_metadata_is_what_a_store_can_keep(page: Path) -> None:
    text = '---\na: .nan\nb: 2024-05-03\nc: "\\0\\ud800"\nd: !!set {x, y}\n1: one\n---\nx'
    assert memories(page, text)[0].metadata == {
        "a": "nan",
        "b": "2024-05-03",
        "c": "\ufffd\ufffd",
        "d": ["x", "y"],
        "1": "one",
    }


# --- malformed pages ---


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff---\r\ntitle: T\r\n---\r\n# H\r\nx".encode(),
        b"---\n---\nx",
        b"---\n...\nx",
        b"---",
        b"---\ntitle: open",
        b"#",
        b"x" * 5_000_000,
        b"# " + b"x" * 1_000_000,
        b"- " * 5000 + b"x",
        b">" * 50_000,
        b"[" * 50_000,
        b"# " + b"[" * 50_000,
        b"*a " * 100_000,
        b"\n" * 100_000,
        "\n".join("  " * depth + "- x" for depth in range(500)).encode(),
        b"| a " * 5000 + b"\n" + b"|---" * 5000,
        b"the key\0 is under the mat",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_no_page_is_too_strange(page: Path, text: bytes) -> None:
    assert source(page, text).origin.title
    list(source(page, text).memories())


def test_line_ends_and_marks_leave_no_trace(page: Path) -> None:
    (memory,) = memories(page, "\ufeff---\r\ntitle: T\r\n---\r\n# H\r\n\r\nx\r\n".encode())
    assert (memory.text, memory.context) == ("# H\n\nx", "T")


marked = st.lists(
    st.one_of(
        st.sampled_from(
            ["---\n", "# ", "## ", "\n", "\n\n", "```\n", "- ", "> ", "===\n", "<!-- ", "-->", "| a |", "|-|\n", "\t"]
        ),
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12),
        st.sampled_from(["tags: a\n", "a: [\n", "title: x\n", "...\n", "#tag ", "`", "\r\n", "\u2028", "\x0b"]),
    ),
    max_size=25,
).map("".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(marked)
def test_any_text_is_read_in_order_and_alike_each_time(page: Path, text: str) -> None:
    read = list(source(page, text.encode()).memories())
    found = [item for item in read if isinstance(item, Memory)]
    assert [memory.position for memory in found] == list(range(len(found)))
    assert read == list(MarkdownSource(path=page, now=NOW).memories())
    assert {memory.origin for memory in found} <= {MarkdownSource(path=page, now=NOW).origin}
    words = {word for memory in found for word in memory.text.split()}
    assert words or len(read) > len(found) or "<!--" in text or not any(character.isalnum() for character in text)
