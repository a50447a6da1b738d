"""Running the command line: exit codes, errors as one line, quiet ends when a pipe closes or Ctrl-C is pressed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from ricordo.cli.options import Options, Program
from ricordo.errors import InvalidInput, MissingExtra, ModelError, NotFound, RicordoError, StoreError

__all__ = ["FOUND", "NOTHING", "PROGRAM", "UNUSABLE", "WRONG_USE", "CommandLine"]

PROGRAM = "ricordo"

FOUND = 0
NOTHING = 1
WRONG_USE = 2
UNUSABLE = 3
INTERRUPTED = 130  # 128 + SIGINT

# The first class that fits counts.
ERRORS: tuple[tuple[type[RicordoError], str, int], ...] = (
    (NotFound, "not_found", NOTHING),
    (InvalidInput, "invalid_input", WRONG_USE),
    (ModelError, "model_error", UNUSABLE),
    (MissingExtra, "missing_extra", UNUSABLE),
    (StoreError, "store_error", UNUSABLE),
    (RicordoError, "error", WRONG_USE),
)


class _OutputClosed(Exception):
    """The reader of stdout has gone."""


class CommandLine(Program):
    """The program as a whole. Commands return their exit code."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # click would end the program with 1, which here means that nothing was found.
            raise _OutputClosed from error

    def main(self, args: Sequence[str] | None = None, *_: object, **__: object) -> NoReturn:
        """Run and exit. Bugs keep their traceback."""
        if sys.stdout is None:  # closed by whoever started the program
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # as long as the program
        options = Options()
        asked = sys.argv[1:] if args is None else list(args)
        try:
            code = super().main(args, prog_name=PROGRAM, standalone_mode=False, obj=options)
        except click.exceptions.Abort:
            code = INTERRUPTED
        except click.ClickException as error:
            code = _misused(error, as_json=options.json or _asks_for_json(asked))
        except RicordoError as error:
            code = _failed(error, as_json=options.json)
        except _OutputClosed:
            code = _end_by_signal()
        except OSError as error:
            # Stores and sources translate theirs: this one is of stdout.
            code = _not_written(error.strerror or str(error))
        sys.exit(code)


def _misused(error: click.ClickException, *, as_json: bool) -> int:
    from ricordo.render import tell, write_json

    if as_json:
        write_json({"error": {"code": "usage", "message": error.format_message()}})
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        tell(error.format_message())
    else:
        error.show()
    return WRONG_USE


def _failed(error: RicordoError, *, as_json: bool) -> int:
    from ricordo.render import fail

    code, status = next((code, status) for kind, code, status in ERRORS if isinstance(error, kind))
    fail(code, str(error), as_json=as_json)
    return status


def _not_written(why: str) -> int:
    from ricordo.render import tell

    tell(f"ricordo: the output could not be written: {why}")
    # What is still buffered would be tried again at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return UNUSABLE


def _asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether `--json` is among the options of a command line that could not be understood."""
    return "--json" in arguments[: arguments.index("--")] if "--" in arguments else "--json" in arguments


def _end_by_signal() -> int:
    """End as a program that does not catch SIGPIPE would; what is still buffered goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    return NOTHING
