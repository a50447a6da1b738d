"""The read path: query → probe → arms → fusion → evidence → hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from anyio import to_thread

from ricordo.analyzer import STANDARD, Analyzer, content
from ricordo.arms import ARMS, Depths, Found, Searcher
from ricordo.arrange import arranged, numbered, one_a_line, without_restatements
from ricordo.bm25 import Bm25
from ricordo.enrich import enrich
from ricordo.fusion import cut, ranks, reciprocal_rank_fusion
from ricordo.memory import Memory
from ricordo.order import Order, asked_order
from ricordo.protocols import Embedder, Store
from ricordo.query import Filters, Hit, Notice, Probe, Query, RankedList, Recall, TimeRange, TimeUse
from ricordo.stopwatch import Stopwatch
from ricordo.window import Calendar, Window, find_window

__all__ = ["ARMS", "Depths", "Reader"]

ALL, INSIDE, UNDATED = "all", "inside", "undated"
TIME = "time"
SPARE = 10
"""Hits looked at beyond those asked for, in place of those that fall together."""
SHORT = 400
"""Characters of a text that may be a restatement of another: a fact is short."""
EQUAL = 0.1
"""Scores that differ by less, as a share of the best, are equally good where the question asks for an order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pool:
    """The chunks that may be the answer, scored, with their ranks in the arms; and how time shaped it."""

    scores: Mapping[str, float]
    arms: Mapping[str, Mapping[str, int]]
    use: TimeUse | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def window(self) -> TimeRange | None:
        return self.use.range if self.use is not None and self.use.applied == "filter" else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """The read path over one store.

    `arms` are those in use and `times` says whether times in questions are read; leaving a part out is for
    measuring what it is worth.
    """

    store: Store
    embedder: Embedder | None
    analyzer: Analyzer = STANDARD
    bm25: Bm25 = field(default_factory=Bm25)
    depths: Depths = field(default_factory=Depths)
    arms: frozenset[str] = frozenset(ARMS)
    times: bool = True
    calendar: Calendar = field(default_factory=Calendar)
    notices: tuple[Notice, ...] = ()

    async def recall(self, query: Query) -> Recall:
        """Answer a query. Raises StoreError, ModelError."""
        watch = Stopwatch()
        with watch.measure("total"):
            window = self._window(query)
            probe = await enrich(query, self.analyzer, window.rest if window and window.sure else None)
            found, _ = await self._searcher().search(probe, _passes(query.filters, window), watch)
            pool = _pooled(query, window, found)
            hits = await self._hits(query, window, pool)
        return Recall(
            query=query,
            hits=hits,
            time=pool.use,
            notices=(*self.notices, *_notices(probe), *pool.notices),
            timings=watch.spent,
        )

    def _searcher(self) -> Searcher:
        return Searcher(store=self.store, embedder=self.embedder, bm25=self.bm25, depths=self.depths, arms=self.arms)

    def _window(self, query: Query) -> Window | None:
        """What the question says about time, unless the filters say it."""
        if not self.times or query.filters.time is not None or query.filters.as_of is not None:
            return None
        return find_window(query.text, self.calendar.read(query.text))

    async def _hits(self, query: Query, window: Window | None, pool: _Pool) -> tuple[Hit, ...]:
        order = _order(query, window) if self.times else None
        ids = sorted(pool.scores, key=lambda chunk_id: (-pool.scores[chunk_id], chunk_id))
        rows = await self.store.get(query.namespace, ids[: 2 * query.limit + SPARE] if window is None else ids)
        hits = [
            Hit(rank=0, score=pool.scores[chunk.id], arms=pool.arms[chunk.id], chunk=chunk, memory=memory)
            for chunk, memory in rows
        ]
        tolerance = EQUAL * max(pool.scores.values(), default=0.0)
        hits = arranged(hits, pool.window, order, tolerance)
        hits = await self._one_a_line(query, hits)
        short = [hit for hit in hits if len(hit.text) <= SHORT]
        said = await to_thread.run_sync(lambda: {hit.chunk.id: content(hit.text) for hit in short})
        return numbered(without_restatements(hits, said)[: query.limit])

    async def _one_a_line(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        """One hit for all versions of a memory, with the versions where they are asked for."""
        wanted = query.history or not query.filters.superseded
        old = [
            hit for hit in hits if wanted and (hit.memory.superseded_by or (query.history and hit.memory.supersedes))
        ]
        lines: dict[str, tuple[Memory, ...]] = {}
        for hit in old:
            if hit.id not in lines:
                line = await self.store.history(query.namespace, hit.id)
                lines.update((version.id, line) for version in line)
        kept = list(hits) if query.filters.superseded else one_a_line(hits, lines)
        if not query.history:
            return kept
        return [replace(hit, versions=lines.get(hit.id) or (hit.memory,)) for hit in kept]


def _order(query: Query, window: Window | None) -> Order | None:
    """Which end of the story is asked for; "last week" is a window, and no order."""
    text = query.text if window is None else query.text.replace(window.text, " ", 1)
    return asked_order(text)


def _passes(filters: Filters, window: Window | None) -> dict[str, Filters]:
    """Which filters to search with. In a window of the past, what was replaced since counts as well."""
    passes = {ALL: filters}
    if window is not None:
        passes[INSIDE] = replace(filters, time=window.padded, superseded=True)
        if window.sure:
            passes[UNDATED] = replace(filters, undated=True)
    return passes


def _pooled(query: Query, window: Window | None, found: Mapping[str, Found]) -> _Pool:
    """The lists that count, fused."""
    if window is None:
        return _fused(query, found[ALL].lists, use=_stated(query.filters))
    inside = found[INSIDE].lists
    if not window.sure:
        fused = reciprocal_rank_fusion(inside)
        boost = RankedList(arm=TIME, ids=tuple(chunk_id for chunk_id, _ in fused))
        lists = (*found[ALL].lists, boost) if boost.ids else found[ALL].lists
        use = TimeUse(range=window.range, text=window.text, applied="boost")
        return _fused(query, lists, weights={TIME: window.confidence}, use=use)
    if not inside:
        use = TimeUse(range=window.range, text=window.text, applied="widened")
        notice = Notice(
            code="window_empty", message=f"nothing found in the time of {window.text!r}: searched all times"
        )
        return _fused(query, found[ALL].lists, use=use, notices=(notice,))
    use = TimeUse(range=window.range, text=window.text, applied="filter")
    dated = _fused(query, inside, use=use)
    undated = _fused(query, found[UNDATED].lists)
    return replace(dated, scores={**undated.scores, **dated.scores}, arms={**undated.arms, **dated.arms})


def _fused(
    query: Query,
    lists: Sequence[RankedList],
    *,
    weights: Mapping[str, float] | None = None,
    use: TimeUse | None = None,
    notices: tuple[Notice, ...] = (),
) -> _Pool:
    best = cut(reciprocal_rank_fusion(lists, weights=weights), lists, 2 * query.limit + SPARE)
    return _Pool(scores=dict(best), arms=ranks(lists), use=use, notices=notices)


def _stated(filters: Filters) -> TimeUse | None:
    """The time that was asked for in so many words, in place of any in the question."""
    stated = TimeRange(end=filters.as_of.moment) if filters.as_of else filters.time
    return TimeUse(range=stated, text="", applied="filter") if stated else None


def _notices(probe: Probe) -> tuple[Notice, ...]:
    if not probe.query.text.strip():
        return (Notice(code="empty_query", message="the question is empty; ask with a word or a name"),)
    if not probe.terms:
        return (Notice(code="no_terms", message="the question holds no word, number or symbol to look for"),)
    return ()
