"""Commands about the store as a whole: stats, doctor."""

from __future__ import annotations

import click

from ricordo.cli.options import Command, Options, examples, pass_options
from ricordo.cli.program import FOUND, UNUSABLE

__all__ = ["doctor", "stats"]


@click.command(cls=Command, epilog=examples("ricordo stats --json"))
@pass_options
def stats(options: Options, /) -> int:
    """Count what the store holds, over all namespaces."""
    options.show(options.run(lambda memory: memory.stats()))
    return FOUND


@click.command(cls=Command, epilog=examples("ricordo doctor", "ricordo doctor --repair"))
@click.option(
    "--repair", is_flag=True, help="First mend the store: make indexes and counts anew, save what is damaged."
)
@pass_options
def doctor(options: Options, /, *, repair: bool) -> int:
    """Check settings, store, models and assistants.

    Where an assistant is set up, its server is started, its tools are listed, and a hook is timed. Says how to
    mend what is wrong; exits with 3 when something is.
    """
    from ricordo.cli.diagnosis import diagnose
    from ricordo.cli.upkeep import repaired

    done = repaired(options) if repair else ()
    diagnosis = diagnose(options, done)
    options.show(diagnosis)
    return FOUND if diagnosis.sound else UNUSABLE
