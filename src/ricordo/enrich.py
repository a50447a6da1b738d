"""Query → probe: what to look for by words, and the wordings to look for by meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from anyio import create_task_group, to_thread
from numpy.typing import NDArray

from ricordo.analyzer import Analyzer, Terms
from ricordo.exchange import Encoded, TokenVectors
from ricordo.protocols import Embedder
from ricordo.query import Probe, Query, Variant
from ricordo.taskerrors import one_error

__all__ = ["Encoding", "embed", "enrich", "key_terms", "shortened"]

# A pasted prompt asks at its beginning or at its end; what lies between would only blur its vector.
HEAD = TAIL = 1000

_RARE = 4
"""Pieces of a word that a model has not met often enough to know it whole."""
_QUOTED = re.compile(r"[\"«“„']([^\"»”“']{2,80})[\"»”“']")
_EDGES = "\"«»“”„'.,:;!?()[]…"

AROUND = 0.2
"""What a word counts that stands around the question in a prompt, beside one of the question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Encoding:
    """What the model made of a question: the vector of each wording, the token vectors of the first, and its vector
    once more, `(d,) float32`, read as if it were a passage.
    """

    variants: tuple[Variant, ...]
    tokens: TokenVectors | None = None
    as_passage: NDArray[np.float32] | None = None


def shortened(text: str) -> str:
    """The beginning and the end of a long text, for the embedder."""
    text = text.strip()
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


async def enrich(query: Query, analyzer: Analyzer, *, asked: str, meant: str) -> Probe:
    """Analyse the question. Without a single term there is nothing to look for by meaning either.

    `asked` is the part of it that asks; words around it count little. `meant` is what the model should read.
    """
    terms = await to_thread.run_sync(_terms, query.text, asked, analyzer)
    wordings = (shortened(meant),) if terms.weights else ()
    return Probe(query=query, terms=terms.weights, identifiers=terms.identifiers, wordings=wordings)


def key_terms(text: str, pieces: Sequence[tuple[str, int]]) -> str | None:
    """What a question turns on: words that the model's tokenizer knows only in pieces, names, and what is quoted.

    None when that is nothing, or nearly all of it.
    """
    quoted = frozenset(word for phrase in _QUOTED.findall(text) for word in phrase.split())
    words = [(word.strip(_EDGES), count) for word, count in pieces]
    told = [(word, count) for word, count in words if any(map(str.isalnum, word))]
    chosen = [
        word
        for place, (word, count) in enumerate(told)
        if count >= _RARE or word in quoted or (place and word[0].isupper())
    ]
    return " ".join(chosen) if 0 < len(chosen) <= len(told) // 2 else None


def _terms(text: str, asked: str, analyzer: Analyzer) -> Terms:
    terms = analyzer.question(asked)
    if asked == text:
        return terms
    around = analyzer.question(text)
    weights = {term: AROUND * weight for term, weight in around.weights.items()}
    return Terms(weights={**weights, **terms.weights}, identifiers=around.identifiers)


async def embed(probe: Probe, embedder: Embedder) -> Encoding:
    """The vectors of all wordings in one batch, and beside it that of the first as a passage. Raises ModelError."""
    passages: list[NDArray[np.float32]] = []

    async def embed_as_passage() -> None:
        read = partial(embedder.embed_passages, probe.wordings[:1])
        passages.extend(await to_thread.run_sync(read, abandon_on_cancel=True))

    with one_error():
        async with create_task_group() as tasks:
            tasks.start_soon(embed_as_passage)
            wordings, encoded = await to_thread.run_sync(_encoded, probe, embedder, abandon_on_cancel=True)
    variants = tuple(
        Variant(
            text=text,
            vector=np.ascontiguousarray(row),
            fingerprint=embedder.fingerprint,
            floor=embedder.floors.recall,
        )
        for text, row in zip(wordings, encoded.vectors, strict=True)
    )
    tokens = encoded.tokens[0] if encoded.tokens else None
    return Encoding(variants=variants, tokens=tokens, as_passage=passages[0])


def _encoded(probe: Probe, embedder: Embedder) -> tuple[list[str], Encoded]:
    wordings = list(probe.wordings)
    terms = key_terms(wordings[0], embedder.pieces(wordings[0]))
    if terms is not None:
        wordings.append(terms)
    return wordings, embedder.encode_queries(wordings)
