"""Backups of any store as one file, and back; for stores that can be copied whole, and for those that cannot."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from ricordo.errors import InvalidInput, StoreError
from ricordo.exchange import Backup
from ricordo.move import move
from ricordo.protocols import Store

__all__ = ["Filed", "Repairable", "Restored", "Rewritable", "Snapshotting", "back_up", "restore"]


@runtime_checkable
class Filed(Store, Protocol):
    """A store in one file, which can be copied whole while it is in use, and take a copy's place."""

    async def copy_to(self, file: Path) -> Backup: ...

    async def replace_by(self, file: Path) -> Path | None: ...

    async def examine(self, file: Path) -> Backup: ...


@runtime_checkable
class Snapshotting(Protocol):
    """A store that can be read as it was at one moment while others go on writing."""

    def snapshot(self) -> AbstractAsyncContextManager[Store]: ...


@runtime_checkable
class Repairable(Protocol):
    """A store that can make anew what is derived from the originals."""

    async def repair(self) -> tuple[str, ...]: ...


@runtime_checkable
class Rewritable(Protocol):
    """A store whose files keep what was deleted until they are written anew."""

    async def rewrite(self) -> None: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Restored:
    """What came back, and where that is kept which was there before; None when there was nothing."""

    backup: Backup
    kept: Path | None = None


async def back_up(store: Store, file: Path, filed: Callable[[Path], Filed]) -> Backup:
    """Write all that the open store holds at one moment to a file, which was read back when this returns.

    `filed` gives the store of a file. Raises StoreError, and InvalidInput where something else is in the way.
    """
    if not file.resolve().parent.is_dir():
        raise InvalidInput(f"{file} is in no folder that exists")
    if isinstance(store, Filed):
        return await store.copy_to(file)
    with tempfile.TemporaryDirectory(dir=file.resolve().parent, prefix=".ricordo-") as folder:
        scratch = filed(Path(folder) / "scratch.db")
        await scratch.open()
        try:
            if isinstance(store, Snapshotting):
                async with store.snapshot() as still:
                    await move(still, scratch)
            else:
                await move(store, scratch)
            return await scratch.copy_to(file)
        finally:
            await scratch.close()


async def restore(file: Path, store: Store, filed: Callable[[Path], Filed], *, overwrite: bool = False) -> Restored:
    """Bring a backup back into the open store, which is empty or is to be overwritten.

    Raises InvalidInput when the store holds something that may not be overwritten, and StoreError when the backup is
    not whole; then nothing is changed.
    """
    stats = await store.stats()
    if stats.memories and not overwrite:
        holds = f"{stats.memories:,} {'memory' if stats.memories == 1 else 'memories'}"
        raise InvalidInput(
            f"{stats.store} is not empty: it holds {holds}; with --overwrite the backup takes its place, "
            "after a copy of it was made"
        )
    if isinstance(store, Filed):
        found = await store.examine(file)
        return Restored(backup=found, kept=await store.replace_by(file))
    if stats.memories:
        raise InvalidInput(
            f"{stats.store} is no file, and is not overwritten: restore into an empty database, "
            "or add what the backup holds with `ricordo move`"
        )
    return Restored(backup=await _moved(file, store, filed))


async def _moved(file: Path, store: Store, filed: Callable[[Path], Filed]) -> Backup:
    with tempfile.TemporaryDirectory() as folder:
        scratch = filed(Path(folder) / "scratch.db")
        await scratch.open()
        try:
            found = await scratch.examine(file)
            if found.faults:
                raise StoreError(f"{file} is not whole, and nothing was changed: {found.faults[0].what}")
            await scratch.replace_by(file)
            await move(scratch, store)
        finally:
            await scratch.close()
    return found
