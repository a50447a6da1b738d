"""A store for LangGraph: values under a namespace and a key, found by meaning, words and dates.

::

    with ricordo.sync.open() as memory:
        store = RicordoStore(memory)
        store.put(("users", "mira"), "food", {"text": "likes pelmeni"})
        store.search(("users",), query="what does Mira eat?")

Every value is a memory of one ricordo namespace; what replaces it leaves it in the history.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from anyio import to_thread
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
)

from ricordo.memory import Json, Memory
from ricordo.query import MAX_LIMIT, Filters
from ricordo.sync import Engine

__all__ = ["RicordoStore"]

Namespace = tuple[str, ...]

PLACE, KEY, VALUE, FOUND = "graph_namespace", "graph_key", "graph_value", "graph_found"
SPARE = 50
"""Memories looked at beyond those asked for, in place of those that a filter on the value leaves out."""


class RicordoStore(BaseStore):
    """Values kept as memories. Those that are not to be indexed can be got, and are never found by a query.

    `fields` are the paths of a value that are searched where a put names none; all texts in it by default. Without a
    query a search gives the latest first, of the latest thousand under a prefix.
    """

    def __init__(self, memory: Engine, *, fields: Sequence[str] = ("$",)) -> None:
        self._memory = memory
        self._fields = tuple(fields)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do them all; what is read is read before anything is written, and the last put to a key counts."""
        asked = list(ops)
        results = [None if isinstance(op, PutOp) else self._read(op) for op in asked]
        puts = {(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}
        for put in puts.values():
            self._put(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, in a thread."""
        return await to_thread.run_sync(self.batch, list(ops))

    def _read(self, op: GetOp | SearchOp | ListNamespacesOp) -> Result:
        if isinstance(op, GetOp):
            kept = self._kept(op.namespace, op.key)
            return Item(**_fields(kept)) if kept else None
        if isinstance(op, SearchOp):
            return self._search(op)
        return self._namespaces(op)

    def _kept(self, namespace: Namespace, key: str) -> Memory | None:
        filters = Filters(metadata={PLACE: json.dumps(namespace), KEY: key})
        found = self._memory.timeline(limit=1, filters=filters).memories
        return found[0] if found else None

    def _put(self, op: PutOp) -> None:
        kept = self._kept(op.namespace, op.key)
        if op.value is None:
            if kept is not None:
                self._memory.forget([kept.id])
            return
        if kept is not None and kept.metadata[VALUE] == op.value:
            return
        found = op.index is not False
        self._memory.remember(
            _text(op.value, op.index or self._fields) or op.key,
            event_timestamp=datetime.now(UTC),
            tags=[_tag(op.namespace[:depth]) for depth in range(len(op.namespace) + 1)],
            metadata={
                PLACE: json.dumps(op.namespace),
                KEY: op.key,
                VALUE: cast("Json", dict(op.value)),
                FOUND: found,
            },
            supersedes=kept.id if kept else None,
        )

    def _search(self, op: SearchOp) -> list[SearchItem]:
        end = op.offset + op.limit
        if op.query:
            found = self._recalled(op, min(MAX_LIMIT, 2 * end + SPARE))
        else:
            filters = Filters(tags=(_tag(op.namespace_prefix),))
            latest = self._memory.timeline(limit=MAX_LIMIT, filters=filters).memories
            found = ((memory, None) for memory in sorted(latest, key=lambda each: each.updated_at, reverse=True))
        wanted = [SearchItem(**_fields(memory), score=score) for memory, score in found if _passes(memory, op.filter)]
        return wanted[op.offset : end]

    def _recalled(self, op: SearchOp, limit: int) -> Iterator[tuple[Memory, float | None]]:
        filters = Filters(tags=(_tag(op.namespace_prefix),), metadata={FOUND: True})
        seen: set[str] = set()
        for hit in self._memory.recall(op.query or "", limit=limit, filters=filters):
            if hit.id not in seen:
                seen.add(hit.id)
                yield hit.memory, hit.score

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        records = (json.loads(line) for line in self._memory.export())
        metadata = (record["metadata"] for record in records if record.get("metadata") and not record["superseded_by"])
        known = {tuple(json.loads(each[PLACE])) for each in metadata if PLACE in each}
        matching = {each for each in known if all(_matches(each, wish) for wish in op.match_conditions or ())}
        return sorted({each[: op.max_depth] for each in matching})[op.offset : op.offset + op.limit]


def _tag(prefix: Sequence[str]) -> str:
    """What everything below a prefix is tagged with."""
    return f"graph:{json.dumps(list(prefix), ensure_ascii=False)}"


def _fields(memory: Memory) -> dict[str, Any]:
    return {
        "namespace": tuple(json.loads(cast("str", memory.metadata[PLACE]))),
        "key": memory.metadata[KEY],
        "value": memory.metadata[VALUE],
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
    }


def _text(value: Mapping[str, Any], paths: Sequence[str]) -> str:
    """What is searched of a value: its texts, or those at some paths in it."""
    parts = [part for path in paths for part in (_texts(value) if path == "$" else _at(value, path))]
    return "\n".join(part for part in parts if part.strip())


def _at(value: Mapping[str, Any], path: str) -> Sequence[str]:
    found: Sequence[str] = get_text_at_path(value, tokenize_path(path))
    return found


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif value is not None:
        yield str(value)


COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def _passes(memory: Memory, wishes: Mapping[str, Any] | None) -> bool:
    value = cast("Mapping[str, Any]", memory.metadata[VALUE])
    return all(_compares(value.get(name), wish) for name, wish in (wishes or {}).items())


def _compares(value: Any, wish: Any) -> bool:  # noqa: ANN401  # whatever JSON holds
    if isinstance(wish, Mapping) and any(name.startswith("$") for name in wish):
        return all(_holds(COMPARISONS[name], value, other) for name, other in wish.items())
    return bool(value == wish)


def _holds(compare: Callable[[Any, Any], bool], value: Any, other: Any) -> bool:  # noqa: ANN401  # whatever JSON holds
    try:
        return compare(value, other)
    except TypeError:
        return False


def _matches(namespace: Namespace, wish: MatchCondition) -> bool:
    """Whether it begins, or ends, as a path does; `*` stands for any element."""
    if len(namespace) < len(wish.path):
        return False
    part = namespace[: len(wish.path)] if wish.match_type == "prefix" else namespace[len(namespace) - len(wish.path) :]
    return all(wanted in ("*", each) for each, wanted in zip(part, wish.path, strict=True))
