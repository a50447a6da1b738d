"""The tables, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from contest import Outcome
from material import AGENT_MEMORY, LOCOMO, Material
from vectors import Model

from ricordo.eval.metrics import Outcome as Ranks
from ricordo.eval.metrics import means
from ricordo.eval.timing import Machine, spread

__all__ = ["markdown", "row"]

NOTHING = "–"
QUALITY = ("recall@10", "mrr")
HEAD = (
    "",
    "LoCoMo recall@10",
    "MRR",
    "agent memory recall@10",
    "MRR",
    "records/s",
    "recall p50 / p95, ms",
    "memory, MiB",
    "on disk, MiB",
    "start, s",
)


def markdown(machine: Machine, model: Model, material: Material, outcomes: Sequence[Outcome]) -> str:
    """What was given, what was measured, by category, and who was measured how."""
    parts = (
        given(machine, model, material, outcomes),
        table(HEAD, [row(outcome, material) for outcome in outcomes]),
        by_category(AGENT_MEMORY, outcomes),
        by_category(LOCOMO, outcomes),
        table(
            ("", "version", "installed, MiB", "settings"),
            [
                (
                    one.peer.title,
                    one.version,
                    f"{one.installed_mib:.0f}" if one.installed_mib else "",
                    one.peer.settings,
                )
                for one in outcomes
            ],
        ),
        "\n".join(remarks(outcomes, material)),
    )
    return "\n\n".join(part for part in parts if part)


def given(machine: Machine, model: Model, material: Material, outcomes: Sequence[Outcome]) -> str:
    """The data, the model and the machine."""
    of = {name: [task.collection for task in material.of(name)] for name in (AGENT_MEMORY, LOCOMO)}
    counts = "; ".join(
        f"{name}: {sum(len(each.memories) for each in found):,} records in {len(found)} stores, "
        f"{sum(len(each.questions) for each in found):,} questions"
        for name, found in of.items()
        if found
    )
    told = [f"{model.name}: {model.load_s:.1f} s to load, {model.mib:.0f} MiB"]
    for measured in (one.measured for one in outcomes if one.measured and one.measured.fill_model_s):
        record_ms = measured.fill_model_s * 1000 / len(material.timed.collection.memories)
        question_ms = spread([model_ms for _, model_ms in measured.times]).p50
        told.append(f"{record_ms:.1f} ms a record and {question_ms:.1f} ms a question (p50)")
    return "\n\n".join(
        (counts, ", ".join(told), ", ".join(f"{name} {value}" for name, value in asdict(machine).items()))
    )


def remarks(outcomes: Sequence[Outcome], material: Material) -> Iterator[str]:
    """Who failed and why, and who was not asked everything."""
    for one in outcomes:
        if one.failure:
            yield f"{one.peer.title}: {one.failure}"
        for name in (AGENT_MEMORY, LOCOMO) if one.measured else ():
            wanted = sum(len(task.collection.questions) for task in material.of(name))
            asked = len(one.measured.ranks.get(name, ())) if one.measured else 0
            if asked < wanted:
                yield f"{one.peer.title}: {asked} of {wanted} questions of {name} were asked in the time, by lot"


def row(outcome: Outcome, material: Material) -> tuple[str, ...]:
    """A peer's line; dashes where it failed."""
    found = outcome.measured
    if found is None:
        return (outcome.peer.title, *[NOTHING] * (len(HEAD) - 1))
    records = len(material.timed.collection.memories)
    outside = spread([total - model for total, model in found.times])
    return (
        outcome.peer.title,
        *quality(found.ranks.get(LOCOMO, ())),
        *quality(found.ranks.get(AGENT_MEMORY, ())),
        f"{records / (found.fill_s - found.fill_model_s):,.0f}",
        f"{outside.p50:.1f} / {outside.p95:.1f}",
        f"{found.resident_mib:.0f}",
        f"{found.store_mib:.0f}",
        f"{found.start_s:.1f}",
    )


def quality(ranks: Sequence[Ranks]) -> Iterator[str]:
    """Means over questions."""
    found = means(ranks)
    return (f"{found[name]:.3f}" if found else NOTHING for name in QUALITY)


def by_category(benchmark: str, outcomes: Sequence[Outcome]) -> str:
    """recall@10 in each category; nothing where nobody was asked."""
    done = [outcome for outcome in outcomes if outcome.measured]
    keys = sorted(
        {key for one in done if one.measured for key in one.measured.ranks if key.startswith(f"{benchmark}/")}
    )
    if not keys:
        return ""
    rows = [
        (one.peer.title, *(f"{means(one.measured.ranks[key])['recall@10']:.3f}" for key in keys))
        for one in done
        if one.measured
    ]
    return table((f"{benchmark}, recall@10", *(key.partition("/")[2] for key in keys)), rows)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Numbers to the right."""
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(each)} |" for each in rows)])
