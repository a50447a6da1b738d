"""What everybody is given: texts with their times, questions, and the vectors of both, as files."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np
from vectors import Vectors

from ricordo.eval.agent_memory import agent_memory
from ricordo.eval.datasets import Collection, Dataset
from ricordo.eval.locomo import read_locomo

__all__ = ["AGENT_MEMORY", "LOCOMO", "Material", "Task", "prepared", "quick"]

AGENT_MEMORY, LOCOMO = "agent-memory", "locomo"
LOCOMO_FILES = ("locomo-dev.json", "locomo10.json")
TUNED_ON = ("conv-26", "conv-30", "conv-41")
SEED = 11
RECORDS_A_QUESTION = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One collection: its own store for everybody. `folder` holds what the peers read."""

    benchmark: str
    collection: Collection
    folder: Path
    now: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """All tasks; the first is the one that is timed."""

    tasks: tuple[Task, ...]

    def of(self, benchmark: str) -> list[Task]:
        return [task for task in self.tasks if task.benchmark == benchmark]

    @property
    def timed(self) -> Task:
        return self.tasks[0]


def prepared(data: Path, folder: Path, vectors: Vectors, records: int | None) -> Material:
    """Write everything. With `records`, of agent memory so many and of LoCoMo one conversation."""
    tasks = []
    for dataset in _datasets(data):
        collections = dataset.collections[: 1 if records else None]
        for collection in collections:
            chosen = quick(collection, records) if records else collection
            now = dataset.now.isoformat() if dataset.now else None
            task = Task(benchmark=dataset.name, collection=chosen, folder=folder / collection.name, now=now)
            _write(task, vectors)
            tasks.append(task)
    return Material(tasks=tuple(tasks))


def _datasets(data: Path) -> Iterator[Dataset]:
    """The test split of agent memory, on which nothing of ricordo was tuned, and LoCoMo where it is."""
    yield agent_memory("test")
    for name in LOCOMO_FILES:
        if (data / name).is_file():
            yield read_locomo(data / name, only=TUNED_ON)
            return


def quick(collection: Collection, records: int) -> Collection:
    """Some of the questions, evenly spaced, what answers them, and others drawn up to the number of records."""
    step = max(1, -(-len(collection.questions) * RECORDS_A_QUESTION // records))
    questions = collection.questions[::step]
    needed = frozenset[str]().union(*(question.relevant for question in questions))
    others = [memory.id for memory in collection.memories if memory.id not in needed]
    drawn = Random(SEED).sample(others, max(0, min(len(others), records - len(needed))))
    kept = needed.union(drawn)
    memories = tuple(memory for memory in collection.memories if memory.id in kept)
    return replace(collection, memories=memories, questions=questions)


def _write(task: Task, vectors: Vectors) -> None:
    task.folder.mkdir(parents=True)
    memories, questions = task.collection.memories, task.collection.questions
    records = [
        {"id": memory.id, "text": memory.text, "when": (memory.event_timestamp or memory.created_at).isoformat()}
        for memory in memories
    ]
    asked = [question.text for question in questions]
    (task.folder / "records.json").write_text(json.dumps(records), encoding="utf-8")
    (task.folder / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
    np.save(task.folder / "passages.npy", vectors.passages([memory.text for memory in memories]))
    np.save(task.folder / "questions.npy", vectors.questions(asked))
    # For ricordo, which is given speakers, sessions and days as such.
    (task.folder / "memories.pickle").write_bytes(pickle.dumps(memories))
