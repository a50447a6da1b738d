"""Files that are dropped on the page, or chosen in it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from ricordo.web.bulk import read_received, uploaded
from ricordo.web.given import from_pairs
from ricordo.web.rendering import Visit, check_csrf, visit_of
from ricordo.web.service import Imported
from ricordo.web.uploads import receive

__all__ = ["receive_files", "show"]


async def show(visit: Visit) -> Response:
    """Where to drop them, and what can be read."""
    return visit.render("import.html", twin=visit.address("/api/imports"), imports=_imports(visit))


def _imports(visit: Visit) -> list[Imported]:
    return [done for done in visit.service.imports if done.namespace == visit.memory.namespace]


async def receive_files(request: Request) -> Response:
    """Read what was sent, and show what came of it. Without JavaScript the answer waits for all of it."""
    visit = visit_of(request)
    async with uploaded(request) as (form, files):
        check_csrf(visit, from_pairs((name, part) for name, part in form.multi_items() if isinstance(part, str)))
        received = await receive(files)
    await read_received(visit.service, visit.memory, received)
    return visit.leave("/import")
