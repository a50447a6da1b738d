"""Commands that set assistants up: install, uninstall."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

import click

from ricordo.cli.options import Command, Options, examples, pass_options
from ricordo.cli.program import FOUND, NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ricordo.clients.assistants import Machine
    from ricordo.clients.changes import Change
    from ricordo.clients.entries import Invocation
    from ricordo.clients.files import Ledger

__all__ = ["install", "ledger", "machine", "uninstall"]

NAMES = ("claude-code", "claude-desktop", "codex", "cursor", "vscode", "gemini")


class Where(TypedDict):
    """What is given for both commands."""

    assistant: str
    scope: str
    path: Path | None
    dry_run: bool


def _where(function: Callable[..., int]) -> Callable[..., int]:
    for decorate in (
        click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing."),
        click.option(
            "--path",
            type=click.Path(path_type=Path, file_okay=False),
            metavar="FOLDER",
            help="The project, with --scope project; otherwise the folder you are in.",
        ),
        click.option(
            "--scope",
            type=click.Choice(["user", "project"]),
            default="user",
            show_default=True,
            help="For you everywhere, or for everybody in one project.",
        ),
        click.argument("assistant", type=click.Choice(NAMES), metavar="ASSISTANT"),
    ):
        function = decorate(function)
    return function


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo install claude-code",
        "ricordo install codex --dry-run",
        "ricordo install cursor --scope project --path ~/src/atlas",
        "ricordo install claude-desktop --print",
    ),
)
@_where
@click.option("--print", "only_print", is_flag=True, help="Print what to put into which file by hand.")
@pass_options
def install(options: Options, /, *, only_print: bool, **where: Unpack[Where]) -> int:
    """Let an assistant use this memory.

    ASSISTANT is claude-code, claude-desktop, codex, cursor, vscode or gemini. Puts the MCP server, and hooks
    where the assistant has them, into its configuration; everything else there stays as it is, and a backup is
    kept. --store, --namespace, --embedder and --tz are written down with it. Running it again changes nothing.
    """
    from ricordo.clients.assistants import find_assistant
    from ricordo.clients.changes import plan_install
    from ricordo.render.assistants import Installation, Snippets

    assistant, here = find_assistant(where["assistant"]), machine(where["path"])
    scope, invocation = _scope(where["scope"]), _invocation(options)
    if only_print:
        options.show(Snippets(assistant=assistant, scope=scope, machine=here, invocation=invocation))
        return FOUND
    changes = list(plan_install(assistant, scope, here, invocation, ledger()))
    _apply(changes, dry_run=where["dry_run"])
    options.show(
        Installation(
            assistant=assistant,
            changes=tuple(changes),
            dry_run=where["dry_run"],
            backups={change.path: ledger().backup(change.path) for change in changes if change.status == "changed"},
            cautions=tuple(_cautions(invocation, scope, windowed=assistant.windowed)),
        )
    )
    return FOUND


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo uninstall claude-code",
        "ricordo uninstall cursor --scope project --path ~/src/atlas --dry-run",
    ),
)
@_where
@pass_options
def uninstall(options: Options, /, **where: Unpack[Where]) -> int:
    """Take ricordo out of an assistant again.

    A configuration that nobody changed since becomes what it was, byte for byte; of any other, what was put in
    is taken out. Memories stay. Exits with 1 when there was nothing to take out.
    """
    from ricordo.clients.assistants import find_assistant
    from ricordo.clients.changes import plan_uninstall
    from ricordo.render.assistants import Installation

    assistant = find_assistant(where["assistant"])
    changes = list(plan_uninstall(assistant, _scope(where["scope"]), machine(where["path"]), ledger()))
    _apply(changes, dry_run=where["dry_run"])
    options.show(Installation(assistant=assistant, changes=tuple(changes), dry_run=where["dry_run"], taken_out=True))
    return FOUND if any(change.status != "unchanged" for change in changes) else NOTHING


def machine(project: Path | None = None) -> Machine:
    """This machine, and the project in a folder."""
    from ricordo.clients.assistants import Machine

    folder = (project or Path.cwd()).expanduser().resolve()
    return Machine(system=sys.platform, environment=os.environ, home=Path.home(), project=folder)


def ledger() -> Ledger:
    """Where it is kept what was done to which file."""
    from ricordo.clients.files import Ledger
    from ricordo.settings import state_directory

    return Ledger(folder=state_directory() / "installed")


def _scope(name: str) -> Literal["user", "project"]:
    return "project" if name == "project" else "user"


def _invocation(options: Options) -> Invocation:
    from ricordo.clients.entries import Invocation
    from ricordo.clients.program import own_program

    settings = {name: _absolute(value) if name == "store" else value for name, value in options.given.items()}
    given = tuple(word for name, value in settings.items() for word in (f"--{name}", value))
    return Invocation(program=own_program(), options=given, windows=sys.platform == "win32")


def _absolute(url: str) -> str:
    """The store's URL for a program that is started in another folder."""
    from urllib.parse import quote

    from ricordo.keeper.place import store_file

    file = store_file(url)
    if file is None or file.is_absolute():
        return url
    return f"sqlite:///{quote(file.absolute().as_posix(), safe='/:')}"


def _apply(changes: list[Change], *, dry_run: bool) -> None:
    """All or, where the plan could not be made, none."""
    for change in changes:
        if not dry_run:
            change.apply(ledger())


def _cautions(invocation: Invocation, scope: str, *, windowed: bool) -> Iterator[str]:
    from importlib.util import find_spec

    from ricordo.clients.program import passing

    if passing(invocation.program):
        yield "this ricordo runs from a cache that is cleared; install it where it stays, and run this again from there"
    if find_spec("mcp") is None:
        yield "the MCP server needs an extra: pip install 'ricordo[mcp]'"
    if scope == "project":
        yield f"the files name {invocation.program[0]}, which may be elsewhere on other machines"
    if windowed and any(name.startswith("RICORDO_") for name in os.environ):
        yield "variables RICORDO_… are set here, which a program with windows does not see; config.toml it does"
