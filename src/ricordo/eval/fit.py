"""Fitting the weights of the evidence on questions whose answers are known.

Listwise softmax: the weights that make the probability of the gold, exp(score) over the sum of exp(score) in the
pool, as large as possible over all questions; of several golds, that of any. A dataset counts by its share,
however many questions it has. A ridge keeps weights of features that tell nothing near 0, the more the fewer questions
tell of a kind. Every kind of text is weighed apart: a feature is one column for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ricordo.errors import InvalidInput
from ricordo.eval.datasets import Collection, Dataset, Question
from ricordo.eval.harness import Plan, Step, opened
from ricordo.eval.metrics import Outcome, means, outcome
from ricordo.eval.mixture import MIXTURE
from ricordo.evidence import IDENTIFIERS, Model, scaled
from ricordo.likeness import LIKE, REST
from ricordo.memory import digest
from ricordo.query import Query
from ricordo.scene import CONVERSATION, KINDS, Floats
from ricordo.settings import Settings
from ricordo.weigh import Measured

__all__ = ["Lesson", "Pooled", "as_table", "fit", "gather", "held_out", "learn", "outcomes", "spreads"]

GIVEN = "identifiers"
"""The feature whose weight is set, not fitted."""
OF_NOTES = frozenset({LIKE, REST})
"""Features weighed in notes alone: each page holds other words of a question, and is like none."""
OF_TEXTS = OF_NOTES | {
    "fusion",
    "tokens in one place",
    "tokens told apart in one place",
    "vector told apart",
    "words",
    "words near each other",
}
"""Features not weighed in conversations, where turns are short: they fit what was learned, and nothing else."""
UNWEIGHED = {"conversation": OF_TEXTS, "note": frozenset[str](), "page": OF_NOTES}
HALVES = ("one half", "other half")
"""Parts of a dataset that has none of its own."""
PRIOR = 2.0
"""What the square of a weight costs, in units of the likelihood of one question about its kind."""
ROUNDS = 100
ENOUGH = 1e-7


@dataclass(frozen=True, kw_only=True, slots=True)
class Pooled:
    """The pool of one question, and which of it answer."""

    question: Question
    measured: Measured
    gold: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, slots=True)
class Lesson:
    """The pools of a dataset, part by part, and what it counts beside other datasets."""

    name: str
    parts: Mapping[str, Sequence[Pooled]]
    share: float = 1.0

    @property
    def pools(self) -> list[Pooled]:
        return [pool for part in self.parts.values() for pool in part]

    def without(self, part: str) -> Lesson:
        """The same without a part, to be tested on that."""
        return replace(self, parts={name: pools for name, pools in self.parts.items() if name != part})


async def learn(
    chosen: Sequence[tuple[Dataset, float]],
    settings: Settings,
    store: str | None,
    at_most: int,
    tell: Callable[[Step], None] = lambda _: None,
) -> list[Lesson]:
    """The pools of datasets with their shares, from each no more than `at_most` questions.

    Parts are conversations, or where a dataset is one whole two halves of its questions, and in a mixture both.

    Raises StoreError, ModelError.
    """
    whole = frozenset(
        each.name for dataset, _ in chosen if len(dataset.collections) > 1 for each in dataset.collections
    )
    lessons: list[Lesson] = []
    for dataset, share in chosen:
        plan = Plan(settings=settings, store=store)
        most = max(1, at_most // len(dataset.collections))
        parts: dict[str, list[Pooled]] = {}
        for each in dataset.collections:
            for pool in await gather(each, plan, most, tell):
                name = pool.question.category if dataset.name == MIXTURE else each.name
                parts.setdefault(name if name in whole else _half(pool.question), []).append(pool)
        lessons.append(Lesson(name=_title(dataset), parts=parts, share=share))
    return lessons


def _half(question: Question) -> str:
    """One of two, by chance, and the same in every dataset that asks it."""
    return HALVES[int(digest(question.text), 16) % len(HALVES)]


def _title(dataset: Dataset) -> str:
    """The dataset's name and the files it was read from."""
    said = [str(dataset.settings[key]) for key in ("file", "documents") if key in dataset.settings]
    return " ".join(dict.fromkeys((dataset.name, *said)))


async def gather(
    collection: Collection, plan: Plan, at_most: int, tell: Callable[[Step], None] = lambda _: None
) -> list[Pooled]:
    """The pools of a collection's questions, of evenly spaced ones if there are too many.

    Raises StoreError, ModelError.
    """
    step = max(1, -(-len(collection.questions) // at_most))
    found: list[Pooled] = []
    async with opened(plan, collection, tell) as memory:
        chosen = collection.questions[::step]
        for number, question in enumerate(chosen, start=1):
            query = Query(text=question.text, namespace=memory.namespace, limit=10, filters=question.filters)
            measured = await memory.reader.measure(query)
            gold = np.array([each in question.relevant for each in measured.ids], np.bool_)
            found.append(Pooled(question=question, measured=measured, gold=gold))
            tell(Step(doing=f"weighing {collection.name}", done=number, total=len(chosen)))
    return found


def spreads(lessons: Sequence[Lesson]) -> dict[str, float]:
    """The median deviation of each feature inside a pool.

    Raises InvalidInput where nothing deviates, or no answer was found, so that there is nothing to fit on.
    """
    found: dict[str, list[float]] = {}
    for pool in (pool for lesson in lessons for pool in lesson.pools):
        for name, numbers in pool.measured.features.items():
            known = numbers[~np.isnan(numbers)]
            if len(known) > 3:
                found.setdefault(name, []).append(float(known.std()))
    if not found or not any(pool.gold.any() for lesson in lessons for pool in lesson.pools):
        raise InvalidInput("there is nothing to fit on: no question finds its answer among four texts or more")
    return {name: round(float(np.median(deviations)), 4) for name, deviations in sorted(found.items())}


def fit(lessons: Sequence[Lesson], usual: Mapping[str, float]) -> Model:
    """The weights for features whose usual spreads are given; questions without gold in their pool teach nothing."""
    names = tuple(sorted(usual.keys() - {GIVEN}))
    total = sum(lesson.share for lesson in lessons)
    rows, shares = [], []
    for lesson in lessons:
        telling = [pool for pool in lesson.pools if pool.gold.any()]
        rows += [(_matrix(pool, names, usual), pool.gold) for pool in telling]
        shares += [lesson.share / total / len(telling) for _ in telling]
    weights: Floats = np.zeros(len(KINDS) * len(names))
    ridge = np.repeat(PRIOR / np.maximum(1, _shown(lessons)), len(names))
    best = _slope(rows, shares, weights, ridge)
    for _ in range(ROUNDS):
        likelihood, gradient, curvature = best
        step = np.linalg.solve(curvature + 2 * np.diag(ridge), gradient - 2 * ridge * weights)
        # Newton's step may overshoot, because of several golds the whole is not quite convex.
        while (best := _slope(rows, shares, weights + step, ridge))[0] < likelihood and np.abs(step).max() > ENOUGH:
            step /= 2
        weights = weights + step
        if best[0] - likelihood < ENOUGH:
            break
    fitted = {
        kind: {name: round(float(weight), 4) for name, weight in zip(names, part, strict=True) if weight}
        for kind, part in zip(KINDS, np.split(weights, len(KINDS)), strict=True)
    }
    # What no lesson shows of a kind counts as in a conversation: a note among sessions is a session of its own.
    talk = {**fitted[KINDS[CONVERSATION]], GIVEN: IDENTIFIERS}
    return Model(weights={kind: {**talk, **part} for kind, part in fitted.items()}, spreads=usual)


def held_out(lessons: Sequence[Lesson], usual: Mapping[str, float]) -> dict[str, list[Outcome]]:
    """How each dataset is ordered, part by part, by weights fitted without that part of it and of a mixture."""
    tested = [lesson for lesson in lessons if len(lesson.parts) > 1 and lesson.name != MIXTURE]
    found: dict[str, list[Outcome]] = {lesson.name: [] for lesson in tested}
    for part in dict.fromkeys(name for lesson in tested for name in lesson.parts):
        model = fit([each.without(part) for each in lessons], usual)
        for lesson in tested:
            found[lesson.name] += outcomes(lesson.parts.get(part, ()), model)
    return found


def _shown(lessons: Sequence[Lesson]) -> Floats:
    """`(kinds,)`: how many questions are answered by texts of each kind."""
    pools = (pool for lesson in lessons for pool in lesson.pools if pool.gold.any())
    return sum((pool.measured.kinds[pool.gold].mean(axis=0) for pool in pools), start=np.zeros(len(KINDS)))


def _slope(
    rows: Sequence[tuple[Floats, NDArray[np.bool_]]], shares: Sequence[float], weights: Floats, ridge: Floats
) -> tuple[float, Floats, Floats]:
    """The penalised likelihood, its gradient without the penalty, and the curvature of its convex part."""
    likelihood = -float(ridge @ weights**2)
    gradient, curvature = np.zeros(len(weights)), np.zeros((len(weights), len(weights)))
    for (matrix, gold), share in zip(rows, shares, strict=True):
        scores = matrix @ weights
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        of_gold = np.where(gold, chances, 0)
        likelihood += share * float(np.log(max(of_gold.sum(), np.finfo(float).tiny)))
        mean = chances @ matrix
        gradient += share * ((of_gold / max(of_gold.sum(), np.finfo(float).tiny)) @ matrix - mean)
        curvature += share * ((matrix * chances[:, None]).T @ matrix - np.outer(mean, mean))
    return likelihood, gradient, curvature


def _matrix(pool: Pooled, names: Sequence[str], usual: Mapping[str, float]) -> Floats:
    """`(n, kinds * f)`: the features as columns of the kind that a text is of, and 0 in those of others."""
    columns, kinds = scaled(pool.measured.features, usual), pool.measured.kinds
    nothing = np.zeros(len(kinds))
    matrix = np.column_stack([columns.get(name, nothing) for name in names])
    weighed = [[name not in UNWEIGHED[kind] for name in names] for kind in KINDS]
    return np.hstack([kinds[:, [place]] * matrix * weighed[place] for place in range(len(KINDS))])


def outcomes(pools: Sequence[Pooled], model: Model) -> list[Outcome]:
    """How the model orders each pool."""
    names = sorted(model.features)
    weights = np.array([model.weights[kind].get(name, 0.0) for kind in KINDS for name in names])
    found = []
    for pool in pools:
        scores = _matrix(pool, names, model.spreads) @ weights
        ids = pool.measured.ids
        order = sorted(range(len(ids)), key=lambda place: (-scores[place], ids[place]))
        found.append(outcome(list(dict.fromkeys(ids[place] for place in order)), pool.question.relevant))
    return found


def as_table(measured: Mapping[str, Sequence[Outcome]], model: Model) -> str:
    """Metrics by dataset, and weights by feature, as two tables in Markdown."""
    figures = {name: means(found) for name, found in measured.items()}
    metrics = list(next(iter(figures.values())))
    lines = [f"| | n | {' | '.join(metrics)} |", f"|---|---:|{'---:|' * len(metrics)}"]
    for name, found in figures.items():
        numbers = " | ".join(f"{found[metric]:.3f}" for metric in metrics)
        lines.append(f"| {name} | {len(measured[name]):,} | {numbers} |")
    lines += ["", f"| feature | {' | '.join(KINDS)} |", f"|---|{'---:|' * len(KINDS)}"]
    for name in sorted(model.features):
        cells = (f"{weights[name]:+.3f}" if name in (weights := model.weights[kind]) else "" for kind in KINDS)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join((*lines, ""))
