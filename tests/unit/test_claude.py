"""What an export of claude.ai says, and what of it is left out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from claudefiles import (
    NEVER_SHOWN,
    block,
    conversation,
    design,
    folder,
    manifest,
    memories,
    message,
    one_zip,
    page,
    project,
    split,
    uid,
    write_json,
    write_zip,
)
from publicdata import SAMPLES
from ricordo.memory import EventOrigin, Memory
from ricordo.protocols import Skipped
from ricordo.sources import find_sources

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)

CLOCK = conversation(
    "A clock that stops",
    [
        message("why?", "Why does my clock stop at night?"),
        message("cold", "It may be the cold.", after="why?", minute=1),
        message("where?", "It stands in the kitchen.", after="cold", minute=2),
    ],
)
TRIP = conversation("A trip", [message("when?", "I travel to Oslo in June.")])


def read(*paths: Path) -> tuple[list[Memory], list[Skipped]]:
    said: list[Memory] = []
    skipped: list[Skipped] = []
    for source in find_sources(paths, now=NOW):
        for item in (source,) if isinstance(source, Skipped) else source.memories():
            (skipped if isinstance(item, Skipped) else said).append(item)  # type: ignore[arg-type]
    return said, skipped


def texts(found: Iterable[Memory]) -> list[str]:
    return [memory.text for memory in found]


def told(path: Path, *messages: object, **fields: object) -> list[Memory]:
    """The memories of one conversation of these messages."""
    write_json(path / "conversations.json", [conversation("A talk", messages) | fields])
    return read(path)[0]


# --- packagings ---


@pytest.mark.parametrize("pack", [one_zip, folder, split], ids=lambda pack: pack.__name__)
def test_every_packaging_says_the_same(pack: Callable[[Path, Sequence[Any]], Path], tmp_path: Path) -> None:
    said, _ = read(pack(tmp_path / "export", [CLOCK, TRIP]))
    kinds = {memory.origin.uri.split("/")[0 if memory.origin.uri.startswith("claude") else 3] for memory in said}

    assert {"Why does my clock stop at night?", "I travel to Oslo in June."} <= set(texts(said))
    assert kinds == {"chat", "project", "claude:memory", "claude:design"}


def test_an_array_by_itself_is_known_whatever_it_is_called(tmp_path: Path) -> None:
    assert len(read(write_json(tmp_path / "backup (2).txt", [CLOCK]))[0]) == 3


def test_one_conversation_by_itself_is_read(tmp_path: Path) -> None:
    assert len(read(write_json(tmp_path / "chat.json", CLOCK))[0]) == 3


@pytest.mark.parametrize("before", [{}, {"exported_at": "2026-05-04", "version": 1}])
def test_conversations_may_be_wrapped_in_an_object(before: dict[str, object], tmp_path: Path) -> None:
    records = [conversation("A", [message("a?", "One.")]), 7, conversation("B", [message("b?", "Two.")])]
    wrapped = before | {"conversations": records, "count": 2, "tags": []}
    said, skipped = read(write_json(tmp_path / "dump.json", wrapped))
    assert texts(said) == ["One.", "Two."]
    assert [each.where.rpartition(", ")[2] for each in skipped] == ["record 2"]


def test_an_old_export_has_its_projects_in_one_array(tmp_path: Path) -> None:
    said, _ = read(write_json(tmp_path / "projects.json", [project("Clocks", {}), project("Lamps", {})]))
    assert {memory.origin.title for memory in said} == {"Clocks", "Lamps"}


def test_a_manifest_leads_to_the_files_beside_it(tmp_path: Path) -> None:
    split(tmp_path, [CLOCK, TRIP])
    (tmp_path / "conversations-001.zip").rename(tmp_path / "conversations-001 (1).zip")
    (tmp_path / "projects-000.zip").unlink()
    said, skipped = read(next(tmp_path.glob("manifest-*.json")))

    assert {"Why does my clock stop at night?", "I travel to Oslo in June."} <= set(texts(said))
    assert [item.why for item in skipped if "beside" in item.why] == ["names projects-000.zip, which is not beside it"]


def test_a_manifest_leads_to_what_was_unpacked_beside_it(tmp_path: Path) -> None:
    write_json(tmp_path / "conversations-000" / "conversations.json", [CLOCK])
    said, skipped = read(manifest(tmp_path, ["conversations-000.zip"]))
    assert (len(said), skipped) == (3, [])


def test_an_archive_in_an_archive_is_read(tmp_path: Path) -> None:
    inner = one_zip(tmp_path / "inner.zip", [CLOCK]).read_bytes()
    (tmp_path / "inner.zip").unlink()
    assert "It may be the cold." in texts(read(write_zip(tmp_path / "outer.zip", {"data/inner.zip": inner}))[0])


def test_the_addresses_of_an_export_are_never_told(tmp_path: Path) -> None:
    said, skipped = read(split(tmp_path, [CLOCK]))
    manifest(tmp_path, ["gone-000.zip"])
    assert NEVER_SHOWN not in repr((said, skipped, read(tmp_path)))


def test_nothing_of_the_account_is_read(tmp_path: Path) -> None:
    said, skipped = read(split(tmp_path, [CLOCK]))

    assert "ida@example.org" not in repr((said, skipped))
    assert sum(item.why == "is about the account, which is not read" for item in skipped) == 2


# --- messages ---


def test_a_turn_knows_who_said_it_when_where_and_in_which_conversation(tmp_path: Path) -> None:
    write_json(tmp_path / "conversations.json", [CLOCK])
    first, second, _ = read(tmp_path)[0]

    assert (first.speaker, first.position, first.context) == ("user", 0, "A clock that stops")
    assert (second.speaker, second.position) == ("assistant", 1)
    assert first.group == second.group == first.origin.uri == f"https://claude.ai/chat/{CLOCK['uuid']}"
    assert first.metadata["link"] == first.origin.uri
    assert second.event_timestamp == datetime(2026, 5, 4, 9, 1, tzinfo=UTC)
    assert second.event_origin is EventOrigin.SOURCE


def test_blocks_come_before_the_flattened_copy(tmp_path: Path) -> None:
    flat = "Is it the cold?\n```\nThis block is not supported on your current device yet.\n```\n\nKeep it warm."
    blocks = [block("thinking", thinking="Is it the cold?"), block("text", text="Keep it warm.")]
    assert texts(told(tmp_path, message("warm", blocks, text=flat))) == ["Keep it warm."]


def test_the_flattened_copy_counts_where_there_are_no_blocks(tmp_path: Path) -> None:
    flat = "Look.\n```\nViewing artifacts created via the Analysis Tool isn’t yet supported.\n```\n\nDone."
    assert texts(told(tmp_path, message("look", None, text=flat))) == ["Look.\n\nDone."]


def test_a_thought_does_not_come_in_by_the_flattened_copy(tmp_path: Path) -> None:
    blocks = [block("thinking", thinking="She means the tall clock.")]
    assert told(tmp_path, message("stopped", blocks, text="She means the tall clock.")) == []


def test_content_that_was_encoded_twice_is_read(tmp_path: Path) -> None:
    twice = json.dumps([block("text", text="Wind it daily.")])
    assert texts(told(tmp_path, message("wind", None, content=twice, text="lossy"))) == ["Wind it daily."]


def test_a_voice_note_is_what_its_speaker_said(tmp_path: Path) -> None:
    (note,) = told(tmp_path, message("note?", [block("voice_note", title="Voice note", text="I live in Bergen.")]))
    assert (note.text, note.speaker) == ("I live in Bergen.", "user")


def test_a_pasted_text_without_a_name_is_read(tmp_path: Path) -> None:
    paste = [{"file_name": "", "file_size": 9, "file_type": "txt", "extracted_content": "Minutes of the guild"}]
    (pasted,) = told(tmp_path, message("paste?", None, attachments=paste))
    assert (pasted.text, pasted.context) == (
        "Minutes of the guild",
        "A talk › pasted text",
    )


def test_a_message_of_files_alone_says_their_names(tmp_path: Path) -> None:
    files = [{"file_name": "dial.jpg"}, {"file_name": None}, {"file_name": "bill.pdf"}, {"file_name": "notes.txt"}]
    texts = [{"file_name": "notes.txt", "extracted_content": "Oil it in May."}]
    named, read = told(tmp_path, message("look?", None, files=files, attachments=texts))
    assert (named.text, named.speaker, named.metadata["files"]) == (
        "dial.jpg, bill.pdf",
        "user",
        ["dial.jpg", "bill.pdf", "notes.txt"],
    )
    assert read.text == "Oil it in May."


def test_tools_and_what_the_site_puts_in_are_not_what_anybody_said(tmp_path: Path) -> None:
    blocks = [
        block("injected_prompt_block", prompt="The user's memory: likes tea", injection_source="memory_block_head"),
        block("tool_use", name="web_search", input={"query": "tea"}),
        block("tool_result", name="web_search", content=[{"type": "text", "text": "a page about tea"}]),
        block("token_budget"),
        block("text", text="What about tea?\n<ricordo-context n='1'>Ida likes tea</ricordo-context>"),
    ]
    assert texts(told(tmp_path, message("tea?", blocks))) == ["What about tea?"]


def test_what_a_text_cites_and_which_files_came_with_it_is_kept_beside_it(tmp_path: Path) -> None:
    cited = [{"start_index": 0, "end_index": 4, "details": {"url": "https://clocks.example/oil"}}]
    blocks = [block("text", text="Oil it.", citations=cited)]
    (oil,) = told(tmp_path, message("oil", blocks, files=[{"file_name": "clock.jpg"}, {"file_name": None}]))
    assert (oil.metadata["cites"], oil.metadata["files"]) == (["https://clocks.example/oil"], ["clock.jpg"])


def test_a_document_is_kept_as_it_was_in_the_end(tmp_path: Path) -> None:
    made = block(
        "tool_use",
        name="artifacts",
        input={"id": "list", "command": "create", "title": "List", "content": "- oil\n- rag"},
    )
    changed = block(
        "tool_use", name="artifacts", input={"id": "list", "command": "update", "old_str": "rag", "new_str": "brush"}
    )
    said = told(tmp_path, message("made", [made]), message("changed", [changed], after="made", minute=1))

    assert [(memory.text, memory.context) for memory in said] == [("- oil\n- brush", "A talk › List")]


def test_an_inline_document_is_read_without_its_marks(tmp_path: Path) -> None:
    inline = 'Here:\n<antArtifact identifier="n" type="text/markdown" title="Notes">\n- brass\n</antArtifact>\nDone.'
    (memory,) = told(tmp_path, message("inline", inline))
    assert "antArtifact" not in memory.text
    assert "Notes" in memory.text


def test_a_conversation_without_a_name_is_called_by_its_first_line(tmp_path: Path) -> None:
    (memory,) = told(tmp_path, message("hm?", "Which oil is best?\nFor brass."), name="")
    assert memory.origin.title == memory.context == "Which oil is best?"


def test_a_name_with_line_breaks_is_put_on_one_line(tmp_path: Path) -> None:
    (memory,) = told(tmp_path, message("hm?", "Yes"), name="Two\n\nlines")
    assert memory.origin.title == "Two lines"


# --- branches ---


def branches(found: Iterable[Memory]) -> dict[str, object]:
    return {memory.text: memory.metadata.get("branch", "main") for memory in found}


def test_what_was_edited_or_retried_is_marked_as_abandoned(tmp_path: Path) -> None:
    said = told(
        tmp_path,
        message("first?", "My sister cannot eat walnuts."),
        message("noted", "No walnuts.", after="first?", minute=1),
        message("again?", "My sister cannot eat hazelnuts.", minute=2),
        message("retried", "Hm.", after="again?", minute=3),
        message("better", "No hazelnuts.", after="again?", minute=4),
        message("thanks?", "Thank you.", after="better", minute=5),
    )
    assert branches(said) == {
        "My sister cannot eat walnuts.": "abandoned",
        "No walnuts.": "abandoned",
        "My sister cannot eat hazelnuts.": "main",
        "Hm.": "abandoned",
        "No hazelnuts.": "main",
        "Thank you.": "main",
    }


def test_a_return_to_an_older_branch_makes_it_the_one_that_stands(tmp_path: Path) -> None:
    said = told(
        tmp_path,
        message("q?", "A question"),
        message("older", "Older answer", after="q?", minute=1),
        message("newer", "Newer answer", after="q?", minute=2),
        message("back?", "Back to this", after="older", minute=3),
    )
    assert branches(said)["Newer answer"] == "abandoned"
    assert branches(said)["Older answer"] == "main"


def test_the_branch_that_the_record_names_stands(tmp_path: Path) -> None:
    turns = (
        message("q?", "A question"),
        message("a", "One", after="q?", minute=1),
        message("b", "Two", after="q?", minute=2),
    )
    assert branches(told(tmp_path, *turns, current_leaf_message_uuid=uid("a")))["Two"] == "abandoned"


def test_without_parents_everything_stands_in_its_order(tmp_path: Path) -> None:
    turns = [message(f"m{n}", f"Said {n}", after=None, minute=n) for n in range(4)]
    said = told(tmp_path, *turns)
    assert [(memory.position, memory.text) for memory in said] == [(n, f"Said {n}") for n in range(4)]
    assert set(branches(said).values()) == {"main"}


def test_circles_and_lost_parents_end_and_lose_nothing(tmp_path: Path) -> None:
    said = told(
        tmp_path,
        message("a", "One", after="c", minute=0),
        message("b", "Two", after="a", minute=1),
        message("c", "Three", after="b", minute=2),
        message("d", "Orphan", after="nobody", minute=3),
    )
    assert texts(said) == ["One", "Two", "Three", "Orphan"]


def test_turns_come_in_the_order_of_time(tmp_path: Path) -> None:
    said = told(tmp_path, message("late", "Late", after="early", minute=9), message("early", "Early", minute=1))
    assert texts(said) == ["Early", "Late"]


# --- times ---


def test_a_message_without_a_time_takes_that_of_its_blocks_or_of_its_conversation(tmp_path: Path) -> None:
    stamped = [block("text", text="One", stop_timestamp="2026-05-04T10:00:00.000000Z")]
    said = told(
        tmp_path,
        message("stamped", stamped, created_at=None),
        message("bare", "Two", after="stamped", created_at=None, updated_at=None),
    )
    assert [memory.event_timestamp and memory.event_timestamp.hour for memory in said] == [10, 9]


@pytest.mark.parametrize(
    "wild", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "soon", None, [], "1969-12-31T00:00:00Z"]
)
def test_a_wild_date_is_no_date(wild: object, tmp_path: Path) -> None:
    (memory,) = told(tmp_path, message("m", "Said", created_at=wild, updated_at=wild), created_at=wild, updated_at=wild)
    assert memory.event_timestamp is None


# --- what is broken ---


def test_a_message_happened_when_it_was_said_whatever_day_it_speaks_of(tmp_path: Path) -> None:
    (memory,) = told(tmp_path, message("sold?", "Yesterday I sold the clock."))
    assert (memory.event_timestamp, memory.event_origin) == (datetime(2026, 5, 4, 9, tzinfo=UTC), EventOrigin.SOURCE)


def test_a_broken_record_costs_itself_alone_and_is_told_with_its_place(tmp_path: Path) -> None:
    good = json.dumps(CLOCK)
    path = tmp_path / "conversations.json"
    path.write_text(f'[{good}, {{"uuid": "x", "chat_messages": [tru]}}, null, 7, {json.dumps(TRIP)}]')
    said, skipped = read(path)

    assert "I travel to Oslo in June." in texts(said)
    assert [(item.where.removeprefix(f"{path}, "), item.why.partition(":")[0]) for item in skipped] == [
        ("record 2", "is broken JSON"),
        ("record 3", "is neither an object nor an array"),
    ]


def test_a_file_that_is_cut_gives_what_is_whole_and_says_so(tmp_path: Path) -> None:
    whole = write_json(tmp_path / "conversations.json", [CLOCK, TRIP]).read_bytes()
    cut = tmp_path / "cut.json"
    cut.write_bytes(whole[:-40])
    said, skipped = read(cut)

    assert len(said) == 3
    assert [item.why for item in skipped] == ["is cut off by the end of the file"]


def test_odd_values_are_passed_over(tmp_path: Path) -> None:
    odd = [
        {"name": "no uuid", "chat_messages": [{"text": "who am I?"}]},
        conversation("empty", []),
        conversation("no list", [], chat_messages=None),
        conversation(
            "odd", [None, 7, {"uuid": 3}, message("ok?", "Fine", sender="tool", files=5, attachments={})], name=5
        ),
    ]
    said, skipped = read(write_json(tmp_path / "conversations.json", odd))

    assert [(memory.text, memory.speaker, memory.origin.title) for memory in said] == [("Fine", "tool", "5")]
    assert [item.why for item in skipped] == [
        "has no uuid",
        "is a conversation without a list of messages",
        "is no object",
        "has neither content nor text",
        "attachments is an object",
        "files is a number",
    ]


def test_what_cannot_be_stored_is_replaced(tmp_path: Path) -> None:
    path = write_json(
        tmp_path / "c.json", [conversation("\ud83d", [message("\udc00?", "half \ud83d, nothing \0")])], escaped=True
    )
    (memory,) = read(path)[0]
    assert memory.text == "half \ufffd, nothing \ufffd"


def test_blocks_of_unknown_kinds_are_counted(tmp_path: Path) -> None:
    blocks = [block("hologram"), block("hologram"), block("text", text="Seen")]
    path = write_json(tmp_path / "c.json", [conversation("c", [message("m", blocks)])])
    assert [item.why for item in read(path)[1]] == ["passed over blocks of unknown kinds: hologram (2)"]


def test_a_message_that_is_there_twice_is_read_once(tmp_path: Path) -> None:
    assert len(told(tmp_path, message("m?", "Once"), message("m?", "Once"))) == 1


def test_an_export_without_a_word_is_an_error(tmp_path: Path) -> None:
    path = write_json(tmp_path / "conversations.json", [conversation("a", []), conversation("b", [message("m", None)])])
    said, (skipped,) = read(path)
    assert said == []
    assert skipped.unusable
    assert skipped.why == "holds claude.ai conversations, but nothing in them can be remembered"


# --- beside conversations ---


def test_a_project_says_its_description_its_instructions_and_its_documents(tmp_path: Path) -> None:
    said, _ = read(write_json(tmp_path / "p.json", project("Clocks", {"a/tools.md": "A loupe", "empty.md": " "})))
    assert [(memory.context, memory.text, memory.speaker) for memory in said] == [
        ("Clocks › description", "All about Clocks", None),
        ("Clocks › instructions", "Answer in short sentences.", None),
        ("Clocks › a/tools.md", "A loupe", None),
    ]


def test_a_memory_file_is_understood_by_its_properties_though_they_are_no_yaml(tmp_path: Path) -> None:
    properties = 'name: ole\ndescription: Brother: a tailor\nsources: [chat]\naliases: ["Ole L."]'
    content = f"---\n{properties}\n---\n- [stated] Lives in Oslo"
    said, _ = read(write_json(tmp_path / "m.json", memories({"/people/ole.md": content})))

    assert (said[0].text, said[0].context) == (
        "- [stated] Lives in Oslo",
        "Claude's memory › people/ole › (Ole L.) Brother: a tailor",
    )
    assert said[0].event_timestamp == datetime(2026, 9, 2, 10, tzinfo=UTC)
    assert [memory.text for memory in said[1:]] == ["**Work**\n\nIda repairs clocks.", "The oldest clock is from 1790."]


def test_a_design_chat_says_each_row_once_and_no_thoughts(tmp_path: Path) -> None:
    said, _ = read(write_json(tmp_path / "d.json", design("Shop window")))
    assert [(memory.speaker, memory.text) for memory in said] == [
        ("user", "Make a calm page"),
        ("assistant", "It uses three blues."),
    ]
    assert said[0].origin.title == "Shop window"


def test_a_page_says_what_it_shows_and_what_was_said_beside_it(tmp_path: Path) -> None:
    said, skipped = read(write_zip(tmp_path / "frames-000.zip", page("Plan", "<!-- tab: May -->\n# Plan\n\nAt nine.")))
    assert [(memory.context, memory.text) for memory in said] == [
        ("Plan › A plan", "May\n# Plan\n\nAt nine."),
        ("Plan › comment on “nine”", "Checked."),
    ]
    assert skipped == []


def test_an_artifact_is_read_as_the_words_of_its_page(tmp_path: Path) -> None:
    html = "<html><head><title>t</title><style>p {}</style></head><body><p>dry <b>bags</b></p><script>x()</script>"
    said, _ = read(write_zip(tmp_path / "frames-000.zip", page("List", html, kind="artifact")))
    assert said[0].text == "dry bags"


def test_an_unpacked_page_is_read_once(tmp_path: Path) -> None:
    for name, content in page("Plan", "# Plan\n\nAt nine.").items():
        write_json(tmp_path / name, content) if not isinstance(content, bytes) else (tmp_path / name).write_bytes(
            content
        )
    said, skipped = read(tmp_path)
    assert sorted(memory.text for memory in said) == ["# Plan\n\nAt nine.", "Checked."]
    assert skipped == []


# --- the real shapes ---


def test_the_samples_are_read_as_they_are_described() -> None:
    if not SAMPLES.is_dir():
        pytest.skip(f"the samples are not here: {SAMPLES} (set RICORDO_TEST_SAMPLES)")
    old, _ = read(SAMPLES / "claude_export" / "conversations.json")
    parts, _ = read(SAMPLES / "claude_export_split")
    kayak = [memory for memory in old if memory.context.startswith("Kayak") and "branch" not in memory.metadata]

    assert [memory.text[:22] for memory in kayak[:6]] == [
        "Can three people rent ",
        "🛶 Good news: Ohlin Boa",
        "Please make a packing ",
        "Packing list without h",
        "Use the longer list. P",
        "I put the list into a ",
    ]
    assert not any("allergic to walnuts" in memory.text for memory in kayak)
    assert {memory.id for memory in old} <= {memory.id for memory in parts}
    assert any(memory.metadata.get("path") == "people/ilse.md" for memory in parts)
