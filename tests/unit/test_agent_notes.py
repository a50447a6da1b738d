"""What is read from the notes and instructions that coding agents and their users keep as Markdown."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentfiles import memories, read, reported, samples, source
from ricordo.memory import EventOrigin, Memory


def page(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# --- Claude Code's memory folder ---

OLDER = "---\nname: Runa\ndescription: Runa weaves by hand\ntype: user\noriginSessionId: s1\n---\nShe is in Porto.\n"
NEWER = (
    "---\nname: feedback-tests\ndescription: Run `just test`\nmetadata: \n  node_type: memory\n  type: feedback\n"
    "  originSessionId: s2\n  modified: 2026-09-07T09:05:00.000Z\n---\n"
    "## Rule\n\nRun `just test`.\n\n## Why\n\nSee [[a-note-that-is-gone]].\n"
)
INDEX = "- [Who Runa is](user_runa.md) — a weaver\n- [Run tests with just](feedback.md)\n- [Gone](gone.md) — dangling\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "memory"
    page(made / "MEMORY.md", INDEX)
    page(made / "user_runa.md", OLDER)
    page(made / "feedback.md", NEWER)
    return made


def test_a_file_of_the_memory_folder_is_one_memory(folder: Path) -> None:
    feedback, runa = memories(folder)
    assert (runa.text, runa.context, runa.tags) == (
        "Runa weaves by hand\n\nShe is in Porto.",
        "Who Runa is",
        ("user",),
    )
    assert runa.metadata == {"name": "Runa", "type": "user", "session": "s1"}
    assert feedback.text == "## Rule\n\nRun `just test`.\n\n## Why\n\nSee [[a-note-that-is-gone]]."
    assert (feedback.context, feedback.tags) == ("Run tests with just", ("feedback",))
    assert feedback.event_timestamp == datetime(2026, 9, 7, 9, 5, tzinfo=UTC)
    assert feedback.event_origin == EventOrigin.SOURCE
    assert feedback.metadata["links"] == ["a-note-that-is-gone"]


def test_the_index_says_what_it_says_beside_its_list(folder: Path) -> None:
    assert memories(folder / "MEMORY.md") == []
    page(folder / "MEMORY.md", f"# Memory\n\nThe loom is oiled on Mondays.\n\n## Files\n{INDEX}")
    assert [memory.text for memory in memories(folder / "MEMORY.md")] == ["# Memory\n\nThe loom is oiled on Mondays."]


def test_a_new_title_in_the_index_is_news(folder: Path) -> None:
    before = source(folder / "user_runa.md").revision()
    page(folder / "MEMORY.md", INDEX.replace("Who Runa is", "Runa the weaver"))
    assert source(folder / "user_runa.md").revision() != before
    assert memories(folder / "user_runa.md")[0].context == "Runa the weaver"


def test_a_colon_in_a_description_costs_nothing(folder: Path) -> None:
    page(folder / "b.md", "---\nname: b\ndescription: Decided: wool\ntype: project\n---\nThe scarf is of wool.\n")
    found, faults = read(folder / "b.md")
    assert [memory.text for memory in found] == ["Decided: wool\n\nThe scarf is of wool."]
    assert [fault.loses_memories for fault in faults] == [False]


def test_a_memory_without_an_index_is_called_by_its_name(tmp_path: Path) -> None:
    (memory,) = memories(page(tmp_path / "user_runa.md", OLDER))
    assert (memory.context, memory.origin.title) == ("Runa", "Runa")


@pytest.mark.parametrize("properties", ["name: a\ntype: user", "name: a\ndescription: b\ntype: project"])
def test_a_note_of_somebodys_own_is_a_page(tmp_path: Path, properties: str) -> None:
    (memory, *_) = memories(page(tmp_path / "a.md", f"---\n{properties}\n---\nText.\n"))
    assert memory.origin.kind == "markdown"


# --- instructions ---


@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md", "CLAUDE.local.md", "GEMINI.md"])
def test_instructions_are_tagged_and_their_imports_are_not_followed(tmp_path: Path, name: str) -> None:
    page(tmp_path / "outside.md", "A secret of another folder.")
    imports = f"@AGENTS.md\n- @../outside.md\n@{tmp_path}/outside.md\n\n<!-- for people -->\n"
    text = f"{imports}\n- Small commits\n- Mail @runa\n"
    (memory,) = memories(page(tmp_path / "project" / name, text))
    assert memory.text == "- Small commits\n- Mail @runa"
    assert (memory.tags, memory.origin.kind) == (("instructions",), "instructions")


def test_a_file_of_imports_alone_says_nothing(tmp_path: Path) -> None:
    assert memories(page(tmp_path / "CLAUDE.md", "@AGENTS.md\n")) == []


def test_rules_of_a_project_are_instructions(tmp_path: Path) -> None:
    path = page(tmp_path / ".claude" / "rules" / "tests.md", "---\npaths: ['tests/**']\n---\nNo mocks.\n")
    assert {memory.tags for memory in memories(path)} == {("instructions",)}


# --- basic-memory ---

NOTE = """---
title: Loom
type: note
permalink: notes/loom
tags:
- weaving
created: 2026-09-07T10:00:00
---
# Loom

Bought second hand.

## Observations
- [decision] It is oiled on Mondays #care (agreed with Runa)
- [fact] It has 40 shafts @2026-07-27
- [state] It stands in Porto @effective[2026-06-10,2026-07-27)
- [plan] It moves soon @occurred:"June 10, 2026"
- [fact] Its date cannot be read @2026-99-99
- [ ] a task
- [x] a task that is done
- [[Runa]] knows more
- [a page](https://looms.example) about it

> [!info] A callout
> - [fact] said in it

## Relations
- part_of [[Workshop]]
- "depends on" [[Oil|the oil]] (since 2024)
- see [[Runa]] for the key
"""


@pytest.fixture
def note(tmp_path: Path) -> list[Memory]:
    return memories(page(tmp_path / "Loom.md", NOTE))


def test_an_observation_is_a_memory(note: list[Memory]) -> None:
    observed = [(memory.metadata["category"], memory.text) for memory in note if "category" in memory.metadata]
    assert observed == [
        ("decision", "It is oiled on Mondays #care (agreed with Runa)"),
        ("fact", "It has 40 shafts"),
        ("state", "It stands in Porto"),
        ("plan", "It moves soon"),
        ("fact", "Its date cannot be read"),
    ]
    assert {memory.context for memory in note if "category" in memory.metadata} == {"Loom"}
    assert "care" in next(memory.tags for memory in note if "Mondays" in memory.text)


def test_a_relation_is_a_memory_that_names_both_ends(note: list[Memory]) -> None:
    related = [(memory.metadata["relation"], memory.text) for memory in note if "relation" in memory.metadata]
    assert related == [("part_of", "Loom part of Workshop"), ("depends on", "Loom depends on Oil (since 2024)")]


def test_what_else_a_note_says_is_read_as_on_any_page(note: list[Memory]) -> None:
    rest = "\n".join(memory.text for memory in note if not {"category", "relation"} & set(memory.metadata))
    for text in (
        "Bought second hand.",
        "a task that is done",
        "[[Runa]] knows more",
        "A callout",
        "said in it",
        "the key",
    ):
        assert text in rest


def test_marks_of_time_tell_when_it_was_so(note: list[Memory]) -> None:
    times = {memory.text: (memory.event_timestamp, memory.event_end) for memory in note}
    assert times["It has 40 shafts"] == (datetime(2026, 7, 27, tzinfo=UTC), datetime(2026, 7, 28, tzinfo=UTC))
    assert times["It stands in Porto"] == (datetime(2026, 6, 10, tzinfo=UTC), datetime(2026, 7, 27, tzinfo=UTC))
    assert times["It moves soon"][0] == datetime(2026, 6, 10, tzinfo=UTC)
    assert times["Its date cannot be read"] == (datetime(2026, 9, 7, 10, tzinfo=UTC), None)


def test_one_edit_of_a_note_changes_one_memory(note: list[Memory], tmp_path: Path) -> None:
    edited = memories(page(tmp_path / "Loom.md", NOTE.replace("40 shafts", "32 shafts")))
    before, after = {memory.id for memory in note}, {memory.id for memory in edited}
    assert (len(before - after), len(after - before)) == (1, 1)


def test_a_page_of_a_website_is_a_page(tmp_path: Path) -> None:
    (memory, *_) = memories(page(tmp_path / "a.md", "---\npermalink: /a\ntype: post\n---\n- [ ] Text\n"))
    assert memory.origin.kind == "markdown"


# --- the public samples ---


def test_the_sample_of_a_memory_folder_is_one_memory_a_file() -> None:
    found = memories(samples("memory_dir"))
    assert sorted(memory.context for memory in found) == [
        "Dashboards",
        "Device ids are UUIDs",
        "Mira's role",
        "Run tests with just",
    ]
    assert reported(samples("memory_dir")) == []


def test_the_sample_of_instructions_is_tagged() -> None:
    found = memories(samples("agents"))
    assert {memory.tags for memory in found} == {("instructions",)}
    assert not [memory for memory in found if "@AGENTS.md" in memory.text or "people only" in memory.text]


def test_the_sample_of_basic_memory_has_two_observations_and_two_relations() -> None:
    found = memories(samples("basic_memory"))
    assert [memory.text for memory in found if "category" in memory.metadata] == [
        "device_id is a UUID #sync (agreed with the field team)",
        "Uploads come from two tablets",
    ]
    assert len([memory for memory in found if "relation" in memory.metadata]) == 2
