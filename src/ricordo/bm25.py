"""BM25, once, for every store: the store counts, this module ranks.

Okapi BM25 (Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009) with an idf
that is never negative (the `1 +` that Lucene puts inside the logarithm):

    idf(t)      = ln(1 + (N - df + 0.5) / (df + 0.5))
    score(d)    = Σ_t weight(t) · idf(t) · (k1 + 1) · tf'(t, d) / (k1 + tf'(t, d))
    tf'(t, d)   = tf / (1 - b + b · length / mean length)

A chunk has two fields, its text and its context. As in BM25F (Robertson, Zaragoza & Taylor, Simple BM25
Extension to Multiple Weighted Fields, CIKM 2004; Zaragoza et al., TREC-13, 2004) each field's frequency is
normalised by that field's own length and weighed, and the two are added before they saturate. Without a
context this is Okapi BM25.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ricordo.errors import InvalidInput
from ricordo.query import WordMatch, WordMatches

__all__ = ["OKAPI", "Bm25", "idf", "length_norm", "rank", "saturated", "telling"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Bm25:
    """`k1` says how slowly repetition saturates, `b` how far length is held against a chunk.

    `context_weight` is what a lexeme of the context counts beside one of the text. Raises InvalidInput
    for `k1` or `context_weight` below 0 and for `b` outside 0…1.
    """

    k1: float = 1.5
    b: float = 0.75
    context_weight: float = 0.3

    def __post_init__(self) -> None:
        if not (self.k1 >= 0 and 0 <= self.b <= 1 and self.context_weight >= 0):
            raise InvalidInput(f"k1 and context_weight must be at least 0, and b between 0 and 1: {self}")


OKAPI = Bm25()


def idf(chunks: int, document_frequency: int) -> float:
    """Inverse document frequency: positive, 0 only for a term that no chunk holds.

    A frequency above the number of chunks (a store may count the two at different moments) is taken as all of them.
    """
    if document_frequency <= 0:
        return 0.0
    holding = min(document_frequency, max(chunks, 1))
    return math.log(1 + (max(chunks, 1) - holding + 0.5) / (holding + 0.5))


def rank(terms: Mapping[str, float], found: WordMatches, parameters: Bm25 = OKAPI) -> list[tuple[str, float]]:
    """Score every match: (chunk id, score), best first, ties by id.

    `terms` maps each lexeme to its weight; one without a document frequency adds nothing.
    """
    k1, b = parameters.k1, parameters.b
    frequencies = found.document_frequency
    values = {
        term: weight * idf(found.chunks, frequencies[term]) * (k1 + 1)
        for term, weight in terms.items()
        if frequencies.get(term, 0) > 0
    }
    scores = []
    for match in found.matches:
        text_norm = length_norm(match.length, found.mean_length, b)
        # tf' / (k1 + tf') with both sides multiplied by the text's length norm.
        saturation = k1 * text_norm
        pseudo_frequencies: Mapping[str, float] = match.counts
        if match.context_counts:
            context_norm = length_norm(match.context_length, found.mean_context_length, b)
            pseudo_frequencies = _with_context(match, parameters.context_weight * text_norm / context_norm)
        # fsum is exact, so that no order of terms can change a tie.
        score = math.fsum(
            [
                values[term] * frequency / (frequency + saturation)
                for term, frequency in pseudo_frequencies.items()
                if frequency and term in values
            ]
        )
        scores.append((match.chunk_id, score))
    return sorted(scores, key=lambda item: (-item[1], item[0]))


def telling(terms: Mapping[str, float], found: WordMatches, most: int) -> dict[str, float]:
    """The terms that can count most in a score, at most so many of them, in their order."""
    if len(terms) <= most:
        return dict(terms)
    value = {term: weight * idf(found.chunks, found.document_frequency.get(term, 0)) for term, weight in terms.items()}
    kept = frozenset(sorted(value, key=lambda term: (-value[term], term))[:most])
    return {term: weight for term, weight in terms.items() if term in kept}


def saturated(
    frequencies: NDArray[np.float64], lengths: NDArray[np.float64], mean_length: float, parameters: Bm25 = OKAPI
) -> NDArray[np.float64]:
    """What each term's frequency in each text counts, `(texts, terms)`, to be multiplied by weight times idf.

    The same formula as in `rank`, for texts of one field and `lengths (texts,)`.
    """
    k1, b = parameters.k1, parameters.b
    norm = 1 - b + b * np.maximum(lengths, 1) / mean_length if mean_length > 0 else np.ones(len(lengths))
    counted: NDArray[np.float64] = frequencies * (k1 + 1) / (frequencies + k1 * norm[:, None] + np.finfo(float).tiny)
    return counted


def _with_context(match: WordMatch, weight: float) -> dict[str, float]:
    frequencies: dict[str, float] = dict(match.counts)
    if weight > 0:
        for term, count in match.context_counts.items():
            frequencies[term] = frequencies.get(term, 0.0) + weight * count
    return frequencies


def length_norm(length: int, mean: float, b: float) -> float:
    """How far a field's length is held against it: 1 for one of mean length."""
    # A field that says nothing anywhere has no mean, and a chunk that holds a term holds at least one lexeme.
    return 1 - b + b * max(length, 1) / mean if mean > 0 else 1.0
