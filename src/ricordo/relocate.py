"""Files that were moved: what they say goes with them, with its vectors, its age and its versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from anyio import to_thread

from ricordo.errors import SourceError
from ricordo.exchange import Added, Skipped, Tombstone
from ricordo.ingest import gone, noted, plain, revision_in
from ricordo.memory import Chunk, EventOrigin, Memory, Origin, Reading
from ricordo.protocols import Source
from ricordo.remember import Made, Writer

__all__ = ["Move", "Mover", "held_by", "relocated"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """A source that holds what an origin, which is gone, held when it was last read."""

    old: Origin
    source: Source


class Mover:
    """Tells moves from news while sources are read, and makes them when all are.

    `moves` are the sources found so far that hold what one of the lost origins held.
    """

    def __init__(self, writer: Writer, lost: Mapping[str, Origin]) -> None:
        self._writer = writer
        self._lost = dict(lost)
        self.moves: list[Move] = []

    @classmethod
    async def of(cls, writer: Writer, lost: Iterable[Origin]) -> Mover:
        """One that knows what these held when they were last read; where nothing was, there is nothing to move."""
        known: dict[str, Origin] = {}
        for origin in lost:
            reading = await writer.store.reading(writer.namespace, origin.uri)
            if reading is not None and reading.memories:
                known[plain(reading.revision)] = origin
        return cls(writer, known)

    def unmoved(self, sources: Iterable[Source | Skipped]) -> Iterator[Source | Skipped]:
        """The sources that are no moves."""
        for source in sources:
            old = self._former(source)
            if old is not None and not isinstance(source, Skipped):
                self.moves.append(Move(old=old, source=source))
            else:
                yield source

    def _former(self, source: Source | Skipped) -> Origin | None:
        if not self._lost or isinstance(source, Skipped):
            return None
        try:
            return self._lost.pop(revision_in(source.revision(), self._writer), None)
        except SourceError:
            return None  # it is reported when it is read

    async def move(self) -> dict[str, int]:
        """Make the moves: the uris that were moved from, and how many memories each had."""
        held = await held_by(self._writer, (move.old for move in self.moves))
        moved: dict[str, int] = {}
        for move in self.moves:
            try:
                await relocated(self._writer, move, held[move.old.uri])
                moved[move.old.uri] = len(held[move.old.uri])
            except SourceError:  # it is on its way again
                continue
        return moved


async def held_by(writer: Writer, origins: Iterable[Origin]) -> dict[str, list[Memory]]:
    """What the namespace holds of these origins, by their uris, in one pass. Raises StoreError."""
    held: dict[str, list[Memory]] = {origin.uri: [] for origin in origins}
    if held:
        async for _, item in writer.store.dump(writer.namespace):
            if isinstance(item, Memory) and item.origin.uri in held:
                held[item.origin.uri].append(item)
    return held


async def relocated(writer: Writer, move: Move, old: Sequence[Memory]) -> Added:
    """Let the memories of the old origin, all of them, be those of the new one, in one transaction.

    Nothing that is the same is read by the model again, and what was forgotten there stays forgotten here. Raises
    StoreError, ModelError, and SourceError when the source cannot be read.
    """
    revision = revision_in(await to_thread.run_sync(move.source.revision), writer)
    read = await to_thread.run_sync(list, move.source.memories())
    said = [writer.cleaned(item) for item in read if isinstance(item, Memory)]
    await _bury_again(writer, said, move.old)
    memories = list(_carried(said, old))
    chunks = await to_thread.run_sync(writer.cut, memories)
    made = await _made_before(writer, old, chunks)
    reading = Reading(
        origin=writer.cleaned_origin(move.source.origin),
        revision=noted(revision) if len(said) < len(read) else revision,
        memory_ids=frozenset(memory.id for memory in memories),
    )
    return await writer.write(memories, chunks, [reading, gone(move.old)], made=made)


async def _bury_again(writer: Writer, said: Iterable[Memory], old: Origin) -> None:
    """Mark as forgotten what was forgotten under its old name."""
    named = {replace(memory, origin=old, id="").id: memory for memory in said}
    forgotten = await writer.store.tombstones(writer.namespace, list(named))
    if forgotten:
        marks = [Tombstone(memory_id=named[known].id, forgotten_at=named[known].created_at) for known in forgotten]
        await writer.store.bury(writer.namespace, marks)


def _carried(said: Iterable[Memory], old: Iterable[Memory]) -> Iterable[Memory]:
    """The memories, each with what its twin in the old origin knows beyond the file."""
    twins: dict[tuple[str, str | None], list[Memory]] = {}
    for memory in old:
        twins.setdefault((memory.text, memory.speaker), []).append(memory)
    for memory in said:
        waiting = twins.get((memory.text, memory.speaker))
        if not waiting:
            yield memory
            continue
        twin = waiting.pop(0)
        moved = replace(memory, created_at=twin.created_at, superseded_by=twin.superseded_by)
        moved = moved.as_buried(buried=moved.buried or twin.buried)
        only_said = EventOrigin.SAID in (memory.event_origin, twin.event_origin)
        yield moved.happened(twin.event) if only_said and twin.event_origin is EventOrigin.SAID else moved


async def _made_before(writer: Writer, old: Sequence[Memory], chunks: Sequence[Chunk]) -> dict[str, Made]:
    """What the embedder made of these chunks where they were before, by their ids here."""
    embedder = writer.embedder
    if embedder is None or not old:
        return {}
    ids = [memory.id for memory in old]
    known: dict[tuple[str, str], Made] = {}
    for entry in await writer.store.entries(writer.namespace, ids, embedder.fingerprint):
        if entry.vector is not None:
            known[entry.chunk.context, entry.chunk.text] = Made(vector=entry.vector)
    if writer.token_fingerprint is not None:
        with_tokens: dict[tuple[str, str], Made] = {}
        for entry in await writer.store.entries(writer.namespace, ids, writer.token_fingerprint):
            passage = (entry.chunk.context, entry.chunk.text)
            if entry.tokens is not None and passage in known:
                with_tokens[passage] = replace(known[passage], tokens=entry.tokens)
        known = with_tokens
    return {chunk.id: made for chunk in chunks if (made := known.get((chunk.context, chunk.text)))}
