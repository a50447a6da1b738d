"""The chronicle benchmark: 3,000 generated records over three years, and 300 questions that name a time.

It is synthetic, and measures one thing: whether what is asked of a time is found among what has the same words and
another time. All records of a deed and a project answer the words of its questions alike, and none says when it
happened; only its event time tells. The gold is whatever of them lies in the interval that the question means, ten
at most. Everything is seeded.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files
from random import Random
from typing import Any

from ricordo.eval.chronicle_times import EXTREMES, KINDS, NOW
from ricordo.eval.datasets import Collection, Dataset, Question
from ricordo.memory import Memory, Origin

__all__ = ["chronicle"]

SEED = 6
LANGUAGES = ("en", "ru")
OFTEN, SOMETIMES, SELDOM = 100, 35, 15
"""How many records a deed has in one of the three projects."""

NUMBERS = range(2, 1000)
QUESTIONS_A_KIND = 25
MOST_GOLD = 10
DAYS = 1095
RECORDS_AN_ORIGIN = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class _Topic:
    """A deed done for a project, again and again."""

    language: str
    deed: Mapping[str, str]
    project: str
    memories: tuple[Memory, ...]

    def question(self, name: str, when: str = "") -> str:
        return self.deed[name].format(project=self.project, when=when)


def chronicle() -> Dataset:
    """The benchmark as a dataset; the same every time."""
    random = Random(SEED)
    topics = list(_topics(random))
    memories = [memory for topic in topics for memory in topic.memories]
    return Dataset(
        name="chronicle",
        collections=(
            Collection(name="chronicle", memories=tuple(memories), questions=tuple(_questions(topics, random))),
        ),
        settings={"seed": SEED, "synthetic": True},
        now=NOW,
    )


def _topics(random: Random) -> Iterator[_Topic]:
    words: dict[str, Any] = tomllib.loads((files("ricordo.eval") / "data" / "chronicle.toml").read_text("utf-8"))
    for language in LANGUAGES:
        people: list[str] = words[language]["people"]
        for number, deed in enumerate(words[language]["deeds"]):
            for project, count in zip(words[language]["projects"], (OFTEN, SOMETIMES, SELDOM), strict=True):
                numbers = random.sample(NUMBERS, count)
                told = [deed["told"].format(project=project, person=random.choice(people), count=n) for n in numbers]
                uri = f"chronicle:{language}/{number}/{project}"
                memories = tuple(_memory(uri, place, text, random) for place, text in enumerate(told))
                yield _Topic(language=language, deed=deed, project=project, memories=memories)


def _memory(uri: str, place: int, text: str, random: Random) -> Memory:
    """A record; more happened lately than long ago."""
    ago = timedelta(days=int(1 + (DAYS - 1) * random.random() ** 1.5), minutes=random.randrange(-240, 240))
    event = NOW - ago
    return Memory(
        text=text,
        origin=Origin(kind="chronicle", uri=f"{uri}/{place // RECORDS_AN_ORIGIN}"),
        created_at=event,
        updated_at=event,
        event_timestamp=event,
        position=place % RECORDS_AN_ORIGIN,
    )


def _questions(topics: Sequence[_Topic], random: Random) -> Iterator[Question]:
    """As many questions of each kind, the languages in turn, each asked once."""
    asked: set[str] = set()
    for kind in KINDS:
        wanted = QUESTIONS_A_KIND
        while wanted:
            text, gold = _ask(kind, [topic for topic in topics if topic.language == LANGUAGES[wanted % 2]], random)
            if text not in asked and 0 < len(gold) <= MOST_GOLD:
                wanted -= 1
                asked.add(text)
                yield Question(id=f"{kind}/{wanted}", text=text, relevant=gold, category=kind)


def _ask(kind: str, topics: Sequence[_Topic], random: Random) -> tuple[str, frozenset[str]]:
    topic, make = random.choice(topics), KINDS[kind]
    if make is None:
        extreme = random.choice(EXTREMES)
        ordered = sorted(topic.memories, key=lambda memory: (memory.event_timestamp, memory.id))
        # All of a deed that is done often cannot be looked through.
        gold = {ordered[0 if extreme == "first" else -1].id} if len(ordered) <= SOMETIMES else set()
        return topic.question(extreme), frozenset(gold)
    phrase = make(random)
    gold = {memory.id for memory in topic.memories if memory.event_timestamp in phrase.range}
    return topic.question("asked", phrase.words[topic.language]), frozenset(gold)
