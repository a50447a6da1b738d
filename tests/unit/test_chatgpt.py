"""What is read from exports of ChatGPT."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from agentfiles import (
    BEGAN,
    Fields,
    branches,
    memories,
    message,
    name,
    node,
    read,
    samples,
    source,
    sources,
    thread,
    told,
    write,
)
from ricordo.sources.conversations import ConversationSource

ASKED, ANSWERED = ("user", "How old do corals get?"), ("assistant", "Some live for centuries.")


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return tmp_path / "conversations.json"


def branched(**fields: object) -> Fields:
    """A question that was edited, and an answer of which a second was made."""
    mapping = {
        "root": node("root", None, None, ["old", "new"]),
        "old": node("old", "root", message("old", "user", "What do corals eat?", second=0), ["grass"]),
        "grass": node("grass", "old", message("grass", "assistant", "Seagrass.", second=1)),
        "new": node("new", "root", message("new", "user", "What do stony corals eat?", second=10), ["one", "two"]),
        "one": node("one", "new", message("one", "assistant", "Plankton.", second=11)),
        "two": node("two", "new", message("two", "assistant", "Plankton and light.", second=20)),
    }
    return thread(mapping=mapping, current_node="one") | fields


def test_a_turn_is_a_memory_with_its_title_its_link_and_its_time(export: Path) -> None:
    asked, answered = memories(write(export, [thread(ASKED, ANSWERED, default_model_slug="gpt-x")]))
    link = f"https://chatgpt.com/c/{name('thread', 'reef')}"
    assert told([asked, answered]) == [ASKED, ANSWERED]
    assert (answered.context, answered.group, answered.origin.uri) == ("Reef", link, link)
    assert answered.event_timestamp == datetime(2026, 9, 7, 9, 0, 1, tzinfo=UTC)
    assert (asked.metadata, answered.metadata) == ({"link": link}, {"link": link, "model": "gpt-x"})


def test_the_branch_that_is_shown_comes_first_and_the_others_are_marked(export: Path) -> None:
    found = memories(write(export, [branched()]))
    assert [memory.text for memory in found[:2]] == ["What do stony corals eat?", "Plankton."]
    assert branches(found) == dict.fromkeys(["What do corals eat?", "Seagrass.", "Plankton and light."], "abandoned")


@pytest.mark.parametrize("current", [None, "gone", 7])
def test_without_a_current_node_the_newest_leaf_is_shown(export: Path, current: object) -> None:
    found = memories(write(export, [branched(current_node=current)]))
    assert [memory.text for memory in found[:2]] == ["What do stony corals eat?", "Plankton and light."]


def test_what_nobody_sees_is_not_remembered(export: Path) -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    profile = {"content_type": "user_editable_context", "user_profile": "Likes corals"}
    thoughts = {"content_type": "thoughts", "thoughts": [{"content": "Let me think."}]}
    output = {"content_type": "execution_output", "text": "20"}
    seen = [
        message("a", "system", "You are helpful."),
        message("b", "user", "Likes corals", metadata=hidden),
        message("c", "user", content=profile),
        message("d", "assistant", content=thoughts),
        message("e", "assistant", "print(20)", recipient="python"),
        message("f", "tool", content=output),
        message("g", "assistant", "", "  "),
        message("h", "assistant", "Twenty."),
    ]
    keys = [str(each["id"]) for each in seen]
    parents = [None, *keys]
    mapping = {key: node(key, parents[number], seen[number]) for number, key in enumerate(keys)}
    assert told(memories(write(export, [thread(mapping=mapping, current_node="h")]))) == [("assistant", "Twenty.")]


def test_speech_is_read_and_pictures_are_not(export: Path) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://x"}
    speech = {"content_type": "audio_transcription", "text": "How old is it?"}
    mapping = {"a": node("a", None, message("a", "user", picture, speech, "And is it alive?"))}
    assert told(memories(write(export, [thread(mapping=mapping)]))) == [("user", "How old is it?\nAnd is it alive?")]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Centuries.\ue200cite\ue202turn0search0\ue202turn0search4\ue201", "Centuries."),
        ("Centuries \ue200cite\ue202turn0search0\ue201, some say.", "Centuries, some say."),
        ('Ask \ue200entity\ue202["people","Ilse Varga",0]\ue201 for it.', "Ask Ilse Varga for it."),
        ("\ue203Centuries\ue204 at least.", "Centuries at least."),
        ("Centuries.【12†source】【3:7†reef.pdf】", "Centuries."),
        ("A mark \ue200 that is never closed", "A mark  that is never closed"),
        ('\ue200entity\ue202["people"\ue201Centuries.', "Centuries."),
    ],
)
def test_marks_for_the_display_are_read_as_they_are_shown(export: Path, written: str, read: str) -> None:
    assert told(memories(write(export, [thread(("assistant", written))]))) == [("assistant", read)]


def test_a_conversation_without_a_title_is_called_by_its_first_line(export: Path) -> None:
    assert source(write(export, [thread(ASKED, title=None)])).origin.title == ASKED[1]


def test_parts_of_an_export_are_read_together(tmp_path: Path) -> None:
    write(tmp_path / "conversations-000.json", [thread(ASKED, key="reef")])
    write(tmp_path / "conversations-001.json", [thread(ASKED, key="kelp"), thread(ANSWERED, key="krill")])
    assert len({found.origin.uri for found in sources(tmp_path)}) == 3


def test_conversations_may_be_wrapped_in_an_object(export: Path) -> None:
    assert told(memories(write(export, {"conversations": [thread(ASKED), thread(ANSWERED)]}))) == [ASKED, ANSWERED]


def test_an_archive_in_an_archive_is_read(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with ZipFile(inner, "w", ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([thread(ASKED, ANSWERED)]))
        archive.writestr("user.json", json.dumps({"id": "user-x"}))
        archive.writestr(
            "message_feedback.json", json.dumps([{"conversation_id": "x", "content": "{}", "rating": "up"}])
        )
        archive.writestr("other.json", json.dumps([{"content": "of a program"}]))
        archive.writestr("chat.html", "<html></html>")
        archive.writestr("file-1.dat", b"\x00\x01")
    path = tmp_path / "export.zip"
    with ZipFile(path, "w") as outer:
        outer.writestr("User Online Activity/Conversations__x-chatgpt-0001.zip", inner.getvalue())
    found, faults = read(path)
    assert told(found) == [ASKED, ANSWERED]
    assert [fault.loses_memories for fault in faults] == [False]


def test_a_conversation_is_the_same_in_every_export(tmp_path: Path) -> None:
    write(tmp_path / "may" / "conversations.json", [thread(ASKED)])
    write(tmp_path / "june" / "conversations.json", [thread(ASKED, ANSWERED)])
    june, may = sources(tmp_path)
    assert june.origin == may.origin
    assert june.revision() > may.revision()


def test_a_newer_reader_is_believed_though_it_reads_less(export: Path) -> None:
    found = source(write(export, [thread(ASKED, ANSWERED)]))
    assert isinstance(found, ConversationSource)
    fewer = replace(found.conversation, turns=found.conversation.turns[:1])
    assert replace(found, conversation=fewer).revision() < found.revision()
    assert replace(found, conversation=fewer, reader="chatgpt-1000").revision() > found.revision()


@pytest.mark.parametrize(
    "broken",
    [
        [{"title": "x", "mapping": None}, {"title": "x", "mapping": []}],
        [{"title": "x"}, 7],
        [7, None, "text"],
        [[], {}],
    ],
)
def test_what_is_broken_costs_itself_alone_and_is_told(export: Path, broken: list[object]) -> None:
    found, faults = read(write(export, [thread(ASKED), *broken, thread(ANSWERED, key="kelp")]))
    assert told(found) == [ASKED, ANSWERED]
    assert faults
    assert all(f"{export.name}, record " in fault.where for fault in faults)


@pytest.mark.parametrize(
    "odd",
    [
        thread(ASKED, create_time="yesterday", update_time={}, title=["x"], default_model_slug=3),
        thread(mapping={"a": None, "b": 7, "c": {"message": [1]}, "d": node("d", "b", message("d", *ASKED))}),
    ],
)
def test_fields_of_another_type_are_passed_over(export: Path, odd: Fields) -> None:
    assert told(memories(write(export, [odd]))) == [ASKED]


def test_a_circle_in_the_tree_ends(export: Path) -> None:
    mapping = {
        "a": node("a", "b", message("a", "user", "One.", second=1)),
        "b": node("b", "a", message("b", "assistant", "Two.", second=2)),
    }
    assert len(memories(write(export, [thread(mapping=mapping, current_node="a")]))) == 2


def test_a_message_without_a_time_has_that_of_its_conversation(export: Path) -> None:
    mapping = {"a": node("a", None, message("a", "user", "One.", second=None))}
    (memory,) = memories(write(export, [thread(mapping=mapping)]))
    assert memory.event_timestamp == BEGAN


def test_the_sample_is_read_as_it_should_be() -> None:
    limpets, old = sources(samples("chatgpt_export"))
    main = [memory for memory in memories(samples("chatgpt_export")) if "branch" not in memory.metadata]
    assert told(main) == [
        ("user", "And how old can they get?\nWhat do limpets eat, and is this one?"),
        ("assistant", "Yes, a limpet. They graze algae and can live 20 years."),
        ("user", "Old chat without a current node"),
        ("assistant", "Still readable."),
    ]
    assert (limpets.origin.title, old.origin.title) == ("Limpets", "Old chat without a current node")
