"""Write the documentation's outputs and its reference of commands anew: `python tests/refresh_docs.py [PAGE…]`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from documentation import PAGES, README, ROOT, outcomes, read, session
from ricordo.cli import main
from ricordo.cli.options import GLOBAL_OPTIONS

__all__ = ["REFERENCE", "reference"]

REFERENCE = ROOT / "docs" / "reference" / "command-line.md"

HEAD = """\
# Command line

<!-- Written by tests/refresh_docs.py from the program itself. -->

`ricordo --help` lists the commands, `ricordo COMMAND --help` describes one. Results go to standard output,
everything else to standard error. [Exit codes](exit-codes.md) and [JSON documents](json.md) have pages of their own.
"""

GLOBAL = """\
## Global options

Every command takes them, and they may also stand before it. `--store`, `--namespace`, `--embedder` and `--tz` are
[settings](settings.md); what is given here counts before environment and file.
"""


def reference() -> str:
    """The reference page of all commands."""
    context = click.Context(main, info_name="ricordo")
    parts = [HEAD, GLOBAL, *_options(GLOBAL_OPTIONS, context)]
    for command in main.commands.values():
        parts += _command(command, context)
    return "\n".join(parts)


def _command(command: click.Command, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=command.name, parent=parent)
    name = context.command_path.removeprefix("ricordo ")
    yield f"## {name}\n"
    for paragraph in (command.help or "").split("\n\n"):
        yield " ".join(paragraph.replace("\b", "").split()) + "\n"
    own = [option for option in command.params if isinstance(option, click.Option)]
    usage = [piece for piece in command.collect_usage_pieces(context) if own or piece != "[OPTIONS]"]
    yield _fenced([" ".join([context.command_path, *usage])])
    yield from _options(own, context)
    examples = [line.strip() for line in (command.epilog or "").splitlines() if line.startswith("  ")]
    if examples:
        yield _fenced(examples)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            yield from _command(inner, context)


def _options(options: Sequence[click.Option], context: click.Context) -> Iterator[str]:
    records = [record for option in options if (record := option.get_help_record(context))]
    if records:
        yield "| option | |\n|---|---|"
        yield "\n".join(f"| `{_cell(names)}` | {_cell(text)} |" for names, text in records) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _fenced(lines: Sequence[str]) -> str:
    return "\n".join(["```sh", *lines, "```\n"])


def _refreshed(page: Path) -> str:
    """The page with the outputs that its blocks have now. The home is always the same, and so are the ids of files."""
    lines = read(page).splitlines(keepends=True)
    home = Path(tempfile.gettempdir()) / "ricordo-documentation"
    shutil.rmtree(home, ignore_errors=True)
    with session(home, real=page == README, exact=True) as reader:
        found = list(outcomes(page, reader))
    shutil.rmtree(home)
    for block, text in reversed(found):
        lines[block.line : block.line + len(block.text.splitlines())] = [text]
    return "".join(lines)


if __name__ == "__main__":
    REFERENCE.write_text(reference(), encoding="utf-8")
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        page.write_text(_refreshed(page), encoding="utf-8")
