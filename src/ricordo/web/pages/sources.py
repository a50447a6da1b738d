"""Where memories come from: what was read, what of it was skipped, and reading it again."""

from __future__ import annotations

from urllib.request import url2pathname

from starlette.responses import Response

from ricordo.errors import InvalidInput
from ricordo.memory import TOLD, uri_parts
from ricordo.web.asking import EVENTS
from ricordo.web.chosen import held, said_by
from ricordo.web.given import Given
from ricordo.web.paging import page_of
from ricordo.web.rendering import Visit
from ricordo.web.whole import MOST_SKIPPED

__all__ = ["one", "reread", "show"]

PAGE = 100
FILE = "file:"


async def show(visit: Visit) -> Response:
    """All sources, a page at a time, what could not be read of them, and what was imported since the server started."""
    skips = await visit.memory.skipped()
    origins = (await visit.service.overview(visit.memory.namespace)).survey.origins
    page, following = page_of(origins, PAGE, visit.asked.maybe("cursor"))
    return visit.render(
        "sources.html",
        held=page,
        number=len(origins),
        following=visit.address("/sources", cursor=following) if following else None,
        skips=skips[:MOST_SKIPPED],
        more=len(skips[MOST_SKIPPED:]),
        imports=[done for done in visit.service.imports if done.namespace == visit.memory.namespace],
        twin=visit.address("/api/sources", cursor=visit.asked.maybe("cursor")),
    )


async def one(visit: Visit) -> Response:
    """One source, and the memories of it whose time is known, the latest first."""
    namespace, cursor = visit.memory.namespace, visit.asked.maybe("cursor")
    source = await held(visit.service, namespace, visit.asked.text("uri"))
    memories, following = await said_by(visit.service, namespace, source, EVENTS, cursor)
    uri = source.origin.uri
    return visit.render(
        "source.html",
        twin=visit.address("/api/source", uri=uri, cursor=cursor),
        held=source,
        memories=memories[::-1],
        following=visit.address("/source", uri=uri, cursor=following) if following else None,
        file=uri.startswith(FILE),
        told=uri == TOLD,
    )


async def reread(visit: Visit, given: Given) -> Response:
    """Read a file again that was read before. No path is taken from a request: only what the store names is read."""
    origin = (await held(visit.service, visit.memory.namespace, given.text("uri"))).origin
    if not origin.uri.startswith(FILE):
        raise InvalidInput(visit.say("source.not_file"))
    path = url2pathname(uri_parts(origin.uri).path)
    counts = await visit.memory.ingest([path])
    visit.service.imported(visit.memory, origin.title or path, counts)
    return visit.leave("/sources")
