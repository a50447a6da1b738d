"""Commands that ask: recall."""

from __future__ import annotations

from typing import Unpack

import click

from ricordo.cli.input import FilterChoice, filter_options, read_filters
from ricordo.cli.options import TEXT, Command, Options, examples, pass_options
from ricordo.cli.program import FOUND, NOTHING

__all__ = ["recall"]


class RecallChoice(FilterChoice):
    """What is given for `recall`, filters included."""

    full: bool
    history: bool
    explain: bool


@click.command(
    cls=Command,
    epilog=examples(
        'ricordo recall "what is Baikal?"',
        'ricordo recall "кто меняет ключи" -k 3 --since 2026-10-01 --until 2026-11-01',
        "ricordo recall sk-live-9fK2mQ7xW4tC --origin ~/notes --json",
    ),
)
@click.argument("query", type=TEXT)
@click.option("--limit", "-k", type=int, default=10, show_default=True, metavar="N", help="The most hits to show.")
@click.option("--full", is_flag=True, help="Show long texts whole.")
@click.option("--history", is_flag=True, help="Show all versions of what was replaced, first to current.")
@click.option("--explain", is_flag=True, help="Show what each hit's score is the sum of.")
@filter_options
@pass_options
def recall(options: Options, /, *, query: str, limit: int, **chosen: Unpack[RecallChoice]) -> int:
    """Find what answers a question.

    By meaning, by exact name or key, and by date.
    --since is included, --until is not. A date alone is its midnight in --tz.
    """
    filters = read_filters(options, chosen)
    found = options.run(lambda memory: memory.recall(query, limit=limit, filters=filters, history=chosen["history"]))
    options.show(found, full=chosen["full"], explain=chosen["explain"])
    return FOUND if found.hits else NOTHING
