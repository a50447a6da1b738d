"""Work on the queue of transcripts that hooks set aside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar

from ricordo.engine import Engine
from ricordo.hooks.run import queue_in
from ricordo.ingest import Ingested, Origins, Progress
from ricordo.settings import state_directory

__all__ = ["drained", "sum_of"]

Counts = TypeVar("Counts", Ingested, Origins)


async def drained(memory: Engine, tell: Callable[[Progress], None] | None = None) -> Ingested:
    """Read every transcript that waits into the namespace of the project it is of; counts of all of them.

    `tell` is called as an ingest does, for each transcript. Raises StoreError, ModelError; then the transcript that
    was being read waits again.
    """
    total = Ingested()
    for queued in queue_in(state_directory()).take():
        counts = await memory.within(queued.workplace.scope().home).ingest([queued.transcript], tell=tell)
        total = sum_of(total, counts)
    return total


def sum_of(one: Counts, other: Counts) -> Counts:
    """Every count of the two added up."""
    added: dict[str, Any] = {}
    for entry in fields(one):
        value = getattr(one, entry.name)
        if isinstance(value, Origins):
            added[entry.name] = sum_of(value, getattr(other, entry.name))
        elif not isinstance(value, bool):
            added[entry.name] = value + getattr(other, entry.name)
    return replace(one, **added)
