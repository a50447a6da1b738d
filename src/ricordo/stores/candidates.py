"""Which terms of a question are worth looking up in a full-text index."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["candidate_number", "candidate_terms"]

MAX_TERMS = 64
POSTINGS_EACH = 100
SMALL = 2000
DEEPER = 2


def candidate_terms(document_frequency: Mapping[str, int], chunks: int, wanted: int) -> tuple[str, ...]:
    """The rarest terms, together in no more than 100 chunks for each that is `wanted`; one at least, never over 64.

    What a search costs grows with the chunks that its terms stand in, and those of the rarest rank highest: on
    questions over real text the first ten stay the same. In up to 2,000 chunks nothing is left out. The
    terms left out still count when the candidates are scored.
    """
    present = sorted((frequency, term) for term, frequency in document_frequency.items() if frequency > 0)
    budget = POSTINGS_EACH * wanted
    chosen: list[str] = []
    found = 0
    for frequency, term in present[:MAX_TERMS]:
        found += frequency
        if chosen and found > budget and chunks > SMALL:
            break
        chosen.append(term)
    return tuple(chosen)


def candidate_number(chunks: int, wanted: int) -> int:
    """How many chunks to score where `wanted` would do: twice as many among up to 2,000.

    There the words tell little apart, every store orders candidates in its own rough way, and a longer look is cheap.
    """
    return wanted * DEEPER if chunks <= SMALL else wanted
