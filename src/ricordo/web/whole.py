"""REST about all that is kept: stats, survey, namespaces, sources, doctor."""

from __future__ import annotations

from anyio import to_thread
from starlette.responses import Response

from ricordo.render.documents import document
from ricordo.web.dispatch import Call
from ricordo.web.documents import held_document, skip_document, survey_document
from ricordo.web.paging import page_of
from ricordo.web.replies import reply

__all__ = ["MOST_SKIPPED", "doctor", "namespaces", "skipped", "sources", "stats", "survey"]

PAGE = 100
MOST_SKIPPED = 100
"""What is told with the sources; all of it can be had alone."""


async def stats(call: Call) -> Response:
    """Counts over the whole store."""
    return reply(call.request, document(await call.service.surveys.stats(call.service.store)))


async def survey(call: Call) -> Response:
    """A namespace from above."""
    found = await call.service.overview(call.memory.namespace)
    return reply(call.request, survey_document(call.memory.namespace, found))


async def namespaces(call: Call) -> Response:
    """The namespaces that hold something."""
    given, found = call.given, (await call.service.surveys.stats(call.service.store)).namespaces
    page, following = page_of(sorted(found.items()), given.number("limit", PAGE), given.maybe("cursor"))
    listed = [{"name": name, "memories": memories} for name, memories in page]
    return reply(call.request, {"namespaces": listed, "next": following})


async def sources(call: Call) -> Response:
    """Where the memories of a namespace come from, and what their last readings could not take in."""
    given, found = call.given, (await call.service.overview(call.memory.namespace)).survey.origins
    page, following = page_of(found, given.number("limit", PAGE), given.maybe("cursor"))
    listed = [held_document(held) for held in page]
    passed = [skip_document(skip) for skip in (await call.memory.skipped())[:MOST_SKIPPED]]
    named = {"namespace": call.memory.namespace, "sources": listed, "skipped": passed, "next": following}
    return reply(call.request, named)


async def skipped(call: Call) -> Response:
    """What readings could not take in, the latest first."""
    given = call.given
    page, following = page_of(await call.memory.skipped(), given.number("limit", PAGE), given.maybe("cursor"))
    listed = [skip_document(skip) for skip in page]
    return reply(call.request, {"namespace": call.memory.namespace, "skipped": listed, "next": following})


async def doctor(call: Call) -> Response:
    """Settings, store and models are looked at."""
    return reply(call.request, document(await to_thread.run_sync(call.service.diagnose)))
