"""Reading what other programs wrote as JSON, in which any field may be missing or of another type; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo

from ricordo.memory import Json

__all__ = ["fields", "items", "json_value", "moment", "text"]

YEARS = range(1970, 2101)
# Seconds since 1970 stay below this for three thousand years; what is above it counts milliseconds, or still finer.
MOST_SECONDS = 10**11
MAX_DEPTH = 8
MOST_CHARACTERS = 2_000


def fields(value: object) -> dict[str, object]:
    """The object's fields; none of anything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """The array's items; none of anything else."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """The string; an empty one of anything else."""
    return value if isinstance(value, str) else ""


def moment(value: object, zone: tzinfo = UTC) -> datetime | None:
    """A time in ISO 8601, or counted since 1970 in seconds or finer, up to 2100; a naive one is in the zone."""
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value.strip())
            found = found if found.tzinfo else found.replace(tzinfo=zone)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            seconds = float(value)
            while seconds > MOST_SECONDS:
                seconds /= 1000
            found = datetime.fromtimestamp(seconds, UTC)
        else:
            return None
        found = found.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    # The very first moment is how programs write that there is none.
    return found if found.year in YEARS and found.timestamp() > 0 else None


def json_value(value: object, depth: int = 0) -> Json:
    """The value as metadata keeps it: long texts cut, nothing nested without end."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    if isinstance(value, Mapping) and depth < MAX_DEPTH:
        return {str(key): json_value(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list) and depth < MAX_DEPTH:
        return [json_value(inner, depth + 1) for inner in value]
    return str(value)[:MOST_CHARACTERS]
