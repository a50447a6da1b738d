"""What a reader is told beside the bytes: when it reads, and how dates are read there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from ricordo.dates import STANDARD
from ricordo.timeparse import TimeOptions

__all__ = ["Circumstances"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Circumstances:
    """`now` dates the memories; `zone` and `options` are how dates are read."""

    now: datetime
    zone: tzinfo = UTC
    options: TimeOptions = STANDARD
