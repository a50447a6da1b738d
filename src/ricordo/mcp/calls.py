"""The calls of the tools: arguments in, answers out. What the protocol makes of them is of no concern here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from ricordo.disarm import without_quotes
from ricordo.errors import InvalidInput, NotFound
from ricordo.mcp.answers import Answer, Found, answered
from ricordo.mcp.desk import Desk
from ricordo.mcp.surface import read_arguments, tool_named
from ricordo.memory import clean
from ricordo.projects import Scope
from ricordo.quoting import quote, quote_memory

if TYPE_CHECKING:
    from ricordo.engine import Engine
    from ricordo.memory import EventTime, Memory
    from ricordo.query import AsOf, Filters, Recall
    from ricordo.timeline import Timeline

__all__ = ["CALLS", "Caller", "call"]

INSTANT = timedelta(microseconds=1)
LEAST_ID = 8
"""Digits of an id that what cannot be taken back must be named by."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """Who calls: the desk that serves it, the namespaces it can reach, and what it says it is."""

    desk: Desk
    scope: Scope
    client: str | None = None

    async def engines(self, namespace: str | None) -> list[Engine]:
        """The memories that a name stands for. Raises InvalidInput for what cannot be reached."""
        return [await self.desk.engine(name) for name in self.scope.resolve(namespace)]

    async def holder(self, memory_id: str, namespace: str | None) -> tuple[Engine, Memory]:
        """The memory with an id, and the engine of the namespace that holds it. Raises NotFound."""
        for engine in await self.engines(namespace):
            try:
                return engine, await engine.show(memory_id)
            except NotFound:
                continue
        raise NotFound(f"no memory has the id {memory_id}")

    def time(self, text: str, name: str) -> EventTime:
        """A time that an argument names, as ISO 8601 or as a phrase. Raises InvalidInput."""
        from ricordo.dates import named_time, time_options

        try:
            options = time_options(self.desk.settings)
            return named_time(text, now=self.desk.clock(), zone=self.desk.zone, options=options)
        except InvalidInput as error:
            raise InvalidInput(f"{name} {error}") from error

    def filters(self, given: Mapping[str, Any]) -> Filters:
        """What `since`, `until`, `as_of` and `kinds` leave over."""
        from ricordo.query import AsOf, Filters, TimeRange

        start = self.time(given["since"], "since").start if given["since"] else None
        end = self.time(given["until"], "until").start if given["until"] else None
        as_of: AsOf | None = None
        if given.get("as_of"):
            moment = self.time(given["as_of"], "as_of")
            as_of = AsOf(moment=moment.end - INSTANT if moment.end else moment.start)
        time = TimeRange(start=start, end=end) if start or end else None
        return Filters(time=time, as_of=as_of, kinds=tuple(map(clean, filter(None, given["kinds"] or ()))))


async def call(caller: Caller, name: str, given: Mapping[str, Any]) -> Answer:
    """What a tool answers. Raises RicordoError, InvalidInput for a tool that there is not."""
    tool = tool_named(name)
    if tool is None:
        raise InvalidInput(f"there is no tool {name!r}; there are {', '.join(CALLS)}")
    return await CALLS[name](caller, read_arguments(tool, given))


async def recall(caller: Caller, given: Mapping[str, Any]) -> Answer:
    """The hits of all namespaces in question, fused by rank."""
    from ricordo.across import across
    from ricordo.query import Query

    filters = caller.filters(given)

    async def ask(engine: Engine) -> Recall:
        reader = await caller.desk.reader(engine)
        query = Query(text=given["query"], namespace=engine.namespace, limit=given["limit"], filters=filters)
        return await reader.recall(query)

    engines = await caller.engines(given["namespace"])
    recalls = [await ask(engine) for engine in engines]
    found = across(recalls, given["limit"])
    now, zone = caller.desk.clock(), caller.desk.zone
    quotes = [quote(each.hit, now, zone, each.namespace if len(engines) > 1 else None) for each in found.placed]
    return answered(Found(quotes=quotes, time=found.time, notices=found.notices), given["max_tokens"], zone)


async def remember(caller: Caller, given: Mapping[str, Any]) -> Answer:
    """A memory, without what was quoted from memory itself."""
    engine = await caller.desk.engine(caller.scope.target(given["namespace"]))
    remembered = await engine.remember(
        without_quotes(given["text"]),
        event_timestamp=caller.time(given["when"], "when") if given["when"] else None,
        tags=given["tags"] or (),
        metadata={"client": caller.client} if caller.client else None,
    )
    document = {"id": remembered.id, "created": remembered.created, "namespace": engine.namespace}
    said = "remembered" if remembered.created else "known already"
    return Answer(text=f"{said} in {engine.namespace}: {remembered.id}", document=document)


async def revise(caller: Caller, given: Mapping[str, Any]) -> Answer:
    """The new version, in the namespace of the old one."""
    engine, old = await caller.holder(given["id"], given["namespace"])
    when = caller.time(given["when"], "when") if given["when"] else None
    revised = await engine.revise(old.id, without_quotes(given["text"]), event_timestamp=when)
    document = {"id": revised.id, "supersedes": revised.supersedes, "namespace": engine.namespace}
    return Answer(text=f"revised: {revised.id} in place of {revised.supersedes}", document=document)


async def forget(caller: Caller, given: Mapping[str, Any]) -> Answer:
    """All of them, or none where one is unknown."""
    short = [memory_id for memory_id in given["ids"] if len(memory_id) < LEAST_ID]
    if short:
        raise InvalidInput(f"{short[0]!r} is too short to forget by: give {LEAST_ID} digits of an id at least")
    found = [await caller.holder(memory_id, given["namespace"]) for memory_id in given["ids"]]
    by_namespace = {engine.namespace: engine for engine, _ in found}
    gone: list[str] = []
    for namespace, engine in by_namespace.items():
        gone += await engine.forget([memory.id for holder, memory in found if holder.namespace == namespace])
    return Answer(text=f"forgotten: {', '.join(gone)}", document={"forgotten": gone})


async def timeline(caller: Caller, given: Mapping[str, Any]) -> Answer:
    """The latest events of all namespaces in question, earliest first."""
    from ricordo.query import Query
    from ricordo.timeline import of_topic

    filters, limit = caller.filters(given), given["limit"]

    async def ask(engine: Engine) -> Timeline:
        if not given["topic"]:
            return await engine.timeline(limit=limit, filters=filters)
        reader = await caller.desk.reader(engine)
        query = Query(text=given["topic"], namespace=engine.namespace, limit=limit, filters=filters)
        return of_topic(query, await reader.recall(query))

    engines = await caller.engines(given["namespace"])
    found = [await ask(engine) for engine in engines]
    events = [(each.namespace, memory) for each in found for memory in each.memories]
    events.sort(key=lambda event: (event[1].event_timestamp or event[1].created_at, event[1].id))
    now, zone = caller.desk.clock(), caller.desk.zone
    quotes = [
        quote_memory(memory, now, zone, namespace if len(engines) > 1 else None)
        for namespace, memory in events[-limit:]
    ]
    time = next((each.time for each in found if each.time is not None), None)
    notices = {notice.code: notice for each in found for notice in each.notices}.values() if not quotes else ()
    told = Found(quotes=quotes, time=time, notices=notices, latest_last=True)
    return answered(told, given["max_tokens"], zone)


async def fetch(caller: Caller, given: Mapping[str, Any]) -> Answer:
    """A memory whole, or all versions of it."""
    engine, memory = await caller.holder(given["id"], given["namespace"])
    versions: Sequence[Memory] = await engine.history(memory.id) if given["history"] else [memory]
    namespace = engine.namespace if len(caller.scope.searched) > 1 else None
    now, zone = caller.desk.clock(), caller.desk.zone
    quotes = [quote_memory(version, now, zone, namespace) for version in versions]
    return answered(Found(quotes=quotes), given["max_tokens"], zone)


CALLS: Mapping[str, Callable[[Caller, Mapping[str, Any]], Awaitable[Answer]]] = {
    "recall": recall,
    "remember": remember,
    "revise": revise,
    "forget": forget,
    "timeline": timeline,
    "fetch": fetch,
}
