"""Commands about single memories: remember, show, revise, history, bury, forget."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from ricordo.cli.input import metadata, metadata_option, tag_option, text_or_stdin
from ricordo.cli.options import TEXT, Command, Options, examples, pass_options, redacting
from ricordo.cli.program import FOUND, NOTHING

if TYPE_CHECKING:
    from ricordo.engine import Engine, Remembered
    from ricordo.memory import Memory

__all__ = ["bury", "forget", "history", "remember", "revise", "show"]

when_option = click.option(
    "--when", type=TEXT, metavar="TIME", help="When it happened; otherwise its words tell, or it is now."
)


class Told(TypedDict):
    """What is given for `remember` beside the text."""

    when: str | None
    tags: tuple[str, ...]
    pairs: tuple[str, ...]
    supersedes: str | None


@click.command(
    cls=Command,
    epilog=examples(
        'ricordo remember "Dana\'s door code is 4471" --tag codes',
        'ricordo remember "The pool went from 20 to 60" --when 2026-06-09',
        'ricordo remember "The pool went from 60 to 40" --when "last monday" --supersedes 3fa81c2e',
        "pbpaste | ricordo remember - --meta project=atlas",
    ),
)
@click.argument("text", type=TEXT, metavar="TEXT|-")
@when_option
@tag_option
@metadata_option
@click.option("--supersedes", type=TEXT, metavar="ID", help="The memory that this one takes the place of.")
@redacting
@pass_options
def remember(options: Options, /, *, text: str, **told: Unpack[Told]) -> int:
    """Remember a text; - reads it from standard input.

    Saying the same again changes nothing. TIME is a date, a month, a date with a time, or a phrase such as
    "last monday".
    """
    said = text_or_stdin(text)
    properties = metadata(told["pairs"])
    when = options.time(told["when"], "--when") if told["when"] else None

    def tell(memory: Engine) -> Awaitable[Remembered]:
        return memory.remember(
            said, event_timestamp=when, tags=told["tags"], metadata=properties, supersedes=told["supersedes"]
        )

    options.show(options.run(tell))
    return FOUND


@click.command(cls=Command, epilog=examples("ricordo show 3fa81c2e"))
@click.argument("memory_id", type=TEXT, metavar="ID")
@pass_options
def show(options: Options, /, *, memory_id: str) -> int:
    """Show a memory whole; ID may be the beginning of one."""
    options.show(options.run(lambda memory: memory.show(memory_id)))
    return FOUND


@click.command(
    cls=Command,
    epilog=examples(
        'ricordo revise 3fa81c2e "Dana\'s door code is 9052"',
        "ricordo revise 3fa81c2e - < corrected.txt",
    ),
)
@click.argument("memory_id", type=TEXT, metavar="ID")
@click.argument("text", type=TEXT, metavar="TEXT|-")
@when_option
@redacting
@pass_options
def revise(options: Options, /, *, memory_id: str, text: str, when: str | None) -> int:
    """Put a new text in a memory's place.

    The old version is no longer found, and stays in the history.
    """
    from ricordo.render.reports import Revised

    said = text_or_stdin(text)
    event = options.time(when, "--when") if when else None
    revised = options.run(lambda memory: memory.revise(memory_id, said, event_timestamp=event))
    options.show(Revised(memory=revised))
    return FOUND


@click.command(cls=Command, epilog=examples("ricordo history 3fa81c2e"))
@click.argument("memory_id", type=TEXT, metavar="ID")
@pass_options
def history(options: Options, /, *, memory_id: str) -> int:
    """Show all versions of a memory, first to current."""
    from ricordo.render.reports import History

    options.show(History(versions=options.run(lambda memory: memory.history(memory_id))))
    return FOUND


@click.command(cls=Command, epilog=examples("ricordo bury 3fa81c2e", "ricordo bury 3fa81c2e --undo"))
@click.argument("ids", type=TEXT, metavar="ID…", nargs=-1, required=True)
@click.option("--undo", is_flag=True, help="Treat them as any other again.")
@pass_options
def bury(options: Options, /, *, ids: tuple[str, ...], undo: bool) -> int:
    """Keep memories, but find them last and tell them to no assistant unasked.

    All their versions are buried with them, and stay so when their files are read again.
    """
    from ricordo.render.reports import Buried

    done = options.run(lambda memory: memory.bury(ids, undo=undo))
    options.show(Buried(ids=done, undone=undo))
    return FOUND


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo forget 3fa81c2e 90bb41d7",
        "ricordo forget 3fa81c2e --yes",
    ),
)
@click.argument("ids", type=TEXT, metavar="ID…", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_options
def forget(options: Options, /, *, ids: tuple[str, ...], yes: bool) -> int:
    """Remove memories for good, with all their versions.

    Asks first on a terminal. Reading their files again does not bring them back.
    """
    from ricordo.render.reports import Forgotten

    ask = not yes and not options.json and sys.stdin.isatty()
    if ask and not _confirmed(options.run(lambda memory: _all(memory, ids))):
        return NOTHING
    options.show(Forgotten(ids=options.run(lambda memory: memory.forget(ids))))
    return FOUND


async def _all(memory: Engine, ids: Sequence[str]) -> list[Memory]:
    return [await memory.show(memory_id) for memory_id in ids]


def _confirmed(memories: Sequence[Memory]) -> bool:
    from ricordo.render import tell
    from ricordo.render.phrases import excerpt, short_id

    for memory in memories:
        tell(f"{short_id(memory.id)}  {excerpt(memory.text)}")
    return click.confirm("Forget for good?", err=True)
