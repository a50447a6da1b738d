"""The agent-memory benchmark: 12,000 generated records in English and Russian, and questions of five classes.

It is synthetic. What an assistant remembers is written here by templates, and so is what it is asked; real
memories are messier, and real questions less sharply of one class. What it measures is whether a part of the
engine does its work: that an identifier is told from one that differs in a character, a project's name from
the word it is, one occurrence of a recurring event from the others, and a thing from all else that is known of
the same person. The gold follows from how the records are made, and everything is seeded.

The development split is for tuning. The test split has another seed and other templates, names and people.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from random import Random
from types import MappingProxyType

from ricordo.eval.agent_memory_asker import Ask, Asker
from ricordo.eval.agent_memory_dates import NOW
from ricordo.eval.agent_memory_teller import Key, Record, Teller
from ricordo.eval.agent_memory_templates import load_templates
from ricordo.eval.datasets import OVERALL, Collection, Dataset, Question
from ricordo.memory import Memory, Origin
from ricordo.query import EVERYTHING, Filters

__all__ = ["PUBLISHED", "agent_memory", "build"]

RECORDS = 12_000
RECORDS_AN_ORIGIN = 40
SEEDS = {"dev": 1, "test": 2}

PUBLISHED: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "published, vectors": {OVERALL: 0.72, "identifiers": 0.23, "names": 0.34, "temporal": 0.41},
        "published, hybrid": {OVERALL: 0.91, "identifiers": 0.94, "names": 0.87, "temporal": 0.89},
    }
)
"""Recall@10 that a system of this kind reports for a corpus of this kind, which is not this one."""


def build(split: str) -> tuple[list[Record], list[Ask]]:
    """All that is told, shuffled, and all that is asked; the same every time."""
    templates, random = load_templates(split), Random(SEEDS[split])
    records = Teller(templates, random).tell(RECORDS)
    asks = Asker(templates, random, records).ask()
    random.shuffle(records)
    return records, asks


def agent_memory(split: str = "dev", *, oracle_time: bool = False) -> Dataset:
    """The benchmark as a dataset; with `oracle_time` the interval that a question means comes as a filter."""
    records, asks = build(split)
    memories = [_memory(split, place, record) for place, record in enumerate(records)]
    by_key: defaultdict[Key, list[Memory]] = defaultdict(list)
    for record, memory in zip(records, memories, strict=True):
        by_key[record.key].append(memory)
    questions = tuple(
        _question(number, ask, by_key[ask.key], oracle_time=oracle_time) for number, ask in enumerate(asks)
    )
    return Dataset(
        name="agent-memory",
        collections=(Collection(name=f"agent-memory-{split}", memories=tuple(memories), questions=questions),),
        settings={"split": split, "seed": SEEDS[split], "oracle_time": oracle_time, "synthetic": True},
        now=NOW,
        published=PUBLISHED,
    )


def _question(number: int, ask: Ask, told: list[Memory], *, oracle_time: bool) -> Question:
    return Question(
        id=f"{ask.category}/{number}",
        text=ask.text,
        relevant=frozenset(memory.id for memory in told if ask.time is None or memory.event_timestamp in ask.time),
        category=ask.category,
        filters=Filters(time=ask.time) if oracle_time and ask.time else EVERYTHING,
    )


def _memory(split: str, place: int, record: Record) -> Memory:
    return Memory(
        text=record.text,
        origin=Origin(kind="agent-memory", uri=f"agent-memory:{split}/{place // RECORDS_AN_ORIGIN:04}"),
        created_at=record.learned,
        updated_at=record.learned,
        event_timestamp=record.event,
        position=place % RECORDS_AN_ORIGIN,
        tags=(record.kind,),
    )
