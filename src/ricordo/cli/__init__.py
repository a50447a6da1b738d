"""The command line: parse, call, render."""

from __future__ import annotations

import click

from ricordo.cli.answers import context, recall, timeline
from ricordo.cli.eval import eval_
from ricordo.cli.files import export, import_, ingest
from ricordo.cli.health import doctor, stats
from ricordo.cli.hook import hook, keep
from ricordo.cli.install import install, uninstall
from ricordo.cli.mcp import mcp
from ricordo.cli.memories import bury, forget, history, remember, revise, show
from ricordo.cli.models import models
from ricordo.cli.program import CommandLine
from ricordo.cli.serve import serve
from ricordo.cli.shells import completion
from ricordo.cli.stores import move, store
from ricordo.cli.trial import demo
from ricordo.cli.upkeep import backup, restore

__all__ = ["main"]


@click.group(
    cls=CommandLine,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    epilog="""\b
Examples:
  ricordo remember "Project Baikal is our internal pipeline" --tag projects
  ricordo ingest ~/notes
  ricordo recall "what is Baikal?" --json""",
)
def main() -> None:
    """Long-term memory that lives on this machine.

    Settings can also come from the environment (RICORDO_STORE, RICORDO_TZ, …) or from config.toml.
    RICORDO_HOME moves everything.

    \b
    Exit codes: 0 found or done, 1 nothing found, 2 wrong use, 3 the store or a model cannot be used.
    """


for command in (
    remember, recall, context, timeline, ingest, show, revise, history, bury, forget, stats, doctor, backup, restore,
    export, import_, move, store, models, mcp, serve, eval_, install, uninstall, hook, keep, demo, completion,
):  # fmt: skip
    main.add_command(command)
