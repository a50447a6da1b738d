"""Variety: a short text that says nearly what a better one has said comes later; pure.

Maximal marginal relevance (Carbonell and Goldstein, The Use of MMR, Diversity-Based Reranking, SIGIR 1998): the next
best is that whose evidence, less what it repeats of those before it, is the largest. Ten hits should say ten things.
Turns of a conversation and pages are left alone: what is near in them is the same subject, seldom the same fact.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ricordo.scene import KINDS, Floats, Scene

__all__ = ["said_before"]

REPEATED = 3.0
"""What a text loses that says the same as a better one. On the agent-memory set recall@10 rises by .005 or so for
anything between 2 and 8, and nothing else changes."""

NOTE = KINDS.index("note")


def said_before(scene: Scene, scores: Mapping[str, float], floor: float, most: int) -> dict[str, float]:
    """What each chunk loses, by id, where it loses anything; the `most` best are told apart from each other, and all
    others from them.

    `floor` is the cosine below which texts have nothing to do with each other; half way from there to 1 they begin to
    say the same.
    """
    ids = [each.chunk.id for each, pooled in zip(scene.candidates, scene.pooled, strict=True) if pooled]
    rows = [row for row, chunk_id in enumerate(ids) if chunk_id in scores]
    alike = _likeness(scene.vectors[scene.pooled][rows], scene.kinds[rows, NOTE], floor)
    costs = REPEATED * _repetition(np.array([scores[ids[row]] for row in rows]), alike, most)
    return {ids[row]: float(cost) for row, cost in zip(rows, costs, strict=True) if cost}


def _likeness(vectors: Floats, notes: Floats, floor: float) -> Floats:
    """`(n, n)`: how far two say the same, from 0 to 1, as far as both are notes."""
    begin = (1 + floor) / 2
    alike: Floats = np.clip((vectors @ vectors.T - begin) / (1 - begin), 0, 1) * np.outer(notes, notes)
    return alike


def _repetition(scores: Floats, alike: Floats, most: int) -> Floats:
    """`(n,)`: how far each repeats what comes before it."""
    repeated, waiting = np.zeros(len(scores)), np.ones(len(scores), np.bool_)
    for _ in range(min(most, len(scores))):
        best = int(np.argmax(np.where(waiting, scores - REPEATED * repeated, -np.inf)))
        waiting[best] = False
        repeated[waiting] = np.maximum(repeated[waiting], alike[waiting, best])
    return repeated
