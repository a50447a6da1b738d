"""Candidates as arrays: who stands next to whom, who belongs to which session, and how each matches the question.

Everything here is about all candidates at once, those of the pool and those that stand near them; pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ricordo.bm25 import OKAPI, Bm25, idf, length_norm, saturated
from ricordo.exchange import TokenVectors
from ricordo.proximity import Sought
from ricordo.query import Candidate, WordMatches
from ricordo.tokenvectors import best_of, stretches

__all__ = ["CONVERSATION", "KINDS", "NOBODY", "NOTE", "Asked", "Floats", "Places", "Scene", "build_scene"]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

KINDS = ("conversation", "note", "page")
"""What was said among others, a text of a sentence or two that stands alone, and a longer one."""
CONVERSATION, NOTE = 0, 1
LONGEST_NOTE, SHORTEST_PAGE = 120, 480
"""Characters. What lies between is partly a note and partly a page, so that no text counts for more by a letter."""

NOBODY = -1
"""In the place of a neighbour or a session that is not there."""

MATCHING = Bm25(k1=0.9, b=0.4)
"""BM25 as evidence holds length less against a text; on LoCoMo that finds more, elsewhere as much."""

COMMON_WORD = 1.2
"""What a token of a function word counts in late interaction, where others count their idf."""

COMMON_SHARE, RARE_SHARE = 0.05, 0.002
"""Words count no more than one in this share of the chunks would. The larger share tells answers that say it in
other words from the rest of a conversation; the smaller one tells apart texts about different things."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """The question as it is compared with candidates; `statistics` are those of the namespace, for its terms.

    `lexemes` gives what one word is looked for by, None for a function word; `words` are the others, in their order.
    `vector` is its vector as a question, and `as_passage` as if it were one of the texts.
    """

    text: str
    terms: Mapping[str, float]
    identifiers: frozenset[str]
    statistics: WordMatches
    lexemes: Callable[[str], Sequence[str] | None]
    words: tuple[Sought, ...] = ()
    vector: NDArray[np.float32] | None = None
    as_passage: NDArray[np.float32] | None = None
    tokens: TokenVectors | None = None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Scene:
    """`n` candidates, `t` terms of the question, `q` tokens of it. Unknown numbers are NaN.

    `pooled (n,)` are those of the pool and their neighbours, `fused (n,)` the scores that fusion gave the former;
    `before` and `after (n,)` the place in these arrays of what stands just before and after, `session (n,)` a number
    for its group, NOBODY where there is none. `frequencies (n, t)` count the terms, `lengths (n,)` all lexemes,
    `values (t,)` are weight times idf. `vectors (n, d)` are of unit length, zero where unknown. `near (n, q)` is the
    similarity of each token of the question to the nearest of the candidate's, and `stretches (s, q)` that to the
    nearest in each stretch of it, `of_stretch (s,)` the candidate's place; `token_weights` and `rare_weights (q,)`
    are what the question's tokens count, each together 1: by a bounded idf, and by one that lets rare words tell more.
    """

    candidates: tuple[Candidate, ...]
    pooled: NDArray[np.bool_]
    fused: Floats
    before: Places
    after: Places
    session: Places
    frequencies: Floats
    lengths: Floats
    mean_length: float
    values: Floats
    vectors: Floats
    near: Floats
    stretches: NDArray[np.float32]
    of_stretch: Places
    token_weights: Floats
    rare_weights: Floats
    parameters: Bm25

    def matched(self, frequencies: Floats, lengths: Floats) -> Floats:
        """BM25 `(n,)` of these frequencies `(n, t)` in texts of these lengths `(n,)`."""
        return saturated(frequencies, lengths, self.mean_length, self.parameters) @ self.values

    @property
    def okapi(self) -> Floats:
        """BM25 `(n,)` as the words arm ranks by: notes of a line and long pages lie side by side, so length counts."""
        return saturated(self.frequencies, self.lengths, self.mean_length, OKAPI) @ self.values

    @property
    def kinds(self) -> Floats:
        """`(n, kinds)`: how far each of the pool is of each of `KINDS`, together 1."""
        lengths = [
            max(1, len(each.chunk.text)) for each, pooled in zip(self.candidates, self.pooled, strict=True) if pooled
        ]
        page = np.log(np.array(lengths, np.float64) / LONGEST_NOTE) / math.log(SHORTEST_PAGE / LONGEST_NOTE)
        page, alone = np.clip(page, 0, 1), self.session[self.pooled] == NOBODY
        return np.column_stack([~alone, alone * (1 - page), alone * page])

    def at(self, numbers: Floats, places: Places) -> Floats:
        """The numbers of the candidates in these places, NaN for nobody."""
        found = numbers[places]
        found[places == NOBODY] = np.nan
        return found


def build_scene(
    asked: Asked, candidates: Sequence[Candidate], pool: Mapping[str, float], parameters: Bm25 = MATCHING
) -> Scene:
    """The arrays of all candidates, in an order that ends ties the same way everywhere.

    `pool` gives the fused score of each member.
    """
    ordered = tuple(sorted(candidates, key=_position))
    before, after, session = _neighbours(ordered)
    statistics = asked.statistics
    pieces, owners = _stretches(ordered, asked.tokens)
    return Scene(
        candidates=ordered,
        pooled=_pooled(ordered, pool, before, after),
        fused=np.array([pool.get(each.chunk.id, np.nan) for each in ordered], np.float64),
        before=before,
        after=after,
        session=session,
        frequencies=_frequencies(ordered, tuple(asked.terms), statistics, parameters),
        lengths=np.array([each.match.length for each in ordered], np.float64),
        mean_length=statistics.mean_length,
        values=np.array(
            [
                weight * idf(statistics.chunks, statistics.document_frequency.get(term, 0))
                for term, weight in asked.terms.items()
            ],
            np.float64,
        ),
        vectors=_vectors(ordered, asked.vector),
        near=_near(ordered, pieces, owners),
        stretches=pieces,
        of_stretch=owners,
        token_weights=_token_weights(asked, COMMON_SHARE),
        rare_weights=_token_weights(asked, RARE_SHARE),
        parameters=parameters,
    )


def _pooled(
    ordered: Sequence[Candidate], pool: Mapping[str, float], before: Places, after: Places
) -> NDArray[np.bool_]:
    """The members of the pool and those next to them: an answer often stands beside what the question matches."""
    found = np.array([each.chunk.id in pool for each in ordered], np.bool_)
    beside: NDArray[np.bool_] = (found[before] & (before != NOBODY)) | (found[after] & (after != NOBODY))
    return found | beside


def _position(candidate: Candidate) -> tuple[str, str, int, int, str]:
    chunk = candidate.chunk
    return (chunk.origin_uri, chunk.group or "", candidate.place, chunk.position, chunk.id)


def _neighbours(ordered: Sequence[Candidate]) -> tuple[Places, Places, Places]:
    """Of what somebody said, what stands just before and after it in its group, and the number of that."""
    before, after, session = (np.full(len(ordered), NOBODY, np.intp) for _ in range(3))
    numbers: dict[tuple[str, str], int] = {}
    for index, each in enumerate(ordered):
        chunk = each.chunk
        # Sections of a page have groups too, but who writes a page does not answer the section before.
        if chunk.group is None or chunk.speaker is None:
            continue
        number = numbers.setdefault((chunk.origin_uri, chunk.group), len(numbers))
        session[index] = number
        if index and session[index - 1] == number and _adjacent(ordered[index - 1], each):
            before[index], after[index - 1] = index - 1, index
    return before, after, session


def _adjacent(one: Candidate, other: Candidate) -> bool:
    """Whether nothing stands between the two: chunks of a memory in turn, or memories in turn."""
    if one.chunk.memory_id == other.chunk.memory_id:
        return other.chunk.position == one.chunk.position + 1
    return other.place <= one.place + 1 and other.chunk.position == 0


def _frequencies(
    ordered: Sequence[Candidate], terms: Sequence[str], statistics: WordMatches, parameters: Bm25
) -> Floats:
    """`(n, t)`: how often each text holds each term, its context counted as in `bm25.rank`."""
    counts = np.array([[each.match.counts.get(term, 0) for term in terms] for each in ordered], np.float64)
    counts = counts.reshape(len(ordered), len(terms))
    for row, each in enumerate(ordered):
        match = each.match
        if match.context_counts:
            norm = length_norm(match.length, statistics.mean_length, parameters.b)
            context_norm = length_norm(match.context_length, statistics.mean_context_length, parameters.b)
            weight = parameters.context_weight * norm / context_norm
            counts[row] += [weight * match.context_counts.get(term, 0) for term in terms]
    return counts


def _vectors(ordered: Sequence[Candidate], question: NDArray[np.float32] | None) -> Floats:
    if question is None:
        return np.zeros((len(ordered), 0))
    empty = np.zeros(len(question), np.float32)
    rows = [empty if each.vector is None else each.vector for each in ordered]
    return np.array(rows, np.float64).reshape(len(ordered), len(question))


def _stretches(ordered: Sequence[Candidate], tokens: TokenVectors | None) -> tuple[NDArray[np.float32], Places]:
    if tokens is None or not len(tokens.ids):
        return np.zeros((0, 0), np.float32), np.zeros(0, np.intp)
    return stretches(tokens.rows, [each.tokens or b"" for each in ordered])


def _near(ordered: Sequence[Candidate], pieces: NDArray[np.float32], owners: Places) -> Floats:
    near = best_of(pieces, owners, len(ordered)).astype(np.float64)
    near[[not each.tokens for each in ordered]] = np.nan
    return near


def _token_weights(asked: Asked, share: float) -> Floats:
    """The idf of the word that each token is a piece of, by the most frequent of its lexemes."""
    if asked.tokens is None or not len(asked.tokens.ids):
        return np.zeros(0)
    words = asked.tokens.words
    known = {word: _word_weight(asked.lexemes(word), asked.statistics, share) for word in set(words)}
    weights: Floats = np.array([known[word] for word in words] if words else [1.0] * len(asked.tokens.ids))
    weights /= weights.sum()
    return weights


def _word_weight(lexemes: Sequence[str] | None, statistics: WordMatches, share: float) -> float:
    """A word that nobody wrote may be there in another language: it counts as a rare one."""
    if lexemes is None:
        return COMMON_WORD
    frequency = max((statistics.document_frequency.get(lexeme, 0) for lexeme in lexemes), default=0)
    rarest = max(1, math.ceil(share * statistics.chunks))
    return idf(statistics.chunks, max(frequency, rarest))
