"""Fitting the weights of the evidence on questions whose answers are known.

Listwise softmax: the weights that make the probability of the gold, exp(score) over the sum of exp(score) in the
pool, as large as possible over all questions; of several golds, that of any. Every dataset counts the same,
however many questions it has. A ridge keeps weights of features that tell nothing near 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ricordo.eval.datasets import Collection, Question
from ricordo.eval.harness import Plan, Step, opened
from ricordo.eval.metrics import Outcome, outcome
from ricordo.evidence import Model, scaled
from ricordo.query import Query
from ricordo.scene import Floats

__all__ = ["Fitted", "Pooled", "fit", "gather", "outcomes", "spreads"]

RIDGE = 0.02
ROUNDS = 100
ENOUGH = 1e-7


@dataclass(frozen=True, kw_only=True, slots=True)
class Pooled:
    """The pool of one question: memory ids, features of each, and which of them answer it."""

    question: Question
    ids: tuple[str, ...]
    features: Mapping[str, Floats]
    gold: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, slots=True)
class Fitted:
    """A model, and the mean log-probability that it gives to the gold."""

    model: Model
    log_likelihood: float


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
            ids, features = await memory.reader.measure(query)
            gold = np.array([each in question.relevant for each in ids], np.bool_)
            found.append(Pooled(question=question, ids=ids, features=features, gold=gold))
            tell(Step(doing=f"weighing {collection.name}", done=number, total=len(chosen)))
    return found


def spreads(pools: Sequence[Sequence[Pooled]]) -> dict[str, float]:
    """The median deviation of each feature inside a pool."""
    found: dict[str, list[float]] = {}
    for pool in (pool for pools_of_set in pools for pool in pools_of_set):
        for name, numbers in pool.features.items():
            known = numbers[~np.isnan(numbers)]
            if len(known) > 3:
                found.setdefault(name, []).append(float(known.std()))
    return {name: round(float(np.median(deviations)), 4) for name, deviations in sorted(found.items())}


def fit(datasets: Sequence[Sequence[Pooled]], usual: Mapping[str, float]) -> Fitted:
    """The weights for features whose usual spreads are given; questions without gold in their pool teach nothing."""
    names = tuple(sorted(usual))
    rows, shares = [], []
    for pools in datasets:
        telling = [pool for pool in pools if pool.gold.any()]
        rows += [(_matrix(pool, names, usual), pool.gold) for pool in telling]
        shares += [1 / len(telling) / len(datasets)] * len(telling)
    weights: Floats = np.zeros(len(names))
    best = _slope(rows, shares, weights)
    for _ in range(ROUNDS):
        likelihood, gradient, curvature = best
        step = np.linalg.solve(curvature + 2 * RIDGE * np.eye(len(names)), gradient - 2 * RIDGE * weights)
        # Newton's step may overshoot, because of several golds the whole is not quite convex.
        while (best := _slope(rows, shares, weights + step))[0] < likelihood and np.abs(step).max() > ENOUGH:
            step /= 2
        weights = weights + step
        if best[0] - likelihood < ENOUGH:
            break
    model = Model(
        weights={name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)}, spreads=usual
    )
    return Fitted(model=model, log_likelihood=best[0])


def _slope(
    rows: Sequence[tuple[Floats, NDArray[np.bool_]]], shares: Sequence[float], weights: Floats
) -> tuple[float, Floats, Floats]:
    """The penalised likelihood, its gradient without the penalty, and the curvature of its convex part."""
    likelihood = -RIDGE * float(weights @ weights)
    gradient, curvature = np.zeros(len(weights)), np.zeros((len(weights), len(weights)))
    for (matrix, gold), share in zip(rows, shares, strict=True):
        scores = matrix @ weights
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        of_gold = np.where(gold, chances, 0)
        likelihood += share * float(np.log(max(of_gold.sum(), np.finfo(float).tiny)))
        mean = chances @ matrix
        gradient += share * ((of_gold / of_gold.sum()) @ matrix - mean)
        curvature += share * ((matrix * chances[:, None]).T @ matrix - np.outer(mean, mean))
    return likelihood, gradient, curvature


def _matrix(pool: Pooled, names: Sequence[str], usual: Mapping[str, float]) -> Floats:
    columns = scaled(pool.features, usual)
    nothing = np.zeros(len(pool.ids))
    return np.column_stack([columns.get(name, nothing) for name in names])


def outcomes(pools: Sequence[Pooled], model: Model) -> list[Outcome]:
    """How the model orders each pool."""
    names = tuple(model.weights)
    weights = np.array([model.weights[name] for name in names])
    found = []
    for pool in pools:
        scores = _matrix(pool, names, model.spreads) @ weights
        order = sorted(range(len(pool.ids)), key=lambda place: (-scores[place], pool.ids[place]))
        found.append(outcome(list(dict.fromkeys(pool.ids[place] for place in order)), pool.question.relevant))
    return found
