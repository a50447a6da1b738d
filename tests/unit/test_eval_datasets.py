"""Every reader of a dataset, on a tiny file of the same shape."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ricordo.errors import InvalidInput
from ricordo.eval.datasets import EPOCH, Dataset, sampled
from ricordo.eval.jsonfile import read_json, read_json_lines
from ricordo.eval.locomo import AUDITED, GOLDS, read_locomo
from ricordo.eval.questions import read_questions
from ricordo.eval.squad import read_squad
from ricordo.memory import Memory, Origin


def written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def answers(dataset: Dataset) -> dict[str, set[str]]:
    """The texts that answer each question."""
    texts = {memory.id: memory.text for part in dataset.collections for memory in part.memories}
    return {
        question.text: {texts[found] for found in question.relevant}
        for part in dataset.collections
        for question in part.questions
    }


# --- JSON of others ---


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"absent\.json does not exist"):
        read_json(tmp_path / "absent.json")


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"["])
def test_what_is_not_json_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.json").write_bytes(content)

    with pytest.raises(InvalidInput, match=r"bad\.json is not"):
        read_json(tmp_path / "bad.json")


def test_what_is_amiss_is_told_by_its_place(tmp_path: Path) -> None:
    file = written(tmp_path / "x.json", {"data": [{"paragraphs": []}, {"paragraphs": [{"context": 7}]}]})

    with pytest.raises(InvalidInput, match=r"x\.json\.data\[1\]\.paragraphs\[0\]\.context should be a text, not 7"):
        read_squad(file)


def test_what_is_missing_is_told_by_its_place(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"x\.json should have 'data'"):
        read_squad(written(tmp_path / "x.json", {}))


@pytest.mark.parametrize("value", [7, [7], {"data": 7}, {"data": {"a": 1}}, {"data": ["x"]}])
def test_another_shape_is_told(tmp_path: Path, value: object) -> None:
    with pytest.raises(InvalidInput, match=r"x\.json"):
        read_squad(written(tmp_path / "x.json", value))


def test_a_bad_line_is_told_by_its_number(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n\n{"a": \n', encoding="utf-8")

    with pytest.raises(InvalidInput, match=r"x\.jsonl:3 is not JSON"):
        read_json_lines(tmp_path / "x.jsonl")


# --- SQuAD ---


def squad(*paragraphs: tuple[str, dict[str, str]]) -> object:
    """Paragraphs with the questions about each, by id."""
    found = [
        {"context": text, "qas": [{"id": name, "question": asked} for name, asked in questions.items()]}
        for text, questions in paragraphs
    ]
    return {"version": "1.1", "data": [{"title": "Birds", "paragraphs": found}]}


def test_each_paragraph_of_squad_answers_its_questions(tmp_path: Path) -> None:
    file = written(
        tmp_path / "en.json", squad(("Owls hunt by night.", {"1": "When?"}), ("Rooks nest.", {"2": "What?"}))
    )

    assert answers(read_squad(file)) == {"When?": {"Owls hunt by night."}, "What?": {"Rooks nest."}}


def test_questions_can_be_asked_about_a_parallel_file(tmp_path: Path) -> None:
    english = written(tmp_path / "en.json", squad(("Owls hunt by night.", {"1": "When?"})))
    russian = written(tmp_path / "ru.json", squad(("Совы охотятся ночью.", {"1": "Когда?"})))

    dataset = read_squad(russian, english)

    assert answers(dataset) == {"Когда?": {"Owls hunt by night."}}
    assert dataset.settings == {"file": "ru.json", "documents": "en.json"}


def test_files_that_are_not_parallel_are_refused(tmp_path: Path) -> None:
    one = written(tmp_path / "one.json", squad(("Owls hunt by night.", {"1": "When?"})))
    other = written(tmp_path / "other.json", squad(("Owls hunt by night.", {"2": "When?"})))

    with pytest.raises(InvalidInput, match="not parallel"):
        read_squad(one, other)


# --- LoCoMo ---


CONVERSATION = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Bo",
        "session_2_date_time": "9:05 am on 12 May, 2023",
        "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "Look!", "blip_caption": "an owl on a roof"}],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "I saw an owl."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Where?"},
        ],
        "session_3_date_time": "9:05 am on 13 May, 2023",
    },
    "qa": [
        {"question": "What did Ana see?", "answer": "an owl", "evidence": ["D1:1"], "category": 4},
        {"question": "Who saw owls?", "answer": "both", "evidence": ["D1:1", "D2:1", "D9:9", "D"], "category": 1},
        {"question": "Unanswered?", "evidence": ["D8:6; D9:17"], "category": 3},
        {"question": "Nothing?", "evidence": [], "category": 3},
    ],
}


def test_turns_of_locomo_keep_speaker_session_place_and_day(tmp_path: Path) -> None:
    (conversation,) = read_locomo(written(tmp_path / "x.json", [CONVERSATION])).collections

    assert [memory.text for memory in conversation.memories] == [
        "Ana: I saw an owl.",
        "Bo: Where?",
        "Bo: Look! [an owl on a roof]",
    ]
    last = conversation.memories[-1]
    assert (last.speaker, last.group, last.position) == ("Bo", "session 2", 2)
    assert last.event_timestamp == datetime(2023, 5, 12, 9, 5, tzinfo=UTC)


def test_evidence_counts_that_names_a_turn_exactly(tmp_path: Path) -> None:
    dataset = read_locomo(written(tmp_path / "x.json", [CONVERSATION]), text="plain")

    assert answers(dataset) == {
        "What did Ana see?": {"Ana: I saw an owl."},
        "Who saw owls?": {"Ana: I saw an owl.", "Bo: Look!"},
    }
    assert [question.category for question in dataset.collections[0].questions] == ["4 single-hop", "1 multi-hop"]


def test_misprinted_evidence_can_be_mended_or_counted_as_missed(tmp_path: Path) -> None:
    misprinted = [
        {"question": "a?", "evidence": ["D1:01; D2:1"], "category": 1},
        {"question": "b?", "evidence": ["D1:1", "D9:9"], "category": 1},
        {"question": "c?", "evidence": [], "category": 3},
    ]
    file = written(tmp_path / "x.json", [CONVERSATION | {"qa": misprinted}])
    counted = {
        gold: {
            question.text: len(question.relevant) for question in read_locomo(file, gold=gold).collections[0].questions
        }
        for gold in GOLDS
    }

    assert counted == {"exact": {"b?": 1}, "repaired": {"a?": 2, "b?": 1}, "paper": {"a?": 1, "b?": 2, "c?": 1}}


def test_what_an_audit_found_is_put_right_or_left_out(tmp_path: Path) -> None:
    asked = [
        {"question": "a?", "evidence": ["D1:1"], "category": 1},
        {"question": "b?", "evidence": ["D1:1"], "category": 1},
        {"question": "c?", "evidence": ["D1:01"], "category": 1},
    ]
    findings = [
        {"question": "a?", "error_type": "WRONG_CITATION", "correct_evidence": ["D1:1", "D2:1"]},
        {"question": "b?", "error_type": "HALLUCINATION", "correct_evidence": ["D1:1"]},
    ]
    file = written(tmp_path / "x.json", [CONVERSATION | {"qa": asked}])
    audit = written(tmp_path / "errors_conv_0.json", findings)

    (conversation,) = read_locomo(file, gold=AUDITED, audit=[audit]).collections

    assert {question.text: len(question.relevant) for question in conversation.questions} == {"a?": 2, "c?": 1}
    with pytest.raises(InvalidInput, match="go together"):
        read_locomo(file, gold=AUDITED)
    with pytest.raises(InvalidInput, match="go together"):
        read_locomo(file, audit=[audit])


def test_a_turn_can_say_its_day(tmp_path: Path) -> None:
    (conversation,) = read_locomo(written(tmp_path / "x.json", [CONVERSATION]), text="dated").collections

    assert conversation.memories[-1].text == "[9:05 am on 12 May, 2023] Bo: Look! [an owl on a roof]"


def test_conversations_are_chosen_by_name(tmp_path: Path) -> None:
    file = written(tmp_path / "x.json", [CONVERSATION, CONVERSATION | {"sample_id": "conv-2"}])

    assert [part.name for part in read_locomo(file, only=["conv-2"]).collections] == ["conv-2"]
    with pytest.raises(InvalidInput, match="no conversation conv-3; it has conv-1, conv-2"):
        read_locomo(file, only=["conv-3"])


@pytest.mark.parametrize(("gold", "questions"), [("exact", 494), ("repaired", 495), ("paper", 497)])
def test_the_three_conversations_have_as_many_questions_as_known(data: Path, gold: str, questions: int) -> None:
    dataset = read_locomo(data / "locomo-dev.json", gold=gold)

    assert sum(len(part.questions) for part in dataset.collections) == questions
    assert sum(len(part.memories) for part in dataset.collections) == 1451


# --- one's own questions ---


def said(text: str) -> Memory:
    return Memory(text=text, origin=Origin(kind="told", uri="told:1"), created_at=EPOCH, updated_at=EPOCH)


OWLS, ROOKS = said("Owls hunt by night."), said("Rooks nest in tall trees.")


def lines(path: Path, *values: object) -> Path:
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
    return path


def test_what_is_expected_is_an_id_its_beginning_or_a_text(tmp_path: Path) -> None:
    file = lines(
        tmp_path / "mine.jsonl",
        {"question": "a?", "expected": [OWLS.id]},
        {"question": "b?", "expected": [ROOKS.id[:8], "hunt BY"], "category": "birds"},
    )

    dataset = read_questions(file, [OWLS, ROOKS])

    assert answers(dataset) == {"a?": {OWLS.text}, "b?": {OWLS.text, ROOKS.text}}
    assert [question.category for question in dataset.collections[0].questions] == ["", "birds"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"question": "a?", "expected": ["penguins"]}, r"mine\.jsonl:1\.expected\[0\]: no memory .* 'penguins'"),
        ({"question": "a?", "expected": []}, "should be a list of at least one"),
        ({"question": "a?"}, "should have 'expected'"),
        ({"expected": ["owls"]}, "should have 'question'"),
    ],
)
def test_a_question_that_cannot_be_measured_is_told(tmp_path: Path, line: object, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        read_questions(lines(tmp_path / "mine.jsonl", line), [OWLS, ROOKS])


def test_a_file_without_questions_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no question"):
        read_questions(lines(tmp_path / "mine.jsonl"), [OWLS])


# --- fewer questions ---


def test_a_sample_has_evenly_spaced_questions_and_all_memories(tmp_path: Path) -> None:
    asked = [{"question": f"{number}?", "evidence": ["D1:1"], "category": 1} for number in range(10)]
    whole = read_locomo(written(tmp_path / "x.json", [CONVERSATION | {"qa": asked}]))
    (conversation,) = sampled(whole, 4).collections

    assert [question.text for question in conversation.questions] == ["0?", "3?", "6?", "9?"]
    assert conversation.memories == whole.collections[0].memories
    assert sampled(whole, 10) == whole
