"""Query → probe: what to look for, in words and in vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from ricordo.analyzer import STANDARD, Analyzer
from ricordo.protocols import Embedder
from ricordo.query import Probe, Query, Variant

__all__ = ["enrich", "shortened"]

# A pasted prompt asks at its beginning or at its end; what lies between would only blur its vector.
HEAD = TAIL = 1000


def shortened(text: str) -> str:
    """The beginning and the end of a long text, for the embedder."""
    text = text.strip()
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


async def enrich(query: Query, embedder: Embedder | None, analyzer: Analyzer = STANDARD) -> Probe:
    """Analyse the question and embed its variants in one batch. Raises ModelError."""
    terms = await to_thread.run_sync(analyzer.question, query.text)
    if embedder is None or not terms.weights:
        return Probe(query=query, terms=terms.weights, identifiers=terms.identifiers)
    texts = [shortened(query.text)]
    embed: Callable[[list[str]], NDArray[np.float32]] = embedder.embed_queries
    rows = await to_thread.run_sync(embed, texts, abandon_on_cancel=True)
    return Probe(
        query=query,
        terms=terms.weights,
        identifiers=terms.identifiers,
        variants=tuple(
            Variant(text=text, vector=row, fingerprint=embedder.fingerprint, floor=embedder.floors.recall)
            for text, row in zip(texts, rows, strict=True)
        ),
    )
