"""What tasks that run side by side raise, as their caller expects it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["one_error"]


@contextmanager
def one_error() -> Iterator[None]:
    """Raise the first error of a task group in place of the group: callers are promised StoreError, ModelError."""
    first: Exception | None = None
    try:
        yield
    except ExceptionGroup as group:
        first = group.exceptions[0]
        while isinstance(first, ExceptionGroup):
            first = first.exceptions[0]
    if first is not None:
        raise first
