"""Commands that ask: recall and context."""

from __future__ import annotations

from typing import Unpack

import click

from ricordo.cli.input import FilterChoice, filter_options, read_filters, text_or_stdin
from ricordo.cli.options import TEXT, Command, Options, examples, pass_options
from ricordo.cli.program import FOUND, NOTHING

__all__ = ["recall", "timeline"]


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
        'ricordo recall "connection pool" --as-of 2026-04',
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
    TIME is a date, a month, a date with a time, or a phrase such as "last monday", in --tz. --since is
    included, --until is not. --as-of and --as-known mean the end of a day or a month.
    """
    filters = read_filters(options, chosen)
    found = options.run(lambda memory: memory.recall(query, limit=limit, filters=filters, history=chosen["history"]))
    options.show(found, full=chosen["full"], explain=chosen["explain"])
    return FOUND if found.hits else NOTHING


class TimelineChoice(FilterChoice):
    """What is given for `timeline`, filters included."""

    limit: int
    full: bool


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo timeline --since 2026-03",
        'ricordo timeline "connection pool" --superseded',
        'ricordo timeline Baikal --since "last summer" --json',
    ),
)
@click.argument("topic", type=TEXT, required=False)
@click.option("--limit", "-k", type=int, default=20, show_default=True, metavar="N", help="The most memories to show.")
@click.option("--full", is_flag=True, help="Show long texts whole.")
@filter_options
@pass_options
def timeline(options: Options, /, *, topic: str | None, **chosen: Unpack[TimelineChoice]) -> int:
    """Show what happened, in order.

    The latest memories of the namespace, or those that TOPIC finds, by when they happened. TIME is read as
    for recall.
    """
    from ricordo.render.timelines import Events

    filters = read_filters(options, chosen)
    found = options.run(lambda memory: memory.timeline(topic, limit=chosen["limit"], filters=filters))
    options.show(Events(timeline=found), full=chosen["full"])
    return FOUND if found.memories else NOTHING


@click.command(
    cls=Command,
    epilog=examples(
        'ricordo context "let us deploy Baikal on Friday"',
        "cat prompt.txt | ricordo context - --budget 200",
    ),
)
@click.argument("prompt", type=TEXT, metavar="PROMPT|-")
@click.option("--limit", "-k", type=int, default=5, show_default=True, metavar="N", help="The most memories to tell.")
@click.option("--budget", type=int, default=400, show_default=True, metavar="TOKENS", help="The most that it may take.")
@filter_options
@pass_options
def context(options: Options, /, *, prompt: str, limit: int, budget: int, **chosen: Unpack[FilterChoice]) -> int:
    """Tell what surely bears on a prompt, to be put before it.

    Says nothing, and ends with 1, when nothing is near enough; - reads the prompt from standard input.
    """
    said = text_or_stdin(prompt)
    filters = read_filters(options, chosen)
    found = options.run(lambda memory: memory.context(said, limit=limit, budget=budget, filters=filters))
    options.show(found)
    return FOUND if found.text else NOTHING
