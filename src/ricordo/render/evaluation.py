"""A progress bar for runs of the evaluation, on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ricordo.eval.harness import Step

__all__ = ["step_bar"]


@contextmanager
def step_bar() -> Iterator[Callable[[Step], None]]:
    """A function to be told of each step, and the bar that shows it until the block ends."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")

        def tell(step: Step) -> None:
            bar.update(task, description=step.doing, completed=step.done, total=step.total)

        yield tell
