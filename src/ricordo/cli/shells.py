"""Completion for shells, by click's own mechanism."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ricordo.cli.options import Command, Options, examples, pass_options
from ricordo.cli.program import FOUND, PROGRAM

__all__ = ["completion"]


@click.command(
    cls=Command,
    epilog=examples(
        'eval "$(ricordo completion bash)"                # in ~/.bashrc',
        'eval "$(ricordo completion zsh)"                 # in ~/.zshrc',
        "ricordo completion fish > ~/.config/fish/completions/ricordo.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
@pass_options
def completion(options: Options, /, ctx: click.Context, *, shell: str) -> int:
    """Print a shell's completion script."""
    from ricordo.render import write, write_json

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click cannot complete for {shell}")
    script = kind(ctx.find_root().command, {}, PROGRAM, f"_{PROGRAM.upper()}_COMPLETE").source()
    if options.json:
        write_json({"shell": shell, "script": script})
    else:
        write(f"{script}\n")
    return FOUND
