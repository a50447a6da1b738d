"""The application: routes, what every request passes on its way to them, and how errors are answered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import PackageNotFoundError, version

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from ricordo.engine import Engine
from ricordo.errors import RicordoError
from ricordo.render.reports import Diagnosis
from ricordo.web.access import Access
from ricordo.web.dispatch import Endpoint
from ricordo.web.endpoints import ENDPOINTS
from ricordo.web.guard import Guard
from ricordo.web.limits import Limits
from ricordo.web.openapi import openapi
from ricordo.web.pages import PAGES
from ricordo.web.refusals import broken, failed, raised, refused
from ricordo.web.service import Service
from ricordo.web.trash import Trash

__all__ = ["create_app"]

SWEEP_SECONDS = 15.0
FILES = frozenset({"/api/ingest", "/api/import", "/import"})


def create_app(engine: Engine, access: Access, diagnose: Callable[[], Diagnosis]) -> ASGIApp:
    """The pages and REST over an engine, which is opened and closed with the application.

    `diagnose` is what `doctor` does; it runs in a worker thread.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with engine, anyio.create_task_group() as group:
            app.state.service = service = Service(engine=engine, access=access, diagnose=diagnose)
            service.surveys.spawn = group.start_soon
            group.start_soon(_sweep, service.trash)
            group.start_soon(service.look_around)
            yield
            group.cancel_scope.cancel()

    app = Starlette(
        routes=[*map(_route, ENDPOINTS), Route("/api/openapi.json", _description()), *PAGES],
        lifespan=lifespan,
        exception_handlers={HTTPException: raised, RicordoError: failed, Exception: broken},
    )
    return Guard(Limits(app, FILES), access, refused)


async def _sweep(trash: Trash) -> None:
    """Let go of what was forgotten when its time is up, whether anybody looks or not."""
    while True:
        await anyio.sleep(SWEEP_SECONDS)
        trash.sweep()


def _route(endpoint: Endpoint) -> Route:
    async def handle(request: Request) -> Response:
        return await endpoint(request)

    return Route(endpoint.path, handle, methods=[endpoint.method], name=endpoint.name)


def _description() -> Callable[[Request], Response]:
    try:
        found = version("ricordo")
    except PackageNotFoundError:
        found = "unknown"
    document = openapi(ENDPOINTS, found)
    return lambda _: JSONResponse(document)
