"""The read path: query → probe → arms → fusion → hits."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from anyio import create_task_group, to_thread

from ricordo.analyzer import STANDARD, Analyzer
from ricordo.bm25 import Bm25, rank
from ricordo.enrich import embed, enrich
from ricordo.fusion import cut, ranks, reciprocal_rank_fusion
from ricordo.protocols import Embedder, Store
from ricordo.query import Hit, Notice, Probe, Query, RankedList, Recall, TimeUse, Variant, WordMatches

__all__ = ["ARMS", "Depths", "Reader"]

ARMS = ("identifiers", "vectors", "words")
LIGHT = 0.5  # the weight of one of the forms that a word is looked for in


@dataclass(frozen=True, kw_only=True, slots=True)
class Depths:
    """How many chunks each arm returns, and how many times as many candidates are scored by words to find them.

    Among 6,000 sentences of XQuAD, FaQuAD and LoCoMo, twice finds 0.998 of the ten and 0.993 of the fifty that
    scoring every match would put first, and takes half the time of six times.
    """

    pool: int = 50
    candidates: int = 2


class _Clock:
    """Milliseconds spent, by stage."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {"total": 0.0, "embed": 0.0, "words": 0.0, "vectors": 0.0, "rerank": 0.0}

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.spent[stage] += (time.perf_counter() - begin) * 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """The read path over one store. `arms` are those in use; leaving one out is for measuring what it is worth."""

    store: Store
    embedder: Embedder | None
    analyzer: Analyzer = STANDARD
    bm25: Bm25 = field(default_factory=Bm25)
    depths: Depths = field(default_factory=Depths)
    arms: frozenset[str] = frozenset(ARMS)
    notices: tuple[Notice, ...] = ()

    async def recall(self, query: Query) -> Recall:
        """Answer a query. Raises StoreError, ModelError."""
        clock = _Clock()
        with clock.measure("total"):
            probe = await enrich(query, self.analyzer)
            lists = await self._search(probe, clock)
            hits = await self._hits(query, lists)
        return Recall(
            query=query,
            hits=hits,
            time=_time_use(query),
            notices=(*self.notices, *_notices(probe)),
            timings=clock.spent,
        )

    async def _search(self, probe: Probe, clock: _Clock) -> list[RankedList]:
        """Every arm's ranked list, the arms side by side. Words do not wait for the model."""
        found: dict[str, RankedList] = {}

        async def by_words() -> None:
            with clock.measure("words"):
                for ranked in await self._by_words(probe):
                    found[ranked.arm] = ranked

        async def by_vectors(embedder: Embedder) -> None:
            with clock.measure("embed"):
                variants = await embed(probe, embedder)
            with clock.measure("vectors"):
                async with create_task_group() as searches:
                    for number, variant in enumerate(variants, start=1):
                        searches.start_soon(by_vector, "vectors" if number == 1 else f"vectors {number}", variant)

        async def by_vector(arm: str, variant: Variant) -> None:
            found[arm] = await self._by_vector(arm, variant, probe.query)

        with _one_error():
            async with create_task_group() as arms:
                if probe.terms and self.arms & {"words", "identifiers"}:
                    arms.start_soon(by_words)
                if self.embedder is not None and "vectors" in self.arms:
                    arms.start_soon(by_vectors, self.embedder)
        return [found[arm] for arm in sorted(found)]

    async def _by_words(self, probe: Probe) -> list[RankedList]:
        query = probe.query
        matches = await self.store.by_words(
            query.namespace, _repeated(probe.terms), query.filters, self._candidates(query)
        )
        if probe.identifiers:
            # Asked for alone as well: many words in common would crowd out the one chunk that holds the name.
            named = await self.store.by_words(
                query.namespace, sorted(probe.identifiers), query.filters, self._pool(query)
            )
            matches = _together(matches, named)
        scored = await to_thread.run_sync(rank, probe.terms, matches, self.bm25)
        ids = [chunk_id for chunk_id, _ in scored]
        lists = (
            RankedList(arm="identifiers", ids=_with_identifiers(probe, matches, ids)[: self._pool(query)]),
            RankedList(arm="words", ids=tuple(ids[: self._pool(query)])),
        )
        return [ranked for ranked in lists if ranked.arm in self.arms and ranked.ids]

    async def _by_vector(self, arm: str, variant: Variant, query: Query) -> RankedList:
        ids = await self.store.by_vector(query.namespace, variant, query.filters, self._pool(query))
        return RankedList(arm=arm, ids=ids)

    async def _hits(self, query: Query, lists: Sequence[RankedList]) -> tuple[Hit, ...]:
        best = cut(reciprocal_rank_fusion(lists), lists, query.limit)
        scores, found_by = dict(best), ranks(lists)
        rows = await self.store.get(query.namespace, list(scores)) if scores else ()
        return tuple(
            Hit(rank=number, score=scores[chunk.id], arms=found_by[chunk.id], chunk=chunk, memory=memory)
            for number, (chunk, memory) in enumerate(rows, start=1)
        )

    def _pool(self, query: Query) -> int:
        return max(self.depths.pool, query.limit)

    def _candidates(self, query: Query) -> int:
        return self.depths.candidates * self._pool(query)


@contextmanager
def _one_error() -> Iterator[None]:
    """Raise the first error of a task group in place of the group: callers are promised StoreError, ModelError."""
    first: Exception | None = None
    try:
        yield
    except ExceptionGroup as group:
        first = group.exceptions[0]
        while isinstance(first, ExceptionGroup):
            first = first.exceptions[0]
    if first is not None:
        raise first


def _repeated(terms: Mapping[str, float]) -> list[str]:
    """Each term as often as it outweighs a form of a word: a store that orders candidates counts it so often.

    A word is looked for in up to three forms, and a number in one; in an order that knows no weights, whatever
    holds the word would come before whatever holds the number.
    """
    return [term for term, weight in terms.items() for _ in range(max(1, round(weight / LIGHT)))]


def _together(matches: WordMatches, named: WordMatches) -> WordMatches:
    """All matches, each chunk once; those of the first know every term."""
    known = {match.chunk_id for match in matches.matches}
    more = tuple(match for match in named.matches if match.chunk_id not in known)
    return replace(matches, matches=matches.matches + more)


def _with_identifiers(probe: Probe, matches: WordMatches, ids: Sequence[str]) -> tuple[str, ...]:
    """Those chunks that hold identifiers of the question exactly: more of them first, then as BM25 ranked them."""
    held = {
        match.chunk_id: sum(name in match.counts or name in match.context_counts for name in probe.identifiers)
        for match in matches.matches
    }
    return tuple(sorted((chunk_id for chunk_id in ids if held[chunk_id]), key=lambda chunk_id: -held[chunk_id]))


def _time_use(query: Query) -> TimeUse | None:
    stated = query.filters.time
    return TimeUse(range=stated, text="", applied="filter") if stated else None


def _notices(probe: Probe) -> tuple[Notice, ...]:
    if not probe.query.text.strip():
        return (Notice(code="empty_query", message="the question is empty; ask with a word or a name"),)
    if not probe.terms:
        return (Notice(code="no_terms", message="the question holds no word, number or symbol to look for"),)
    return ()
