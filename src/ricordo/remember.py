"""The write path: memories → chunks → lexemes, and the vectors and token vectors that are missing → store."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from ricordo.analyzer import STANDARD, Analyzer
from ricordo.exchange import Added, Batch, Entry
from ricordo.memory import TOLD, Chunk, Memory, Origin, Reading, digest
from ricordo.protocols import Chunker, Embedder, Store
from ricordo.secrets import nameless, redact, redacted, rules_revision
from ricordo.skips import Skip, SkipRecord
from ricordo.tokenvectors import pack_each

__all__ = ["Made", "Remembered", "Writer", "passage"]


def passage(chunk: Chunk) -> str:
    """What the embedder reads of a chunk: its context above its text."""
    return f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """What an embedder made of a chunk: a vector, and its token vectors as they are stored."""

    vector: NDArray[np.float32] | None = None
    tokens: bytes | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Remembered:
    """A memory, and whether it is new."""

    memory: Memory
    created: bool

    @property
    def id(self) -> str:
        return self.memory.id


@dataclass(frozen=True, kw_only=True, slots=True)
class Writer:
    """The write path of one namespace. `token_vectors` says whether those are kept, where the embedder gives them.

    One that `redacts` keeps no secret of what is told or read. What readings could not take in goes on the record of
    `skips`, where there is one.
    """

    store: Store
    chunker: Chunker
    embedder: Embedder | None
    namespace: str
    analyzer: Analyzer = STANDARD
    token_vectors: bool = True
    redacts: bool = False
    skips: SkipRecord | None = None

    def kept(self, text: str) -> str:
        """What is kept of a text."""
        return redact(text).text if self.redacts else text

    def cleaned(self, memory: Memory) -> Memory:
        """What is kept of a memory, before it is cut."""
        return redacted(memory) if self.redacts else memory

    def cleaned_origin(self, origin: Origin) -> Origin:
        """What is kept of an origin."""
        return nameless(origin) if self.redacts else origin

    @property
    def way(self) -> str:
        """Changes whenever the same memories would be stored otherwise."""
        return f"{self.chunker.name}:{rules_revision()}" if self.redacts else self.chunker.name

    @property
    def token_fingerprint(self) -> str | None:
        """Whose token vectors are kept; None when none are."""
        return self.embedder.token_fingerprint if self.embedder and self.token_vectors else None

    def cut(self, memories: Sequence[Memory], owners: dict[str, str] | None = None) -> tuple[Chunk, ...]:
        """The chunks of the memories, each id once.

        A passage that two memories of one origin share is a chunk of each: the first has its plain id, the
        others one of their own. `owners` tells who is the first over several calls.
        """
        known = {} if owners is None else owners
        chunks = (_owned(chunk, known) for memory in memories for chunk in self.chunker.chunks(memory))
        return tuple({chunk.id: chunk for chunk in chunks}.values())

    async def owners(self, memory_ids: Sequence[str]) -> dict[str, str]:
        """The uri of the origin of each of these memories that is stored."""
        entries = await self.store.entries(self.namespace, memory_ids, None)
        return {entry.chunk.memory_id: entry.chunk.origin_uri for entry in entries}

    async def write(
        self,
        memories: Sequence[Memory],
        chunks: Sequence[Chunk],
        readings: Sequence[Reading] = (),
        *,
        anew: bool = False,
        made: Mapping[str, Made] | None = None,
    ) -> Added:
        """Store a batch in one transaction. What the store knows already never reaches the model.

        Nor does what the embedder `made` of the same passages elsewhere, by the ids of the chunks here.
        """
        made = {**(made or {}), **await self.encoded([chunk for chunk in chunks if chunk.id not in (made or {})])}
        entries = await to_thread.run_sync(_entries, chunks, made, self.analyzer)
        batch = Batch(
            memories=tuple(memories),
            entries=entries,
            fingerprint=self.embedder.fingerprint if self.embedder else None,
            token_fingerprint=self.token_fingerprint,
            readings=tuple(readings),
            anew=anew,
        )
        added = await self.store.add(self.namespace, batch)
        if silent := [reading.origin.uri for reading in readings if not reading.memory_ids]:
            await self.note(silent, ())
        return added

    async def note(self, read: Collection[str], skips: Sequence[Skip]) -> None:
        """Put on record what could not be taken in, in place of what was known of the origins read, by their uris."""
        if self.skips is not None:
            await to_thread.run_sync(self.skips.note, self.namespace, read, skips)

    async def let_go(self, uris: Iterable[str]) -> None:
        """Take off the record what was told of those origins that nothing is known of any more."""
        if self.skips is None:
            return
        if gone := [uri for uri in frozenset(uris) if await self.store.reading(self.namespace, uri) is None]:
            await self.note(gone, ())

    async def forget(self, memories: Sequence[Memory], now: datetime) -> frozenset[str]:
        """Remove stored memories for good, with all their versions; the ids removed."""
        gone = await self.store.forget(self.namespace, [memory.id for memory in memories], now)
        await self.store.purge()
        await self.let_go(memory.origin.uri for memory in memories if memory.origin.kind != TOLD)
        return gone

    async def bury(self, memories: Sequence[Memory], *, buried: bool) -> tuple[str, ...]:
        """Mark stored memories as buried, or not, in one transaction; their ids."""
        marked = {memory.id: memory.as_buried(buried=buried) for memory in memories}
        await self.store.add(self.namespace, Batch(memories=tuple(marked.values()), over=True))
        return tuple(sorted(marked))

    @property
    def rehearses(self) -> bool:
        """Whether it only tells what it would write."""
        return False

    async def purge(self) -> None:
        """Erase what forgotten memories left in the store's files."""
        await self.store.purge()

    async def fill(self, chunk_ids: Sequence[str]) -> None:
        """Make what stored chunks lack of vectors and token vectors, and store it in one transaction."""
        chunks = [chunk for chunk, _ in await self.store.get(self.namespace, chunk_ids)]
        made = await self.encoded(chunks)
        batch = Batch(
            entries=tuple(
                Entry(chunk=chunk, lexemes=(), vector=made[chunk.id].vector, tokens=made[chunk.id].tokens)
                for chunk in chunks
                if chunk.id in made
            ),
            fingerprint=self.embedder.fingerprint if self.embedder else None,
            token_fingerprint=self.token_fingerprint,
        )
        await self.store.add_vectors(self.namespace, batch)

    async def encoded(self, chunks: Sequence[Chunk]) -> dict[str, Made]:
        """What the embedder makes of the chunks that the store lacks something of, by their ids."""
        embedder = self.embedder
        if embedder is None or not chunks:
            return {}
        ids = [chunk.id for chunk in chunks]
        missing = await self.store.missing(self.namespace, ids, embedder.fingerprint)
        if (token_fingerprint := self.token_fingerprint) is not None:
            missing |= await self.store.missing(self.namespace, ids, token_fingerprint)
        unread = [chunk for chunk in chunks if chunk.id in missing]
        if not unread:
            return {}
        read = partial(_read, embedder, [passage(chunk) for chunk in unread], tokens=token_fingerprint is not None)
        made = await to_thread.run_sync(read, abandon_on_cancel=True)
        return {chunk.id: each for chunk, each in zip(unread, made, strict=True)}


def _read(embedder: Embedder, texts: Sequence[str], *, tokens: bool) -> list[Made]:
    if not tokens:
        return [Made(vector=row) for row in embedder.embed_passages(texts)]
    encoded = embedder.encode_passages(texts)
    packed = pack_each([own.rows for own in encoded.tokens])
    return [Made(vector=row, tokens=own) for row, own in zip(encoded.vectors, packed, strict=True)]


def _owned(chunk: Chunk, owners: dict[str, str]) -> Chunk:
    if owners.setdefault(chunk.id, chunk.memory_id) == chunk.memory_id:
        return chunk
    return replace(chunk, id=digest(chunk.id, chunk.memory_id))


def _entries(chunks: Sequence[Chunk], made: Mapping[str, Made], analyzer: Analyzer) -> tuple[Entry, ...]:
    nothing = Made()
    # The turns of a conversation, and the chunks of a section, stand in the same context.
    contexts = {context: analyzer.lexemes(context) for context in {chunk.context for chunk in chunks}}
    return tuple(
        Entry(
            chunk=chunk,
            lexemes=analyzer.lexemes(chunk.text),
            context_lexemes=contexts[chunk.context],
            vector=made.get(chunk.id, nothing).vector,
            tokens=made.get(chunk.id, nothing).tokens,
        )
        for chunk in chunks
    )
