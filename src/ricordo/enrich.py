"""Query → probe: what to look for by words, and the wordings to look for by meaning."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from ricordo.analyzer import Analyzer
from ricordo.protocols import Embedder
from ricordo.query import Probe, Query, Variant

__all__ = ["embed", "enrich", "shortened"]

# A pasted prompt asks at its beginning or at its end; what lies between would only blur its vector.
HEAD = TAIL = 1000


def shortened(text: str) -> str:
    """The beginning and the end of a long text, for the embedder."""
    text = text.strip()
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


async def enrich(query: Query, analyzer: Analyzer) -> Probe:
    """Analyse the question. Without a single term there is nothing to look for by meaning either."""
    terms = await to_thread.run_sync(analyzer.question, query.text)
    wordings = (shortened(query.text),) if terms.weights else ()
    return Probe(query=query, terms=terms.weights, identifiers=terms.identifiers, wordings=wordings)


async def embed(probe: Probe, embedder: Embedder) -> tuple[Variant, ...]:
    """The vectors of all wordings in one batch. Raises ModelError."""
    if not probe.wordings:
        return ()
    embed_queries: Callable[[list[str]], NDArray[np.float32]] = embedder.embed_queries
    rows = await to_thread.run_sync(embed_queries, list(probe.wordings), abandon_on_cancel=True)
    return tuple(
        Variant(text=text, vector=row, fingerprint=embedder.fingerprint, floor=embedder.floors.recall)
        for text, row in zip(probe.wordings, rows, strict=True)
    )
