"""Candidates that hold the same words of a question: what they have in common, and what each says beyond it; pure.

Two things come of it. Of all that names a person, what else is said of her tells. And what holds the rest of the
question, of whatever subject, shows what an answer looks like: of "deploy window of Raven", *releases of Raven go out
every Wednesday* is like *deploy window of Anchor: Tuesday*. That is relevance feedback (Rocchio, 1971) without a word
of what the candidate has already.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ricordo.scene import Asked, Floats, Places, Scene

__all__ = ["LIKE", "REST", "SETTLED", "among_like", "unit"]

LIKE, REST = "vector told apart among like", "vector towards the rest"

SETTLED = 5
"""How many candidates what is usual counts beside those at hand."""


def among_like(scene: Scene, asked: Asked, members: Places, centre: Floats) -> dict[str, Floats]:
    """Both features `(n,)` of the members of the pool, whose mean is `centre`; NaN for all others, and where nothing
    holds the rest of the question. The mean of a few that hold the same is drawn to that of the pool.
    """
    found = {name: np.full(len(scene.candidates), np.nan) for name in (LIKE, REST)}
    if asked.as_passage is None:
        return found
    held, of_each = np.unique(_held(scene, asked, members), axis=0, return_inverse=True)
    of_each = of_each.reshape(-1)  # NumPy 2.0 gave it a column
    sums, vectors = np.zeros((len(held), len(centre))), scene.vectors[members]
    np.add.at(sums, of_each, vectors)
    counts = np.bincount(of_each, minlength=len(held))[:, None]
    means = (sums + SETTLED * centre) / (counts + SETTLED)
    beyond = unit(vectors - means[of_each])
    found[LIKE][members] = ((asked.as_passage - means[of_each]) * beyond).sum(axis=1)
    rest = _rest(held, means - centre, np.array([word.value for word in asked.words]))
    found[REST][members] = (rest[of_each] * beyond).sum(axis=1)
    return found


def _held(scene: Scene, asked: Asked, members: Places) -> NDArray[np.bool_]:
    """`(members, words)`: which words of the question each holds, in any form."""
    counts = [scene.candidates[row].match.counts.keys() for row in members.tolist()]
    words = [[not word.lexemes.isdisjoint(each) for word in asked.words] for each in counts]
    return np.array(words, np.bool_).reshape(len(members), len(asked.words))


def _rest(held: NDArray[np.bool_], means: Floats, values: Floats) -> Floats:
    """`(groups, d)`: where, from the mean of the pool, what holds none of a group's words lies, by the idf of those it
    does hold; NaN where nothing does.
    """
    apart = held.astype(np.intp) @ held.T.astype(np.intp) == 0
    weights = apart * (held @ values)
    towards = unit(weights @ means)
    towards[~weights.any(axis=1)] = np.nan
    return towards


def unit(vectors: Floats) -> Floats:
    """`(n, d)`, each row of unit length, where it has any."""
    rows: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(float).tiny)
    return rows
