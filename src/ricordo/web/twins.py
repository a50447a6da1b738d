"""REST that says what a page shows, where nothing else says it."""

from __future__ import annotations

from dataclasses import fields

from starlette.exceptions import HTTPException
from starlette.responses import Response

from ricordo.engine import Engine
from ricordo.nearby import neighbours, similar
from ricordo.render.documents import document
from ricordo.settings import without_password
from ricordo.web.asking import EVENTS
from ricordo.web.chosen import held, said_by, to_forget
from ricordo.web.dispatch import Call
from ricordo.web.documents import (
    binned_document,
    held_document,
    imported_document,
    measures_document,
    near_document,
)
from ricordo.web.measures import measures
from ricordo.web.paging import within_limits
from ricordo.web.replies import reply

__all__ = [
    "forgettable",
    "imports",
    "memory",
    "settings",
    "shown_settings",
    "source",
    "statistics",
    "take_back",
    "trash",
]


async def memory(call: Call) -> Response:
    """A memory with its versions and what stands near it."""
    versions = await call.memory.history(call.id)
    found = await call.memory.show(call.id)
    store, namespace = call.service.store, call.memory.namespace
    around = await neighbours(store, namespace, found)
    alike = await similar(store, namespace, found, call.memory.reader.embedder)
    near = near_document(around, alike)
    return reply(call.request, {**document(found), "versions": [document(each) for each in versions], **near})


async def source(call: Call) -> Response:
    """A source, and a page of what it says."""
    given, namespace = call.given, call.memory.namespace
    found = await held(call.service, namespace, given.text("uri"))
    limit = within_limits(given.number("limit", EVENTS))
    memories, following = await said_by(call.service, namespace, found, limit, given.maybe("cursor"))
    listed = [document(item) for item in memories]
    return reply(call.request, {**held_document(found), "said": listed, "next": following})


async def statistics(call: Call) -> Response:
    """What the plots are of."""
    return reply(call.request, measures_document(await measures(call.service, call.memory.namespace)))


async def settings(call: Call) -> Response:
    """The settings in force."""
    return reply(call.request, {"settings": shown_settings(call.memory)})


def shown_settings(engine: Engine) -> dict[str, str]:
    """The settings in force, without passwords."""
    chosen = engine.settings
    return {each.name: without_password(str(getattr(chosen, each.name))) for each in fields(chosen)}


async def imports(call: Call) -> Response:
    """What was read since the server started."""
    done = [each for each in call.service.imports if each.namespace == call.memory.namespace]
    return reply(call.request, {"imports": [imported_document(each) for each in done]})


async def forgettable(call: Call) -> Response:
    """What would be forgotten; nothing is."""
    found = await to_forget(call.service, call.memory, call.given)
    return reply(call.request, {"memories": [document(item) for item in found]})


async def trash(call: Call) -> Response:
    """What was forgotten on a page and can be put back."""
    bin_ = call.service.trash
    kept = [binned_document(each, bin_.seconds_left(each)) for each in bin_.of(call.memory.namespace)]
    return reply(call.request, {"kept": kept})


async def take_back(call: Call) -> Response:
    """It is put back as it was, or dropped from this process too."""
    drop, service = call.given.flag("drop"), call.service
    with service.trash.taken(call.given.text("key")) as binned:
        if binned is None:
            raise HTTPException(404, "it is gone: it was put back, dropped, or kept for its ten minutes")
        restored = () if drop else await service.within(binned.namespace).restore(binned.memories)
    service.surveys.changed(binned.namespace)
    return reply(call.request, {"restored": list(restored)})
