"""A store that scans what it holds, and forgets everything when it is closed."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from ricordo.errors import InvalidInput, NotFound, StoreError, revised_meanwhile
from ricordo.exchange import Added, Batch, Claim, Entry, Fault, Known, Stats, Survey, Tombstone
from ricordo.memory import TOLD, Chunk, Memory
from ricordo.query import Aspects, Candidate, Filters, Variant, WordMatch, WordMatches
from ricordo.testing.space import Space
from ricordo.testing.surveys import surveyed

__all__ = ["InMemoryStore"]


class InMemoryStore:
    """A store that forgets everything when it is closed."""

    def __init__(self) -> None:
        self._spaces: dict[str, Space] = {}
        self._open = False

    @classmethod
    def from_url(cls, url: str) -> InMemoryStore:
        return cls()

    async def open(self) -> None:
        self._open = True

    async def close(self) -> None:
        self._open = False

    def _space(self, namespace: str) -> Space:
        if not self._open:
            raise StoreError("the store is not open")
        return self._spaces.setdefault(namespace, Space())

    async def reading(self, namespace: str, uri: str) -> Known | None:
        space = self._space(namespace)
        if uri not in space.readings:
            return None
        ids = {memory.id for memory in space.memories.values() if memory.origin.uri == uri}
        chunks = sum(entry.chunk.memory_id in ids for entry in space.entries.values())
        return Known(revision=space.readings[uri].revision, memories=len(ids), chunks=chunks)

    async def tombstones(self, namespace: str, ids: Sequence[str]) -> frozenset[str]:
        return frozenset(ids) & frozenset(self._space(namespace).tombstones)

    async def missing(self, namespace: str, ids: Sequence[str], fingerprint: str) -> frozenset[str]:
        space = self._space(namespace)
        known = space.vectors.keys() | space.tokens.keys()
        return frozenset(chunk_id for chunk_id in ids if (chunk_id, fingerprint) not in known)

    async def add(self, namespace: str, batch: Batch) -> Added:
        space = self._space(namespace)
        before = dict(space.memories), dict(space.tombstones)
        if batch.anew:
            for memory in batch.memories:
                space.tombstones.pop(memory.id, None)
        else:
            batch = batch.without(space.tombstones)
        try:
            created = [memory for memory in batch.memories if _add_memory(space, memory, over=batch.over)]
            _link_versions(space, batch.memories, created)
        except InvalidInput:
            space.memories, space.tombstones = before
            raise
        chunks = sum(_add_entry(space, entry, batch) for entry in batch.entries)
        forgotten: set[str] = set()
        for reading in batch.readings:
            said = {memory.id for memory in space.memories.values() if memory.origin.uri == reading.origin.uri}
            for memory_id in said - reading.memory_ids:
                space.remove(memory_id)
                forgotten.add(memory_id)
            space.readings[reading.origin.uri] = reading
        return Added(memories=frozenset(memory.id for memory in created), forgotten=frozenset(forgotten), chunks=chunks)

    async def unread(self, namespace: str, fingerprint: str, token_fingerprint: str | None) -> tuple[str, ...]:
        space = self._space(namespace)
        return tuple(
            chunk_id
            for chunk_id in sorted(space.entries)
            if (chunk_id, fingerprint) not in space.vectors
            or (token_fingerprint is not None and (chunk_id, token_fingerprint) not in space.tokens)
        )

    async def add_vectors(self, namespace: str, batch: Batch) -> None:
        space = self._space(namespace)
        for entry in batch.entries:
            if entry.chunk.id in space.entries:
                _add_vectors(space, entry, batch)

    async def drop_vectors(self, namespace: str, fingerprint: str) -> int:
        space = self._space(namespace)
        gone = {key for key in space.vectors.keys() | space.tokens.keys() if key[1] == fingerprint}
        space.vectors = {key: vector for key, vector in space.vectors.items() if key not in gone}
        space.tokens = {key: tokens for key, tokens in space.tokens.items() if key not in gone}
        return len(gone)

    async def forget(self, namespace: str, ids: Sequence[str], now: datetime) -> frozenset[str]:
        space = self._space(namespace)
        versions = space.versions(ids)
        origins = {space.memories[memory_id].origin.uri for memory_id in versions}
        for memory_id in versions:
            space.remove(memory_id)
            space.tombstones[memory_id] = now
        for uri in origins - {memory.origin.uri for memory in space.memories.values()}:
            space.readings.pop(uri, None)
        return versions

    async def bury(self, namespace: str, tombstones: Sequence[Tombstone]) -> frozenset[str]:
        space, removed = self._space(namespace), set[str]()
        for tombstone in tombstones:
            known = space.memories.get(tombstone.memory_id)
            if known is not None and known.created_at > tombstone.forgotten_at:
                continue
            if known is not None:
                space.remove(known.id)
                removed.add(known.id)
            space.tombstones.setdefault(tombstone.memory_id, tombstone.forgotten_at)
        return frozenset(removed)

    async def purge(self) -> None:
        return

    async def enqueue(self, namespace: str, items: Sequence[str]) -> int:
        queue = self._space(namespace).queue
        fresh = frozenset(items) - queue.keys()
        queue.update(dict.fromkeys(fresh))
        return len(fresh)

    async def claim(self, namespace: str, claim: Claim, limit: int) -> tuple[str, ...]:
        return self._space(namespace).claimed(claim, limit)

    async def settle(self, namespace: str, claimant: str, items: Sequence[str]) -> None:
        self._space(namespace).settle(claimant, items)

    async def waiting(self, namespace: str) -> int:
        return len(self._space(namespace).queue)

    async def by_words(self, namespace: str, terms: Sequence[str], filters: Filters, limit: int) -> WordMatches:
        space = self._space(namespace)
        wanted = frozenset(terms)
        contexts = [entry.context_lexemes for entry in space.entries.values() if entry.context_lexemes]
        entries = list(space.entries.values())
        found = [(entry, frozenset(entry.lexemes) | frozenset(entry.context_lexemes)) for entry in entries]
        matches = tuple(
            _word_match(entry, wanted)
            for entry, lexemes in found
            if wanted & lexemes and space.passes(space.memories[entry.chunk.memory_id], filters)
        )
        return WordMatches(
            matches=matches,
            chunks=len(entries),
            mean_length=sum(len(entry.lexemes) for entry in entries) / max(1, len(entries)),
            mean_context_length=sum(map(len, contexts)) / max(1, len(contexts)),
            document_frequency={term: sum(term in lexemes for _, lexemes in found) for term in wanted},
        )

    async def by_vector(self, namespace: str, variant: Variant, filters: Filters, limit: int) -> tuple[str, ...]:
        space = self._space(namespace)
        scored = sorted(
            (-round(float(row @ variant.vector), 6), chunk_id)
            for (chunk_id, fingerprint), row in space.vectors.items()
            if fingerprint == variant.fingerprint
            and float(row @ variant.vector) >= variant.floor
            and space.passes(space.memories[space.entries[chunk_id].chunk.memory_id], filters)
        )
        return tuple(chunk_id for _, chunk_id in scored[:limit])

    async def get(self, namespace: str, chunk_ids: Sequence[str]) -> tuple[tuple[Chunk, Memory], ...]:
        space = self._space(namespace)
        chunks = [space.entries[chunk_id].chunk for chunk_id in chunk_ids if chunk_id in space.entries]
        return tuple((chunk, space.memories[chunk.memory_id]) for chunk in chunks)

    async def candidates(self, namespace: str, chunk_ids: Sequence[str], aspects: Aspects) -> tuple[Candidate, ...]:
        space = self._space(namespace)
        wanted = frozenset(aspects.terms)
        return tuple(
            Candidate(
                chunk=entry.chunk,
                place=space.memories[entry.chunk.memory_id].position,
                match=_word_match(entry, wanted),
                vector=space.vectors.get((entry.chunk.id, aspects.fingerprint or "")),
                tokens=space.tokens.get((entry.chunk.id, aspects.token_fingerprint or "")),
            )
            for entry in space.near(chunk_ids, aspects.reach)
        )

    async def timeline(self, namespace: str, filters: Filters, limit: int) -> tuple[Memory, ...]:
        space = self._space(namespace)
        dated = [
            (memory.event_timestamp, memory.id)
            for memory in space.memories.values()
            if memory.event_timestamp is not None and space.passes(memory, filters)
        ]
        return tuple(space.memories[memory_id] for _, memory_id in sorted(dated)[-limit:])

    async def memory(self, namespace: str, id_prefix: str) -> Memory:
        prefix = id_prefix.strip().lower()
        if not prefix:
            raise InvalidInput("an id, or the beginning of one, is needed")
        found = [memory for key, memory in self._space(namespace).memories.items() if key.startswith(prefix)]
        if not found:
            raise NotFound(f"no memory has the id {id_prefix!r} in this namespace")
        if len(found) > 1:
            raise InvalidInput(f"several memories have ids that begin with {id_prefix!r}; give more of it")
        return found[0]

    async def history(self, namespace: str, memory_id: str) -> tuple[Memory, ...]:
        space = self._space(namespace)
        versions = space.versions([memory_id])
        return tuple(memory for memory in space.memories.values() if memory.id in versions)

    async def dump(self, namespace: str | None = None) -> AsyncIterator[tuple[str, Memory | Tombstone]]:
        names = [name for name in self._spaces if namespace in (None, name)]
        for name in names:
            for memory in list(self._spaces[name].memories.values()):
                yield name, memory
        for name in names:
            for memory_id, forgotten_at in sorted(self._spaces[name].tombstones.items()):
                yield name, Tombstone(memory_id=memory_id, forgotten_at=forgotten_at)

    async def entries(self, namespace: str, memory_ids: Sequence[str], fingerprint: str | None) -> tuple[Entry, ...]:
        space = self._space(namespace)
        found = [entry for entry in space.entries.values() if entry.chunk.memory_id in memory_ids]
        keys = [(entry.chunk.id, fingerprint or "") for entry in found]
        return tuple(
            replace(entry, vector=space.vectors.get(key), tokens=space.tokens.get(key))
            for entry, key in zip(found, keys, strict=True)
        )

    async def survey(self, namespace: str) -> Survey:
        space = self._space(namespace)
        return surveyed(space.memories.values(), space.readings)

    async def stats(self) -> Stats:
        spaces = {name: space for name, space in sorted(self._spaces.items()) if space.memories}
        return Stats(
            memories=sum(len(space.memories) for space in spaces.values()),
            chunks=sum(len(space.entries) for space in spaces.values()),
            namespaces={name: len(space.memories) for name, space in spaces.items()},
            store="memory:",
            schema_version=0,
            size_bytes=0,
            embedders=Counter(fingerprint for space in spaces.values() for _, fingerprint in space.vectors),
            token_embedders=Counter(fingerprint for space in spaces.values() for _, fingerprint in space.tokens),
        )

    async def check(self) -> tuple[Fault, ...]:
        return ()


def _add_memory(space: Space, memory: Memory, *, over: bool) -> bool:
    known = space.memories.get(memory.id)
    if known is not None:
        if over or memory.origin.kind != TOLD:
            origin = memory.origin if memory.origin.uri == known.origin.uri else known.origin
            fresh = replace(memory, origin=origin, created_at=known.created_at, superseded_by=known.superseded_by)
            changed = replace(fresh, updated_at=known.updated_at) != known
            space.memories[memory.id] = fresh if changed else known
        return False
    old = space.memories.get(memory.supersedes or "")
    if old is not None and old.superseded_by not in (None, memory.id):
        raise revised_meanwhile(old.id)
    space.memories[memory.id] = replace(memory, superseded_by=None)
    return True


def _link_versions(space: Space, memories: Sequence[Memory], created: Sequence[Memory]) -> None:
    new = {memory.id for memory in created}
    for memory in memories:
        known, successor = space.memories[memory.id], memory.superseded_by
        if known.superseded_by is None and successor in space.memories and not new.isdisjoint((memory.id, successor)):
            updated_at = max(known.updated_at, memory.updated_at)
            space.memories[memory.id] = replace(known, superseded_by=successor, updated_at=updated_at)
    for memory in created:
        old = space.memories.get(memory.supersedes or "")
        if old is None or old.superseded_by == memory.id:
            continue
        if old.superseded_by is not None:
            raise revised_meanwhile(old.id)
        space.memories[old.id] = replace(old, superseded_by=memory.id, updated_at=memory.updated_at)


def _word_match(entry: Entry, wanted: Collection[str]) -> WordMatch:
    return WordMatch(
        chunk_id=entry.chunk.id,
        length=len(entry.lexemes),
        counts=Counter(lexeme for lexeme in entry.lexemes if lexeme in wanted),
        context_length=len(entry.context_lexemes),
        context_counts=Counter(lexeme for lexeme in entry.context_lexemes if lexeme in wanted),
    )


def _add_entry(space: Space, entry: Entry, batch: Batch) -> int:
    chunk = entry.chunk
    owner = space.memories.get(chunk.memory_id)
    if owner is None or owner.origin.uri != chunk.origin_uri:
        return 0  # another origin said it meanwhile
    known = space.entries.get(chunk.id)
    space.entries[chunk.id] = entry if known is None else replace(known, chunk=chunk)
    _add_vectors(space, entry, batch)
    return int(known is None)


def _add_vectors(space: Space, entry: Entry, batch: Batch) -> None:
    chunk_id = entry.chunk.id
    if entry.vector is not None and batch.fingerprint is not None:
        space.vectors.setdefault((chunk_id, batch.fingerprint), entry.vector.astype(np.float16).astype(np.float32))
    if entry.tokens is not None and batch.token_fingerprint is not None:
        space.tokens.setdefault((chunk_id, batch.token_fingerprint), entry.tokens)
