"""A progress bar on stderr, while there is somebody to see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ricordo import ingest
from ricordo.move import Moving

__all__ = ["moving_bar", "progress_bar"]


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[ingest.Progress], None]]:
    """A function to be told of progress, and the bar that shows it until the block ends."""
    console = Console(stderr=True)
    columns = (
        TextColumn("reading"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files · {task.fields[memories]} memories"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=total, memories=0)

        def tell(progress: ingest.Progress) -> None:
            bar.update(task, completed=progress.sources, memories=progress.so_far.memories)

        yield tell


@contextmanager
def moving_bar() -> Iterator[Callable[[Moving], None]]:
    """A function to be told how far a move has come, and the bar that shows it until the block ends."""
    columns = (TextColumn("moving"), BarColumn(), MofNCompleteColumn(), TextColumn("memories"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("moving", total=None)

        def tell(moving: Moving) -> None:
            bar.update(task, completed=moving.memories, total=moving.total)

        yield tell
