"""A progress bar on stderr, while there is somebody to see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ricordo import ingest
from ricordo.embedding import Embedding
from ricordo.move import Moving

__all__ = ["embedding_bar", "moving_bar", "reading_line"]


@contextmanager
def reading_line() -> Iterator[Callable[[ingest.Progress], None]]:
    """A function to be told of progress, and the line that shows it until the block ends.

    How much there is to read is not known before it was read: a file may hold a thousand conversations.
    """
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as line:
        task = line.add_task("reading", total=None)
        began = monotonic()

        def tell(progress: ingest.Progress) -> None:
            so_far = progress.so_far
            rate = so_far.memories / max(monotonic() - began, 1e-3)
            facts = [f"{so_far.origins.total:,} read", f"{so_far.memories:,} memories", f"{so_far.added:,} new"]
            facts.append(f"{rate:,.0f} a second")
            if so_far.skipped:
                facts.append(f"{len(so_far.skipped):,} skipped")
            line.update(task, description=" · ".join(facts))

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
