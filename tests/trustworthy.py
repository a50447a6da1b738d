"""What the tests of trust share: the length of a run, and what they count."""

from __future__ import annotations

import os
from collections.abc import Callable

__all__ = ["COUNTED", "LONG", "Count"]

LONG = os.environ.get("TRUST", "short") == "long"
COUNTED = ("crashes injected", "faults survived", "bad inputs tried", "lost", "leaked")

Count = Callable[[str, int], None]
