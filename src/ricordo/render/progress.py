"""A progress bar on stderr, while there is somebody to see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ricordo import ingest
from ricordo.embedding import Embedding
from ricordo.move import Moving

__all__ = ["embedding_bar", "moving_bar", "progress_bar"]


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
    with _bar("moving", "memories") as update:
        yield lambda moving: update(moving.memories, moving.total)


@contextmanager
def embedding_bar() -> Iterator[Callable[[Embedding], None]]:
    """A function to be told how many vectors have been made, and the bar that shows it until the block ends."""
    with _bar("embedding", "chunks") as update:
        yield lambda embedding: update(embedding.chunks, embedding.total)


@contextmanager
def _bar(doing: str, what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that is told what is done, of how many."""
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TextColumn(what), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
