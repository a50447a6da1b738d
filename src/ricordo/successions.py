"""Copying versions page by page: what was replaced is marked in the transaction that brings what replaced it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ricordo.memory import Memory

__all__ = ["Successions"]


class Successions:
    """The memories of pages that are written, by the versions that replaced them and are still to come.

    A store marks no memory as replaced by what it does not hold, so that no moment hides one. Written again beside
    its successor, a memory is marked by the same transaction, with the time at which it was replaced.
    """

    def __init__(self) -> None:
        self._waiting: defaultdict[tuple[str, str], list[Memory]] = defaultdict(list)

    def complete(self, namespace: str, page: Sequence[Memory]) -> tuple[Memory, ...]:
        """What to write of a page: first those of earlier pages that something on it replaced, then the page."""
        ids = {memory.id for memory in page}
        replaced = [older for key in ids for older in self._waiting.pop((namespace, key), ())]
        for memory in page:
            if memory.superseded_by is not None and memory.superseded_by not in ids:
                self._waiting[namespace, memory.superseded_by].append(memory)
        return (*(older for older in replaced if older.id not in ids), *page)
