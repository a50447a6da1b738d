"""What every benchmark may be told of its report: what to compare it with, and where else to write it."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ricordo.cli.options import Options
from ricordo.cli.program import FOUND

if TYPE_CHECKING:
    from ricordo.eval.harness import Run, Step

__all__ = ["FILE", "Wanted", "report", "wants_benchmark", "wants_report", "watching"]

FILE = click.Path(path_type=Path)
# Named here because the help should not import what reads and stems.
ANALYZERS = ("standard", "plain", "snowball-english", "snowball-portuguese", "snowball-russian", "snowball-spanish")

Body = Callable[..., int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """The analyzer to measure, how many questions to ask, an earlier run to compare with, a file for the tables, a
    folder for pictures.
    """

    analyzer: str = "standard"
    questions: int | None = None
    compare: Path | None = None
    markdown: Path | None = None
    plots: Path | None = None


def wants_report(command: Body) -> Body:
    """The options of a report, which the command gets as one `wanted`."""

    @click.option("--compare", type=FILE, metavar="RUN.json", help="Show differences from an earlier run's --json.")
    @click.option("--markdown", type=FILE, metavar="FILE", help="Also write the tables to this file.")
    @click.option("--plots", type=FILE, metavar="FOLDER", help="Also draw the run, in SVG files.")
    @wraps(command)
    def gathered(
        *arguments: object,
        compare: Path | None,
        markdown: Path | None,
        plots: Path | None,
        analyzer: str = "standard",
        questions: int | None = None,
        **others: object,
    ) -> int:
        wanted = Wanted(analyzer=analyzer, questions=questions, compare=compare, markdown=markdown, plots=plots)
        return command(*arguments, wanted=wanted, **others)

    return gathered


def wants_benchmark(command: Body) -> Body:
    """The options of a benchmark: the analyzer, and a sample of its questions; above those of the report."""
    analyzer = click.option(
        "--analyzer", type=click.Choice(ANALYZERS), default="standard", show_default=True, help="How words are read."
    )
    questions = click.option(
        "--questions", type=click.IntRange(min=1), metavar="N", help="Ask about so many, evenly spaced, not all."
    )
    return analyzer(questions(command))


def report(options: Options, evaluate: Callable[[Callable[[Step], None]], Awaitable[Run]], wanted: Wanted) -> int:
    """Run, and show and write what came of it. Raises InvalidInput, MissingExtra."""
    import anyio

    from ricordo.eval.report import Report, compared, document, markdown, read_run
    from ricordo.render import write, write_json

    # What is wrong with the wishes should be told before the run, not after it.
    if wanted.compare is not None:
        read_run(wanted.compare)
    if wanted.plots is not None:
        import ricordo.eval.plots
    with watching() as tell:
        run = anyio.run(evaluate, tell)
    differences = compared(run, wanted.compare) if wanted.compare else None
    found = Report(run=run, made_at=options.clock(), differences=differences)
    if options.json:
        write_json(document(found))
    else:
        write(markdown(found))
    if wanted.markdown is not None:
        _save(wanted.markdown, markdown(found))
    if wanted.plots is not None:
        from ricordo.eval.jsonfile import Node

        ricordo.eval.plots.draw(Node(document(found), "the run"), wanted.plots)
    return FOUND


def _save(file: Path, text: str) -> None:
    from ricordo.errors import InvalidInput

    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{file} cannot be written: {error.strerror or error}") from error


def watching() -> AbstractContextManager[Callable[[Step], None]]:
    """A progress bar while somebody watches stderr."""
    if not sys.stderr.isatty():
        return nullcontext(_ignore)
    from ricordo.render.evaluation import step_bar

    return step_bar()


def _ignore(_: Step) -> None:
    """Nobody watches."""
