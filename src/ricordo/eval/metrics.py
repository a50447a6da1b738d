"""How good a ranking is, from the ranks of what should have been found; pure.

Every measure is a function of an `Outcome` and lies between 0 and 1. Recall at k is the share of all that is
relevant among the first k, hit at k whether anything is; nDCG is binary with the discount 1 / log2(rank + 1)
(Järvelin & Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ricordo.errors import InvalidInput

__all__ = [
    "MEASURES",
    "Difference",
    "Interval",
    "Outcome",
    "bootstrap",
    "hit",
    "means",
    "ndcg",
    "outcome",
    "paired",
    "recall",
    "reciprocal_rank",
    "unweighted",
]

RESAMPLES = 2000
SEED = 20260101
_RESAMPLES_AT_ONCE = 250


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """One question's result: how much is relevant, and the ranks, from 1 and ascending, of what was found of it."""

    ranks: tuple[int, ...]
    relevant: int

    def __post_init__(self) -> None:
        if self.relevant < 1 or len(self.ranks) > self.relevant or min(self.ranks, default=1) < 1:
            raise InvalidInput(f"{len(self.ranks)} relevant ranks of {self.relevant} make no outcome")


def outcome(ranked: Sequence[str], relevant: Set[str]) -> Outcome:
    """What a ranking did. An id that comes again counts at its best rank and takes no place of its own."""
    distinct = enumerate(dict.fromkeys(ranked), start=1)
    return Outcome(ranks=tuple(rank for rank, found in distinct if found in relevant), relevant=len(relevant))


def recall(found: Outcome, k: int) -> float:
    """The share of all that is relevant among the first k."""
    return sum(rank <= k for rank in found.ranks) / found.relevant


def hit(found: Outcome, k: int) -> float:
    """1 if anything relevant is among the first k, otherwise 0."""
    return float(any(rank <= k for rank in found.ranks))


def reciprocal_rank(found: Outcome) -> float:
    """1 / rank of the first that is relevant, 0 if none was found."""
    return 1 / found.ranks[0] if found.ranks else 0.0


def ndcg(found: Outcome, k: int) -> float:
    """What the first k gain, later ranks less, as a share of what the best order would."""
    gained = sum(1 / math.log2(rank + 1) for rank in found.ranks if rank <= k)
    return gained / sum(1 / math.log2(rank + 1) for rank in range(1, min(k, found.relevant) + 1))


MEASURES: Mapping[str, Callable[[Outcome], float]] = MappingProxyType(
    {
        "recall@1": partial(recall, k=1),
        "recall@5": partial(recall, k=5),
        "recall@10": partial(recall, k=10),
        "hit@10": partial(hit, k=10),
        "mrr": reciprocal_rank,
        "ndcg@10": partial(ndcg, k=10),
    }
)
"""What every report shows, in its order."""


def means(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Every measure's mean over the questions; empty for none."""
    if not outcomes:
        return {}
    return {name: sum(map(measure, outcomes)) / len(outcomes) for name, measure in MEASURES.items()}


def unweighted(categories: Iterable[Sequence[Outcome]]) -> dict[str, float]:
    """Every measure's mean over the means of the categories, which count alike however many questions each has."""
    each = [means(outcomes) for outcomes in categories if outcomes]
    return {name: sum(found[name] for found in each) / len(each) for name in MEASURES} if each else {}


@dataclass(frozen=True, kw_only=True, slots=True)
class Interval:
    """Where a mean lies with a confidence of 95 %."""

    low: float
    high: float


def bootstrap(outcomes: Sequence[Outcome]) -> dict[str, Interval]:
    """Every measure's interval: percentiles of its mean over questions drawn with replacement.

    Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13. Seeded: the same outcomes give the
    same intervals. Questions about one document are not independent of each other, so the true intervals are wider.
    """
    if not outcomes:
        return {}
    return dict(zip(MEASURES, _intervals(_values(outcomes)), strict=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """How much better the second of two runs is on the same questions, and on how many it is better or worse.

    `certain` when the interval leaves out 0.
    """

    mean: float
    interval: Interval
    better: int
    worse: int

    @property
    def certain(self) -> bool:
        return self.interval.low > 0 or self.interval.high < 0


def paired(before: Sequence[Outcome], after: Sequence[Outcome]) -> dict[str, Difference]:
    """Every measure's difference, question by question in the order given, bootstrapped as pairs."""
    if len(before) != len(after):
        raise InvalidInput(f"{len(before)} and {len(after)} outcomes are no pairs")
    if not before:
        return {}
    gained = _values(after) - _values(before)
    columns = zip(MEASURES, gained.T, _intervals(gained), strict=True)
    return {
        name: Difference(
            mean=float(column.mean()),
            interval=interval,
            better=int((column > 0).sum()),
            worse=int((column < 0).sum()),
        )
        for name, column, interval in columns
    }


def _values(outcomes: Sequence[Outcome]) -> NDArray[np.float64]:
    """`(questions, measures) float64`."""
    return np.array([[measure(found) for measure in MEASURES.values()] for found in outcomes])


def _intervals(values: NDArray[np.float64]) -> list[Interval]:
    count = len(values)
    random = np.random.default_rng(SEED)
    drawn = [
        random.multinomial(count, np.full(count, 1 / count), size=_RESAMPLES_AT_ONCE) @ values / count
        for _ in range(RESAMPLES // _RESAMPLES_AT_ONCE)
    ]
    low, high = np.percentile(np.concatenate(drawn), [2.5, 97.5], axis=0)
    return [Interval(low=float(least), high=float(most)) for least, most in zip(low, high, strict=True)]
