"""Files that hold statements, one memory each, under the name of the file: JSON of other memory programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TypeAlias

from ricordo.exchange import Skipped
from ricordo.memory import EventTime, Json, Memory, Origin, clean, digest
from ricordo.occasions import refined
from ricordo.sources.blobs import Blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.injected import without_injected
from ricordo.sources.records import Record
from ricordo.sources.shapes import Shape, refuse

__all__ = ["Statement", "StatementSource", "Understand", "uri_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """What a record states. `key` tells it from others of the same text; `event` is when it was so, if that is said.

    The first words of the text can make that exact, or tell it, as they do in any file.
    """

    text: str
    key: str = ""
    context: str = ""
    group: str | None = None
    speaker: str | None = None
    event: EventTime | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)


Understand: TypeAlias = Callable[[Mapping[str, object], Circumstances], Iterator[Statement]]
"""The statements of a record. Raises ValueError, saying why, for a record of another kind."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StatementSource:
    """A file of records; `kind` names its format and `reader` the version of what understands it.

    `records` gives them anew each time, so that the file is never held whole. `shape` is that of a record.
    """

    blob: Blob
    circumstances: Circumstances
    kind: str
    reader: str
    records: Callable[[Blob], Iterator[Record | Skipped]]
    understand: Understand
    shape: Shape = field(default_factory=dict)

    @property
    def origin(self) -> Origin:
        return Origin(kind=self.kind, uri=uri_of(self.blob), title=clean(self.blob.name))

    def revision(self) -> str:
        content = blake2b()
        for chunk in self.blob.chunks():
            content.update(chunk)
        how = (str(self.circumstances.zone), repr(self.circumstances.options))
        return digest(self.reader, *how, content.hexdigest())

    def memories(self) -> Iterator[Memory | Skipped]:
        """One memory for each statement, in the order of the file; of two that are alike, the first."""
        seen: set[str] = set()
        origin = self.origin
        for record in self.records(self.blob):
            if isinstance(record, Skipped):
                yield record
                continue
            try:
                for memory in self._memories(record, origin, len(seen)):
                    if memory.id not in seen:
                        seen.add(memory.id)
                        yield memory
            except ValueError as error:
                yield Skipped(where=f"{self.blob.where}, record {record.number}", why=str(error))

    def _memories(self, record: Record, origin: Origin, position: int) -> Iterator[Memory]:
        if not isinstance(record.value, dict):
            raise ValueError("is no object")
        for statement in self.understand(record.value, self.circumstances):
            said = without_injected(clean(statement.text)).strip()
            if said:
                yield self._memory(statement, origin, said, position)
                position += 1
        refuse(record.value, self.shape)

    def _memory(self, statement: Statement, origin: Origin, said: str, position: int) -> Memory:
        context = clean(statement.context).strip()
        memory = Memory(
            id=digest(origin.uri, clean(statement.key), context, said),
            text=said,
            origin=origin,
            created_at=self.circumstances.now,
            updated_at=self.circumstances.now,
            context=context,
            group=statement.group and clean(statement.group),
            speaker=statement.speaker and clean(statement.speaker),
            position=position,
            tags=statement.tags,
            metadata=statement.metadata,
        )
        how = self.circumstances
        return memory.happened(refined(statement.event, said, how.zone, how.options))


def uri_of(blob: Blob) -> str:
    """What names the file for good; a member of an archive is named inside it."""
    return blob.path.resolve().as_uri() if blob.path else f"archive:{clean(blob.where)}"
