"""Commands that ask: recall."""

from __future__ import annotations

from typing import Unpack

import click

from ricordo.cli.input import FilterChoice, filter_options, read_filters
from ricordo.cli.options import TEXT, Command, Options, examples, pass_options
from ricordo.cli.program import FOUND, NOTHING

__all__ = ["recall"]


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
@filter_options
@pass_options
def recall(options: Options, /, *, query: str, limit: int, full: bool, **chosen: Unpack[FilterChoice]) -> int:
    """Find what answers a question.

    By meaning, by exact name or key, and by date.
    --since is included, --until is not. A date alone is its midnight in --tz.
    """
    filters = read_filters(options, chosen)
    found = options.run(lambda memory: memory.recall(query, limit=limit, filters=filters))
    options.show(found, full=full)
    return FOUND if found.hits else NOTHING
