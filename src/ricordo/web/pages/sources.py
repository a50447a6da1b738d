"""Where memories come from: what was read, what of it was skipped, and reading it again."""

from __future__ import annotations

from urllib.parse import urlsplit
from urllib.request import url2pathname

from starlette.responses import Response

from ricordo.errors import InvalidInput, NotFound
from ricordo.exchange import Held
from ricordo.memory import TOLD
from ricordo.query import Filters
from ricordo.web.asking import EVENTS
from ricordo.web.given import Given
from ricordo.web.paging import earlier, page_of
from ricordo.web.rendering import Visit

__all__ = ["one", "reread", "show"]

PAGE = 100
FILE = "file:"


async def show(visit: Visit) -> Response:
    """All sources, a page at a time, and what was imported since the server started."""
    held = (await visit.service.overview(visit.memory.namespace)).survey.origins
    page, following = page_of(held, PAGE, visit.asked.maybe("cursor"))
    return visit.render(
        "sources.html",
        held=page,
        number=len(held),
        following=visit.address("/sources", cursor=following) if following else None,
        imports=[done for done in visit.service.imports if done.namespace == visit.memory.namespace],
        twin=visit.address("/api/sources"),
    )


async def one(visit: Visit) -> Response:
    """One source, and the memories of it whose time is known, the latest first."""
    held = await _held(visit, visit.asked.text("uri"))
    uri = f"{TOLD}:" if held.origin.uri == TOLD else held.origin.uri
    filters = Filters(origin=uri, superseded=True)
    cursor = visit.asked.maybe("cursor")
    memories, following = await earlier(visit.service.store, visit.memory.namespace, filters, EVENTS, cursor)
    return visit.render(
        "source.html",
        held=held,
        memories=[item for item in memories[::-1] if held.origin.uri == TOLD or item.origin.uri == uri],
        following=visit.address("/source", uri=held.origin.uri, cursor=following) if following else None,
        file=held.origin.uri.startswith(FILE),
        told=held.origin.uri == TOLD,
    )


async def reread(visit: Visit, given: Given) -> Response:
    """Read a file again that was read before. No path is taken from a request: only what the store names is read."""
    held = await _held(visit, given.text("uri"))
    if not held.origin.uri.startswith(FILE):
        raise InvalidInput(visit.say("source.not_file"))
    path = url2pathname(urlsplit(held.origin.uri).path)
    counts = await visit.memory.ingest([path])
    visit.service.imported(visit.memory, held.origin.title or path, counts)
    return visit.leave("/sources")


async def _held(visit: Visit, uri: str) -> Held:
    """Raises NotFound for a source that the namespace holds nothing of."""
    for held in (await visit.service.overview(visit.memory.namespace)).survey.origins:
        if held.origin.uri == uri:
            return held
    raise NotFound(f"nothing in this namespace comes from {uri}")
