"""The read path: query → probe → arms → fusion → evidence → hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from anyio import to_thread

from ricordo.analyzer import STANDARD, Analyzer, content
from ricordo.arms import ARMS, Depths, Searcher
from ricordo.arrange import arranged, numbered, one_a_line, without_restatements
from ricordo.asking import asking_part
from ricordo.bm25 import Bm25, telling
from ricordo.enrich import Encoding, enrich, shortened
from ricordo.evidence import REACH, Model, bearing, judge, load_model, measure
from ricordo.memory import Memory
from ricordo.order import Order, asked_order
from ricordo.pool import Pool, passes, pooled
from ricordo.protocols import Embedder, Reranker, Store
from ricordo.query import Aspects, Candidate, Hit, Notice, Probe, Query, Recall, WordMatches
from ricordo.remember import passage
from ricordo.reread import DEEP, reread, standardised
from ricordo.scene import Asked, Floats, Scene, build_scene
from ricordo.stopwatch import Stopwatch
from ricordo.tokenvectors import pack
from ricordo.window import Calendar, Window, find_window

__all__ = ["ARMS", "OFF", "Depths", "Reader"]

STORED, COMPUTED, OFF = "stored", "computed", "off"
"""Where the token vectors of candidates come from."""

MOST_TERMS = 64
"""Terms that evidence is taken of; a pasted page has thousands, and the rarest tell."""
SPARE = 10
"""Hits looked at beyond those asked for, in place of those that fall together."""
SHORT = 400
"""Characters of a text that may be a restatement of another: a fact is short."""
EQUAL_SHARE, EQUAL = 0.1, 0.5
"""Scores that differ by less are equally good where the question asks for an order: a share of the best score of
fusion, or that much evidence."""
SHARE_FLOOR = 0.5
"""The share of what its words could score that a memory must have to be told unasked where no vectors tell."""
BELOW_FLOOR = Notice(code="below_floor", message="nothing is near enough to the prompt to be told unasked")
REREAD = 2.0
"""What a deviation among the scores of a cross-encoder counts beside evidence."""
MOST_COMPUTED = 50
"""Candidates whose token vectors are computed when they are not stored."""
IN_TIME = 1.5
"""What lying in a window that is no filter counts as evidence, times how surely it was read."""


NO_WORDS = WordMatches(matches=(), chunks=0, mean_length=0.0, mean_context_length=0.0, document_frequency={})
"""The statistics of a search without words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Search:
    """What a search came to, before anything is weighed."""

    probe: Probe
    window: Window | None
    pool: Pool
    statistics: WordMatches
    encoding: Encoding | None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Scored:
    """Chunk ids with scores, what these are the sum of, and how far apart equally good ones may be.

    `bearing` is what `evidence.bearing` says of each.
    """

    scores: Mapping[str, float]
    parts: Mapping[str, Mapping[str, float]]
    tolerance: float
    bearing: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()

    @property
    def order(self) -> list[str]:
        """Best first, ties by id."""
        return sorted(self.scores, key=lambda chunk_id: (-self.scores[chunk_id], chunk_id))


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """The read path over one store.

    `arms` are those in use, `times` says whether times in questions are read, and `model` weighs the evidence;
    leaving a part out is for measuring what it is worth. `token_vectors` are `stored`, `computed` for the best of
    the pool, or `off`; `reranker` reads the best again for `patience` seconds.
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
    notices: tuple[Notice, ...] = ()

    async def recall(self, query: Query) -> Recall:
        """Answer a query. Raises StoreError, ModelError."""
        watch = Stopwatch()
        with watch.measure("total"):
            search = await self._search(query, watch)
            with watch.measure("evidence"):
                scored = await self._scored(search)
            with watch.measure("rerank"):
                scored = await self._reread(search, scored)
            with watch.measure("hits"):
                hits = await self._hits(search, scored)
        return self._recalled(search, scored, hits, watch)

    async def context(self, query: Query) -> Recall:
        """What surely bears on a prompt that asks nothing: by evidence alone, above the floor, often nothing at all.

        Raises StoreError, ModelError.
        """
        watch = Stopwatch()
        with watch.measure("total"):
            search = await self._search(query, watch)
            with watch.measure("evidence"):
                scored = await self._scored(search)
            with watch.measure("hits"):
                hits = await self._hits(search, scored)
            sure = [hit for hit in hits if self._bears(search, scored, hit)]
        below = (BELOW_FLOOR,) if hits and not sure else ()
        return self._recalled(search, replace(scored, notices=(*scored.notices, *below)), numbered(sure), watch)

    def _bears(self, search: _Search, scored: _Scored, hit: Hit) -> bool:
        """Whether a hit may be told unasked: it is above the floor, or holds a name that the prompt holds."""
        if hit.chunk.id not in scored.bearing:
            return False
        cosine, share = scored.bearing[hit.chunk.id]
        if self.embedder is None or np.isnan(cosine):
            return share >= SHARE_FLOOR or "identifiers" in hit.arms
        return cosine >= self.embedder.floors.context or "identifiers" in hit.arms

    def _recalled(self, search: _Search, scored: _Scored, hits: tuple[Hit, ...], watch: Stopwatch) -> Recall:
        pool = search.pool
        notices = (*self.notices, *_notices(search), *pool.notices, *scored.notices)
        return Recall(query=search.probe.query, hits=hits, time=pool.use, notices=notices, timings=watch.spent)

    async def measure(self, query: Query) -> tuple[tuple[str, ...], dict[str, Floats]]:
        """The memory ids of a query's pool and what the evidence for each is: what a model is fitted on.

        Raises StoreError, ModelError.
        """
        search = await self._search(query, Stopwatch())
        scene, asked = await self._scene(search)
        ids = tuple(each.chunk.memory_id for each, pooled in zip(scene.candidates, scene.pooled, strict=True) if pooled)
        return ids, await to_thread.run_sync(measure, scene, asked)

    async def _search(self, query: Query, watch: Stopwatch) -> _Search:
        asked = asking_part(query.text) or query.text
        window = self._window(query, asked)
        meant = window.rest if window and window.sure and window.rest else asked
        probe = await enrich(query, self.analyzer, asked=asked, meant=meant)
        found, encoding = await self._searcher().search(probe, passes(query.filters, window), watch)
        return _Search(
            probe=probe,
            window=window,
            pool=pooled(query.filters, window, found, self._size(query)),
            statistics=next((each.statistics for each in found.values() if each.statistics is not None), NO_WORDS),
            encoding=encoding,
        )

    def _searcher(self) -> Searcher:
        return Searcher(store=self.store, embedder=self.embedder, bm25=self.bm25, depths=self.depths, arms=self.arms)

    def _window(self, query: Query, asked: str) -> Window | None:
        """What the question says about time, unless the filters say it."""
        if not self.times or query.filters.time is not None or query.filters.as_of is not None:
            return None
        return find_window(asked, self.calendar.read(asked))

    def _size(self, query: Query) -> int:
        return max(2 * query.limit + SPARE, self.depths.evidence if self.model is not None else 0)

    async def _scored(self, search: _Search) -> _Scored:
        """The pool by evidence; by fusion alone where no model weighs it."""
        fused = search.pool.scores
        if self.model is None or not fused:
            return _Scored(scores=fused, parts={}, tolerance=EQUAL_SHARE * max(fused.values(), default=0.0))
        scene, asked = await self._scene(search)
        parts = await to_thread.run_sync(_judged, scene, asked, search.pool, self.model)
        return _Scored(
            scores={each: sum(parts[each].values()) for each in parts},
            parts=parts,
            tolerance=EQUAL,
            bearing=bearing(scene, asked),
        )

    async def _scene(self, search: _Search) -> tuple[Scene, Asked]:
        probe, encoding, question = search.probe, search.encoding, self.analyzer.question
        terms = telling(probe.terms, search.statistics, MOST_TERMS)
        asked = Asked(
            text=probe.query.text,
            terms=terms,
            identifiers=probe.identifiers,
            statistics=search.statistics,
            lexemes=lambda word: {
                term: weight for term, weight in question(word).weights.items() if term in probe.terms
            },
            vector=encoding.variants[0].vector if encoding else None,
            tokens=encoding.tokens if encoding and self.token_vectors != OFF else None,
        )
        embedder = self.embedder if encoding else None
        aspects = Aspects(
            terms=tuple(terms),
            fingerprint=embedder.fingerprint if embedder else None,
            token_fingerprint=embedder.token_fingerprint if embedder and self.token_vectors == STORED else None,
            reach=REACH,
        )
        candidates = await self.store.candidates(probe.query.namespace, list(search.pool.scores), aspects)
        if asked.tokens is not None and self.embedder is not None and self.token_vectors == COMPUTED:
            best = frozenset(list(search.pool.scores)[:MOST_COMPUTED])
            candidates = await to_thread.run_sync(_with_tokens, candidates, best, self.embedder)
        scene = await to_thread.run_sync(build_scene, asked, candidates, search.pool.scores)
        return scene, asked

    async def _reread(self, search: _Search, scored: _Scored) -> _Scored:
        """The best of the pool as a cross-encoder orders them, which weighs more than the evidence before it."""
        if self.reranker is None or not scored.scores:
            return scored
        ids = scored.order[:DEEP]
        rows = await self.store.get(search.probe.query.namespace, ids)
        texts = [passage(chunk) for chunk, _ in rows]
        question = shortened(search.probe.query.text)
        read = await to_thread.run_sync(reread, self.reranker, question, texts, self.patience, abandon_on_cancel=True)
        said = dict(zip((chunk.id for chunk, _ in rows), standardised(read.scores), strict=False))
        notices = (read.notice,) if read.notice else ()
        if not said:
            return replace(scored, notices=notices)
        # What was not read again was behind what was, and stays there.
        least = min(said.values())
        more = {chunk_id: REREAD * said.get(chunk_id, least) for chunk_id in scored.scores}
        parts = {chunk_id: {**scored.parts.get(chunk_id, {}), "read again": more[chunk_id]} for chunk_id in more}
        scores = {chunk_id: scored.scores[chunk_id] + more[chunk_id] for chunk_id in more}
        return replace(scored, scores=scores, parts=parts, notices=notices)

    async def _hits(self, search: _Search, scored: _Scored) -> tuple[Hit, ...]:
        query, window, pool = search.probe.query, search.window, search.pool
        order = _order(query, window) if self.times else None
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
        hits = await self._one_a_line(query, arranged(hits, pool.window, order, scored.tolerance))
        short = [hit for hit in hits if len(hit.text) <= SHORT]
        said = await to_thread.run_sync(lambda: {hit.chunk.id: content(hit.text) for hit in short})
        return numbered(without_restatements(hits, said)[: query.limit])

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
        return [replace(hit, versions=lines.get(hit.id) or (hit.memory,)) for hit in kept]


def _judged(scene: Scene, asked: Asked, pool: Pool, model: Model) -> dict[str, dict[str, float]]:
    parts = judge(scene, asked, model)
    for chunk_id in pool.boosted & parts.keys():
        parts[chunk_id]["time"] = IN_TIME * pool.boost
    return parts


def _with_tokens(candidates: Sequence[Candidate], wanted: frozenset[str], embedder: Embedder) -> tuple[Candidate, ...]:
    """The candidates, those that are wanted with token vectors computed now."""
    bare = [each for each in candidates if each.chunk.id in wanted and each.tokens is None]
    encoded = embedder.encode_passages([passage(each.chunk) for each in bare])
    made = {each.chunk.id: pack(own.rows) for each, own in zip(bare, encoded.tokens, strict=True)}
    return tuple(replace(each, tokens=made.get(each.chunk.id, each.tokens)) for each in candidates)


def _order(query: Query, window: Window | None) -> Order | None:
    """Which end of the story is asked for; "last week" is a window, and no order."""
    text = query.text if window is None else query.text.replace(window.text, " ", 1)
    return asked_order(text)


def _notices(search: _Search) -> tuple[Notice, ...]:
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
