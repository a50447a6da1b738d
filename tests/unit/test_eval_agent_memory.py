"""The gold of the agent-memory benchmark, checked against the texts themselves, and how varied it is."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from ricordo.eval.agent_memory import agent_memory, build
from ricordo.eval.agent_memory_asker import Ask
from ricordo.eval.agent_memory_dates import NOW
from ricordo.eval.agent_memory_teller import Key, Record
from ricordo.eval.agent_memory_templates import LANGUAGES, SPLITS, Templates, load_templates

Built = tuple[str, "Told", list[Ask]]


class Told(list[Record]):
    """All records, and those of each key."""

    def __init__(self, records: list[Record]) -> None:
        super().__init__(records)
        self.of_key: defaultdict[Key, list[Record]] = defaultdict(list)
        for record in records:
            self.of_key[record.key].append(record)


@pytest.fixture(scope="module", params=SPLITS)
def built(request: pytest.FixtureRequest) -> Built:
    records, asks = build(request.param)
    return request.param, Told(records), asks


def gold(records: Told, ask: Ask) -> list[Record]:
    return [record for record in records.of_key[ask.key] if ask.time is None or record.event in ask.time]


def of(asks: list[Ask], category: str) -> list[Ask]:
    return [ask for ask in asks if ask.category == category]


def test_there_are_12000_different_records_and_120_questions_of_each_class(built: Built) -> None:
    _, records, asks = built

    assert len({record.text for record in records}) == 12_000
    assert Counter(ask.category for ask in asks) == dict.fromkeys(
        ("identifiers", "names", "temporal", "paraphrase", "mixed"), 120
    )
    assert {record.language for record in records} == set(LANGUAGES)


def test_it_is_the_same_every_time(built: Built) -> None:
    split, records, asks = built

    assert build(split) == (records, asks)


def test_every_question_has_an_answer_and_no_more_than_four(built: Built) -> None:
    _, records, asks = built

    assert all(1 <= len(gold(records, ask)) <= 4 for ask in asks)


def test_no_slot_is_left_open(built: Built) -> None:
    _, records, asks = built

    texts = [*(record.text for record in records), *(ask.text for ask in asks)]
    assert not any(brace in text for text in texts for brace in "{}")


def test_an_identifier_is_in_its_record_alone_beside_near_duplicates(built: Built) -> None:
    _, records, asks = built
    texts = {record.text.lower(): record for record in records if record.key[0] == "identifier"}

    for ask in of(asks, "identifiers"):
        name = ask.key[-1]
        holding = [record for text, record in texts.items() if name.lower() in text]
        assert holding == gold(records, ask)
        assert name.lower() in ask.text.lower()
        alike = [record for record in texts.values() if differs_little(record.key[-1], name)]
        assert len(alike) >= 3


def differs_little(one: str, other: str) -> bool:
    """In one character, or in two that are swapped."""
    return len(one) == len(other) and 1 <= sum(a != b for a, b in zip(one, other, strict=True)) <= 2


def test_a_name_is_in_the_answer_and_in_many_records_that_are_none(built: Built) -> None:
    split, records, asks = built
    forms = {names["en"]["name"]: {names["en"]["name"], *names["ru"].values()} for names in load_templates(split).names}

    holding = {
        name: sum(any(form in record.text for form in named) for record in records) for name, named in forms.items()
    }

    for ask in of(asks, "names"):
        (answer,) = gold(records, ask)
        named = forms[ask.key[-1]]
        assert any(form in answer.text for form in named)
        assert any(form in ask.text for form in named)
        assert holding[ask.key[-1]] > 20


def test_a_recurring_event_is_told_apart_by_its_time_alone(built: Built) -> None:
    _, records, asks = built

    for ask in of(asks, "temporal"):
        same = records.of_key[ask.key]
        inside = [record for record in same if ask.time and record.event in ask.time]
        assert 0 < len(inside) < len(same)
        assert all(record.event and record.event <= record.learned <= NOW for record in same)


def test_few_records_of_events_say_their_day_in_figures(built: Built) -> None:
    _, records, _ = built
    events = [record for record in records if record.key[0] == "event"]
    dated = sum(str(record.event and record.event.year) in record.text for record in events)

    assert 0.15 < dated / len(events) < 0.35


def test_a_paraphrase_shares_little_but_the_person(built: Built) -> None:
    _, records, asks = built
    shared = 0
    for ask in of(asks, "paraphrase"):
        (answer,) = gold(records, ask)
        person = set(words(answer.slots["person"]))
        assert person <= set(words(ask.text))
        shared += bool((long_words(ask.text) & long_words(answer.text)) - person)

    assert shared <= 12


def words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()


def long_words(text: str) -> set[str]:
    return {word for word in words(text) if len(word) > 4}


def test_some_records_are_in_two_languages(built: Built) -> None:
    _, records, _ = built
    both = [record for record in records if any("а" <= c <= "я" for c in record.text) and "the" in words(record.text)]

    assert len(both) > 200


def test_the_splits_share_no_template_name_or_person() -> None:
    dev, test = (load_templates(split) for split in SPLITS)

    assert not phrases(dev) & phrases(test)
    assert not {names["en"]["name"] for names in dev.names} & {names["en"]["name"] for names in test.names}
    assert not {person["en"] for person in dev.people} & {person["en"] for person in test.people}
    assert not set(dev.services) & set(test.services)


def phrases(templates: Templates) -> set[str]:
    patterns = (*templates.identifiers, *templates.attributes, *templates.events, *templates.frames)
    told = {phrase for pattern in patterns for language in LANGUAGES for phrase in pattern.told[language]}
    asked = {phrase for pattern in patterns for language in LANGUAGES for phrase in pattern.asked[language]}
    asked -= {"{id}"}
    others = {phrase for language in LANGUAGES for phrase in (*templates.filler[language], *templates.noise[language])}
    return told | asked | others


def test_the_dataset_keeps_the_gold_and_gives_away_the_time_only_when_told_to() -> None:
    built, asks = build("dev")
    records = Told(built)
    plain, oracle = agent_memory("dev").collections[0], agent_memory("dev", oracle_time=True).collections[0]
    texts = {memory.id: memory.text for memory in plain.memories}

    for ask, question in zip(asks, plain.questions, strict=True):
        assert {texts[found] for found in question.relevant} == {record.text for record in gold(records, ask)}
        assert question.filters.time is None
    timed = [question for question in oracle.questions if question.filters.time]
    assert {question.category for question in timed} == {"temporal", "mixed"}
