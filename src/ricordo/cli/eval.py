"""Commands that measure: eval and what is below it. What measures is imported when it is asked to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from ricordo.cli.evalreport import FILE, Wanted, report, wants_benchmark, wants_report
from ricordo.cli.evaltime import time
from ricordo.cli.fitting import fit, floors
from ricordo.cli.options import TEXT, Command, Options, Program, examples, pass_options
from ricordo.cli.program import FOUND

if TYPE_CHECKING:
    from ricordo.eval.datasets import Dataset
    from ricordo.eval.harness import Rung

__all__ = ["eval_"]

# Named here because the help should not import what reads.
TEXTS = ("plain", "caption", "dated")
GOLDS = ("exact", "repaired", "paper", "audited")
SPLITS = ("dev", "test")


class Reading(TypedDict):
    """How the turns and the gold of LoCoMo are read."""

    text: str
    gold: str
    audit: tuple[Path, ...]


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
eval_.add_command(fit)
eval_.add_command(floors)


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
@wants_benchmark
@wants_report
@pass_options
def squad(options: Options, /, *, file: Path, documents: Path | None, wanted: Wanted) -> int:
    """Questions about paragraphs.

    FILE has the format of SQuAD, as XQuAD and FaQuAD do; each paragraph is a memory.
    """
    from ricordo.eval.squad import read_squad

    return measure(options, read_squad(file, documents), wanted)


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
@click.option(
    "--gold",
    type=click.Choice(GOLDS),
    default="exact",
    show_default=True,
    help="Evidence that names a turn; misprints mended; all of it, as the paper counts; or as an audit corrects it.",
)
@click.option("--audit", type=FILE, multiple=True, metavar="FILE", help="What an audit found, for the gold `audited`.")
@wants_benchmark
@wants_report
@pass_options
def locomo(options: Options, /, *, file: Path, only: str, wanted: Wanted, **reading: Unpack[Reading]) -> int:
    """Questions about long conversations.

    FILE is LoCoMo's; each turn is a memory, each conversation a namespace.
    """
    from ricordo.eval.locomo import read_locomo

    names = [name for name in map(str.strip, only.split(",")) if name]
    return measure(options, read_locomo(file, only=names, **reading), wanted)


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
@wants_benchmark
@wants_report
@pass_options
def agent_memory(options: Options, /, *, split: str, oracle_time: bool, wanted: Wanted) -> int:
    """Questions about 12,000 generated records.

    Synthetic, in English and Russian: identifiers that differ in a character, names that are also words,
    events that recur, other words for the same thing, and two of these at once.
    """
    from ricordo.eval.agent_memory import agent_memory as generate
    from ricordo.eval.harness import WITH_TIMES

    return measure(options, generate(split, oracle_time=oracle_time), wanted, WITH_TIMES)


@eval_.command(
    "chronicle",
    cls=Command,
    epilog=examples(
        "ricordo eval chronicle",
        "ricordo eval chronicle --embedder none --json > run.json",
    ),
)
@wants_benchmark
@wants_report
@pass_options
def chronicle(options: Options, /, *, wanted: Wanted) -> int:
    """Questions about times among 3,000 generated records.

    Synthetic, in English and Russian: what happened again and again over three years, and 300 questions of twelve
    kinds that differ from those about its other occurrences by their time alone. Measured with and without reading
    times in questions.
    """
    from ricordo.eval.chronicle import chronicle as generate
    from ricordo.eval.harness import TIMES

    return measure(options, generate(), wanted, TIMES)


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
@wants_report
@pass_options
def questions(options: Options, /, *, file: Path, wanted: Wanted) -> int:
    """Your own questions about your own memories.

    FILE has a line {"question": "…", "expected": ["…"]} for each. What is expected is the id of a memory, or a
    text that it contains. Nothing is written to your store.
    """
    from ricordo.eval.harness import Plan, evaluate_own

    plan = Plan(settings=options.settings, store=options.settings.store)
    return report(options, partial(evaluate_own, file, plan), wanted)


@eval_.command("plots", cls=Command, epilog=examples("ricordo eval plots run.json pictures"))
@click.argument("run", type=FILE, metavar="RUN.json")
@click.argument("folder", type=FILE)
@pass_options
def plots(options: Options, /, *, run: Path, folder: Path) -> int:
    """Draw an earlier run.

    RUN.json is what a benchmark printed with --json. Writes the pictures that --plots would have drawn into FOLDER.
    """
    from ricordo.eval.jsonfile import read_json
    from ricordo.eval.plots import draw
    from ricordo.render import write, write_json

    drawn = draw(read_json(run), folder)
    if options.json:
        write_json({"files": [str(file) for file in drawn]})
    else:
        write("".join(f"{file}\n" for file in drawn))
    return FOUND


def measure(options: Options, dataset: Dataset, wanted: Wanted, ladder: Sequence[Rung] = ()) -> int:
    """Run a benchmark in a store of its own, on the usual rungs unless others are given, and show the report."""
    from ricordo.eval.datasets import sampled
    from ricordo.eval.harness import LADDER, Plan, evaluate

    if wanted.questions is not None:
        dataset = sampled(dataset, wanted.questions)

    plan = Plan(
        settings=options.settings,
        store=options.given.get("store"),
        analyzer=wanted.analyzer,
        ladder=tuple(ladder) or LADDER,
    )
    return report(options, partial(evaluate, dataset, plan), wanted)
