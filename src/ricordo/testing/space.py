"""What a namespace of the store in memory holds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from ricordo.exchange import Claim, Entry
from ricordo.memory import Chunk, Memory, Reading
from ricordo.query import AsOf, Filters

__all__ = ["Space"]


@dataclass(slots=True)
class Space:
    """One namespace. Vectors are rounded to half precision, as the stores on disk keep them."""

    memories: dict[str, Memory] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    vectors: dict[tuple[str, str], NDArray[np.float32]] = field(default_factory=dict)
    tokens: dict[tuple[str, str], bytes] = field(default_factory=dict)
    readings: dict[str, Reading] = field(default_factory=dict)
    tombstones: dict[str, datetime] = field(default_factory=dict)
    queue: dict[str, Claim | None] = field(default_factory=dict)

    def remove(self, memory_id: str) -> None:
        self.memories.pop(memory_id, None)
        gone = [key for key, entry in self.entries.items() if entry.chunk.memory_id == memory_id]
        for chunk_id in gone:
            del self.entries[chunk_id]
            self.vectors = {key: vector for key, vector in self.vectors.items() if key[0] != chunk_id}
            self.tokens = {key: tokens for key, tokens in self.tokens.items() if key[0] != chunk_id}
        for other in list(self.memories.values()):
            if other.superseded_by == memory_id:
                self.memories[other.id] = replace(other, superseded_by=None)

    def versions(self, ids: Sequence[str]) -> frozenset[str]:
        found: set[str] = set()
        wanted = [memory_id for memory_id in ids if memory_id in self.memories]
        while wanted:
            memory_id = wanted.pop()
            if memory_id in found:
                continue
            found.add(memory_id)
            memory = self.memories[memory_id]
            linked = {memory.supersedes, memory.superseded_by}
            wanted += [
                other.id
                for other in self.memories.values()
                if other.id in linked or memory_id in (other.supersedes, other.superseded_by)
            ]
        return frozenset(found)

    def passes(self, memory: Memory, filters: Filters) -> bool:
        return filters.allow(memory) and (filters.as_of is None or self.held(memory, filters.as_of))

    def held(self, memory: Memory, as_of: AsOf) -> bool:
        before = self.memories.get(memory.supersedes or "")
        after = self.memories.get(memory.superseded_by or "")
        if as_of.known:
            told = before.updated_at if before else memory.created_at
            return told <= as_of.moment and (after is None or memory.updated_at > as_of.moment)
        begins = memory.event_timestamp or (before.updated_at if before else as_of.moment)
        return begins <= as_of.moment and (after is None or (after.event_timestamp or memory.updated_at) > as_of.moment)

    def near(self, chunk_ids: Collection[str], reach: int) -> list[Entry]:
        """The chunks, and those up to `reach` places away in their groups."""
        wanted = [self.entries[chunk_id].chunk for chunk_id in chunk_ids if chunk_id in self.entries]
        return [
            entry
            for entry in self.entries.values()
            if any(self.distance(entry.chunk, chunk) <= reach for chunk in wanted)
        ]

    def distance(self, chunk: Chunk, other: Chunk) -> float:
        if chunk.memory_id == other.memory_id:
            return abs(chunk.position - other.position)
        if chunk.group is None or (chunk.origin_uri, chunk.group) != (other.origin_uri, other.group):
            return float("inf")
        return abs(self.memories[chunk.memory_id].position - self.memories[other.memory_id].position)

    def claimed(self, claim: Claim, limit: int) -> tuple[str, ...]:
        held = [item for item, other in self.queue.items() if other is not None and other.claimant == claim.claimant]
        free = [item for item, other in self.queue.items() if other is None or other.until <= claim.now]
        more = [item for item in sorted(free) if item not in held]
        taken = (*held, *more[: max(0, limit - len(held))])
        self.queue.update(dict.fromkeys(taken, claim))
        return tuple(sorted(taken))

    def settle(self, claimant: str, items: Sequence[str]) -> None:
        for item in items:
            claim = self.queue.get(item)
            if claim is not None and claim.claimant == claimant:
                del self.queue[item]
