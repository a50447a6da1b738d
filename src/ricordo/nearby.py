"""What stands near a memory: in its conversation or section, and in meaning. No model is asked."""

from __future__ import annotations

from collections.abc import Iterable

from ricordo.memory import Memory
from ricordo.protocols import Embedder, Store
from ricordo.query import EVERYTHING, Aspects, Variant

__all__ = ["neighbours", "similar"]


async def neighbours(store: Store, namespace: str, memory: Memory, reach: int = 2) -> tuple[Memory, ...]:
    """The memories up to `reach` places before and after one in its group, and itself, in their order.

    Raises StoreError.
    """
    chunks = [entry.chunk.id for entry in await store.entries(namespace, [memory.id], None)]
    near = await store.candidates(namespace, chunks, Aspects(terms=(), reach=reach))
    first = {candidate.chunk.memory_id: candidate.chunk.id for candidate in near}
    found = {item.id: item for _, item in await store.get(namespace, list(first.values()))}
    return tuple(sorted(found.values(), key=lambda item: (item.position, item.id)))


async def similar(
    store: Store, namespace: str, memory: Memory, embedder: Embedder | None, limit: int = 5
) -> tuple[Memory, ...]:
    """Other current memories whose vectors are nearest, best first; none where no vectors are kept.

    Raises StoreError.
    """
    if embedder is None:
        return ()
    found: dict[str, Memory] = {}
    for entry in (await store.entries(namespace, [memory.id], embedder.fingerprint))[:1]:
        if entry.vector is not None:
            near = Variant(text="", vector=entry.vector, fingerprint=embedder.fingerprint, floor=embedder.floors.recall)
            ids = await store.by_vector(namespace, near, EVERYTHING, 3 * limit)
            found.update(_others(memory, (item for _, item in await store.get(namespace, ids))))
    return tuple(found.values())[:limit]


def _others(memory: Memory, items: Iterable[Memory]) -> dict[str, Memory]:
    return {item.id: item for item in items if item.id != memory.id and item.text != memory.text}
