"""Counts without hot rows: every batch appends its changes, a count is their sum, and now and then they are folded.

Writers never wait for each other's counts. Folding takes rows away and puts their sum in their place within one
transaction, so that every reader sees either the rows or the sum.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ricordo.stores.postgres.session import Session

__all__ = ["Tally", "fold", "fold_all", "vectors_of"]

FOLD_EVERY = 32  # batches, on average
MOST_ROWS = 4

CHUNKS = "chunks"
LEXEMES = "lexemes"
CONTEXTS = "contexts"
CONTEXT_LEXEMES = "context lexemes"


def vectors_of(embedder_id: str) -> str:
    """The name of the counter of an embedder's vectors."""
    return f"vectors {embedder_id}"


@dataclass(slots=True)
class Tally:
    """What one transaction changes."""

    counters: Counter[str] = field(default_factory=Counter)
    frequencies: Counter[str] = field(default_factory=Counter)

    def chunk(self, length: int, context_length: int, lexemes: Iterable[str], *, sign: int = 1) -> None:
        """One chunk more, or with sign -1 one less; each of its lexemes is given once."""
        self.counters[CHUNKS] += sign
        self.counters[LEXEMES] += sign * length
        self.counters[CONTEXTS] += sign * (context_length > 0)
        self.counters[CONTEXT_LEXEMES] += sign * context_length
        for lexeme in lexemes:
            self.frequencies[lexeme] += sign

    def vectors(self, embedder_id: str, number: int) -> None:
        self.counters[vectors_of(embedder_id)] += number

    async def write(self, session: Session) -> None:
        """Append the changes; one batch in 32 also folds what it touched."""
        batch = secrets.token_hex(8)
        await _append(session, batch, self.counters, self.frequencies)
        if self.counters and secrets.randbelow(FOLD_EVERY) == 0:
            await fold(session, sorted(self.frequencies))


async def _append(session: Session, batch: str, counters: Counter[str], frequencies: Counter[str]) -> None:
    changed = [(session.namespace, name, batch, amount) for name, amount in sorted(counters.items()) if amount]
    if changed:
        await session.copy("add_counters", changed)
    held = [(session.namespace, lexeme, batch, chunks) for lexeme, chunks in sorted(frequencies.items()) if chunks]
    if held:
        await session.copy("add_frequencies", held)


async def fold(session: Session, lexemes: Sequence[str]) -> None:
    """Put one row in the place of many: for all counters and for these lexemes."""
    counters: Counter[str] = Counter()
    frequencies: Counter[str] = Counter()
    for row in await session.all("take_counters"):
        counters[row["name"]] += row["amount"]
    if lexemes:
        for row in await session.all("take_frequencies", lexemes=lexemes):
            frequencies[row["lexeme"]] += row["chunks"]
    await _append(session, secrets.token_hex(8), counters, frequencies)


async def fold_all(session: Session) -> None:
    """Fold whatever has more than a few rows in this namespace."""
    crowded = await session.all("crowded_lexemes", most=MOST_ROWS)
    await fold(session, sorted(row["lexeme"] for row in crowded))
