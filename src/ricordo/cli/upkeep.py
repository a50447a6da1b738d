"""Commands that keep a store safe: backup, restore; and the mending that `ricordo doctor --repair` does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ricordo.cli.options import Command, Options, examples, pass_options
from ricordo.cli.program import FOUND, UNUSABLE
from ricordo.errors import InvalidInput

if TYPE_CHECKING:
    from ricordo.engine import Engine
    from ricordo.exchange import Backup
    from ricordo.upkeep import Filed, Restored

__all__ = ["backup", "repaired", "restore"]

NOTHING_TO_MEND = "this store has nothing that could be mended"


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo backup memory.backup",
        "ricordo backup --verify memory.backup",
        "ricordo backup /mnt/backups/memory.db --store postgresql://mira@db.example/memory",
    ),
)
@click.argument("file", type=click.Path(), metavar="FILE")
@click.option("--verify", is_flag=True, help="Look whether a backup is whole, and write nothing.")
@pass_options
def backup(options: Options, /, *, file: str, verify: bool) -> int:
    """Copy the whole store to one file.

    All namespaces as they are at this moment, with vectors, versions and tombstones, while others go on writing.
    The file is read back, and takes the place of an older backup only when it is whole. It is a store itself.
    """
    import anyio

    from ricordo.memory import clean
    from ricordo.render.backups import Made

    found = anyio.run(_examine, file) if verify else anyio.run(_back_up, options.settings.store, file)
    options.show(Made(backup=found, file=clean(file), verified=verify))
    return UNUSABLE if found.faults else FOUND


@click.command(
    cls=Command,
    epilog=examples("ricordo restore memory.backup", "ricordo restore memory.backup --overwrite --json"),
)
@click.argument("file", type=click.Path(), metavar="FILE")
@click.option("--overwrite", is_flag=True, help="In place of what the store holds, of which a copy is kept.")
@pass_options
def restore(options: Options, /, *, file: str, overwrite: bool) -> int:
    """Bring a backup back.

    Into a store that is empty, unless it is to be overwritten. The backup is looked through first, and only read.
    Whoever has the store open goes on with what was restored.
    """
    import anyio

    from ricordo.render.backups import Back

    done = anyio.run(_restore, options.settings.store, file, overwrite)
    options.show(Back(backup=done.backup, kept=str(done.kept) if done.kept else None))
    return FOUND


async def _back_up(url: str, file: str) -> Backup:
    from ricordo.cli.stores import opened
    from ricordo.upkeep import back_up

    async with opened(url) as store:
        return await back_up(store, Path(file), _filed)


async def _restore(url: str, file: str, overwrite: bool) -> Restored:  # noqa: FBT001  # anyio.run gives no names
    from ricordo.cli.stores import opened
    from ricordo.upkeep import restore

    async with opened(url) as store:
        return await restore(Path(file), store, _filed, overwrite=overwrite)


async def _examine(file: str) -> Backup:
    return await _filed(Path(file)).examine(Path(file))


def _filed(path: Path) -> Filed:
    from ricordo.stores.sqlite import SqliteStore

    return SqliteStore(path)


def repaired(options: Options) -> tuple[str, ...]:
    """Mend the store; what was done, in words. Raises StoreError, InvalidInput."""
    import anyio

    from ricordo.stores import open_store
    from ricordo.upkeep import Repairable

    store = open_store(options.settings.store)
    if not isinstance(store, Repairable):
        raise InvalidInput(NOTHING_TO_MEND)
    done = anyio.run(store.repair)
    added = options.run(_cut_again)
    return (*done, f"{added} memories that had lost chunks were cut again") if added else done


async def _cut_again(memory: Engine) -> int:
    """Import what is here over itself: what memories lack of chunks and vectors is made again; how many lacked some."""
    faults = await memory.check()
    lacking = [fault.what for fault in faults if "no chunks" in fault.what]
    if not lacking:
        return 0
    await memory.load([line async for line in memory.export(everything=True)])
    return int(lacking[0].split()[0])
