"""The read path: query → probe → arms → fusion → evidence → hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from anyio import to_thread

from ricordo.analyzer import STANDARD, Analyzer, content
from ricordo.arms import ARMS, IDENTIFIERS, WORDS, Depths, Found, Searcher
from ricordo.arrange import Equally, arranged, numbered, one_a_line, without_restatements
from ricordo.asking import asking_part
from ricordo.bm25 import Bm25
from ricordo.enrich import Encoding, enrich
from ricordo.evidence import Model, load_model
from ricordo.memory import Memory
from ricordo.order import Order, asked_order
from ricordo.pool import passes, pooled
from ricordo.protocols import Embedder, Reranker, Store
from ricordo.query import Hit, Notice, Probe, Query, Recall, WordMatches
from ricordo.spelling import Respelt, Speller
from ricordo.stopwatch import Stopwatch
from ricordo.variety import varied
from ricordo.weigh import NO_WORDS, OFF, STORED, Measured, Scored, Search, Weigher
from ricordo.window import Calendar, Window, find_window

__all__ = ["ARMS", "OFF", "Depths", "Reader"]

SPARE = 10
"""Hits looked at beyond those asked for, in place of those that fall together."""
SHORT = 400
"""Characters of a text that may be a restatement of another: a fact is short."""
SHARE_FLOOR = 0.2
"""What a memory's words must score to be told unasked where no vectors tell, of all that they could: every word in
the form it was written has about a half.
"""
SHARED, MARGIN = 0.03, 0.035
"""What does not share a word with the prompt must lie so much above the floor: a name, at least, tells more surely."""
BELOW_FLOOR = Notice(code="below_floor", message="nothing is near enough to the prompt to be told unasked")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """The read path over one store.

    `arms` are those in use, `times` says whether times in questions are read, `model` weighs the evidence, `spelling`
    puts misspelt words right, and with `variety` hits that say the same lie apart; leaving a part out is for measuring
    what it is worth. `token_vectors` are `stored`, `computed` for the best of the pool, or `off`; `reranker` reads the
    best again for `patience` seconds.
    """

    store: Store
    embedder: Embedder | None
    analyzer: Analyzer = STANDARD
    bm25: Bm25 = field(default_factory=Bm25)
    depths: Depths = field(default_factory=Depths)
    arms: frozenset[str] = frozenset(ARMS)
    times: bool = True
    model: Model | None = field(default_factory=load_model)
    calendar: Calendar = field(default_factory=Calendar)
    token_vectors: str = STORED
    reranker: Reranker | None = None
    patience: float = 1.0
    spelling: bool = True
    variety: bool = True
    notices: tuple[Notice, ...] = ()

    async def recall(self, query: Query) -> Recall:
        """Answer a query. Raises StoreError, ModelError."""
        watch = Stopwatch()
        with watch.measure("total"):
            weigher = self._weigher()
            window, search = await self._search(query, watch)
            with watch.measure("evidence"):
                scored = await weigher.weigh(search)
            with watch.measure("rerank"):
                scored = await weigher.reread(search, scored)
            with watch.measure("hits"):
                hits = await self._hits(search, window, scored)
        return self._recalled(search, scored, hits, watch)

    async def context(self, query: Query) -> Recall:
        """What surely bears on a prompt that asks nothing: by evidence alone, above the floor, often nothing at all.

        Words are taken as they are spelt: a prompt is often about what no memory speaks of, and a word of it that was
        taken for another would be answered unasked. Raises StoreError, ModelError.
        """
        watch = Stopwatch()
        with watch.measure("total"):
            window, search = await self._search(query, watch, respell=False)
            with watch.measure("evidence"):
                scored = await self._weigher().weigh(search)
            with watch.measure("hits"):
                hits = await self._hits(search, window, scored)
            sure = numbered(hit for hit in hits if self._bears(scored, hit))
        if hits and not sure:
            scored = replace(scored, notices=(*scored.notices, BELOW_FLOOR))
        return self._recalled(search, scored, sure, watch)

    async def measure(self, query: Query) -> Measured:
        """The evidence for each of a query's pool. Raises StoreError, ModelError."""
        _, search = await self._search(query, Stopwatch())
        return await self._weigher().features(search)

    async def probe(self, query: Query) -> tuple[Window | None, Probe]:
        """A query made ready, and what it says about time."""
        asked = asking_part(query.text) or query.text
        window = self._window(query, asked)
        meant = window.rest if window and window.sure and window.rest else asked
        return window, await enrich(query, self.analyzer, asked=asked, meant=meant)

    async def probe_again(self, query: Query, respelt: Respelt) -> tuple[Window | None, Probe]:
        """The same with misspelt words put right: a month may be among them."""
        window, again = await self.probe(replace(query, text=respelt.text))
        return window, replace(respelt.probe, wordings=again.wordings)

    def _bears(self, scored: Scored, hit: Hit) -> bool:
        """Whether a hit may be told unasked: it is above the floor, or holds a name that the prompt holds."""
        if hit.memory.withheld:
            return False
        near = scored.bearing.get(hit.chunk.id)
        if near is None or IDENTIFIERS in hit.arms:
            return near is not None
        if self.embedder is None or np.isnan(near.cosine):
            return near.share >= SHARE_FLOOR
        return near.cosine >= self.embedder.floors.context + (0.0 if near.share >= SHARED else MARGIN)

    def _recalled(self, search: Search, scored: Scored, hits: tuple[Hit, ...], watch: Stopwatch) -> Recall:
        pool = search.pool
        notices = (*self.notices, *_notices(search), *pool.notices, *scored.notices)
        return Recall(query=search.probe.query, hits=hits, time=pool.use, notices=notices, timings=watch.spent)

    async def _search(self, query: Query, watch: Stopwatch, *, respell: bool = True) -> tuple[Window | None, Search]:
        window, probe = await self.probe(query)
        searcher = Searcher(
            store=self.store, embedder=self.embedder, bm25=self.bm25, depths=self.depths, arms=self.arms
        )
        searched = passes(query.filters, window)
        found, encoding = await searcher.search(probe, searched, watch)
        respelt = None
        if self.spelling and respell:
            respelt = await self._speller(encoding).respell(probe, _statistics(found))
        if respelt is not None:
            window, probe = await self.probe_again(query, respelt)
            searched = passes(query.filters, window)
            found, encoding = await searcher.search(probe, searched, watch)
        size = max(2 * query.limit + SPARE, self.depths.evidence if self.model is not None else 0)
        pool = pooled(query.filters, window, found, size)
        if respelt is not None:
            pool = replace(pool, notices=(*pool.notices, respelt.notice))
        return window, Search(
            probe=probe,
            pool=pool,
            statistics=_statistics(found),
            encoding=encoding,
            text=respelt.text if respelt is not None else query.text,
        )

    def _speller(self, encoding: Encoding | None) -> Speller:
        """With the model only where it has read the question, and so is loaded."""
        return Speller(store=self.store, analyzer=self.analyzer, embedder=self.embedder if encoding else None)

    def _weigher(self) -> Weigher:
        return Weigher(
            store=self.store,
            embedder=self.embedder,
            analyzer=self.analyzer,
            model=self.model,
            token_vectors=self.token_vectors,
            reranker=self.reranker,
            patience=self.patience,
        )

    def _window(self, query: Query, asked: str) -> Window | None:
        """What the question says about time, unless the filters say it."""
        if not self.times or query.filters.time is not None or query.filters.as_of is not None:
            return None
        return find_window(asked, self.calendar.read(asked))

    def _order(self, text: str, window: Window | None) -> Order | None:
        """Which end of the story is asked for; "last week" is a window, and no order."""
        if not self.times:
            return None
        for said in window.said if window is not None else ():
            text = text.replace(said, " ", 1)
        return asked_order(text)

    async def _hits(self, search: Search, window: Window | None, scored: Scored) -> tuple[Hit, ...]:
        query, pool = search.probe.query, search.pool
        order = self._order(search.text, window)
        ids = scored.order if window is not None else scored.order[: 2 * query.limit + SPARE]
        rows = await self.store.get(query.namespace, ids)
        hits = [
            Hit(
                rank=0,
                score=scored.scores[chunk.id],
                arms=pool.arms.get(chunk.id, {}),
                chunk=chunk,
                memory=memory,
                parts=scored.parts.get(chunk.id, {}),
            )
            for chunk, memory in rows
            # What no arm found came in as a neighbour, past the filters.
            if chunk.id in pool.arms or (pool.filters.as_of is None and pool.filters.allow(memory))
        ]
        held = {chunk_id: near.held for chunk_id, near in scored.bearing.items()}
        hits = await self._one_a_line(query, arranged(hits, pool.window, order, Equally(scored.tolerance, held)))
        short = [hit for hit in hits if len(hit.text) <= SHORT]
        said = await to_thread.run_sync(lambda: {hit.chunk.id: content(hit.text) for hit in short})
        told = without_restatements(hits, said)
        # What is asked of a time, of all versions, or in their order are texts that resemble each other.
        alike = pool.use is not None or order is not None or query.filters.superseded
        if self.variety and not alike and self.embedder is not None and search.encoding is not None:
            told = varied(told, scored.bearing, self.embedder.floors.context)
        return numbered(_with_undated(told, query.limit) if pool.window else told[: query.limit])

    async def _one_a_line(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        """One hit for all versions of a memory, with the versions where they are asked for."""
        lines: dict[str, tuple[Memory, ...]] = {}
        for memory in (hit.memory for hit in hits):
            wanted = memory.superseded_by or (query.history and memory.supersedes)
            if wanted and memory.id not in lines:
                line = await self.store.history(query.namespace, memory.id)
                lines.update((version.id, line) for version in line)
        kept = list(hits) if query.filters.superseded else one_a_line(hits, lines)
        if not query.history:
            return kept
        return [replace(hit, versions=lines.get(hit.id, ())) for hit in kept]


def _statistics(found: Mapping[str, Found]) -> WordMatches:
    """Those of the namespace, which are the same in every pass."""
    return next((each.statistics for each in found.values() if each.statistics is not None), NO_WORDS)


def _with_undated(hits: Sequence[Hit], limit: int) -> list[Hit]:
    """The first hits; the last place is for the best without a date that shares a word, if there is one behind them."""
    kept = list(hits[:limit])
    behind = [hit for hit in hits[limit:] if hit.event_timestamp is None and {WORDS, IDENTIFIERS} & hit.arms.keys()]
    if limit > 1 and behind and all(hit.event_timestamp is not None for hit in kept):
        kept[-1] = behind[0]
    return kept


def _notices(search: Search) -> tuple[Notice, ...]:
    """Why there is little or nothing to find."""
    if not search.probe.query.text.strip():
        return (Notice(code="empty_query", message="the question is empty; ask with a word or a name"),)
    if not search.probe.terms:
        return (Notice(code="no_terms", message="the question holds no word, number or symbol to look for"),)
    if search.pool.scores:
        return ()
    if not search.statistics.chunks and search.statistics is not NO_WORDS:
        return (Notice(code="empty_namespace", message="nothing is remembered in this namespace"),)
    return (Notice(code="nothing_shared", message="nothing shares a word with the question or is near it in meaning"),)
