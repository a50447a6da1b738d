"""What is read from the files of other memory programs, from JSON of anybody's own, and from Gemini."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentfiles import BEGAN, Fields, memories, read, reported, source, sources, stamp, told, write, write_lines
from ricordo.memory import EventOrigin

KELP = {"type": "entity", "name": "Kelp survey", "entityType": "project", "observations": ["Led by Runa", "In May"]}
RUNA = {"type": "entity", "name": "Runa", "entityType": "person", "observations": []}
LEADS = {"type": "relation", "from": "Runa", "to": "Kelp survey", "relationType": "works_on"}


# --- the MCP memory server ---


def test_an_observation_is_a_memory_below_its_entity(tmp_path: Path) -> None:
    found = memories(write_lines(tmp_path / "memory.jsonl", [KELP, RUNA, LEADS]))
    assert [(memory.context, memory.text) for memory in found] == [
        ("Kelp survey (project)", "Led by Runa"),
        ("Kelp survey (project)", "In May"),
        ("", "Runa (person)"),
        ("", "Runa works on Kelp survey"),
    ]
    assert [memory.position for memory in found] == [0, 1, 2, 3]
    assert {memory.event_timestamp for memory in found} == {None}
    assert found[3].metadata == {"relation": "works_on", "to": "Kelp survey"}


def test_one_edit_of_a_graph_changes_one_memory(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "memory.json", [KELP, LEADS])
    before, revision = {memory.id for memory in memories(path)}, source(path).revision()
    write_lines(path, [RUNA, KELP | {"observations": ["Led by Mira", "In May"]}, LEADS])
    after = {memory.id for memory in memories(path)}
    assert (len(before - after), len(after - before)) == (1, 2)
    assert source(path).revision() != revision


def test_a_broken_record_of_a_graph_is_told(tmp_path: Path) -> None:
    broken = [{"type": "entity", "observations": ["x"]}, {"type": "relation", "from": "", "to": "x"}, {"type": "edge"}]
    found, faults = read(write_lines(tmp_path / "memory.jsonl", [KELP, *broken, LEADS]))
    assert len(found) == 3
    assert [fault.where.rpartition(", ")[2] for fault in faults] == ["record 2", "record 3", "record 4"]


# --- mem0 ---

TEA: Fields = {
    "id": "m1",
    "memory": "Prefers green tea",
    "hash": "h",
    "user_id": "runa",
    "categories": ["food"],
    "metadata": {"room": "kitchen"},
    "created_at": "2026-05-01T08:00:00-07:00",
    "updated_at": None,
}


@pytest.mark.parametrize("wrapped", ["results", "memories", None])
def test_a_memory_of_mem0_is_a_memory(tmp_path: Path, wrapped: str | None) -> None:
    value = {wrapped: [TEA], "count": 1} if wrapped else [TEA]
    (memory,) = memories(write(tmp_path / "mem0.json", value))
    assert (memory.text, memory.tags, memory.group) == ("Prefers green tea", ("food",), "runa")
    assert memory.event_timestamp == datetime(2026, 5, 1, 15, tzinfo=UTC)
    assert memory.metadata == {"user_id": "runa", "id": "m1", "room": "kitchen"}


def test_an_export_of_mem0_may_hold_one_a_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "mem0.jsonl", [TEA, TEA | {"id": "m2"}, TEA | {"id": "m3", "memory": None}])
    found, faults = read(path)
    assert [memory.metadata["id"] for memory in found] == ["m1", "m2"]
    assert [fault.why for fault in faults] == ["has no memory in it"]


# --- JSON of anybody's own ---


def test_the_fields_of_a_record_are_read_for_what_they_are(tmp_path: Path) -> None:
    record = {
        "text": "The kelp came back.",
        "id": 7,
        "event_timestamp": "2026-05-03T10:00:00+02:00",
        "created_at": "2026-06-01",
        "speaker": "Runa",
        "group": "survey",
        "title": "Field notes",
        "tags": ["kelp", "#bay"],
        "metadata": {"depth": 4.5},
        "weather": "calm",
    }
    (memory,) = memories(write_lines(tmp_path / "notes.jsonl", [record]))
    assert (memory.text, memory.speaker, memory.group) == ("The kelp came back.", "Runa", "survey")
    assert (memory.context, memory.tags) == ("Field notes", ("kelp", "bay"))
    assert (memory.event_timestamp, memory.event_end) == (datetime(2026, 5, 3, 8, tzinfo=UTC), None)
    assert memory.metadata == {"id": 7, "depth": 4.5, "weather": "calm"}


@pytest.mark.parametrize(
    ("fields", "start", "grain"),
    [
        ({"date": "2026-05-03"}, datetime(2026, 5, 3, tzinfo=UTC), "day"),
        ({"date": "2026-05"}, datetime(2026, 5, 1, tzinfo=UTC), "month"),
        ({"timestamp": BEGAN.timestamp()}, BEGAN, None),
        ({"timestamp": BEGAN.timestamp() * 1000}, BEGAN, None),
        ({"date": "soon", "created_at": stamp(0)}, BEGAN, None),
        ({"date": "03/04/2026"}, None, None),
        ({"date": 0}, None, None),
        ({"date": True}, None, None),
        ({}, None, None),
    ],
)
def test_the_time_of_a_record_is_the_first_that_can_be_read(
    tmp_path: Path, fields: Fields, start: datetime | None, grain: str | None
) -> None:
    (memory,) = memories(write_lines(tmp_path / "notes.jsonl", [{"text": "x"} | fields]))
    assert (memory.event_timestamp, memory.event_grain) == (start, grain)
    assert memory.event_origin == (EventOrigin.SOURCE if start else None)


def test_records_may_stand_in_an_array(tmp_path: Path) -> None:
    records = [{"content": "One.", "role": "user", "conversation": "a"}, {"content": "Two.", "tags": "x, y"}]
    found = memories(write(tmp_path / "notes.json", records))
    assert told(found) == [("user", "One."), (None, "Two.")]
    assert [memory.tags for memory in found] == [(), ("x", "y")]


def test_a_record_without_a_text_is_told(tmp_path: Path) -> None:
    found, faults = read(write_lines(tmp_path / "notes.jsonl", [{"text": "One."}, {"text": " "}, {"note": "x"}, 7]))
    assert [memory.text for memory in found] == ["One."]
    assert [fault.why for fault in faults] == ["has no text", "has no text", "is neither an object nor an array"]


def test_two_records_alike_are_one_memory_and_with_ids_they_are_two(tmp_path: Path) -> None:
    records: list[Fields] = [{"text": "One."}, {"text": "One."}, {"text": "One.", "id": 1}, {"text": "One.", "id": 2}]
    assert len(memories(write_lines(tmp_path / "notes.jsonl", records))) == 3


def test_an_export_of_ricordo_is_for_its_own_command(tmp_path: Path) -> None:
    record = {
        "type": "memory",
        "namespace": "x",
        "id": "0" * 24,
        "text": "x",
        "origin": {"kind": "told", "uri": "told:x"},
    }
    path = write_lines(tmp_path / "export.jsonl", [{"format": "ricordo-export/1"}, record])
    assert ["ricordo import" in fault.why for fault in reported(path)] == [True]


@pytest.mark.parametrize(
    "record",
    [
        {"display": "fix it", "pastedContents": {}, "timestamp": 1788771600000, "project": "/x"},
        {"session_id": "s", "ts": 1788771600, "text": "fix it"},
    ],
)
def test_a_history_of_prompts_is_left_to_the_transcripts(tmp_path: Path, record: Fields) -> None:
    found, faults = read(write_lines(tmp_path / "history.jsonl", [record]))
    assert (found, [fault.loses_memories for fault in faults]) == ([], [False])


# --- Gemini ---


def activity(minute: int, asked: str, *answers: str, **fields: object) -> Fields:
    record: Fields = {"header": "Gemini Apps", "title": asked, "products": ["Gemini Apps"], "time": stamp(60 * minute)}
    return record | {"safeHtmlItem": [{"html": answer} for answer in answers]} | fields


def test_activity_is_put_together_by_its_pauses(tmp_path: Path) -> None:
    html = "<p>Salt &amp; <b>light</b>.</p><ul><li>May</li><li>June</li></ul>"
    records = [
        activity(50, "Prompted And now?"),
        activity(10, "Prompted What more?", html),
        activity(0, "Prompted What does kelp need?", "<p>Light.</p>"),
        activity(11, "Used an app", header="Maps", products=["Maps"]),
    ]
    first, second = sources(write(tmp_path / "MyActivity.json", records))
    found = [*memories(tmp_path / "MyActivity.json")]
    assert told(found) == [
        ("user", "What does kelp need?"),
        ("assistant", "Light."),
        ("user", "What more?"),
        ("assistant", "Salt & light.\n- May\n- June"),
        ("user", "And now?"),
    ]
    assert (first.origin.title, second.origin.title) == ("What does kelp need?", "And now?")
    assert found[0].event_timestamp == BEGAN


def test_a_session_of_the_command_line_is_read(tmp_path: Path) -> None:
    said = [
        {"id": "1", "timestamp": stamp(1), "type": "user", "content": "Rename it."},
        {"id": "2", "timestamp": stamp(2), "type": "gemini", "content": "Renamed.", "thoughts": [], "toolCalls": []},
        {"id": "3", "timestamp": stamp(3), "type": "info", "content": "Update available"},
        {"id": "4", "timestamp": stamp(4), "type": "user", "content": [{"text": "Thanks."}]},
    ]
    session = {"sessionId": "s", "projectHash": "p", "startTime": stamp(0), "lastUpdated": stamp(5), "messages": said}
    found = memories(write(tmp_path / "session-1.json", session))
    assert told(found) == [("user", "Rename it."), ("assistant", "Renamed."), ("user", "Thanks.")]
    assert found[0].origin.uri == "gemini:s"


def test_a_file_that_is_no_such_json_is_a_text_like_any_other(tmp_path: Path) -> None:
    (memory,) = memories(write(tmp_path / "package.json", {"name": "loom", "version": "1.0"}))
    assert (memory.origin.kind, json.loads(memory.text)) == ("text", {"name": "loom", "version": "1.0"})
