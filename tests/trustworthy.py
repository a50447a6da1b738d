"""What the tests of trust share: the length of a run, and what they count."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

__all__ = ["BAD_INPUTS", "COUNTED", "LONG", "NOW", "OURS", "THEIRS", "TRIED", "Count", "compare", "counted", "tried"]

LONG = os.environ.get("TRUST", "short") == "long"
BAD_INPUTS = "bad inputs tried"
COUNTED = ("crashes injected", "faults survived", BAD_INPUTS, "lost", "leaked")
TRIED: Counter[str] = Counter()
"""How often this process did what a test can only count as it goes: one that is given examples takes no fixture."""

Count = Callable[[str, int], None]

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
OURS = ("The garden is watered at six", "Озеро холодное", "The key is sk-proj-4471")
# What the others say: of the same words, so that it would show, and of a secret, which must show nowhere.
THEIRS = ("The garden is watered at nine, says zyxomma", "Озеро тёплое zyxomma", "The key is sk-proj-4471 zyxomma")


def tried() -> None:
    """One more bad input; a test that uses the fixture `tries` adds it to what is told at the end."""
    TRIED[BAD_INPUTS] += 1


@contextmanager
def counted(count: Count, what: str) -> Iterator[set[object]]:
    """What a block puts into the set is counted when it ends, also when it fails."""
    found: set[object] = set()
    try:
        yield found
    finally:
        count(what, len(found))


def compare(count: Count, found: Collection[object], *states: Collection[object], where: str = "") -> None:
    """What was found must be one of the states; by how much it is not the nearest of them is counted as lost."""
    count("lost", min(len(set(found) ^ set(state)) for state in states))
    assert found in states, where or "this is none of the states that may be"
