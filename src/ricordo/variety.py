"""Variety: a short text that says nearly what a better one has said comes later; pure.

Maximal marginal relevance (Carbonell and Goldstein, The Use of MMR, Diversity-Based Reranking, SIGIR 1998): the next
best is that whose score, less what it repeats of those before it, is the largest. Ten hits should say ten things.
Turns of a conversation and pages are left alone: what is near in them is the same subject, seldom the same fact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ricordo.evidence import Bearing
from ricordo.query import Hit
from ricordo.scene import Floats

__all__ = ["varied"]

REPEATED = 3.0
"""What a text loses that says the same as a better one. On the agent-memory set recall@10 rises by .005 or so for
anything between 2 and 8, and nothing else changes."""

MOST = 50
"""Hits that are told apart from each other; those behind them, which hardly anybody reads, from these alone."""


def varied(hits: Sequence[Hit], bearing: Mapping[str, Bearing], floor: float) -> list[Hit]:
    """Hits, best first, each with what it loses for repeating those before it among its parts.

    `floor` is the cosine below which texts have nothing to do with each other; half way from there to 1 they begin to
    say the same. What is withheld stays behind all else, and takes nothing from it.
    """
    told = [hit for hit in hits if not hit.memory.withheld]
    costs = REPEATED * _repetition(told, bearing, floor)
    lessened = [
        replace(hit, score=hit.score - cost, parts={**hit.parts, "said before": -cost}) if cost else hit
        for hit, cost in zip(told, costs.tolist(), strict=True)
    ]
    return sorted(lessened, key=lambda hit: -hit.score) + [hit for hit in hits if hit.memory.withheld]


def _repetition(hits: Sequence[Hit], bearing: Mapping[str, Bearing], floor: float) -> Floats:
    """`(n,)`: how far each repeats what comes before it, from 0 to 1."""
    scores, repeated = np.array([hit.score for hit in hits]), np.zeros(len(hits))
    notes = np.array([bearing[hit.chunk.id].note if hit.chunk.id in bearing else 0.0 for hit in hits])
    short = np.flatnonzero(notes)
    if len(short) < 2:
        return repeated
    vectors = np.array([bearing[hits[row].chunk.id].vector for row in short.tolist()])
    begin, waiting = (1 + floor) / 2, np.ones(len(hits), np.bool_)
    for _ in range(min(MOST, len(hits))):
        best = int(np.argmax(np.where(waiting, scores - REPEATED * repeated, -np.inf)))
        waiting[best] = False
        if notes[best]:
            cosines = vectors @ bearing[hits[best].chunk.id].vector
            alike = np.clip((cosines - begin) / (1 - begin), 0, 1) * notes[short] * notes[best]
            repeated[short] = np.where(waiting[short], np.maximum(repeated[short], alike), repeated[short])
    return repeated
