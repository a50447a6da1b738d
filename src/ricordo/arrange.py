"""Scored hits → the answer: the window before what lies outside, each fact once, in the order asked for; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from ricordo.memory import EventOrigin, Memory
from ricordo.order import Order
from ricordo.query import Hit, TimeRange

__all__ = ["Equally", "arranged", "numbered", "one_a_line", "without_restatements"]

_NEVER = datetime.min.replace(tzinfo=UTC)


class Equally(NamedTuple):
    """When hits are equally good: their scores differ by `tolerance` at most, and they hold the same words of the
    question, which `held` gives by chunk id.
    """

    tolerance: float
    held: Mapping[str, frozenset[str]] = MappingProxyType({})

    def good(self, hit: Hit, other: Hit) -> bool:
        """Whether a hit is as good as another that comes before it."""
        nothing = frozenset[str]()
        same = self.held.get(hit.chunk.id, nothing) == self.held.get(other.chunk.id, nothing)
        return same and hit.score >= other.score - self.tolerance


def arranged(hits: Iterable[Hit], window: TimeRange | None, order: Order | None, equally: Equally) -> list[Hit]:
    """Best first; with a window, what happened in it, then what happened close to it, then what has no date.

    What was taken back comes last of all, for it often holds the wrong fact; so does what its owner buried.

    Hits that are equally good come by time when an order is asked for. Otherwise time decides only between equal
    scores, the newer one first.
    """
    tiers = sorted(hits, key=lambda hit: (_tier(hit.memory, window), -hit.score, -_seconds(hit.memory), hit.chunk.id))
    if order is None:
        return tiers
    by_tier = [list(group) for _, group in groupby(tiers, key=lambda hit: _tier(hit.memory, window))]
    return [hit for tier in by_tier for hit in _in_order(tier, order, equally)]


def _tier(memory: Memory, window: TimeRange | None) -> int:
    if memory.withheld:
        return 3
    if window is None:
        return 0
    if memory.event_timestamp is None:
        return 2
    return 0 if window.overlaps(memory) else 1


def _in_order(hits: Sequence[Hit], order: Order, equally: Equally) -> Iterable[Hit]:
    """Equally good hits by time, in the place of the best; what has no event time stays behind what has."""
    waiting = list(hits)
    sign = -1 if order is Order.LATEST else 1
    while waiting:
        equal = [hit for hit in waiting if hit is waiting[0] or equally.good(hit, waiting[0])]
        yield from sorted(equal, key=lambda hit: (hit.event_timestamp is None, sign * _seconds(hit.memory)))
        waiting = [hit for hit in waiting if not any(hit is each for each in equal)]


def _seconds(memory: Memory) -> float:
    """When it happened, or when it was told, as a number that grows with time."""
    moment = memory.event_timestamp or memory.updated_at
    return (moment - _NEVER).total_seconds()


def one_a_line(hits: Sequence[Hit], lines: Mapping[str, tuple[Memory, ...]]) -> list[Hit]:
    """One hit for all versions of a memory: the latest of those found, in the place of the best.

    `lines` gives all versions, first to current, for the id of each hit that is not alone in its line.
    """
    line_of = {memory_id: lines[memory_id][0].id for memory_id in lines if lines[memory_id]}
    rank_of = {version.id: number for line in lines.values() for number, version in enumerate(line)}

    def key(hit: Hit) -> str:
        return line_of.get(hit.id, hit.id)

    return _merged(hits, key, lambda hit: (rank_of.get(hit.id, 0),), keep_all_of_one=True)


def without_restatements(hits: Sequence[Hit], content: Mapping[str, tuple[str, ...]]) -> list[Hit]:
    """Memories that say the same with the same words of `content`, by chunk id: the newest, in the place of the best.

    What happened at different times, and is dated so, is not the same. What is withheld stands for nothing that is not.
    """

    def key(hit: Hit) -> object:
        words = content.get(hit.chunk.id)
        dated = hit.memory.event_origin not in (None, EventOrigin.SAID)
        if not words:
            return hit.chunk.id
        return (words, hit.chunk.context, hit.chunk.speaker, hit.event_timestamp if dated else None)

    same: dict[object, list[str]] = {}
    for hit in sorted(hits, key=lambda hit: -_seconds(hit.memory)):
        same.setdefault(key(hit), []).append(hit.id)
    kept = _merged(hits, key, lambda hit: (not hit.memory.withheld, _seconds(hit.memory)))
    return [replace(hit, restated=tuple(each for each in same[key(hit)] if each != hit.id)) for hit in kept]


def _merged(
    hits: Sequence[Hit],
    key: Callable[[Hit], object],
    rank: Callable[[Hit], tuple[float, ...]],
    *,
    keep_all_of_one: bool = False,
) -> list[Hit]:
    """One hit a key, that of the highest rank, in the place of the first; several chunks of one memory may stay."""
    best: dict[object, Hit] = {}
    for hit in hits:
        known = best.get(key(hit))
        if known is None or rank(hit) > rank(known):
            best[key(hit)] = hit
    placed: set[object] = set()
    kept: list[Hit] = []
    for hit in hits:
        chosen = best[key(hit)]
        if key(hit) not in placed:
            placed.add(key(hit))
            kept.append(chosen)
        elif keep_all_of_one and hit.id == chosen.id and hit is not chosen:
            kept.append(hit)
    return kept


def numbered(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """With ranks from 1."""
    return tuple(replace(hit, rank=number) for number, hit in enumerate(hits, start=1))
