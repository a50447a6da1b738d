"""A run as pictures, with the extra `plots`: recall by arms and by category, and where the time goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from ricordo.errors import InvalidInput, MissingExtra
from ricordo.eval.harness import Run
from ricordo.eval.metrics import MEASURES
from ricordo.eval.report import PER_CATEGORY, latencies, recall_by_category, rung_means

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


def draw(run: Run, folder: Path) -> list[Path]:
    """Write `recall.svg`, `latency.svg` and, for several categories, `categories.svg`. Raises InvalidInput."""
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


def _figures(run: Run) -> Iterator[tuple[str, Figure]]:
    rungs = rung_means(run)
    yield "recall", _bars({name: [means[name] for means in rungs.values()] for name in RECALLS}, list(rungs), "recall")
    yield "latency", _latency(run)
    columns = recall_by_category(run)
    categories = list(next(iter(columns.values())))
    if len(categories) > 2:  # the last is all of them
        heights = {name: [column.get(each, 0.0) for each in categories] for name, column in columns.items()}
        yield "categories", _bars(heights, categories, PER_CATEGORY)


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


def _latency(run: Run) -> Figure:
    """Half of the questions took at most as long as the bar, nineteen of twenty as the line."""
    figure, axes = _canvas(width=5.0)
    stages = latencies(run.whole)
    middle = [each.p50 for each in stages.values()]
    above = [each.p95 - each.p50 for each in stages.values()]
    axes.bar(list(stages), middle, GROUP / 2, yerr=[[0.0] * len(above), above], capsize=3, ecolor="#555555")
    axes.set_ylabel("milliseconds, p50 and p95")
    return figure


def _canvas(width: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, 3.2), layout="constrained")
    return figure, figure.add_subplot()


def _saved(figure: Figure, file: Path) -> Path:
    figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return file
