"""What a recall spends its time on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Stopwatch"]


class Stopwatch:
    """Milliseconds spent, by stage. Stages that run side by side overlap, and may sum to more than the total."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {"total": 0.0, "embed": 0.0, "words": 0.0, "vectors": 0.0, "rerank": 0.0}

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.spent[stage] = self.spent.get(stage, 0.0) + (time.perf_counter() - begin) * 1000
