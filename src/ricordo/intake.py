"""An ingest as it is asked for: paths and sources, for good or as a rehearsal, with what is gone forgotten or kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from os import PathLike
from typing import TypeAlias

from ricordo.exchange import Skipped
from ricordo.ingest import Ingested, Progress, ingest
from ricordo.protocols import Source
from ricordo.prune import lost_origins, pruned
from ricordo.rehearse import rehearsal
from ricordo.relocate import Mover
from ricordo.remember import Writer

__all__ = ["Given", "take_in"]

Given: TypeAlias = "str | PathLike[str] | Source | Skipped"


async def take_in(
    writer: Writer,
    given: Iterable[Given],
    find: Callable[[Iterable[str | PathLike[str]]], Iterator[Source | Skipped]],
    tell: Callable[[Progress], None] | None = None,
    *,
    dry_run: bool = False,
    prune: bool = False,
) -> Ingested:
    """Read what `find` finds at the paths, then the sources; with `dry_run` only tell what that would change.

    With `prune`, what was read from files in these folders that are gone is forgotten, unless another file says it
    now: then it was moved, and its memories with it. Raises StoreError, ModelError.
    """
    each = list(given)
    paths = [item for item in each if isinstance(item, str | PathLike)]
    sources = (item for item in each if not isinstance(item, str | PathLike))
    if not prune:
        return await ingest(rehearsal(writer) if dry_run else writer, chain(find(paths), sources), tell, paths)
    if dry_run:
        rehearsed = rehearsal(writer)
        return await pruned(rehearsed, paths, await ingest(rehearsed, chain(find(paths), sources), tell))
    mover = await Mover.of(writer, await lost_origins(writer, paths))
    done = await ingest(writer, mover.unmoved(chain(find(paths), sources)), tell, paths)
    moved = sum((await mover.move()).values())
    return await pruned(writer, paths, replace(done, memories=done.memories + moved, unchanged=done.unchanged + moved))
