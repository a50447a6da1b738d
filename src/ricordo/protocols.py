"""The five seams. Whatever keeps these promises can be plugged in; `ricordo.testing` ships a double of each.

Stores are asynchronous. The others compute or read, in worker threads of the core: be safe in several at once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ricordo.exchange import (
    Added,
    Batch,
    Claim,
    Encoded,
    Entry,
    Fault,
    Floors,
    Known,
    Skipped,
    Stats,
    Survey,
    TokenVectors,
    Tombstone,
)
from ricordo.memory import Chunk, Memory, Origin
from ricordo.query import Aspects, Candidate, Filters, Variant, WordMatches

__all__ = [
    "Added",
    "Batch",
    "Chunker",
    "Claim",
    "Embedder",
    "Encoded",
    "Entry",
    "Fault",
    "Floors",
    "Known",
    "Reranker",
    "Skipped",
    "Source",
    "Stats",
    "Store",
    "Survey",
    "TokenVectors",
    "Tombstone",
]


class Source(Protocol):
    """One origin that can be read, for example a file."""

    @property
    def origin(self) -> Origin: ...

    def revision(self) -> str:
        """What the origin holds now, as a short digest. Raises SourceError when it cannot be read.

        Before an `@` may stand its edition: one that sorts before that of a copy read earlier says nothing new.
        """
        ...

    def memories(self) -> Iterator[Memory | Skipped]:
        """Everything the origin says, in order; a record that cannot be read comes as Skipped.

        Raises SourceError when the origin as a whole cannot be read.
        """
        ...


class Chunker(Protocol):
    """Cuts memories into chunks; pure."""

    @property
    def name(self) -> str:
        """Changes whenever the same memory would be cut differently."""
        ...

    def chunks(self, memory: Memory) -> tuple[Chunk, ...]:
        """At least one chunk; together they hold all of the memory's text."""
        ...


class Embedder(Protocol):
    """Text → vectors. Same text, same vector."""

    @property
    def fingerprint(self) -> str:
        """Names model, revision, quantisation, pooling, prefixes and dimension; known before the model is loaded."""
        ...

    @property
    def token_fingerprint(self) -> str | None:
        """The same for token vectors, with their layer and centring; None when the embedder gives none."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """The most tokens of a text that the model reads at once, special tokens left out."""
        ...

    @property
    def floors(self) -> Floors: ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens left out."""
        ...

    def pieces(self, text: str) -> tuple[tuple[str, int], ...]:
        """The words of a text as the model's tokenizer parts them, each with its number of tokens, in order."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dimension) float32`, rows of unit length, in the order given.

        A text longer than `max_tokens` is read in pieces, never cut. Raises ModelError.
        """
        ...

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same for questions, which some models read differently."""
        ...

    def encode_passages(self, texts: Sequence[str]) -> Encoded:
        """What `embed_passages` gives, and the token vectors of each text from the same pass. Raises ModelError."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        """The same for questions."""
        ...


class Reranker(Protocol):
    """Reads question and passage together."""

    def score(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """`(len(passages),) float32`; higher is better. Raises ModelError."""
        ...


class Store(Protocol):
    """Where chunks live; answers by words, by vectors, by time.

    Every method takes the namespace first and sees nothing outside it. All raise StoreError.
    """

    async def open(self) -> None:
        """Connect and migrate. Raises SchemaTooNew."""
        ...

    async def close(self) -> None: ...

    # --- writing ---

    async def reading(self, namespace: str, uri: str) -> Known | None:
        """What is known of an origin since its last whole reading; None before one."""
        ...

    async def tombstones(self, namespace: str, ids: Sequence[str]) -> frozenset[str]:
        """Those of the memory ids that carry a tombstone."""
        ...

    async def missing(self, namespace: str, ids: Sequence[str], fingerprint: str) -> frozenset[str]:
        """Those of the chunk ids that have no vector, or no token vectors, of this fingerprint."""
        ...

    async def add(self, namespace: str, batch: Batch) -> Added:
        """Write a batch in one transaction; adding what is there already changes nothing.

        A memory that supersedes another marks it: InvalidInput when one did so before. Chunks that moved to another
        memory of their origin go with it. A memory with a tombstone is left out; told anew, its tombstone is lifted.
        """
        ...

    async def unread(self, namespace: str, fingerprint: str, token_fingerprint: str | None) -> tuple[str, ...]:
        """The ids of all chunks that have no vector of this fingerprint, or no token vectors of the other, in order."""
        ...

    async def add_vectors(self, namespace: str, batch: Batch) -> None:
        """Write the vectors and token vectors of a batch in one transaction, for those of its chunks that are here.

        What the embedder made of a chunk before stays; nothing else of the batch is written.
        """
        ...

    async def drop_vectors(self, namespace: str, fingerprint: str) -> int:
        """Remove the vectors, or token vectors, of this fingerprint; how many chunks had them."""
        ...

    async def forget(self, namespace: str, ids: Sequence[str], now: datetime) -> frozenset[str]:
        """Remove memories with all their versions, text, lexemes and vectors, and leave tombstones.

        Returns the ids removed; unknown ids are ignored.
        """
        ...

    async def bury(self, namespace: str, tombstones: Sequence[Tombstone]) -> frozenset[str]:
        """Write tombstones that come from elsewhere (an import), and remove what they mark; the ids removed.

        A memory that was learned after the moment of its tombstone stays, and the tombstone is left out.
        """
        ...

    async def purge(self) -> None:
        """Erase what forgotten memories left in the store's files."""
        ...

    # --- work that waits ---

    async def enqueue(self, namespace: str, items: Sequence[str]) -> int:
        """Let items of work wait to be claimed; how many did not wait yet, claimed or not."""
        ...

    async def claim(self, namespace: str, claim: Claim, limit: int) -> tuple[str, ...]:
        """All that the claimant has, held on to until then, and of what nobody has, enough to make it up to `limit`.

        No item is given to two claimants at once, and none of them waits for another.
        """
        ...

    async def settle(self, namespace: str, claimant: str, items: Sequence[str]) -> None:
        """Take off the queue what was done, unless another claimant has it by now."""
        ...

    async def waiting(self, namespace: str) -> int:
        """How many items are not done, claimed or not."""
        ...

    # --- reading ---

    async def by_words(self, namespace: str, terms: Sequence[str], filters: Filters, limit: int) -> WordMatches:
        """The most promising chunks that hold any of the terms, weightier ones given repeatedly; the caller ranks."""
        ...

    async def by_vector(self, namespace: str, variant: Variant, filters: Filters, limit: int) -> tuple[str, ...]:
        """Chunk ids by cosine similarity, best first, ties by id, none below the floor."""
        ...

    async def get(self, namespace: str, chunk_ids: Sequence[str]) -> tuple[tuple[Chunk, Memory], ...]:
        """Chunks with their memories in the order of the ids; unknown ids are left out."""
        ...

    async def candidates(self, namespace: str, chunk_ids: Sequence[str], aspects: Aspects) -> tuple[Candidate, ...]:
        """These chunks and those near them in their groups, with what can speak for them; each once, in any order."""
        ...

    async def timeline(self, namespace: str, filters: Filters, limit: int) -> tuple[Memory, ...]:
        """The `limit` latest memories whose event time is known, earliest first, ties by id."""
        ...

    async def memory(self, namespace: str, id_prefix: str) -> Memory:
        """The one memory whose id begins so. Raises NotFound, or InvalidInput when several do."""
        ...

    async def history(self, namespace: str, memory_id: str) -> tuple[Memory, ...]:
        """All versions of a memory, first to current."""
        ...

    def dump(self, namespace: str | None = None) -> AsyncIterator[tuple[str, Memory | Tombstone]]:
        """Everything, as (namespace, item), versions before what superseded them."""
        ...

    async def entries(self, namespace: str, memory_ids: Sequence[str], fingerprint: str | None) -> tuple[Entry, ...]:
        """The chunks of these memories as they can be added to another store, with what this embedder made of them:
        vectors or token vectors, whichever its fingerprint names.

        The lexemes come back as often as they were given, in any order.
        """
        ...

    async def survey(self, namespace: str) -> Survey:
        """What the namespace holds, from above: its origins, its times, its tags."""
        ...

    async def stats(self) -> Stats: ...

    async def check(self) -> tuple[Fault, ...]:
        """Look for anything not whole; empty when all is well."""
        ...
