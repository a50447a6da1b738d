"""Commands that other programs run: hook, and keep, which hooks start."""

from __future__ import annotations

from typing import NoReturn

import click

from ricordo.cli.options import TEXT, Command, Options, examples, pass_options
from ricordo.cli.program import FOUND, NOTHING
from ricordo.errors import InvalidInput

__all__ = ["hook", "keep"]


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo hook prompt-submit < payload.json",
        "ricordo hook SessionStart < payload.json",
    ),
)
@click.argument("event", type=TEXT, metavar="EVENT")
@pass_options
def hook(options: Options, /, *, event: str) -> NoReturn:
    """Answer an event of an assistant.

    EVENT is session-start, prompt-submit, pre-compact, stop or session-end, or the assistant's own name for it.
    Its JSON is read from standard input and answered on standard output, in about two seconds and with exit code 0
    whatever happens; what went wrong is in hooks.log. `ricordo install` sets hooks up.
    """
    from ricordo.hooks.run import run

    run(event, options.given, clock=options.clock if options.now is not None else None)


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo keep --status",
        "ricordo keep --stop",
    ),
)
@click.option("--status", is_flag=True, help="Say whether one is running, and what it is doing.")
@click.option("--stop", is_flag=True, help="Ask the one that is running to leave.")
@pass_options
def keep(options: Options, /, *, status: bool, stop: bool) -> int:
    """Keep the store open and the model loaded.

    For hooks, which start it themselves when they may. Ends when nobody asks for a while. Exits with 1 when
    there is nothing to do: another one runs already, or with --status and --stop none does.
    """
    from ricordo.keeper.place import place_for, supported

    if not supported():
        raise InvalidInput("this system has no sockets in files, which the keeper listens on; hooks work without it")
    if status or stop:
        from ricordo.keeper.control import look, stopped
        from ricordo.render import assistants  # noqa: F401  # registers how it is shown

        place = place_for(options.settings)
        state = stopped(place) if stop else look(place)
        options.show(state)
        return FOUND if state.state not in ("absent", "foreign") else NOTHING

    return FOUND if _serve(options) else NOTHING


def _serve(options: Options) -> bool:
    """Be the keeper, unless another one is."""
    from ricordo.keeper.lock import held
    from ricordo.keeper.place import Insecure, place_for

    place = place_for(options.settings)
    try:
        place.secure()
    except Insecure as error:
        raise InvalidInput(str(error)) from error
    with held(place.lock) as ours:
        if ours:
            # Loaded now: those that another one goes before have nothing to load.
            import anyio

            from ricordo.keeper.server import serve

            arguments = [word for name, value in options.given.items() for word in (f"--{name}", value)]
            try:
                anyio.run(serve, options.settings, place, arguments)
            except BaseException as error:
                # Nobody reads what a keeper prints.
                _note(error)
                raise
    return ours


def _note(error: BaseException) -> None:
    import traceback

    from ricordo.journal import note
    from ricordo.keeper.server import JOURNAL
    from ricordo.settings import state_directory

    note(state_directory() / JOURNAL, f"ends: {' | '.join(traceback.format_exception(error))}")
