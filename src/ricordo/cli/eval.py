"""Commands that measure: eval and what is below it. What measures is imported when it is asked to."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ricordo.cli.evaltime import time
from ricordo.cli.options import TEXT, Command, Options, Program, examples, pass_options
from ricordo.cli.program import FOUND

if TYPE_CHECKING:
    from ricordo.eval.datasets import Dataset
    from ricordo.eval.harness import Run, Step

__all__ = ["eval_"]

FILE = click.Path(path_type=Path)
# Named here because the help should not import what reads and stems.
ANALYZERS = ("standard", "plain", "snowball-english", "snowball-portuguese", "snowball-russian", "snowball-spanish")
TEXTS = ("plain", "caption", "dated")
SPLITS = ("dev", "test")

analyzer_option = click.option(
    "--analyzer", type=click.Choice(ANALYZERS), default="standard", show_default=True, help="How words are read."
)
compare_option = click.option(
    "--compare", type=FILE, metavar="RUN.json", help="Show differences from an earlier run's --json."
)


@click.group(
    "eval",
    cls=Program,
    epilog=examples(
        "ricordo eval squad xquad.en.json",
        "ricordo eval squad xquad.en.json --embedder none --json > words.json",
        "ricordo eval squad xquad.en.json --compare words.json",
    ),
)
def eval_() -> None:
    """Measure how well recall finds what it should.

    Benchmarks remember in a temporary store. With --store they do so in that one, in namespaces that begin
    with `eval/`, and the next run finds there what this one embedded. Your own questions are asked of your own
    store, which is left as it is.
    """


eval_.add_command(time)


@eval_.command(
    "squad",
    cls=Command,
    epilog=examples(
        "ricordo eval squad xquad.es.json --embedder none",
        "ricordo eval squad xquad.ru.json --documents xquad.en.json",
    ),
)
@click.argument("file", type=FILE)
@click.option("--documents", type=FILE, metavar="FILE", help="Ask about the paragraphs of this parallel file.")
@analyzer_option
@compare_option
@pass_options
def squad(options: Options, /, *, file: Path, documents: Path | None, analyzer: str, compare: Path | None) -> int:
    """Questions about paragraphs.

    FILE has the format of SQuAD, as XQuAD and FaQuAD do; each paragraph is a memory.
    """
    from ricordo.eval.squad import read_squad

    return measure(options, read_squad(file, documents), analyzer, compare)


@eval_.command(
    "locomo",
    cls=Command,
    epilog=examples(
        "ricordo eval locomo locomo10.json",
        "ricordo eval locomo locomo10.json --only conv-26,conv-30 --text dated",
        "ricordo eval locomo locomo10.json --text plain --analyzer snowball-english --embedder none",
    ),
)
@click.argument("file", type=FILE)
@click.option("--only", type=TEXT, default="", metavar="NAMES", help="These conversations, with commas between.")
@click.option(
    "--text",
    type=click.Choice(TEXTS),
    default="caption",
    show_default=True,
    help="Of a turn: speaker and text; and a picture's caption; and the session's date.",
)
@analyzer_option
@compare_option
@pass_options
def locomo(options: Options, /, *, file: Path, only: str, text: str, analyzer: str, compare: Path | None) -> int:
    """Questions about long conversations.

    FILE is LoCoMo's; each turn is a memory, each conversation a namespace.
    """
    from ricordo.eval.locomo import read_locomo

    names = [name for name in map(str.strip, only.split(",")) if name]
    return measure(options, read_locomo(file, only=names, text=text), analyzer, compare)


@eval_.command(
    "agent-memory",
    cls=Command,
    epilog=examples(
        "ricordo eval agent-memory",
        "ricordo eval agent-memory --oracle-time --store sqlite:///agent-memory.db",
        "ricordo eval agent-memory --split test --json > run.json",
    ),
)
@click.option("--split", type=click.Choice(SPLITS), default="dev", show_default=True, help="Tune on dev alone.")
@click.option("--oracle-time", is_flag=True, help="Give the interval that a question means as a filter.")
@analyzer_option
@compare_option
@pass_options
def agent_memory(options: Options, /, *, split: str, oracle_time: bool, analyzer: str, compare: Path | None) -> int:
    """Questions about 12,000 generated records.

    Synthetic, in English and Russian: identifiers that differ in a character, names that are also words,
    events that recur, other words for the same thing, and two of these at once.
    """
    from ricordo.eval.agent_memory import agent_memory as generate

    return measure(options, generate(split, oracle_time=oracle_time), analyzer, compare)


@eval_.command(
    "questions",
    cls=Command,
    epilog=examples(
        "ricordo eval questions mine.jsonl",
        "ricordo eval questions mine.jsonl --namespace work --json > before.json",
        "ricordo eval questions mine.jsonl --namespace work --compare before.json",
    ),
)
@click.argument("file", type=FILE)
@compare_option
@pass_options
def questions(options: Options, /, *, file: Path, compare: Path | None) -> int:
    """Your own questions about your own memories.

    FILE has a line {"question": "…", "expected": ["…"]} for each. What is expected is the id of a memory, or a
    text that it contains. Nothing is written to your store.
    """
    from ricordo.eval.harness import Plan, evaluate_own

    plan = Plan(settings=options.settings, store=options.settings.store)
    return report(options, partial(evaluate_own, file, plan), compare)


def measure(options: Options, dataset: Dataset, analyzer: str, compare: Path | None) -> int:
    """Run a benchmark in a store of its own and show the report."""
    from ricordo.eval.harness import Plan, evaluate

    plan = Plan(settings=options.settings, store=options.given.get("store"), analyzer=analyzer)
    return report(options, partial(evaluate, dataset, plan), compare)


def report(options: Options, evaluate: Callable[[Callable[[Step], None]], Awaitable[Run]], compare: Path | None) -> int:
    """Run and show what came of it."""
    import anyio

    from ricordo.eval.report import Report, compared, document, markdown, read_run
    from ricordo.render import write, write_json

    if compare is not None:
        read_run(compare)  # a wrong file should be told before the run, not after it
    with _watching() as tell:
        run = anyio.run(evaluate, tell)
    found = Report(run=run, made_at=options.clock(), differences=compared(run, compare) if compare else None)
    if options.json:
        write_json(document(found))
    else:
        write(markdown(found))
    return FOUND


def _watching() -> AbstractContextManager[Callable[[Step], None]]:
    """A progress bar while somebody watches stderr."""
    if not sys.stderr.isatty():
        return nullcontext(_ignore)
    from ricordo.render.evaluation import step_bar

    return step_bar()


def _ignore(_: Step) -> None:
    """Nobody watches."""
