"""How it is said that a request is not done: a page to people, a problem document to programs."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ricordo.errors import RicordoError
from ricordo.web.problems import CODES, code_of, problem, status_of
from ricordo.web.rendering import refusal_page

__all__ = ["broken", "failed", "raised", "refused", "wants_page"]

API = "/api/"


def wants_page(request: Request) -> bool:
    """Whether whoever asks reads HTML."""
    return not request.url.path.startswith(API) and "text/html" in request.headers.get("accept", "")


def refused(request: Request, status: int, why: str) -> Response:
    """The guard's refusal."""
    return refusal_page(request, status, why) if wants_page(request) else problem(status, why)


async def raised(request: Request, error: Exception) -> Response:
    """What a handler, or the framework, raised on purpose."""
    status, why = (error.status_code, error.detail) if isinstance(error, HTTPException) else (500, "")
    response = refused(request, status, why)
    if isinstance(error, HTTPException) and error.headers:
        response.headers.update(error.headers)
    return response


async def failed(request: Request, error: Exception) -> Response:
    """An error of ours."""
    if not isinstance(error, RicordoError):
        raise error
    status = status_of(error)
    return (
        refusal_page(request, status, str(error))
        if wants_page(request)
        else problem(status, str(error), code_of(error))
    )


async def broken(request: Request, error: Exception) -> Response:
    """A fault; the log has its traceback."""
    return refused(request, 500, f"{CODES[500]}: {type(error).__name__}; the log of the server says more")
