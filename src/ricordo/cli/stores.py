"""Commands about where memories are kept and what is kept of them: move, and store with what is below it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import click

from ricordo.cli.options import TEXT, Command, Options, Program, examples, pass_options
from ricordo.cli.program import FOUND, NOTHING
from ricordo.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from ricordo.embedding import Embedding
    from ricordo.move import Moved, Moving
    from ricordo.protocols import Store
    from ricordo.render.reports import Distributed

__all__ = ["move", "opened", "store"]

NO_SERVER = "this store is no PostgreSQL server"
NO_CITUS = "the server has no Citus; a single server needs none"
DONE_BEFORE = "every table is distributed already"


@runtime_checkable
class Distributable(Protocol):
    """A store that can spread its tables over a cluster."""

    async def distribute(self) -> tuple[str, ...] | None:
        """The tables that were not spread yet, and are now; None where there is no cluster."""


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo move --to postgresql://mira@db.example/memory",
        "ricordo move --to postgresql+embedded:///home/mira/memory --namespace work",
    ),
)
@click.option("--to", "target", type=TEXT, required=True, metavar="URL", help="The store to copy to.")
@pass_options
def move(options: Options, /, *, target: str) -> int:
    """Copy all memories to another store.

    With their versions, vectors and tombstones; the store they come from is only read. Every namespace is
    copied, or the one that --namespace names. What is there already is passed over: a move that was broken
    off goes on when it is run again.
    """
    import anyio

    if target == options.settings.store:
        raise InvalidInput("--to names the store that the memories are in already")
    with _watching(quiet=options.json) as tell:
        moved = anyio.run(_move, options.settings.store, target, options.given.get("namespace"), tell)
    options.show(moved)
    return FOUND if moved.memories or moved.tombstones else NOTHING


async def _move(source: str, target: str, namespace: str | None, tell: Callable[[Moving], None] | None) -> Moved:
    from ricordo.move import move

    async with opened(source) as here, opened(target) as there:
        return await move(here, there, namespace=namespace, tell=tell)


def _watching(*, quiet: bool) -> AbstractContextManager[Callable[[Moving], None] | None]:
    """A progress bar while somebody watches stderr."""
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from ricordo.render.progress import moving_bar

    return moving_bar()


def _watching_vectors(*, quiet: bool) -> AbstractContextManager[Callable[[Embedding], None] | None]:
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from ricordo.render.progress import embedding_bar

    return embedding_bar()


@click.group("store", cls=Program, epilog=examples("ricordo store embed", "ricordo store distribute"))
def store() -> None:
    """Look after the store itself."""


@store.command(
    "embed", cls=Command, epilog=examples("ricordo store embed", "ricordo store embed --embedder all-minilm-l6-v2")
)
@pass_options
def embed(options: Options) -> int:
    """Make the vectors that stored memories lack.

    By the embedder in force, or by the one that --embedder names: then a second set of vectors is built while
    the first one serves. Token vectors are made too where they are kept. Every namespace is looked at, or the
    one that --namespace names. What was broken off goes on when it is run again.
    """
    from ricordo.cli.models import in_force
    from ricordo.render.reports import Completed

    everything = "namespace" not in options.given
    with _watching_vectors(quiet=options.json) as tell:
        embedded = options.run(lambda memory: memory.embed(everything=everything, tell=tell))
    options.show(Completed(embedded=embedded, embedder=in_force(options.settings) or "", set_in=_set_in(options)))
    return FOUND


def _set_in(options: Options) -> str | None:
    """Where the embedder that was named here is to be set to come in force; None when it is."""
    from ricordo.cli.models import in_force
    from ricordo.settings import config_file, load_settings, setting_origins

    lasting = {name: value for name, value in options.given.items() if name != "embedder"}
    if in_force(load_settings(lasting)) == in_force(options.settings):
        return None
    origin = setting_origins(lasting)["embedder"]
    return origin if origin == "RICORDO_EMBEDDER" else config_file().as_posix()


@store.command("drop-vectors", cls=Command, epilog=examples("ricordo store drop-vectors all-minilm-l6-v2"))
@click.argument("name", type=TEXT, metavar="NAME")
@pass_options
def drop_vectors(options: Options, /, *, name: str) -> int:
    """Drop the vectors that a model made.

    NAME is the model's, or a fingerprint as `ricordo stats` lists them, or the beginning of one; what the
    embedder in force made is kept. In every namespace, or in the one that --namespace names. Memories stay
    as they are.
    """
    everything = "namespace" not in options.given
    options.show(options.run(lambda memory: memory.drop_vectors(name, everything=everything)))
    return FOUND


@store.command("purge", cls=Command, epilog=examples("ricordo store purge"))
@pass_options
def purge(options: Options) -> int:
    """Erase what forgotten memories left in the store's files.

    A SQLite store does so whenever something is forgotten. On a PostgreSQL server all tables are written anew, for
    which others wait; a private server also empties its log. What is on record of files that could not be read goes
    too.
    """
    import anyio

    from ricordo.render.backups import Purged
    from ricordo.skips import record_of

    anyio.run(_purge, options.settings.store)
    if record := record_of(options.settings):
        record.clear()
    options.show(Purged())
    return FOUND


async def _purge(url: str) -> None:
    from ricordo.upkeep import Rewritable

    async with opened(url) as store:
        await store.purge()
        if isinstance(store, Rewritable):
            await store.rewrite()


@store.command("distribute", cls=Command, epilog=examples("ricordo store distribute --json"))
@pass_options
def distribute(options: Options) -> int:
    """Spread the store over the nodes of a Citus cluster.

    By namespace, each of which stays whole on one node; what is stored already goes along. Run it once, on the
    coordinator. For any other store there is nothing to do.
    """
    import anyio

    options.show(anyio.run(_distribute, options.settings.store))
    return FOUND


async def _distribute(url: str) -> Distributed:
    from ricordo.render.reports import Distributed

    async with opened(url) as cluster:
        if not isinstance(cluster, Distributable):
            return Distributed(tables=(), why=NO_SERVER)
        tables = await cluster.distribute()
    if tables is None:
        return Distributed(tables=(), why=NO_CITUS)
    return Distributed(tables=tables, why=None if tables else DONE_BEFORE)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Store]:
    """The store behind a URL, open. Raises InvalidInput, StoreError."""
    from ricordo.stores import open_store

    store = open_store(url)
    await store.open()
    try:
        yield store
    finally:
        await store.close()
