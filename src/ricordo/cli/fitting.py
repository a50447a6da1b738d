"""Commands that set the numbers which ranking runs on: the weights of evidence, and the floors of a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ricordo.cli.evalreport import FILE, watching
from ricordo.cli.options import TEXT, Command, Options, examples, pass_options
from ricordo.cli.program import FOUND

if TYPE_CHECKING:
    from ricordo.eval.datasets import Dataset
    from ricordo.eval.fit import Lesson

__all__ = ["fit", "floors"]


MIXED = 0.2
"""What a mixture counts beside each kind of text: it has to tell only how the kinds compare."""


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo eval fit --locomo locomo.json --squad xquad.en.json --squad xquad.ru.json:xquad.en.json",
        "ricordo eval fit --locomo locomo.json --agent-memory --out weights.json",
    ),
)
@click.option("--locomo", type=FILE, metavar="FILE", help="Conversations.")
@click.option("--squad", "squads", type=TEXT, multiple=True, metavar="FILE[:FILE]", help="Questions[:paragraphs].")
@click.option("--agent-memory", "generated", is_flag=True, help="The generated records as well.")
@click.option("--questions", type=int, default=400, show_default=True, metavar="N", help="The most of each dataset.")
@click.option("--out", type=FILE, metavar="FILE", help="Write the weights to this file.")
@pass_options
def fit(
    options: Options,
    /,
    *,
    locomo: Path | None,
    squads: tuple[str, ...],
    generated: bool,
    questions: int,
    out: Path | None,
) -> int:
    """Fit the weights of the evidence.

    On questions whose answers are known, of all datasets given at once: each by itself, and some of all in one
    namespace. Shows how the pools come to be ordered, and each conversation, or half of a dataset, also by weights
    fitted without it.
    """
    import anyio

    from ricordo.errors import InvalidInput
    from ricordo.eval import fit as fitting
    from ricordo.eval.metrics import means
    from ricordo.render import write, write_json

    if locomo is None and not squads and not generated:
        raise InvalidInput("there is nothing to fit on: give --locomo, --squad or --agent-memory")
    chosen = _datasets(locomo, squads, generated=generated)
    with watching() as tell:
        lessons = anyio.run(fitting.learn, chosen, options.settings, options.given.get("store"), questions, tell)
    usual = fitting.spreads(lessons)
    model = fitting.fit(lessons, usual)
    table = {lesson.name: fitting.outcomes(lesson.pools, model) for lesson in lessons}
    table |= {f"{name}, left out": found for name, found in fitting.held_out(lessons, usual).items()}
    found = {
        "weights": model.weights,
        "spreads": model.spreads,
        "provenance": _provenance(lessons, options.clock()),
        "metrics": {name: means(outcomes) for name, outcomes in table.items()},
    }
    if out is not None:
        out.write_text(f"{json.dumps(found, ensure_ascii=False, indent=2)}\n", encoding="utf-8")
    if options.json:
        write_json(found)
    else:
        write(fitting.as_table(table, model))
    return FOUND


def _datasets(locomo: Path | None, squads: Sequence[str], *, generated: bool) -> list[tuple[Dataset, float]]:
    """What is fitted on, and its share: each kind of text counts alike, and a mixture of them all less."""
    from ricordo.eval.agent_memory import agent_memory
    from ricordo.eval.locomo import read_locomo
    from ricordo.eval.mixture import mixture
    from ricordo.eval.squad import read_squad

    found: list[tuple[Dataset, float]] = []
    if locomo is not None:
        found.append((read_locomo(locomo), 1.0))
    for squad in squads:
        questions, _, documents = squad.partition(":")
        found.append((read_squad(Path(questions), Path(documents) if documents else None), 1 / len(squads)))
    if generated:
        found.append((agent_memory("dev", oracle_time=True), 1.0))
    if len(found) > 1:
        found.append((mixture([dataset for dataset, _ in found]), MIXED))
    return found


def _provenance(lessons: Sequence[Lesson], now: datetime) -> dict[str, object]:
    return {
        "command": "ricordo eval fit",
        "date": now.date().isoformat(),
        "questions": {lesson.name: len(lesson.pools) for lesson in lessons},
        "shares": {lesson.name: lesson.share for lesson in lessons},
    }


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo eval floors xquad.en.json --unrelated locomo.json",
        "ricordo eval floors xquad.en.json --unrelated locomo.json --embedder all-minilm-l6-v2",
    ),
)
@click.argument("file", type=FILE)
@click.option("--unrelated", type=FILE, required=True, metavar="FILE", help="LoCoMo, for questions about other things.")
@click.option("--questions", type=int, default=200, show_default=True, metavar="N", help="The most of each.")
@pass_options
def floors(options: Options, /, *, file: Path, unrelated: Path, questions: int) -> int:
    """Find the floors of a model.

    Questions about the paragraphs of FILE should be answered, questions about other things should not. Shows for
    how many of each something lies above a floor, and the lowest floor that keeps silent for 95 in 100.
    """
    import anyio

    from ricordo.eval import floors as calibration
    from ricordo.eval.locomo import read_locomo
    from ricordo.eval.squad import read_squad
    from ricordo.render import write, write_json

    with watching() as tell:
        found = anyio.run(
            calibration.calibrate,
            read_squad(file),
            read_locomo(unrelated),
            options.settings,
            questions,
            tell,
        )
    if options.json:
        write_json(calibration.document(found))
    else:
        write(calibration.as_table(found))
    return FOUND
