"""What is measured on: memories, questions about them, and which memories answer each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby

from ricordo.memory import Json, Memory, Origin, digest
from ricordo.query import EVERYTHING, Filters

__all__ = ["EPOCH", "OVERALL", "Collection", "Dataset", "Given", "Question", "given", "sampled"]

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""When memories of a dataset were learned. It plays no part, and must be the same each time."""

OVERALL = "all questions"
"""Stands among the categories for all of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What is asked, and the ids of the memories that answer it; `id` is unique in its dataset."""

    id: str
    text: str
    relevant: frozenset[str]
    category: str = ""
    filters: Filters = EVERYTHING


@dataclass(frozen=True, kw_only=True, slots=True)
class Collection:
    """Memories that lie in one namespace, those of one origin next to each other, and the questions asked there."""

    name: str
    memories: tuple[Memory, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Dataset:
    """All collections of a benchmark, and the choices that shaped them.

    `now` is when its questions are asked, where that matters; `published` what others report, by category.
    """

    name: str
    collections: tuple[Collection, ...]
    settings: Mapping[str, Json] = field(default_factory=dict)
    now: datetime | None = None
    published: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


class Given:
    """A source that says the memories it was given, all of one origin."""

    def __init__(self, origin: Origin, memories: Iterable[Memory]) -> None:
        self._origin = origin
        self._memories = tuple(memories)

    @property
    def origin(self) -> Origin:
        return self._origin

    def revision(self) -> str:
        return digest(*(memory.id for memory in self._memories))

    def memories(self) -> Iterator[Memory]:
        return iter(self._memories)


def sampled(dataset: Dataset, at_most: int) -> Dataset:
    """The dataset with about so many of its questions, evenly spaced, and all of its memories."""
    asked = sum(len(collection.questions) for collection in dataset.collections)
    step = max(1, -(-asked // at_most))
    return replace(
        dataset,
        collections=tuple(
            replace(collection, questions=collection.questions[::step]) for collection in dataset.collections
        ),
        settings={**dataset.settings, "questions": f"one in {step}"} if step > 1 else dataset.settings,
    )


def given(memories: Iterable[Memory]) -> list[Given]:
    """The sources of memories whose origins follow one another."""
    return [Given(origin, said) for origin, said in groupby(memories, key=lambda memory: memory.origin)]
