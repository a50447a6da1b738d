"""Weighing a pool: evidence for each candidate, a model's sum of it, and a last look by a cross-encoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice

from anyio import to_thread

from ricordo.analyzer import Analyzer
from ricordo.bm25 import idf, telling
from ricordo.enrich import Encoding, shortened
from ricordo.evidence import REACH, Bearing, Model, bearing, judge, measure
from ricordo.pool import Pool
from ricordo.protocols import Embedder, Reranker, Store
from ricordo.proximity import Sought, beginnings
from ricordo.query import EVERYTHING, Aspects, Candidate, Notice, Probe, WordMatches
from ricordo.remember import passage
from ricordo.reread import DEEP, reread, standardised
from ricordo.scene import Asked, Floats, Scene, build_scene
from ricordo.stems import LEMMA, STEM
from ricordo.tokens import scan
from ricordo.tokenvectors import pack

__all__ = ["COMPUTED", "NO_WORDS", "OFF", "STORED", "Measured", "Scored", "Search", "Weigher"]

STORED, COMPUTED, OFF = "stored", "computed", "off"
"""Where the token vectors of candidates come from."""

MOST_TERMS = 64
"""Terms that evidence is taken of; a pasted page has thousands, and the rarest tell."""
MOST_WORDS = 24
"""Words of a question that texts are compared by: which of them they hold, and how near to each other."""
MOST_COMPUTED = 50
"""Candidates whose token vectors are computed when they are not stored."""
EQUAL_FUSED, EQUAL = 0.1, 4.0
"""Scores that differ by less are equally good where the question asks for an order, if they hold the same words of
it: a share of the best score of fusion, or that much evidence."""
REREAD = 2.0
"""What a deviation among the scores of a cross-encoder counts beside evidence."""
IN_TIME = 1.5
"""What lying in a window that is no filter counts as evidence, times how surely it was read."""

NO_WORDS = WordMatches(matches=(), chunks=0, mean_length=0.0, mean_context_length=0.0, document_frequency={})
"""The statistics of a search without words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Search:
    """What a search came to, before anything is weighed: the probe, the pool, and what both were made with.

    `text` is the question as it was read, its misspelt words put right.
    """

    probe: Probe
    pool: Pool
    statistics: WordMatches
    encoding: Encoding | None
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """Chunk ids with scores, what these are the sum of, and how far apart equally good ones may be.

    `bearing` is what `evidence.bearing` says of each.
    """

    scores: Mapping[str, float]
    parts: Mapping[str, Mapping[str, float]]
    tolerance: float
    bearing: Mapping[str, Bearing] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()

    @property
    def order(self) -> list[str]:
        """Best first, ties by id."""
        return sorted(self.scores, key=lambda chunk_id: (-self.scores[chunk_id], chunk_id))


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """The memory ids of a pool, the features of each, and how far it is of each kind: what a model is fitted on."""

    ids: tuple[str, ...]
    features: Mapping[str, Floats]
    kinds: Floats


@dataclass(frozen=True, kw_only=True, slots=True)
class Weigher:
    """What weighs a pool. Without a model fusion alone does; without a reranker nothing is read again."""

    store: Store
    embedder: Embedder | None
    analyzer: Analyzer
    model: Model | None
    token_vectors: str
    reranker: Reranker | None
    patience: float

    async def weigh(self, search: Search) -> Scored:
        """The pool by evidence."""
        fused = search.pool.scores
        if self.model is None or not fused:
            return Scored(scores=fused, parts={}, tolerance=EQUAL_FUSED * max(fused.values(), default=0.0))
        scene, asked = await self._scene(search)
        near = bearing(scene, asked)
        if search.encoding is None:
            # The weights were fitted with vectors, and without them say less than the words arm.
            tolerance = EQUAL_FUSED * max(fused.values())
            return Scored(scores=fused, parts={}, tolerance=tolerance, bearing=near)
        parts = await to_thread.run_sync(_judged, scene, asked, search.pool, self.model)
        scores = {each: sum(parts[each].values()) for each in parts if self._may_answer(each, search.pool)}
        return Scored(scores=scores, parts=parts, tolerance=EQUAL, bearing=near)

    def _may_answer(self, chunk_id: str, pool: Pool) -> bool:
        """What no arm found is a neighbour, which filters have not let through."""
        return chunk_id in pool.arms or pool.filters == EVERYTHING

    async def reread(self, search: Search, scored: Scored) -> Scored:
        """The best of the pool as a cross-encoder orders them, which weighs more than the evidence before it."""
        if self.reranker is None or not scored.scores:
            return scored
        rows = await self.store.get(search.probe.query.namespace, scored.order[:DEEP])
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

    async def features(self, search: Search) -> Measured:
        """The evidence for each of the pool, unweighed."""
        scene, asked = await self._scene(search)
        ids = tuple(each.chunk.memory_id for each, pooled in zip(scene.candidates, scene.pooled, strict=True) if pooled)
        return Measured(ids=ids, features=await to_thread.run_sync(measure, scene, asked), kinds=scene.kinds)

    async def _scene(self, search: Search) -> tuple[Scene, Asked]:
        probe, encoding = search.probe, search.encoding
        terms = telling(probe.terms, search.statistics, MOST_TERMS)
        lexemes = self._lexemes_among(probe.terms)
        asked = Asked(
            text=probe.query.text,
            terms=terms,
            identifiers=probe.identifiers,
            statistics=search.statistics,
            lexemes=lexemes,
            words=await to_thread.run_sync(_sought, probe, lexemes, search.statistics),
            vector=encoding.variants[0].vector if encoding else None,
            as_passage=encoding.as_passage if encoding else None,
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
        if asked.tokens is not None and embedder is not None and self.token_vectors == COMPUTED:
            best = frozenset(sorted(search.pool.scores, key=lambda each: -search.pool.scores[each])[:MOST_COMPUTED])
            candidates = await to_thread.run_sync(_with_tokens, candidates, best, embedder)
        return await to_thread.run_sync(build_scene, asked, candidates, search.pool.scores), asked

    def _lexemes_among(self, terms: Mapping[str, float]) -> Callable[[str], tuple[str, ...] | None]:
        """What a word of the question is looked for by; None for one that it can do without."""

        @cache
        def lexemes(word: str) -> tuple[str, ...] | None:
            return tuple(term for term in self.analyzer.question(word).weights if term in terms) or None

        return lexemes


def _sought(
    probe: Probe, lexemes: Callable[[str], Sequence[str] | None], statistics: WordMatches
) -> tuple[Sought, ...]:
    """The words of the question as the model reads it, in their order, without those that it can do without."""
    found = []
    for token in islice(scan(" ".join(probe.wordings[:1])), MOST_WORDS):
        if forms := lexemes(token.whole):
            frequency = max(statistics.document_frequency.get(form, 0) for form in forms)
            bare = (form.lstrip(STEM + LEMMA) for form in forms)
            found.append(Sought(beginnings(bare), idf(statistics.chunks, frequency), frozenset(forms)))
    return tuple(found)


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
