"""What is read from rollouts of Codex."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentfiles import (
    Fields,
    envelope,
    item,
    memories,
    name,
    reported,
    rollout,
    samples,
    source,
    told,
    write_lines,
)

ASKED, ANSWERED = ("user", "Rename the shuttle."), ("assistant", "Renamed in two files.")


def test_what_was_said_is_read_once_and_without_scaffolding(tmp_path: Path) -> None:
    records = rollout(ASKED, ANSWERED, git={"branch": "warp"})
    found = memories(write_lines(tmp_path / "rollout.jsonl", records))
    assert told(found) == [ASKED, ANSWERED]
    assert found[1].event_timestamp == datetime(2026, 9, 7, 9, 0, 2, tzinfo=UTC)
    assert found[1].origin.uri == f"codex:{name('rollout', 'weave')}"
    assert found[1].context == found[1].origin.title == "Rename the shuttle."
    assert (found[1].metadata["cwd"], found[1].metadata["git_branch"]) == ("/home/runa/loom", "warp")


@pytest.mark.parametrize(
    "scaffolding",
    [
        "<user_instructions>\n\nBe brief.\n\n</user_instructions>",
        "# AGENTS.md instructions for /home/runa/loom\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>",
        "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>",
        "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
        "<permissions instructions>read only</permissions instructions>",
        "<user_shell_command>\nls\n</user_shell_command>",
    ],
)
def test_what_codex_puts_before_a_prompt_is_not_remembered(tmp_path: Path, scaffolding: str) -> None:
    found = memories(write_lines(tmp_path / "rollout.jsonl", rollout(("user", scaffolding), ASKED)))
    assert told(found) == [ASKED]


def test_the_request_is_taken_out_of_what_an_editor_sends(tmp_path: Path) -> None:
    sent = "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nRename the shuttle.\n"
    assert told(memories(write_lines(tmp_path / "rollout.jsonl", rollout(("user", sent))))) == [ASKED]


def test_the_display_is_read_where_there_is_nothing_else(tmp_path: Path) -> None:
    records = [record for record in rollout(ASKED, ANSWERED) if record["type"] in ("session_meta", "event_msg")]
    assert told(memories(write_lines(tmp_path / "rollout.jsonl", records))) == [ASKED, ANSWERED]


def test_older_files_hold_the_items_themselves(tmp_path: Path) -> None:
    records: list[Fields] = [
        {"id": name("old"), "timestamp": "2025-06-01T08:00:00.000Z", "instructions": None, "git": {"branch": "main"}},
        {"record_type": "state"},
        item("user", "<user_instructions>Be brief.</user_instructions>"),
        item(*ASKED),
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Plan"}]},
        item(*ANSWERED),
    ]
    found = memories(write_lines(tmp_path / "rollout.jsonl", records))
    assert told(found) == [ASKED, ANSWERED]
    assert {memory.event_timestamp for memory in found} == {datetime(2025, 6, 1, 8, tzinfo=UTC)}
    assert found[0].metadata == {"session": name("old"), "git_branch": "main"}


def test_what_a_compaction_replaced_is_still_there(tmp_path: Path) -> None:
    compacted = envelope(9, "compacted", {"message": "Summary", "replacement_history": [item("user", "Summary")]})
    records = [*rollout(ASKED, ANSWERED), compacted, *rollout(("user", "And the warp?"))[3:]]
    found = memories(write_lines(tmp_path / "rollout.jsonl", records))
    assert told(found) == [ASKED, ANSWERED, ("user", "And the warp?")]


def test_saying_the_same_again_is_another_turn(tmp_path: Path) -> None:
    found = memories(write_lines(tmp_path / "rollout.jsonl", rollout(ASKED, ("user", "Yes."), ("user", "Yes."))))
    assert len({memory.id for memory in found}) == 3


def test_growth_leaves_the_rest_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl"
    before = memories(write_lines(path, rollout(ASKED)))
    revision = source(path).revision()
    after = memories(write_lines(path, rollout(ASKED, ANSWERED)))
    assert [memory.id for memory in after[:1]] == [memory.id for memory in before]
    assert source(path).revision() > revision


def test_a_fork_says_of_itself_what_it_says_first(tmp_path: Path) -> None:
    records = [*rollout(session="fork", forked_from_id=name("rollout", "weave"))[:1], *rollout(ASKED, ANSWERED)]
    assert source(write_lines(tmp_path / "rollout.jsonl", records)).origin.uri == f"codex:{name('rollout', 'fork')}"


def test_a_cut_line_is_told_and_loses_nothing(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rollout.jsonl", rollout(ASKED))
    path.write_bytes(path.read_bytes() + b'{"timestamp":"2026')
    assert told(memories(path)) == [ASKED]
    assert [fault.loses_memories for fault in reported(path)] == [False]


def test_an_odd_field_throughout_a_file_is_told_a_hundred_times_and_then_counted(tmp_path: Path) -> None:
    odd = envelope(9, "response_item", {"type": "message", "role": "user", "content": 7})
    path = write_lines(tmp_path / "rollout.jsonl", [*rollout(ASKED), *[odd] * 250])
    faults = reported(path)
    assert told(memories(path)) == [ASKED]
    assert len(faults) == 101
    assert (faults[-1].why, faults[-1].loses_memories) == ("and 150 more like these", True)


def test_the_sample_is_read_as_it_should_be() -> None:
    assert told(memories(samples("codex"))) == [
        ("user", "Rename the column day to survey_day."),
        ("assistant", "Renamed in two files."),
    ]
