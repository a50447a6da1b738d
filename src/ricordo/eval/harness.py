"""Asking the engine a dataset's questions, whole and with parts left out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import ricordo
from ricordo.engine import Engine
from ricordo.eval.analyzers import ANALYZERS
from ricordo.eval.datasets import Collection, Dataset, Question, given
from ricordo.eval.metrics import Outcome, outcome
from ricordo.eval.once import Once
from ricordo.eval.questions import read_questions
from ricordo.eval.timing import WARM_UP
from ricordo.memory import Memory, digest
from ricordo.models import NONE
from ricordo.protocols import Embedder, Skipped
from ricordo.query import Query
from ricordo.recall import ARMS, OFF, Reader
from ricordo.settings import Settings
from ricordo.transfer import read_lines
from ricordo.window import utc_now

__all__ = [
    "LADDER",
    "TIMES",
    "WITH_TIMES",
    "Answer",
    "Plan",
    "Run",
    "Rung",
    "Step",
    "by_category",
    "evaluate",
    "evaluate_own",
    "opened",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rung:
    """The engine with only some of its arms, with another analyzer than the run's, or without some later part.

    Without `weighed` the order is that of fusion, and words are taken as they are spelt; without `tokens` the evidence
    is taken without late interaction, without `variety` hits may say the same, without `times` those that a question
    names are not read, without `reread` no cross-encoder has the last word.
    """

    name: str
    arms: frozenset[str] = frozenset(ARMS)
    analyzer: str | None = None
    weighed: bool = True
    tokens: bool = True
    variety: bool = True
    times: bool = True
    reread: bool = True

    @property
    def needs_vectors(self) -> bool:
        """Whether the rung says nothing without an embedder that another would not."""
        return "vectors" in self.arms and (self.arms != frozenset(ARMS) or not (self.tokens and self.variety))

    def tells(self, reader: Reader) -> bool:
        """Whether the rung would say what no other does, with what the reader has."""
        if reader.embedder is None and self.needs_vectors:
            return False
        return reader.reranker is not None or self != VARIED

    def of(self, reader: Reader) -> Reader:
        """The reader with only what the rung has."""
        return replace(
            reader,
            arms=self.arms,
            times=self.times,
            variety=self.variety,
            spelling=self.weighed,
            model=reader.model if self.weighed else None,
            token_vectors=reader.token_vectors if self.tokens else OFF,
            reranker=reader.reranker if self.reread else None,
        )


ALL = Rung(name="all")
LATE = Rung(name="late interaction", variety=False, reread=False)
VARIED = Rung(name="variety", reread=False)
NO_TIME = Rung(name="no time", times=False)

LADDER = (
    Rung(name="plain words", arms=frozenset({"words"}), analyzer="plain", weighed=False, reread=False),
    Rung(name="words", arms=frozenset({"words"}), weighed=False, reread=False),
    Rung(name="vectors", arms=frozenset({"vectors"}), weighed=False, reread=False),
    Rung(name="rrf", arms=frozenset({"vectors", "words"}), weighed=False, reread=False),
    Rung(name="evidence", tokens=False, variety=False, reread=False),
    LATE,
    VARIED,
    ALL,
)
"""From a baseline to the engine as it is, which is the last; without a reranker the one before it is the same."""

TIMES = (NO_TIME, ALL)
"""The engine as it is, and what it would be without reading times in questions."""

WITH_TIMES = (*LADDER[:-1], *TIMES)
"""The ladder for questions of which many name a time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """How to measure: settings of the engine, its analyzer, the rungs, and how many hits to look at.

    `store` is a URL, where what was embedded stays for the next run; without one the store is temporary.
    `embedder` stands for the one that the settings name.
    """

    settings: Settings
    store: str | None = None
    embedder: Embedder | None = None
    analyzer: str = "standard"
    ladder: tuple[Rung, ...] = LADDER
    depth: int = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What came of one question, and the milliseconds it took by stage."""

    question: Question
    outcome: Outcome
    timings: Mapping[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """How far a run has come: what is being done, and how much of it is done."""

    doing: str
    done: int
    total: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """All answers by rung; the last rung is the engine as it is."""

    dataset: Dataset
    plan: Plan
    embedder: str
    memories: int
    answers: Mapping[str, tuple[Answer, ...]]

    @property
    def whole(self) -> tuple[Answer, ...]:
        return self.answers[list(self.answers)[-1]]


@dataclass(slots=True)
class _Tally:
    tell: Callable[[Step], None]
    embedder: str = NONE
    answers: dict[str, list[Answer]] = field(default_factory=dict)


async def evaluate(dataset: Dataset, plan: Plan, tell: Callable[[Step], None] = lambda _: None) -> Run:
    """Remember each collection in a namespace of its own and ask its questions on every rung.

    Rungs that need vectors are left out without an embedder, that of variety without a reranker.
    Raises StoreError, ModelError.
    """
    tally = _Tally(tell)
    with _store(plan) as url:
        for collection in dataset.collections:
            for analyzer, rungs in groupby(plan.ladder, key=lambda rung: rung.analyzer):
                async with _open(url, plan, collection, analyzer, dataset.now) as memory:
                    await _read(memory, collection, tally)
                    await _climb(memory, list(rungs), plan, collection, tally)
    return _run(dataset, plan, tally)


async def evaluate_own(file: Path, plan: Plan, tell: Callable[[Step], None] = lambda _: None) -> Run:
    """Ask a user's own questions of the store and namespace that the settings name, without writing to it.

    Rungs with another analyzer are left out. Raises InvalidInput, StoreError, ModelError.
    """
    tally = _Tally(tell)
    async with ricordo.open(settings=plan.settings, embedder=plan.embedder) as memory:
        items = read_lines([line async for line in memory.export()], memory.namespace)
        told = [item[1] for item in items if not isinstance(item, Skipped)]
        dataset = read_questions(file, [item for item in told if isinstance(item, Memory)])
        rungs = [rung for rung in plan.ladder if rung.analyzer is None]
        await _climb(memory, rungs, plan, dataset.collections[0], tally)
    return _run(dataset, plan, tally)


def _run(dataset: Dataset, plan: Plan, tally: _Tally) -> Run:
    return Run(
        dataset=dataset,
        plan=plan,
        embedder=tally.embedder,
        memories=sum(len(collection.memories) for collection in dataset.collections),
        answers={rung.name: tuple(tally.answers[rung.name]) for rung in plan.ladder if rung.name in tally.answers},
    )


@contextmanager
def _store(plan: Plan) -> Iterator[str]:
    if plan.store is not None:
        yield plan.store
        return
    with TemporaryDirectory(prefix="ricordo-eval-") as folder:
        yield f"sqlite:///{Path(folder) / 'memory.db'}"


@asynccontextmanager
async def _open(
    url: str, plan: Plan, collection: Collection, analyzer: str | None, now: datetime | None
) -> AsyncIterator[Engine]:
    """The engine on the collection's namespace, whose name tells what is in it. A baseline needs no vectors."""
    chosen = analyzer or plan.analyzer
    name = plan.settings.embedder if analyzer is None else NONE
    embedder = plan.embedder if analyzer is None else None
    content = digest(
        chosen, name, embedder.fingerprint if embedder else "", *(memory.id for memory in collection.memories)
    )
    settings = replace(plan.settings, store=url, embedder=name, namespace=f"eval/{collection.name[:100]}/{content}")
    if now is not None:
        settings = replace(settings, tz="UTC")
    clock = (lambda: now) if now is not None else utc_now
    async with ricordo.open(settings=settings, embedder=embedder, analyzer=ANALYZERS[chosen], clock=clock) as memory:
        yield memory


@asynccontextmanager
async def opened(
    plan: Plan, collection: Collection, tell: Callable[[Step], None] = lambda _: None, now: datetime | None = None
) -> AsyncIterator[Engine]:
    """The engine with a collection remembered in it. Raises StoreError, ModelError."""
    with _store(plan) as url:
        async with _open(url, plan, collection, None, now) as memory:
            await _read(memory, collection, _Tally(tell))
            yield memory


async def _read(memory: Engine, collection: Collection, tally: _Tally) -> None:
    sources = given(collection.memories)
    doing = f"remembering {collection.name}"
    tally.tell(Step(doing=doing, done=0, total=len(sources)))
    await memory.ingest(
        sources, tell=lambda so_far: tally.tell(Step(doing=doing, done=so_far.sources, total=len(sources)))
    )


async def _climb(memory: Engine, rungs: Sequence[Rung], plan: Plan, collection: Collection, tally: _Tally) -> None:
    """Ask on each rung, the whole engine first: what the model makes of a question is timed there, and serves all."""
    whole = memory.reader
    if whole.embedder is not None:
        tally.embedder = whole.embedder.fingerprint
        whole = replace(whole, embedder=Once(whole.embedder))
    for rung in reversed(rungs):
        if not rung.tells(whole):
            continue
        for question in collection.questions[:WARM_UP]:
            await _ask(rung.of(memory.reader), memory.namespace, question, plan.depth)
        reader, answers = rung.of(whole), tally.answers.setdefault(rung.name, [])
        for number, question in enumerate(collection.questions, start=1):
            answers.append(await _ask(reader, memory.namespace, question, plan.depth))
            doing = f"asking {collection.name}: {rung.name}"
            tally.tell(Step(doing=doing, done=number, total=len(collection.questions)))


async def _ask(reader: Reader, namespace: str, question: Question, depth: int) -> Answer:
    query = Query(text=question.text, namespace=namespace, limit=depth, filters=question.filters)
    found = await reader.recall(query)
    return Answer(
        question=question,
        outcome=outcome([hit.id for hit in found.hits], question.relevant),
        timings=found.timings,
    )


def by_category(answers: Sequence[Answer]) -> dict[str, list[Outcome]]:
    """Outcomes by category, sorted by its name."""
    found: dict[str, list[Outcome]] = {}
    for answer in answers:
        found.setdefault(answer.question.category, []).append(answer.outcome)
    return dict(sorted(found.items()))
