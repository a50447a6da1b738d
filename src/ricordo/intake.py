"""An ingest as it is asked for: paths and sources, for good or as a rehearsal, with what is gone forgotten or kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from os import PathLike
from typing import TypeAlias

from ricordo.exchange import Skipped
from ricordo.ingest import Ingested, Progress, ingest
from ricordo.protocols import Source
from ricordo.prune import pruned
from ricordo.rehearse import rehearsal
from ricordo.remember import Writer

__all__ = ["Given", "take_in"]

Given: TypeAlias = "str | PathLike[str] | Source"


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

    With `prune`, what was read from files in these folders that are gone is forgotten. Raises StoreError, ModelError.
    """
    each = list(given)
    paths = [item for item in each if isinstance(item, str | PathLike)]
    sources = (item for item in each if not isinstance(item, str | PathLike))
    chosen = rehearsal(writer) if dry_run else writer
    done = await ingest(chosen, chain(find(paths), sources), tell)
    return await pruned(chosen, paths, done) if prune else done
