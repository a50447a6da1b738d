"""What the arms found in each pass → one pool of chunks that may be the answer, and how time shaped it; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ricordo.arms import IDENTIFIERS, KEY_TERMS, WORDS, Found
from ricordo.fusion import cut, ranks, reciprocal_rank_fusion
from ricordo.query import Filters, Notice, RankedList, TimeRange, TimeUse
from ricordo.window import Window

__all__ = ["INSIDE", "Pool", "passes", "pooled"]

ALL, INSIDE, UNDATED = "all", "inside", "undated"
TIME = "time"
NAMED = 20
"""Of what the key terms of a question find so many join the pool, at its end: half a question gives no order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pool:
    """Chunk ids with their fused scores and their ranks in the arms; `filters` are those they came through.

    `boosted` are those that lie in a window which is no filter, and `boost` how surely it was read.
    """

    scores: Mapping[str, float]
    arms: Mapping[str, Mapping[str, int]]
    filters: Filters
    use: TimeUse | None = None
    notices: tuple[Notice, ...] = ()
    boosted: frozenset[str] = frozenset()
    boost: float = 0.0

    @property
    def window(self) -> TimeRange | None:
        """What hits are sorted by before their score."""
        return self.use.range if self.use is not None and self.use.applied == "filter" else None


def passes(filters: Filters, window: Window | None) -> dict[str, Filters]:
    """Which filters to search with. In a window of the past, what was replaced since counts as well."""
    if window is None:
        return {ALL: filters}
    inside = {ALL: filters, INSIDE: replace(filters, time=window.padded, superseded=True)}
    return {**inside, UNDATED: replace(filters, undated=True)} if window.sure else inside


def pooled(filters: Filters, window: Window | None, found: Mapping[str, Found], size: int) -> Pool:
    """The lists that count, fused and cut to `size`.

    A sure window is a filter, behind which comes what has no date; with nothing in it, it is widened to all times.
    Any other window is one more ranked list.
    """
    if window is None:
        return _fused(filters, found[ALL].lists, size, use=_stated(filters))
    searched = passes(filters, window)
    inside = found[INSIDE].lists if _answers(found) else ()
    use = TimeUse(range=window.range, text=window.text, applied="filter")
    if window.sure and inside:
        dated = _fused(searched[INSIDE], inside, size, use=use)
        undated = _fused(searched[UNDATED], found[UNDATED].lists, size)
        return replace(dated, scores={**undated.scores, **dated.scores}, arms={**undated.arms, **dated.arms})
    if window.sure:
        message = f"nothing was found in the time of {window.text!r}, so all times were searched"
        notice = Notice(code="window_empty", message=message)
        return _fused(filters, found[ALL].lists, size, use=replace(use, applied="widened"), notices=(notice,))
    boost = RankedList(arm=TIME, ids=tuple(chunk_id for chunk_id, _ in reciprocal_rank_fusion(inside)))
    lists = [*found[ALL].lists, boost] if boost.ids else found[ALL].lists
    fused = _fused(filters, lists, size, weights={TIME: window.confidence}, use=replace(use, applied="boost"))
    return replace(fused, boosted=frozenset(boost.ids), boost=window.confidence)


def _answers(found: Mapping[str, Found]) -> bool:
    """Whether anything in the window shares a word with the question, where anything at all does: vectors alone are
    near to something at any time.
    """
    shared = {name: any(ranked.arm in (WORDS, IDENTIFIERS) for ranked in each.lists) for name, each in found.items()}
    return shared[INSIDE] or not any(shared.values())


def _fused(
    filters: Filters,
    lists: Sequence[RankedList],
    size: int,
    *,
    weights: Mapping[str, float] | None = None,
    use: TimeUse | None = None,
    notices: tuple[Notice, ...] = (),
) -> Pool:
    main = [ranked for ranked in lists if ranked.arm != KEY_TERMS]
    scores = dict(cut(reciprocal_rank_fusion(main, weights=weights), main, size))
    named = (chunk_id for ranked in lists if ranked.arm == KEY_TERMS for chunk_id in ranked.ids[:NAMED])
    scores |= {chunk_id: 0.0 for chunk_id in named if chunk_id not in scores}
    return Pool(scores=scores, arms=ranks(lists), filters=filters, use=use, notices=notices)


def _stated(filters: Filters) -> TimeUse | None:
    """The time that was asked for in so many words, in place of any in the question."""
    stated = TimeRange(end=filters.as_of.moment) if filters.as_of else filters.time
    return TimeUse(range=stated, text="", applied="filter") if stated else None
