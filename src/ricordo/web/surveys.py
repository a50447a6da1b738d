"""Surveys of namespaces, kept for a few seconds: pages that count are asked for more often than counts change."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from ricordo.protocols import Store, Survey

__all__ = ["Surveys"]

FRESH_SECONDS = 5.0
MOST = 100


@dataclass(slots=True)
class Surveys:
    """Surveys by namespace. Of many requests for one that is not fresh, one asks the store and the others wait."""

    clock: Callable[[], float] = time.monotonic
    kept: dict[str, tuple[float, Survey]] = field(default_factory=dict)
    locks: dict[str, anyio.Lock] = field(default_factory=dict)

    async def of(self, store: Store, namespace: str) -> Survey:
        """The survey of a namespace, no older than a few seconds. Raises StoreError."""
        async with self.locks.setdefault(namespace, anyio.Lock()):
            made, found = self.kept.get(namespace, (-FRESH_SECONDS, None))
            if found is None or self.clock() - made > FRESH_SECONDS:
                found = await store.survey(namespace)
                if len(self.kept) >= MOST:
                    self.kept.clear()
                self.kept[namespace] = (self.clock(), found)
            return found

    def changed(self, namespace: str) -> None:
        """What is known of a namespace is old now."""
        self.kept.pop(namespace, None)
