"""`ricordo eval time`: how well dates in questions are read."""

from __future__ import annotations

from pathlib import Path

import click

from ricordo.cli.options import Command, Options, examples, pass_options
from ricordo.cli.program import FOUND

__all__ = ["time"]


@click.command(
    "time",
    cls=Command,
    epilog=examples("ricordo eval time phrases.jsonl", "ricordo eval time phrases.jsonl --untold --json"),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--untold", is_flag=True, help="Do not tell the parser which language a question is in.")
@pass_options
def time(options: Options, /, *, file: Path, untold: bool) -> int:
    """Dates in questions.

    Each line of FILE is a question with the interval it means. `right` and `harmful` are fractions of the
    questions that name a time, `false_positive` is one of the others.
    """
    from ricordo.eval.time import document, markdown, read_phrases, score
    from ricordo.render import write, write_json

    scored = score(read_phrases(file), tell_language=not untold)
    if options.json:
        write_json(document(scored))
    else:
        write(markdown(scored))
    return FOUND
