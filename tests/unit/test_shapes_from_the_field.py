"""Shapes of real files that importers were reported to fail on, built anew with invented content."""

from __future__ import annotations

import json
from pathlib import Path

import claudefiles
from agentfiles import (
    Fields,
    Session,
    envelope,
    item,
    memories,
    message,
    name,
    node,
    read,
    rollout,
    sources,
    stamp,
    text_lines,
    thread,
    told,
    write,
    write_lines,
)

ASKED, ANSWERED = ("user", "How old do corals get?"), ("assistant", "Some live for centuries.")


def test_an_editor_that_was_reopened_wrote_the_session_again(tmp_path: Path) -> None:
    """Every record stands twice in the file, with the same uuid and another working directory."""
    session = Session()
    session.user("Weave.")
    session.assistant("Woven.")
    session.records += [record | {"cwd": "/home/runa"} for record in session.records]
    session.user("And now?")
    assert [memory.text for memory in memories(session.save(tmp_path))] == ["Weave.", "Woven.", "And now?"]


def test_a_long_session_was_compacted_again_and_again(tmp_path: Path) -> None:
    """Each of fifteen compactions wrote the history before it once more, under the same ids."""
    session, history = Session(), list[Fields]()
    for number in range(15):
        session.user(f"Part {number}")
        history.append(session.records[-1])
        session.compact("This session is being continued from a previous conversation that ran out of context.")
        session.records += history
    assert [memory.text for memory in memories(session.save(tmp_path))] == [f"Part {number}" for number in range(15)]


def test_a_chain_of_resumed_sessions_holds_everything_in_each(tmp_path: Path) -> None:
    """Three files, each with the whole history of the one before it, and nothing that says so."""
    first = Session("first")
    first.user("One.")
    second = first.fork("second", marked=False)
    second.user("Two.")
    third = second.fork("third", marked=False)
    third.user("Three.")
    found = memories(*(session.save(tmp_path) for session in (first, second, third)))
    assert len({memory.id for memory in found}) == 3


def test_a_message_that_was_typed_during_a_turn_is_an_attachment(tmp_path: Path) -> None:
    """The record has neither uuid nor parent, and its prompt may be a list of blocks with a picture among them."""
    session = Session()
    session.user("Weave.")
    prompt = [{"type": "image", "source": {"data": "eA=="}}, {"type": "text", "text": "Of wool, please."}]
    queued = {"type": "queued_command", "prompt": prompt}
    session.records.append({"type": "attachment", "timestamp": stamp(5), "attachment": queued})
    session.assistant("Woven.")
    assert told(memories(session.save(tmp_path)))[1] == ("user", "Of wool, please.")


def test_the_file_of_a_helper_does_not_stand_for_its_session(tmp_path: Path) -> None:
    """A session of many turns, with the two turns of a forked helper in a folder of its name."""
    session = Session()
    for number in range(20):
        session.user(f"Turn {number}")
    session.save(tmp_path)
    helper = Session()
    helper.user("Do it.", isSidechain=True, agentId="afork-1", uuid=name("helper"))
    write_lines(tmp_path / session.session / "subagents" / "agent-afork-1.jsonl", helper.records)
    assert [len(list(found.memories())) for found in sources(tmp_path)] == [1, 20]


def test_a_tree_without_lists_of_children(tmp_path: Path) -> None:
    """A slim ChatGPT export: no node has children, and the root is a placeholder without a message."""
    conversation = thread(ASKED, ANSWERED)
    for each in _nodes(conversation).values():
        del each["children"]
    del conversation["current_node"]
    assert told(memories(write(tmp_path / "conversations.json", [conversation]))) == [ASKED, ANSWERED]


def test_messages_without_metadata(tmp_path: Path) -> None:
    """Users' messages have no metadata, the model stands with the conversation, and a profile comes first, hidden."""
    conversation = thread(ASKED, ANSWERED, default_model_slug="gpt-x")
    profile = {"content_type": "user_editable_context", "user_profile": "x", "user_instructions": "y"}
    for each in _nodes(conversation).values():
        if isinstance(each["message"], dict):
            del each["message"]["metadata"]
    _nodes(conversation)["profile"] = node("profile", "root", message("profile", "user", content=profile))
    _nodes(conversation)["0"]["parent"] = "profile"
    found = memories(write(tmp_path / "conversations.json", [conversation]))
    assert told(found) == [ASKED, ANSWERED]
    assert found[1].metadata["model"] == "gpt-x"


def test_a_conversation_that_was_never_created(tmp_path: Path) -> None:
    """It has no time of its own, nor have its messages."""
    conversation = thread(ASKED)
    for key in ("create_time", "update_time"):
        del conversation[key]
    for each in _nodes(conversation).values():
        if isinstance(each["message"], dict):
            del each["message"]["create_time"]
    (memory,) = memories(write(tmp_path / "conversations.json", [conversation]))
    assert (memory.text, memory.event_timestamp) == (ASKED[1], None)


def test_an_export_in_more_than_fifty_files(tmp_path: Path) -> None:
    """Two conversations a file, and beside them files of the same folder that are none."""
    for number in range(53):
        parts = [thread(ASKED, key=f"reef-{number}"), thread(ANSWERED, key=f"kelp-{number}")]
        write(tmp_path / f"conversations-{number:03}.json", parts)
    assert len(memories(tmp_path)) == 106


def test_names_that_are_marked_as_entities_stay_in_their_sentences(tmp_path: Path) -> None:
    """The name of a person stands inside private-use characters, and so do several citations at once."""
    said = (
        'The review by \ue200entity\ue202["people","Runa Dahl",0]\ue201 has the *strongest* evidence. '
        "\ue200cite\ue202turn0search3\ue202turn0search8\ue201  \n"
    )
    (memory,) = memories(write(tmp_path / "conversations.json", [thread(("assistant", said))]))
    assert memory.text == "The review by Runa Dahl has the *strongest* evidence."


def test_one_event_of_an_unknown_shape_among_thousands(tmp_path: Path) -> None:
    """A rollout with the result of an image, and with types of records that came later."""
    odd = [
        envelope(1, "event_msg", {"type": "image_generation_end", "result": "eA==", "status": None}),
        envelope(1, "world_state", {"x": [1]}),
        {"timestamp": stamp(1), "type": "inter_agent_communication", "payload": None, "ordinal": 3},
    ]
    found, faults = read(write_lines(tmp_path / "rollout.jsonl", [*odd, *rollout(ASKED, ANSWERED), *odd]))
    assert (told(found), faults) == ([ASKED, ANSWERED], [])


def test_a_rollout_with_a_byte_order_mark(tmp_path: Path) -> None:
    """Its first line begins with one, as an editor on Windows left it, and its lines end with CR LF."""
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + text_lines(rollout(ASKED), end="\r\n").encode())
    assert told(memories(path)) == [ASKED]


def test_a_line_of_a_rollout_that_was_written_in_part_before_it_was_written_whole(tmp_path: Path) -> None:
    """The beginning of a record, and then all of it on the next line."""
    first, *rest = text_lines(rollout(ASKED, ANSWERED)).splitlines(keepends=True)
    path = tmp_path / "rollout.jsonl"
    path.write_text("".join([first, rest[5][:40] + "\n", *rest]), encoding="utf-8")
    found, faults = read(path)
    assert told(found) == [ASKED, ANSWERED]
    assert [fault.where.rpartition(", ")[2] for fault in faults] == ["line 2"]


def test_a_rollout_with_bytes_that_are_no_text(tmp_path: Path) -> None:
    """What a program printed was not UTF-8; the turns around it are."""
    path = tmp_path / "rollout.jsonl"
    printed = text_lines([envelope(1, "response_item", item("user", "Caf\u00e9"))]).encode("latin-1")
    path.write_bytes(text_lines(rollout(ASKED)).encode() + printed)
    assert [memory.text for memory in memories(path)] == [ASKED[1], "Caf\ufffd"]


def test_a_graph_that_two_servers_wrote_at_once(tmp_path: Path) -> None:
    """Two objects share a line, and the end of a third is left over on the next."""
    graph = [
        {"type": "entity", "name": "Runa", "entityType": "person", "observations": ["Weaves"]},
        {"type": "relation", "from": "Runa", "to": "Loom", "relationType": "owns"},
        {"type": "entity", "name": "Loom", "entityType": "tool", "observations": ["Of oak"]},
    ]
    path = tmp_path / "memory.json"
    one, two, three = map(json.dumps, graph)
    path.write_text(f'{one}{two}\n"observations":["Of oak"]}}\n{three}\n', encoding="utf-8")
    found, faults = read(path)
    assert [memory.text for memory in found] == ["Weaves", "Runa owns Loom", "Of oak"]
    assert {fault.where.rpartition(", ")[2] for fault in faults} == {"record 3", "record 4", "record 5"}


def test_a_graph_that_began_as_an_empty_object(tmp_path: Path) -> None:
    """Somebody made the file by hand, as `{}`, and the server wrote on behind it."""
    entity = {"type": "entity", "name": "Runa", "entityType": "person", "observations": ["Weaves"]}
    path = tmp_path / "memory.json"
    path.write_text("{}" + json.dumps(entity), encoding="utf-8")
    assert [memory.text for memory in memories(path)] == ["Weaves"]


def test_activity_of_several_products_with_prompts_that_have_no_answer(tmp_path: Path) -> None:
    """A third of the prompts have no answer, others are no prompts, and an answer is a page of markup."""
    page = "<h3>Light</h3><p>It needs <code>200</code>&nbsp;lux.<br>Or more.</p>"
    records: list[Fields] = [
        {"header": "Gemini Apps", "title": "Prompted How bright?", "time": stamp(0), "products": ["Gemini Apps"]},
        {"header": "Search", "title": "Searched for lux", "time": stamp(1), "products": ["Search"]},
        {
            "header": "Gemini Apps",
            "title": "Prompted And kelp?",
            "time": stamp(60),
            "products": ["Gemini Apps"],
            "safeHtmlItem": [{"html": page}],
        },
    ]
    assert told(memories(write(tmp_path / "MyActivity.json", records))) == [
        ("user", "How bright?"),
        ("user", "And kelp?"),
        ("assistant", "Light\nIt needs 200\u00a0lux.\nOr more."),
    ]


def test_callouts_and_links_are_no_observations(tmp_path: Path) -> None:
    """A note in a vault, with brackets at the beginnings of lines that mean other things."""
    path = tmp_path / "note.md"
    lines = [
        "> [!info] A title",
        "> text",
        "",
        "[ESLint](https://eslint.example) lints.",
        "- [[ESLint]] lints too.",
        "",
    ]
    path.write_text(
        "---\ntype: note\npermalink: x\n---\n" + "\n".join([*lines, "- [fact] It lints."]), encoding="utf-8"
    )
    observed = [memory.text for memory in memories(path) if "category" in memory.metadata]
    assert observed == ["It lints."]


def test_an_export_in_which_one_conversation_in_thirty_is_odd(tmp_path: Path) -> None:
    """A strict viewer refused 47 of 1,243: names and times that are null, fields and blocks that came later."""
    odd: list[Fields] = [
        {"name": None, "model": None, "settings": {"preview_feature_uses_artifacts": True}, "is_starred": False},
        {"created_at": None, "updated_at": None, "summary": None, "project_uuid": None},
        {"account": None, "current_leaf_message_uuid": "gone", "platform": "CLAUDE_AI"},
    ]
    later = [claudefiles.block("text", text="Oil it."), claudefiles.block("later", data={"x": [1]})]
    turns = [
        claudefiles.message("why?", "Why?", index=0, truncated=False, stop_reason=None, files_v2=[], sync_sources=[]),
        claudefiles.message("oil", later, after="why?", created_at=None, input_mode="voice"),
    ]
    talks = [claudefiles.conversation(f"Talk {n}", turns) | (odd[n // 30] if n % 30 == 0 else {}) for n in range(90)]
    found, faults = read(claudefiles.write_json(tmp_path / "conversations.json", talks))
    assert len(found) == 180
    assert [fault.loses_memories for fault in faults] == [False]


def test_parts_of_an_export_that_a_browser_renamed_and_one_that_is_missing(tmp_path: Path) -> None:
    """Downloaded twice, so one has a number in its name, and the manifest names a part that nobody fetched."""
    claudefiles.split(tmp_path, [claudefiles.conversation("A", [claudefiles.message("a?", "Once.")])])
    part = tmp_path / "conversations-000.zip"
    part.rename(tmp_path / "conversations-000 (1).zip")
    (tmp_path / "memories-000.zip").unlink()
    (manifest,) = tmp_path.glob("*manifest*.json")
    found, faults = read(manifest)
    assert "Once." in [memory.text for memory in found]
    assert any("memories-000.zip, which is not beside it" in fault.why for fault in faults)


def test_a_memory_folder_of_hundreds_of_notes_without_headings(tmp_path: Path) -> None:
    """Both generations of properties, a line of 26,589 characters, and links and index entries that lead nowhere."""
    old = "---\nname: note {n}\ndescription: About: {n}\ntype: project\noriginSessionId: s\n---\n{text}\n"
    new = "---\nname: note-{n}\ndescription: b\nmetadata: \n  node_type: memory\n  type: user\n---\n{text}\n"
    for n in range(120):
        text = "long " * 5318 if n == 7 else f"Fact {n}. See [[gone-{n}]]."
        (tmp_path / f"note_{n}.md").write_text((old, new)[n % 2].format(n=n, text=text), encoding="utf-8")
    index = "".join(f"- [Note {n}](note_{n}.md) \u2014 hook\n" for n in range(0, 140))
    (tmp_path / "MEMORY.md").write_text(index, encoding="utf-8")
    found, faults = read(tmp_path)
    assert (len(found), {fault.loses_memories for fault in faults}) == (120, {False})
    assert max(len(line) for memory in found for line in memory.text.split("\n")) == 26_589


def test_a_vault_that_was_synchronised_between_systems(tmp_path: Path) -> None:
    """Two notes of one name, a mark at the beginning, CR LF, tags in one text, and a date that YAML reads as one."""
    for folder, text in (
        ("Work", "\ufeff---\r\ntags: a, b\r\ncreated: 2026-05-03\r\n---\r\nOne.\r\n"),
        ("Home", "Two."),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "Inbox.md").write_bytes(text.encode())
    two, one = memories(tmp_path)
    assert (one.text, one.tags, str(one.event_timestamp)) == ("One.", ("a", "b"), "2026-05-03 00:00:00+00:00")
    assert two.text == "Two."


def _nodes(conversation: Fields) -> dict[str, Fields]:
    mapping = conversation["mapping"]
    assert isinstance(mapping, dict)
    return mapping
