"""What happened, in the order of the events: of a whole namespace, or of one topic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ricordo.arms import IDENTIFIERS, WORDS
from ricordo.memory import Memory
from ricordo.protocols import Store
from ricordo.query import Filters, Notice, Query, Recall, TimeUse

__all__ = ["Timeline", "of_namespace", "of_topic"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Timeline:
    """Memories whose event time is known, earliest first.

    `topic` is what was asked for, None for all of the namespace; `undated` how many memories would belong here but
    are of no known time, None where that was not counted; `time` and `notices` what shaped the answer.
    """

    namespace: str
    memories: tuple[Memory, ...]
    topic: str | None = None
    undated: int | None = None
    time: TimeUse | None = None
    notices: tuple[Notice, ...] = ()


async def of_namespace(store: Store, namespace: str, filters: Filters, limit: int) -> Timeline:
    """The latest memories of a namespace. Raises StoreError."""
    memories = await store.timeline(namespace, filters, limit)
    undated = None
    if filters.as_of is None:
        undated, unknown = 0, replace(filters, time=None, undated=True)
        async for _, item in store.dump(namespace):
            undated += isinstance(item, Memory) and unknown.allow(item)
    time = TimeUse(range=filters.time, text="", applied="filter") if filters.time else None
    return Timeline(namespace=namespace, memories=memories, undated=undated, time=time)


def of_topic(query: Query, found: Recall) -> Timeline:
    """What was recalled of a topic, in the order of the events; versions are told apart where they were asked for."""
    # Near to a topic is everything a little; in the order of time nothing tells how little.
    sharing = [hit for hit in found if hit.arms.keys() & {WORDS, IDENTIFIERS}]
    told = (version for hit in sharing or found for version in (hit.versions or (hit.memory,)))
    memories = list(_each_once(version for version in told if _in_time(version, query.filters)))
    dated = [memory for memory in memories if memory.event_timestamp is not None]
    dated.sort(key=lambda memory: (memory.event_timestamp, memory.id))
    return Timeline(
        namespace=query.namespace,
        memories=tuple(dated),
        topic=query.text,
        undated=len(memories) - len(dated),
        time=found.time,
        notices=found.notices,
    )


def _in_time(memory: Memory, filters: Filters) -> bool:
    """Whether a version is of the time that was asked for, or was there already at the moment asked about."""
    if filters.time is not None and not filters.time.overlaps(memory):
        return False
    return filters.as_of is None or (memory.event_timestamp or memory.created_at) <= filters.as_of.moment


def _each_once(memories: Iterable[Memory]) -> Iterable[Memory]:
    return {memory.id: memory for memory in memories}.values()
