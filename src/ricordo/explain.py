"""Why a text answers a question, word by word: what its words score, and which of them the question's are near to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anyio import to_thread

from ricordo.bm25 import Bm25, rank
from ricordo.enrich import embed
from ricordo.errors import NotFound
from ricordo.exchange import TokenVectors
from ricordo.meeting import Meeting, meetings
from ricordo.memory import Chunk
from ricordo.protocols import Embedder
from ricordo.query import EVERYTHING, Aspects, Probe, Query, WordMatch, WordMatches
from ricordo.recall import Reader
from ricordo.remember import passage
from ricordo.spelling import Speller

__all__ = ["Explanation", "TermScore", "explain"]


@dataclass(frozen=True, kw_only=True, slots=True)
class TermScore:
    """A term of the question that a chunk holds: how often in its text and in its context, how many chunks hold it,
    and what it adds to the BM25 of this one.
    """

    term: str
    in_text: int
    in_context: int
    chunks: int
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """A chunk, its terms, the most telling first, and how its words meet those of the question, in the order of that.

    `meetings` is empty where the embedder gives no token vectors, or there is none.
    """

    chunk: Chunk
    terms: tuple[TermScore, ...]
    meetings: tuple[Meeting, ...]


async def explain(reader: Reader, query: Query, memory_id: str, chunk_id: str | None = None) -> Explanation:
    """Explain one chunk of a memory: the one that is named, else the one that scores best by words.

    The text is read by the model anew, so this is for one answer that somebody looks at. Raises NotFound, StoreError,
    ModelError.
    """
    store, namespace = reader.store, query.namespace
    memory = await store.memory(namespace, memory_id)
    _, probe = await reader.probe(query)
    ids = [entry.chunk.id for entry in await store.entries(namespace, [memory.id], None)]
    if chunk_id is not None and chunk_id not in ids:
        raise NotFound(f"the memory {memory.id} has no chunk {chunk_id!r}")
    statistics = await store.by_words(namespace, tuple(probe.terms), EVERYTHING, 1)
    speller = Speller(store=store, analyzer=reader.analyzer, embedder=reader.embedder)
    if respelt := await speller.respell(probe, statistics):
        _, probe = await reader.probe_again(query, respelt)
        statistics = await store.by_words(namespace, tuple(probe.terms), EVERYTHING, 1)
    terms = tuple(probe.terms)
    rows = await store.candidates(namespace, [chunk_id] if chunk_id else ids, Aspects(terms=terms))
    scored = [(_scores(probe, each.match, statistics, reader.bm25), each.chunk) for each in rows]
    if not scored:
        raise NotFound(f"the memory {memory.id} was forgotten meanwhile")
    found, chunk = max(scored, key=lambda each: (sum(term.score for term in each[0]), -each[1].position))
    met = await _meetings(probe, chunk, reader.embedder, reader) if reader.embedder is not None else ()
    return Explanation(chunk=chunk, terms=found, meetings=met)


def _scores(probe: Probe, match: WordMatch, statistics: WordMatches, bm25: Bm25) -> tuple[TermScore, ...]:
    alone = WordMatches(
        matches=(match,),
        chunks=statistics.chunks,
        mean_length=statistics.mean_length,
        mean_context_length=statistics.mean_context_length,
        document_frequency=statistics.document_frequency,
    )
    found = [
        TermScore(
            term=term,
            in_text=match.counts.get(term, 0),
            in_context=match.context_counts.get(term, 0),
            chunks=statistics.document_frequency.get(term, 0),
            score=rank({term: weight}, alone, bm25)[0][1],
        )
        for term, weight in probe.terms.items()
        if term in match.counts or term in match.context_counts
    ]
    return tuple(sorted(found, key=lambda each: (-each.score, each.term)))


async def _meetings(probe: Probe, chunk: Chunk, embedder: Embedder, reader: Reader) -> tuple[Meeting, ...]:
    if embedder.token_fingerprint is None or not probe.wordings:
        return ()
    question = (await embed(probe, embedder)).tokens
    if question is None:
        return ()
    said = passage(chunk)
    encoded = await to_thread.run_sync(embedder.encode_passages, [said], abandon_on_cancel=True)
    asked = _telling(question, probe, reader)
    return await to_thread.run_sync(meetings, asked, encoded.tokens[0], said, len(said) - len(chunk.text))


def _telling(question: TokenVectors, probe: Probe, reader: Reader) -> TokenVectors:
    """Without the words that nothing is looked for by: whatever they are near to says nothing."""
    known = {word: _is_looked_for(word, probe, reader) for word in set(question.words)}
    kept = [place for place, word in enumerate(question.words) if known[word]]
    return TokenVectors(ids=question.ids[kept], rows=question.rows[kept], words=_at(question.words, kept))


def _is_looked_for(word: str, probe: Probe, reader: Reader) -> bool:
    return any(term in probe.terms for term in reader.analyzer.question(word).weights)


def _at(words: Sequence[str], kept: Sequence[int]) -> tuple[str, ...]:
    return tuple(words[place] for place in kept)
