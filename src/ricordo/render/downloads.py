"""A progress bar for downloads, on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TransferSpeedColumn

from ricordo.render.phrases import flat

__all__ = ["download_bar"]


@contextmanager
def download_bar() -> Iterator[Callable[[str, int, int], None]]:
    """A function to be told what is here of each file, and the bars that show it until the block ends."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def tell(name: str, here: int, size: int) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(flat(name), total=size)
            bar.update(tasks[name], completed=here)

        yield tell
