"""A chunker that cuts nothing, and a source that says what it was given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ricordo.exchange import Skipped
from ricordo.memory import Chunk, Memory, Origin, digest

__all__ = ["ListSource", "WholeChunker"]


class WholeChunker:
    """Every memory is one chunk."""

    name = "whole/1"

    def chunks(self, memory: Memory) -> tuple[Chunk, ...]:
        return (
            Chunk(
                memory_id=memory.id,
                origin_uri=memory.origin.uri,
                text=memory.text,
                context=memory.context,
                group=memory.group,
                speaker=memory.speaker,
            ),
        )


class ListSource:
    """A source that says what it was given."""

    def __init__(self, origin: Origin, memories: Sequence[Memory | Skipped]) -> None:
        self._origin = origin
        self._memories = tuple(memories)

    @property
    def origin(self) -> Origin:
        return self._origin

    def revision(self) -> str:
        return digest(*(item.id if isinstance(item, Memory) else item.where for item in self._memories))

    def memories(self) -> Iterator[Memory | Skipped]:
        return iter(self._memories)
