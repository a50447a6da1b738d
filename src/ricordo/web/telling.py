"""REST that changes single memories: remember, revise, bury, forget."""

from __future__ import annotations

from starlette.responses import Response

from ricordo.errors import InvalidInput
from ricordo.render.documents import document
from ricordo.render.reports import Buried, Forgotten, Revised
from ricordo.web.dispatch import Call
from ricordo.web.replies import reply

__all__ = ["bury", "forget", "remember", "revise"]

CREATED = 201


async def remember(call: Call) -> Response:
    """A text is remembered; 201 when it is new."""
    given = call.given
    remembered = await call.memory.remember(
        given.text("text"),
        event_timestamp=given.time("when", call.memory),
        tags=given.texts("tags"),
        metadata=given.mapping("metadata"),
        supersedes=given.maybe("supersedes"),
    )
    call.service.surveys.changed(call.memory.namespace)
    return reply(call.request, document(remembered), CREATED if remembered.created else 200)


async def revise(call: Call) -> Response:
    """A new text takes a memory's place."""
    given = call.given
    when = given.time("when", call.memory)
    revised = await call.memory.revise(call.id, given.text("text"), event_timestamp=when)
    call.service.surveys.changed(call.memory.namespace)
    return reply(call.request, document(Revised(memory=revised)))


async def bury(call: Call) -> Response:
    """Memories are kept behind all others, or, undone, among them again."""
    undo = call.given.flag("undo")
    done = await call.memory.bury(_ids(call), undo=undo)
    return reply(call.request, document(Buried(ids=done, undone=undo)))


async def forget(call: Call) -> Response:
    """Memories are removed for good, with all their versions."""
    gone = await call.memory.forget(_ids(call))
    call.service.surveys.changed(call.memory.namespace)
    return reply(call.request, document(Forgotten(ids=gone)))


def _ids(call: Call) -> tuple[str, ...]:
    ids = call.given.texts("ids")
    if not ids:
        raise InvalidInput("ids must name one memory or more")
    return ids
