"""Many ranked lists → one. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ricordo.query import RankedList

__all__ = ["K", "cut", "ranks", "reciprocal_rank_fusion"]

K = 60


def reciprocal_rank_fusion(
    lists: Sequence[RankedList], *, k: int = K, weights: Mapping[str, float] | None = None
) -> list[tuple[str, float]]:
    """Ids with their scores `Σ weight / (k + rank)`, best first, ties by id. An arm not in `weights` weighs 1.

    G. V. Cormack, C. L. A. Clarke, S. Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual
    Rank Learning Methods. SIGIR 2009.
    """
    scores: defaultdict[str, float] = defaultdict(float)
    for ranked in lists:
        weight = 1.0 if weights is None else weights.get(ranked.arm, 1.0)
        for rank, chunk_id in enumerate(ranked.ids, start=1):
            scores[chunk_id] += weight / (k + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def cut(fused: Sequence[tuple[str, float]], lists: Sequence[RankedList], size: int) -> list[tuple[str, float]]:
    """The best `size` of the fused list, in its order, with every arm's first hit among them.

    Where an arm's first hit would be cut off, it takes the place of the last that no arm put first. With more
    arms than places the fused order alone decides.
    """
    first = {ranked.ids[0] for ranked in lists if ranked.ids}
    if len(first) > size:
        return list(fused[:size])
    room = size - len(first)
    kept = set(first)
    for chunk_id, _ in fused:
        if room == 0:
            break
        if chunk_id not in kept:
            kept.add(chunk_id)
            room -= 1
    return [item for item in fused if item[0] in kept]


def ranks(lists: Sequence[RankedList]) -> dict[str, dict[str, int]]:
    """For each id, its rank (from 1) in each arm that found it."""
    found: dict[str, dict[str, int]] = {}
    for ranked in lists:
        for rank, chunk_id in enumerate(ranked.ids, start=1):
            found.setdefault(chunk_id, {})[ranked.arm] = rank
    return found
