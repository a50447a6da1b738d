"""The arms: a probe is looked for by words, identifiers and vectors, side by side and in several passes.

A pass is one choice of filters. The question is embedded once for all of them, and words do not wait for that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from anyio import Event, create_task_group, to_thread

from ricordo.bm25 import Bm25, rank
from ricordo.enrich import Encoding, embed
from ricordo.protocols import Embedder, Store
from ricordo.query import Filters, Probe, RankedList, WordMatches
from ricordo.stopwatch import Stopwatch
from ricordo.taskerrors import one_error
from ricordo.tokenvectors import rotation

__all__ = ["ARMS", "IDENTIFIERS", "KEY_TERMS", "VECTORS", "WORDS", "Depths", "Found", "Searcher"]

IDENTIFIERS, VECTORS, WORDS = "identifiers", "vectors", "words"
ARMS = (IDENTIFIERS, VECTORS, WORDS)
KEY_TERMS = "key terms"
"""The vectors arm asked with the key terms of the question alone."""
LIGHT = 0.5  # the weight of one of the forms that a word is looked for in


@dataclass(frozen=True, kw_only=True, slots=True)
class Depths:
    """How many chunks each arm returns, and how many times as many candidates are scored by words to find them;
    of all that the arms returned, how many are weighed by evidence.

    Among 6,000 sentences of XQuAD, FaQuAD and LoCoMo, twice finds 0.998 of the ten and 0.993 of the fifty that
    scoring every match would put first, and takes half the time of six times.
    """

    pool: int = 100
    candidates: int = 2
    evidence: int = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What the arms of one pass found, with the statistics of the namespace that go with the words."""

    lists: tuple[RankedList, ...] = ()
    statistics: WordMatches | None = None

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(chunk_id for ranked in self.lists for chunk_id in ranked.ids)


@dataclass(slots=True)
class _Gathered:
    """Ranked lists as they come in, in whatever order."""

    lists: dict[str, RankedList] = field(default_factory=dict)
    statistics: WordMatches | None = None

    def found(self) -> Found:
        return Found(lists=tuple(self.lists[arm] for arm in sorted(self.lists)), statistics=self.statistics)


@dataclass(frozen=True, kw_only=True, slots=True)
class Searcher:
    """The arms over one store. `arms` are those in use."""

    store: Store
    embedder: Embedder | None
    bm25: Bm25
    depths: Depths
    arms: frozenset[str]

    async def search(
        self, probe: Probe, passes: Mapping[str, Filters], watch: Stopwatch
    ) -> tuple[dict[str, Found], Encoding | None]:
        """What each pass found, and what the model made of the question. Raises StoreError, ModelError."""
        run = _Run(self, probe, watch)
        with one_error():
            async with create_task_group() as tasks:
                if self.embedder is not None and VECTORS in self.arms and probe.wordings:
                    tasks.start_soon(run.embed, self.embedder)
                    for name, filters in passes.items():
                        tasks.start_soon(run.by_vectors, name, filters)
                if probe.terms and self.arms & {WORDS, IDENTIFIERS}:
                    for name, filters in passes.items():
                        tasks.start_soon(run.by_words, name, filters)
        return {name: run.gathered(name).found() for name in passes}, run.encoding


class _Run:
    """One search under way."""

    def __init__(self, searcher: Searcher, probe: Probe, watch: Stopwatch) -> None:
        self.searcher = searcher
        self.probe = probe
        self.watch = watch
        self.encoding: Encoding | None = None
        self._encoded = Event()
        self._gathered: dict[str, _Gathered] = {}

    def gathered(self, name: str) -> _Gathered:
        return self._gathered.setdefault(name, _Gathered())

    @property
    def pool(self) -> int:
        return max(self.searcher.depths.pool, self.probe.query.limit)

    async def embed(self, embedder: Embedder) -> None:
        with self.watch.measure("embed"):
            async with create_task_group() as tasks:
                if embedder.token_fingerprint is not None:
                    # Made once, while the model is loaded, since it takes as long as a few recalls.
                    tasks.start_soon(to_thread.run_sync, rotation, embedder.dimension)
                self.encoding = await embed(self.probe, embedder)
        self._encoded.set()

    async def by_vectors(self, name: str, filters: Filters) -> None:
        await self._encoded.wait()
        variants = self.encoding.variants if self.encoding else ()
        store, namespace, gathered = self.searcher.store, self.probe.query.namespace, self.gathered(name)
        with self.watch.measure("vectors"):
            for arm, variant in zip((VECTORS, KEY_TERMS), variants, strict=False):
                ids = await store.by_vector(namespace, variant, filters, self.pool)
                if ids:
                    gathered.lists[arm] = RankedList(arm=arm, ids=ids)

    async def by_words(self, name: str, filters: Filters) -> None:
        with self.watch.measure("words"):
            matches = await self._matches(filters)
            probe = self.probe
            scored = await to_thread.run_sync(rank, probe.terms, matches, self.searcher.bm25)
        ids = [chunk_id for chunk_id, _ in scored]
        gathered = self.gathered(name)
        gathered.statistics = replace(matches, matches=())
        for ranked in (
            RankedList(arm=IDENTIFIERS, ids=_with_identifiers(probe, matches, ids)[: self.pool]),
            RankedList(arm=WORDS, ids=tuple(ids[: self.pool])),
        ):
            if ranked.arm in self.searcher.arms and ranked.ids:
                gathered.lists[ranked.arm] = ranked

    async def _matches(self, filters: Filters) -> WordMatches:
        store, namespace, probe = self.searcher.store, self.probe.query.namespace, self.probe
        candidates = self.searcher.depths.candidates * self.pool
        matches = await store.by_words(namespace, _repeated(probe.terms), filters, candidates)
        if not probe.identifiers:
            return matches
        # Asked for alone as well: many words in common would crowd out the one chunk that holds the name.
        return _together(matches, await store.by_words(namespace, sorted(probe.identifiers), filters, self.pool))


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
