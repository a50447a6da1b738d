"""The demonstration: five questions over a sample of notes, in a store of its own."""

from __future__ import annotations

from pathlib import Path

import click

from ricordo.cli.options import Command, Options, examples, pass_options
from ricordo.cli.program import FOUND

__all__ = ["demo"]


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo demo",
        "ricordo demo README.md docs",
    ),
)
@click.argument("paths", type=click.Path(exists=True, path_type=Path), metavar="[PATH…]", nargs=-1)
@pass_options
def demo(options: Options, /, *, paths: tuple[Path, ...]) -> int:
    """Ask five questions over sample notes.

    PATHs are read too. All happens in a temporary store: your own memories are neither read nor changed.
    """
    import anyio

    from ricordo.demo import demonstrate

    options.show(anyio.run(demonstrate, options.settings, options.clock, paths))
    return FOUND
