"""Which terms of a question are worth looking up in a full-text index."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["candidate_terms"]

MAX_TERMS = 64
COMMON_SHARE = 0.1
SMALL = 2000


def candidate_terms(document_frequency: Mapping[str, int], chunks: int, wanted: int) -> tuple[str, ...]:
    """The rarest terms, enough of them to find `wanted` chunks, never more than 64.

    A term that stands in more than a tenth of all chunks costs a long scan and hardly tells them apart: it is
    left out as soon as rarer ones can fill the list. In fewer than 2,000 chunks nothing is left out. The terms
    left out still count when the candidates are scored.
    """
    present = sorted((frequency, term) for term, frequency in document_frequency.items() if frequency > 0)
    common = COMMON_SHARE * chunks if chunks >= SMALL else chunks
    chosen: list[str] = []
    found = 0
    for frequency, term in present[:MAX_TERMS]:
        if frequency > common and found >= wanted:
            break
        chosen.append(term)
        found += frequency
    return tuple(chosen)
