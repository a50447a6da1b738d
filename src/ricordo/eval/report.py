"""A run as one JSON document and as Markdown; and what an earlier document says, to compare with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.parse import urlsplit

from ricordo.errors import InvalidInput
from ricordo.eval.datasets import OVERALL
from ricordo.eval.harness import Answer, Run, by_category
from ricordo.eval.jsonfile import read_json
from ricordo.eval.metrics import MEASURES, Difference, Outcome, bootstrap, means, paired, unweighted
from ricordo.eval.timing import Spread, describe_machine, spread
from ricordo.memory import Json

__all__ = [
    "PER_CATEGORY",
    "Report",
    "compared",
    "document",
    "latencies",
    "markdown",
    "read_run",
    "recall_by_category",
    "rung_means",
]

PER_CATEGORY = "recall@10"


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """A run, when it was made, and how it differs from an earlier one on the same questions."""

    run: Run
    made_at: datetime
    differences: Mapping[str, Difference] | None = None


def document(report: Report) -> dict[str, Json]:
    """The run as one JSON document. Each question's relevant ranks are kept, so that runs can be compared."""
    run = report.run
    outcomes = _outcomes(run.whole)
    found: dict[str, Json] = {
        "dataset": run.dataset.name,
        "n": len(outcomes),
        "metrics": _json(means(outcomes)),
        "intervals": {name: [interval.low, interval.high] for name, interval in bootstrap(outcomes).items()},
        "by_category": _categories(run.whole),
        "macro": _json(unweighted(by_category(run.whole).values())),
        "ladder": {name: _json(values) for name, values in rung_means(run).items()},
        "ladder_by_category": {name: _categories(answers) for name, answers in run.answers.items()},
        "latency_ms": {stage: {"p50": each.p50, "p95": each.p95} for stage, each in latencies(run.whole).items()},
        "latency_by_ladder": {
            name: {"p50": each.p50, "p95": each.p95, "ratio": ratio} for name, (each, ratio) in rung_totals(run).items()
        },
        "settings": settings(report),
        "questions": {
            answer.question.id: {"ranks": list(answer.outcome.ranks), "relevant": answer.outcome.relevant}
            for answer in run.whole
        },
    }
    if run.dataset.published:
        found["published"] = {name: _json(each) for name, each in run.dataset.published.items()}
    if report.differences is not None:
        found["differences"] = {
            name: {**asdict(each), "certain": each.certain} for name, each in report.differences.items()
        }
    return found


def settings(report: Report) -> dict[str, Json]:
    """All that the numbers depend on."""
    run = report.run
    plan = run.plan
    return {
        **run.dataset.settings,
        "memories": run.memories,
        "embedder": run.embedder,
        "analyzer": plan.analyzer,
        "k1": plan.settings.k1,
        "b": plan.settings.b,
        "depth": plan.depth,
        "store": urlsplit(plan.store).scheme if plan.store else "sqlite, temporary",
        "ricordo": _version(),
        "made_at": report.made_at.isoformat(),
        "machine": asdict(describe_machine()),
    }


def latencies(answers: Sequence[Answer]) -> dict[str, Spread]:
    """Milliseconds by stage, as the engine itself measured them."""
    stages = answers[0].timings if answers else {}
    return {stage: spread([answer.timings[stage] for answer in answers]) for stage in stages}


def rung_means(run: Run) -> dict[str, dict[str, float]]:
    """Every measure's mean by rung."""
    return {name: means(_outcomes(answers)) for name, answers in run.answers.items()}


def rung_totals(run: Run) -> dict[str, tuple[Spread, float]]:
    """Milliseconds outside the model by rung, and how many times those of the first rung the median is.

    What the model makes of a question serves all rungs.
    """
    totals = {
        name: spread([answer.timings["total"] - answer.timings.get("embed", 0.0) for answer in answers])
        for name, answers in run.answers.items()
        if answers
    }
    first = next((each.p50 for each in totals.values()), 0.0)
    return {name: (each, each.p50 / first if first else 1.0) for name, each in totals.items()}


def recall_by_category(run: Run) -> dict[str, dict[str, float]]:
    """Recall@10 by rung and category and over all, and beside them what others publish."""
    ours = {
        name: {category: means(each)[PER_CATEGORY] for category, each in _and_overall(answers).items()}
        for name, answers in run.answers.items()
    }
    return {**ours, **{name: dict(each) for name, each in run.dataset.published.items()}}


def _and_overall(answers: Sequence[Answer]) -> dict[str, list[Outcome]]:
    return {**by_category(answers), OVERALL: _outcomes(answers)} if answers else {}


def read_run(file: Path) -> tuple[str, dict[str, Outcome]]:
    """The dataset and the outcomes of an earlier run's document. Raises InvalidInput."""
    found = read_json(file)
    return found["dataset"].text(), {
        name: Outcome(
            ranks=tuple(rank.whole() for rank in answer["ranks"]),
            relevant=answer["relevant"].whole(),
        )
        for name, answer in found["questions"].items()
    }


def compared(run: Run, file: Path) -> dict[str, Difference]:
    """How the run differs from an earlier one, question by question. Raises InvalidInput when they asked others."""
    name, before = read_run(file)
    after = {answer.question.id: answer.outcome for answer in run.whole}
    if name != run.dataset.name or before.keys() != after.keys():
        shared = len(before.keys() & after.keys())
        raise InvalidInput(
            f"{file} is a run of {name} with {len(before)} questions, of which {shared} are among "
            f"the {len(after)} of this run of {run.dataset.name}; only runs of the same questions can be compared"
        )
    return paired([before[each] for each in after], list(after.values()))


def markdown(report: Report) -> str:
    """The run as tables for people."""
    run = report.run
    outcomes = _outcomes(run.whole)
    intervals = bootstrap(outcomes)
    blocks = [
        [f"## {run.dataset.name}", "", f"{len(outcomes):,} questions, {run.memories:,} memories"],
        table(
            ["measure", "value", "95 % interval"],
            [
                [name, _number(value), f"{_number(intervals[name].low)} to {_number(intervals[name].high)}"]
                for name, value in means(outcomes).items()
            ],
        ),
        table(["arms", *MEASURES], [[name, *_row(each)] for name, each in rung_means(run).items()]),
        *_category_tables(report),
        table(
            ["milliseconds", "p50", "p95"],
            [[stage, f"{each.p50:.1f}", f"{each.p95:.1f}"] for stage, each in latencies(run.whole).items()],
        ),
        table(
            ["milliseconds outside the model", "p50", "p95", "ratio"],
            [
                [name, f"{each.p50:.1f}", f"{each.p95:.1f}", f"{ratio:.2f}"]
                for name, (each, ratio) in rung_totals(run).items()
            ],
        ),
    ]
    if report.differences is not None:
        blocks.append(_difference_table(report.differences))
    blocks.append([f"Settings: {_flat(settings(report))}."])
    return "\n".join("\n".join(block) + "\n" for block in blocks)


def _category_tables(report: Report) -> list[list[str]]:
    run = report.run
    categories = by_category(run.whole)
    if len(categories) < 2:
        return []
    rows = [[name, str(len(each)), *_row(means(each))] for name, each in categories.items()]
    columns = recall_by_category(run)
    groups = [*categories, OVERALL]
    return [
        table(["category", "n", *MEASURES], [*rows, ["mean of these", "", *_row(unweighted(categories.values()))]]),
        table(
            [f"{PER_CATEGORY} by category", *columns],
            [
                [name, *(_number(column[name]) if name in column else "" for column in columns.values())]
                for name in groups
            ],
        ),
    ]


def _difference_table(differences: Mapping[str, Difference]) -> list[str]:
    return table(
        ["difference", "mean", "95 % interval", "better", "worse"],
        [
            [
                name,
                f"{each.mean:+.3f}{'' if each.certain else ' (uncertain)'}",
                f"{each.interval.low:+.3f} to {each.interval.high:+.3f}",
                str(each.better),
                str(each.worse),
            ]
            for name, each in differences.items()
        ],
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table, padded to be read as it is; all but the first column to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return [_line(cells, widths) for cells in (head, rule, *rows)]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(cells, widths, strict=True)
    padded = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
    return f"| {' | '.join(padded)} |"


def _row(values: Mapping[str, float]) -> list[str]:
    return [_number(value) for value in values.values()]


def _number(value: float) -> str:
    return f"{value:.3f}"


def _outcomes(answers: Sequence[Answer]) -> list[Outcome]:
    return [answer.outcome for answer in answers]


def _categories(answers: Sequence[Answer]) -> dict[str, Json]:
    return {name: {"n": len(each), **means(each)} for name, each in by_category(answers).items() if name}


def _json(values: Mapping[str, float]) -> dict[str, Json]:
    return dict(values)


def _flat(values: Mapping[str, Json]) -> str:
    return ", ".join(
        f"{name} {_flat(value) if isinstance(value, dict) else value}" for name, value in values.items() if value != ""
    )


def _version() -> str:
    try:
        return version("ricordo")
    except PackageNotFoundError:
        return "not installed"
