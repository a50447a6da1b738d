"""Reading question and passage together: an optional last look at the best of the pool, under a time budget.

What cannot be had, fails or takes too long costs the answer nothing but the look: the order before it stands.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ricordo.errors import ModelError
from ricordo.protocols import Reranker
from ricordo.query import Notice

__all__ = ["DEEP", "DeferredReranker", "Reread", "reread", "standardised"]

DEEP = 50
"""The most passages that are read again."""
TASTE = 4
"""Passages read first, to learn how long one takes."""
FEWEST = 8
"""When there is no time for so many, the order of those few would say little."""


class DeferredReranker:
    """A reranker that is loaded when it is first used, once, whichever thread comes first."""

    def __init__(self, load: Callable[[], Reranker]) -> None:
        self._load = load
        self._lock = Lock()
        self._loaded: Reranker | None = None

    def score(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
        return self._loaded.score(question, passages)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reread:
    """Scores `(read,)` of the first passages, as many as there was time for, and why there are no more."""

    scores: NDArray[np.float32]
    notice: Notice | None = None


def reread(reranker: Reranker, question: str, passages: Sequence[str], seconds: float) -> Reread:
    """Score the passages, best first, within a time budget that loading the model does not count against.

    Never raises ModelError: what went wrong is in the notice.
    """
    passages = passages[:DEEP]
    nothing = np.zeros(0, np.float32)
    try:
        reranker.score(question, passages[:1])
        begin = time.perf_counter()
        tasted = reranker.score(question, passages[:TASTE])
        spent = time.perf_counter() - begin
        affordable = len(tasted) + int(max(0.0, seconds - spent) * len(tasted) / max(spent, 1e-6))
        if affordable < min(FEWEST, len(passages)):
            message = f"the reranker is too slow here: {spent / max(1, len(tasted)):.1f} s a passage"
            return Reread(scores=nothing, notice=Notice(code="reranker_too_slow", message=message))
        rest = reranker.score(question, passages[len(tasted) : affordable])
    except ModelError as error:
        return Reread(scores=nothing, notice=Notice(code="reranker_unavailable", message=str(error)))
    scores = np.concatenate([tasted, rest])
    if not np.isfinite(scores).all():
        message = "the reranker gave scores that are no numbers; another build of the model may not"
        return Reread(scores=nothing, notice=Notice(code="reranker_unavailable", message=message))
    return Reread(scores=scores)


def standardised(scores: NDArray[np.float32]) -> list[float]:
    """The scores as deviations from their mean; scores of cross-encoders mean nothing by themselves."""
    deviation = float(scores.std()) if len(scores) else 0.0
    return [float(score - scores.mean()) / deviation if deviation else 0.0 for score in scores]
