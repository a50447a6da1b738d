"""A write path that writes nothing: it tells what a reading would add to the store, and what it would forget."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields

from ricordo.exchange import Added
from ricordo.memory import Chunk, Memory, Reading
from ricordo.protocols import Store
from ricordo.remember import Made, Writer
from ricordo.skips import Skip

__all__ = ["Rehearsal", "rehearsal"]


@dataclass(slots=True)
class _Held:
    """The ids of memories by origin: those stored when first asked for, and what was rehearsed since."""

    by_origin: dict[str, set[str]] | None = None

    async def of(self, store: Store, namespace: str) -> dict[str, set[str]]:
        if self.by_origin is None:
            self.by_origin = {}
            async for _, item in store.dump(namespace):
                if isinstance(item, Memory):
                    self.by_origin.setdefault(item.origin.uri, set()).add(item.id)
        return self.by_origin


@dataclass(frozen=True, kw_only=True, slots=True)
class Rehearsal(Writer):
    """Reads and cuts as the writer does; no model is asked and nothing is written."""

    held: _Held = field(default_factory=_Held)

    @property
    def rehearses(self) -> bool:
        return True

    async def owners(self, memory_ids: Sequence[str]) -> dict[str, str]:
        """Those of what is stored, and of what was rehearsed."""
        held, wanted = await self.held.of(self.store, self.namespace), frozenset(memory_ids)
        return {memory_id: uri for uri, ids in held.items() for memory_id in ids & wanted}

    async def write(
        self,
        memories: Sequence[Memory],
        chunks: Sequence[Chunk],
        readings: Sequence[Reading] = (),
        *,
        anew: bool = False,
        made: Mapping[str, Made] | None = None,
    ) -> Added:
        """What writing this batch would change."""
        del anew, made
        said = await self.held.of(self.store, self.namespace)
        added: set[str] = set()
        for memory in memories:
            known = said.setdefault(memory.origin.uri, set())
            if memory.id not in known:
                added.add(memory.id)
                known.add(memory.id)
        forgotten: set[str] = set()
        for reading in readings:
            known = said.get(reading.origin.uri, set())
            forgotten |= known - reading.memory_ids
            known &= reading.memory_ids
        return Added(memories=frozenset(added), forgotten=frozenset(forgotten), chunks=len(chunks))

    async def note(self, read: Collection[str], skips: Sequence[Skip]) -> None:
        """Nothing was read."""

    async def purge(self) -> None:
        """Nothing was forgotten."""


def rehearsal(writer: Writer) -> Rehearsal:
    """The rehearsal of what this writer would do."""
    return Rehearsal(**{each.name: getattr(writer, each.name) for each in fields(writer)} | {"embedder": None})
