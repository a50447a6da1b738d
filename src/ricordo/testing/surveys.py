"""What a store that scans what it holds says of it from above."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import UTC, datetime

from ricordo.exchange import QUARTER, Held, Survey
from ricordo.memory import TOLD, Memory, Origin

__all__ = ["surveyed"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def surveyed(memories: Collection[Memory], read: Collection[str]) -> Survey:
    """The survey of these memories; `read` are the uris of the origins that were read whole."""
    current = [memory for memory in memories if memory.superseded_by is None]
    dated = [memory.event_timestamp for memory in current if memory.event_timestamp is not None]
    by_origin: dict[str, list[Memory]] = {}
    for memory in memories:
        by_origin.setdefault(TOLD if memory.origin.kind == TOLD else memory.origin.uri, []).append(memory)
    return Survey(
        current=len(current),
        superseded=len(memories) - len(current),
        undated=len(current) - len(dated),
        origins=tuple(_held(uri, held, read) for uri, held in sorted(by_origin.items())),
        events=_by_quarter(dated),
        learned=_by_quarter(memory.created_at for memory in current),
        tags=dict(sorted(Counter(tag for memory in current for tag in memory.tags).items())),
    )


def _held(uri: str, memories: Collection[Memory], read: Collection[str]) -> Held:
    origin = max(memories, key=lambda memory: memory.updated_at).origin
    return Held(
        origin=Origin(kind=TOLD, uri=TOLD) if uri == TOLD else origin,
        memories=len(memories),
        first=min(memory.created_at for memory in memories),
        last=max(memory.updated_at for memory in memories),
        read=uri in read,
    )


def _by_quarter(moments: Iterable[datetime]) -> dict[datetime, int]:
    return dict(sorted(Counter(moment - (moment - EPOCH) % QUARTER for moment in moments).items()))
