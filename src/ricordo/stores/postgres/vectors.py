"""Search by vector: exact where few rows are to be compared, by an HNSW index where many are.

Which of the two is decided here from the store's own counts, and the form of each statement leaves the planner
no other choice. An index scan filters what it finds, so on a narrow filter it is slow and finds too little;
comparing every row that passes is then both faster and exact.
"""

from __future__ import annotations

from ricordo.query import Filters, Variant
from ricordo.stores.postgres.rows import embedder_id, filter_values, is_plain
from ricordo.stores.postgres.session import Session
from ricordo.stores.postgres.tallies import vectors_of

__all__ = ["EXACT_ROWS", "VectorSearch", "drop_empty_index", "index_name", "make_index"]

EXACT_ROWS = 10_000
FILTERED = 2  # rows that a filter picks lie apart: comparing one costs so many times as much
NO_BOUND = 2**62
# What a vector takes while its index is made, beside its numbers of two bytes: 32 neighbours and itself, about.
BESIDE_NUMBERS = 900  # bytes
LEAST_INDEX_MEMORY = 65_536  # KiB


def index_name(embedder: str) -> str:
    """The name of the HNSW index over the vectors of an embedder."""
    return f"embedding_hnsw_{embedder}"


class VectorSearch:
    """One process's view of which embedders have an index."""

    def __init__(self, exact_rows: int = EXACT_ROWS) -> None:
        self.exact_rows = exact_rows
        self._indexed: set[str] = set()

    async def search(self, session: Session, variant: Variant, filters: Filters, limit: int) -> tuple[str, ...]:
        """Chunk ids by cosine, best first, ties by id, none below the floor."""
        embedder = embedder_id(variant.fingerprint)
        values = {
            "embedder_id": embedder,
            "vector": variant.vector,
            "floor": variant.floor,
            "limit": limit,
            **filter_values(filters),
        }
        plain = is_plain(filters)
        large = await count_vectors(session, embedder) > self.exact_rows and await self.has_index(session, embedder)
        if large and not plain:
            few = [
                row["id"]
                for row in await session.all("filtered_nearest", bound=self.exact_rows // FILTERED + 1, **values)
            ]
            if few != [None]:
                return tuple(few)
        if large:
            await session.simple("search_by_index")
            query = "indexed_nearest" if plain else "indexed_filtered_nearest"
            found = await session.composed(query, {"dimension": len(variant.vector)}, values)
            if len(found) >= limit:
                return tuple(row["id"] for row in found if row["above"])
        rows = await session.all("nearest" if plain else "filtered_nearest", bound=NO_BOUND, **values)
        return tuple(row["id"] for row in rows)

    async def has_index(self, session: Session, embedder: str) -> bool:
        if embedder not in self._indexed and await session.one("has_index", name=index_name(embedder)):
            self._indexed.add(embedder)
        return embedder in self._indexed

    async def needs_index(self, session: Session, fingerprint: str) -> bool:
        """Has this namespace outgrown the exact search, and is there no index yet?"""
        embedder = embedder_id(fingerprint)
        if await count_vectors(session, embedder) <= self.exact_rows:
            return False
        self._indexed.discard(embedder)  # another process may have dropped it since
        return not await self.has_index(session, embedder)


async def count_vectors(session: Session, embedder: str) -> int:
    """Vectors of an embedder in the session's namespace."""
    row = await session.one("counter", name=vectors_of(embedder))
    return int(row["amount"]) if row else 0


async def make_index(session: Session, fingerprint: str, dimension: int) -> None:
    """Make the HNSW index of an embedder, unless another process is at it."""
    taken = await session.one("try_index_lock")
    if taken is None or not taken["taken"]:
        return
    embedder = embedder_id(fingerprint)
    await session.composed("allow_index_memory", {"kib": await _index_kib(session, embedder, dimension)}, {})
    await session.composed(
        "make_index", {"name": index_name(embedder), "dimension": dimension, "embedder_id": embedder}, {}
    )


async def _index_kib(session: Session, embedder: str, dimension: int) -> int:
    """What making the index needs, for one that does not fit is made many times slower; at most half of the cache."""
    row = await session.one("count_everywhere", name=vectors_of(embedder))
    vectors = int(row["amount"]) if row else 0
    row = await session.one("cache_kib")
    most = int(row["kib"]) // 2 if row else 0
    return max(LEAST_INDEX_MEMORY, min(vectors * (2 * dimension + BESIDE_NUMBERS) // 1024, most))


async def drop_empty_index(session: Session, embedder: str) -> None:
    """Drop the HNSW index of an embedder of which no namespace has a vector any more."""
    row = await session.one("count_everywhere", name=vectors_of(embedder))
    if row is None or not row["amount"]:
        await session.composed("drop_index", {"name": index_name(embedder)}, {})
