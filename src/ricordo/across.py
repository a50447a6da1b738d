"""Several namespaces asked at once: each answers for itself, and the answers are fused by rank; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ricordo.fusion import K
from ricordo.query import Hit, Notice, Recall, TimeUse
from ricordo.spelling import RESPELT

__all__ = ["Across", "Placed", "across"]

WHY_NOTHING = frozenset({"empty_namespace", "nothing_shared", "below_floor"})
"""Notices that say why a namespace found nothing; where another found something they say nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Placed:
    """A hit and the namespace it is from. Its rank is its place among all; its ranks in the arms are those there."""

    namespace: str
    hit: Hit


@dataclass(frozen=True, kw_only=True, slots=True)
class Across:
    """One answer out of several: hits, best first, and what shaped them."""

    placed: tuple[Placed, ...]
    time: TimeUse | None = None
    notices: tuple[Notice, ...] = ()


def across(recalls: Sequence[Recall], limit: int) -> Across:
    """The best of several recalls of one question, each from another namespace, by Reciprocal Rank Fusion.

    No hit is in two of them, so each scores by its own rank; of equal ranks the better evidence comes first, and of
    equal evidence the namespace that was asked first. What a namespace finds is never pushed below its own worse hits.
    """
    found = [
        (-1 / (K + hit.rank), -hit.score, order, Placed(namespace=recall.query.namespace, hit=hit))
        for order, recall in enumerate(recalls)
        for hit in recall.hits
    ]
    found.sort(key=lambda each: each[:3])
    placed = (each[3] for each in found[:limit])
    return Across(
        placed=tuple(replace(each, hit=replace(each.hit, rank=rank)) for rank, each in enumerate(placed, start=1)),
        time=next((recall.time for recall in recalls if recall.time is not None), None),
        notices=_notices(recalls, nothing=not found),
    )


def _notices(recalls: Sequence[Recall], *, nothing: bool) -> tuple[Notice, ...]:
    """What holds for the answer as a whole, each once."""
    said = {_subject(notice): notice for recall in recalls for notice in recall.notices}
    return tuple(notice for notice in said.values() if nothing or notice.code not in WHY_NOTHING)


def _subject(notice: Notice) -> tuple[str, str]:
    """Each namespace corrects the question by words of its own."""
    return notice.code, notice.message if notice.code == RESPELT else ""
