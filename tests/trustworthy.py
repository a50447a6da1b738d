"""What the tests of trust share: the length of a run, and what they count."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime

__all__ = ["COUNTED", "LONG", "NOW", "OURS", "THEIRS", "Count"]

LONG = os.environ.get("TRUST", "short") == "long"
COUNTED = ("crashes injected", "faults survived", "bad inputs tried", "lost", "leaked")

Count = Callable[[str, int], None]

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
OURS = ("The garden is watered at six", "Озеро холодное", "The key is sk-proj-4471")
# What the others say: of the same words, so that it would show, and of a secret, which must show nowhere.
THEIRS = ("The garden is watered at nine, says zyxomma", "Озеро тёплое zyxomma", "The key is sk-proj-4471 zyxomma")
