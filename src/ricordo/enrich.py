"""Query → probe: what to look for by words, and the wordings to look for by meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from anyio import to_thread

from ricordo.analyzer import Analyzer
from ricordo.exchange import Encoded, TokenVectors
from ricordo.protocols import Embedder
from ricordo.query import Probe, Query, Variant

__all__ = ["Encoding", "embed", "enrich", "shortened"]

# A pasted prompt asks at its beginning or at its end; what lies between would only blur its vector.
HEAD = TAIL = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Encoding:
    """What the model made of a question: the vector of each wording, and the token vectors of the first."""

    variants: tuple[Variant, ...]
    tokens: TokenVectors | None = None


def shortened(text: str) -> str:
    """The beginning and the end of a long text, for the embedder."""
    text = text.strip()
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


async def enrich(query: Query, analyzer: Analyzer, meant: str | None = None) -> Probe:
    """Analyse the question. Without a single term there is nothing to look for by meaning either.

    `meant` is the question as the model should read it, where some of its words say nothing about the answer's.
    """
    terms = await to_thread.run_sync(analyzer.question, query.text)
    wordings = (shortened(meant or query.text),) if terms.weights else ()
    return Probe(query=query, terms=terms.weights, identifiers=terms.identifiers, wordings=wordings)


async def embed(probe: Probe, embedder: Embedder) -> Encoding:
    """The vectors of all wordings in one batch. Raises ModelError."""
    encode: Callable[[list[str]], Encoded] = embedder.encode_queries
    encoded = await to_thread.run_sync(encode, list(probe.wordings), abandon_on_cancel=True)
    variants = tuple(
        Variant(
            text=text,
            vector=np.ascontiguousarray(row),
            fingerprint=embedder.fingerprint,
            floor=embedder.floors.recall,
        )
        for text, row in zip(probe.wordings, encoded.vectors, strict=True)
    )
    return Encoding(variants=variants, tokens=encoded.tokens[0] if encoded.tokens else None)
