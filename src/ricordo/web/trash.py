"""What was forgotten on a page, for the minutes in which it can be taken back.

The store forgets at once and for good. The texts live on in the memory of this process alone, and go with it.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ricordo.memory import Memory

__all__ = ["KEPT_SECONDS", "Binned", "Trash"]

KEPT_SECONDS = 600.0
MOST = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Binned:
    """Memories that were forgotten together, with their versions, oldest first, and until when they are kept."""

    key: str
    namespace: str
    memories: tuple[Memory, ...]
    until: float


@dataclass(slots=True)
class Trash:
    """The latest that was forgotten; `clock` counts seconds."""

    clock: Callable[[], float] = time.monotonic
    kept: dict[str, Binned] = field(default_factory=dict)

    def put(self, namespace: str, memories: tuple[Memory, ...]) -> Binned:
        self.sweep()
        binned = Binned(
            key=secrets.token_urlsafe(16), namespace=namespace, memories=memories, until=self.clock() + KEPT_SECONDS
        )
        self.kept[binned.key] = binned
        while len(self.kept) > MOST:
            del self.kept[next(iter(self.kept))]
        return binned

    def of(self, namespace: str) -> list[Binned]:
        """What is kept of a namespace, the latest first."""
        self.sweep()
        return [binned for binned in reversed(self.kept.values()) if binned.namespace == namespace]

    def take(self, key: str) -> Binned | None:
        """Take it out; None when it is gone."""
        self.sweep()
        return self.kept.pop(key, None)

    @contextmanager
    def taken(self, key: str) -> Iterator[Binned | None]:
        """What was taken out, None when it is gone; whatever goes wrong with it meanwhile, it is kept again."""
        binned = self.take(key)
        try:
            yield binned
        except BaseException:
            if binned is not None:
                self.kept[key] = binned
            raise

    def sweep(self) -> None:
        """Drop what has been kept long enough."""
        now = self.clock()
        self.kept = {key: binned for key, binned in self.kept.items() if binned.until > now}

    def seconds_left(self, binned: Binned) -> int:
        return max(0, round(binned.until - self.clock()))
