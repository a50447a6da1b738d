"""A run as pictures, with the extra `plots`: recall by arms and by category, and where the time goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from ricordo.errors import InvalidInput, MissingExtra
from ricordo.eval.datasets import OVERALL
from ricordo.eval.jsonfile import Node
from ricordo.eval.metrics import MEASURES
from ricordo.eval.report import PER_CATEGORY

try:
    import matplotlib
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError as error:
    raise MissingExtra("plots", f"plots need {error.name}") from error

__all__ = ["draw"]

RECALLS = tuple(name for name in MEASURES if name.startswith("recall"))
GROUP = 0.8
"""How much of the place of a group its bars take."""


def draw(run: Node, folder: Path) -> list[Path]:
    """Write `recall.svg`, `latency.svg` and, for several categories, `categories.svg` of a run's document.

    Raises InvalidInput.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _style():
            return [_saved(figure, folder / f"{name}.svg") for name, figure in _figures(run)]
    except OSError as error:
        raise InvalidInput(f"{folder} cannot be written: {error.strerror or error}") from error


def _style() -> AbstractContextManager[None]:
    """Text stays text, and the same run gives the same bytes."""
    return matplotlib.rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "ricordo",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.grid.axis": "y",
            "axes.axisbelow": True,
            "grid.color": "#dddddd",
            "legend.frameon": False,
        }
    )


def _figures(run: Node) -> Iterator[tuple[str, Figure]]:
    rungs = {name: {each: means[each].number() for each in RECALLS} for name, means in run["ladder"].items()}
    yield "recall", _bars({name: [means[name] for means in rungs.values()] for name in RECALLS}, list(rungs), "recall")
    yield "latency", _latency(run["latency_ms"])
    categories = [name for name, _ in run["by_category"].items()]
    if len(categories) > 1:
        columns = dict(_columns(run))
        heights = {name: [column.get(each, 0.0) for each in [*categories, OVERALL]] for name, column in columns.items()}
        yield "categories", _bars(heights, [*categories, OVERALL], PER_CATEGORY)


def _columns(run: Node) -> Iterator[tuple[str, dict[str, float]]]:
    """Recall@10 by category and over all: of each rung, and what others publish."""
    for name, categories in run["ladder_by_category"].items():
        means = {category: each[PER_CATEGORY].number() for category, each in categories.items()}
        yield name, {**means, OVERALL: run["ladder"][name][PER_CATEGORY].number()}
    published = run.get("published")
    for name, categories in published.items() if published else ():
        yield name, {category: each.number() for category, each in categories.items()}


def _bars(heights: Mapping[str, Sequence[float]], groups: Sequence[str], label: str) -> Figure:
    """A bar for each name in each group, from 0 to 1."""
    figure, axes = _canvas(width=max(5.0, 1.4 * len(groups)))
    width = GROUP / len(heights)
    for place, (name, values) in enumerate(heights.items()):
        left = [group - GROUP / 2 + (place + 0.5) * width for group in range(len(groups))]
        axes.bar(left, values, width * 0.92, label=name)
    axes.set_xticks(range(len(groups)), groups)
    axes.set_ylim(0, 1)
    axes.set_ylabel(label)
    axes.legend(ncols=4, loc="lower left", bbox_to_anchor=(0, 1))
    return figure


def _latency(spent: Node) -> Figure:
    """Half of the questions took at most as long as the bar, nineteen of twenty as the line."""
    figure, axes = _canvas(width=5.0)
    stages = {name: (each["p50"].number(), each["p95"].number()) for name, each in spent.items()}
    middle = [p50 for p50, _ in stages.values()]
    above = [p95 - p50 for p50, p95 in stages.values()]
    axes.bar(list(stages), middle, GROUP / 2, yerr=[[0.0] * len(above), above], capsize=3, ecolor="#555555")
    axes.set_ylabel("milliseconds, p50 and p95")
    return figure


def _canvas(width: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, 3.2), layout="constrained")
    return figure, figure.add_subplot()


def _saved(figure: Figure, file: Path) -> Path:
    figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return file
