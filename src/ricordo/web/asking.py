"""REST that asks: recall, why, context, timeline, show, history, near."""

from __future__ import annotations

from dataclasses import replace

from starlette.responses import Response

from ricordo.context import BUDGET, MOST
from ricordo.explain import explain
from ricordo.nearby import neighbours, similar
from ricordo.query import Filters, Query, TimeUse
from ricordo.render.documents import document
from ricordo.render.reports import History
from ricordo.render.timelines import Events
from ricordo.timeline import Timeline
from ricordo.web.dispatch import Call
from ricordo.web.documents import explanation_document, near_document
from ricordo.web.paging import earlier, within_limits
from ricordo.web.replies import reply
from ricordo.web.service import Service

__all__ = ["context", "history", "near", "page_of_timeline", "recall", "show", "timeline", "why"]

HITS = 10
EVENTS = 50


async def recall(call: Call) -> Response:
    """The memories that answer a question."""
    given = call.given
    found = await call.service.recall(
        call.memory,
        given.text("query"),
        limit=within_limits(given.number("limit", HITS)),
        filters=given.filters(call.memory),
        history=given.flag("history"),
        any_time=given.flag("any_time"),
    )
    return reply(call.request, document(found))


async def why(call: Call) -> Response:
    """One answer word by word."""
    given = call.given
    query = Query(text=given.text("query"), namespace=call.memory.namespace)
    found = await explain(call.memory.reader, query, given.text("id"), given.maybe("chunk"))
    return reply(call.request, explanation_document(found))


async def context(call: Call) -> Response:
    """What surely bears on a prompt."""
    given = call.given
    found = await call.memory.context(
        given.text("prompt"),
        limit=within_limits(given.number("limit", MOST)),
        budget=given.number("budget", BUDGET),
        filters=given.filters(call.memory),
    )
    return reply(call.request, document(found))


async def timeline(call: Call) -> Response:
    """What happened: of a topic, or a page of all of it."""
    given = call.given
    filters, topic = given.filters(call.memory), given.maybe("topic")
    limit, cursor = within_limits(given.number("limit", EVENTS)), given.maybe("cursor")
    if topic is None:
        found, following = await page_of_timeline(call.service, call.memory.namespace, filters, limit, cursor)
    else:
        found, following = await call.memory.timeline(topic, limit=limit, filters=filters), None
    return reply(call.request, {**document(Events(timeline=found)), "next": following})


async def page_of_timeline(
    service: Service, namespace: str, filters: Filters, limit: int, cursor: str | None
) -> tuple[Timeline, str | None]:
    """A page of a namespace's timeline, the latest first to come, and the cursor of what was before it.

    What has no date is counted where nothing else narrows it down. Raises InvalidInput, StoreError.
    """
    memories, following = await earlier(service.store, namespace, filters, limit, cursor)
    plain = replace(filters, time=None) == Filters()
    return Timeline(
        namespace=namespace,
        memories=memories,
        undated=(await service.overview(namespace)).survey.undated if plain else None,
        time=TimeUse(range=filters.time, text="", applied="filter") if filters.time else None,
    ), following


async def show(call: Call) -> Response:
    """A memory, whole."""
    return reply(call.request, document(await call.memory.show(call.id)))


async def history(call: Call) -> Response:
    """All versions of a memory."""
    return reply(call.request, document(History(versions=await call.memory.history(call.id))))


async def near(call: Call) -> Response:
    """What stands near a memory: in its conversation, and in meaning."""
    memory = await call.memory.show(call.id)
    store, namespace = call.service.store, call.memory.namespace
    around = await neighbours(store, namespace, memory)
    alike = await similar(store, namespace, memory, call.memory.reader.embedder)
    return reply(call.request, near_document(around, alike))
