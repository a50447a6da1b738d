"""Several datasets in one namespace, as a memory holds conversations, notes and pages side by side; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from ricordo.eval.datasets import Collection, Dataset, Question
from ricordo.memory import Memory

__all__ = ["MIXTURE", "mixture"]

MIXTURE = "mixture"
MEMORIES = 1_500
"""Of each collection; the answers to the questions taken of it are among them."""
QUESTIONS = 60
"""Of each collection."""


def mixture(datasets: Sequence[Dataset]) -> Dataset:
    """Some of each dataset, evenly spaced. The category of a question is the name of the collection it is from.

    A question that several datasets ask, by its id, is answered by what answers it in any of them: of parallel
    paragraphs the one is as good as the other.
    """
    answers: defaultdict[str, set[str]] = defaultdict(set)
    for question in (each for dataset in datasets for part in dataset.collections for each in part.questions):
        answers[question.id] |= question.relevant
    memories: dict[str, Memory] = {}
    questions: list[Question] = []
    for collection in (each for dataset in datasets for each in dataset.collections):
        chosen = collection.questions[:: -(-len(collection.questions) // QUESTIONS) or 1]
        questions += [
            replace(
                each,
                id=f"{len(questions) + number}",
                category=collection.name,
                relevant=frozenset(answers[each.id]),
            )
            for number, each in enumerate(chosen)
        ]
        wanted = frozenset(memory_id for each in chosen for memory_id in answers[each.id])
        memories |= {memory.id: memory for memory in _some(collection.memories, wanted)}
    mixed = Collection(name=MIXTURE, memories=tuple(memories.values()), questions=tuple(questions))
    return Dataset(name=MIXTURE, collections=(mixed,))


def _some(memories: Sequence[Memory], wanted: frozenset[str]) -> list[Memory]:
    step = -(-len(memories) // MEMORIES) or 1
    return [memory for place, memory in enumerate(memories) if place % step == 0 or memory.id in wanted]
