"""JSON answers that a client need not be sent twice."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from ricordo.memory import digest

__all__ = ["conditional", "reply", "timed"]

JSON = "application/json"
VOLATILE = frozenset({"timings_ms"})
"""What differs each time it is asked for and changes no answer."""


def reply(request: Request, document: Mapping[str, object], status: int = 200) -> Response:
    """The document as JSON, or 304 when the client has it."""
    lasting = {name: value for name, value in document.items() if name not in VOLATILE}
    body = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    response = Response(body, status, media_type=JSON)
    return conditional(request, response, digest(json.dumps(lasting, ensure_ascii=False, sort_keys=True)))


def timed(response: Response, timings: Mapping[str, float]) -> Response:
    """The response with what took how long in it, in milliseconds, as browsers show it (W3C Server Timing)."""
    response.headers["Server-Timing"] = ", ".join(f"{stage};dur={spent:.1f}" for stage, spent in timings.items())
    return response


def conditional(request: Request, response: Response, version: str) -> Response:
    """The response with its ETag, or 304 in its place when the client has this version."""
    tag = f'W/"{version}"'
    if request.method in ("GET", "HEAD") and response.status_code == 200:
        response.headers["ETag"] = tag
        given = {each.strip() for each in request.headers.get("if-none-match", "").split(",")}
        if tag in given or "*" in given:
            return Response(status_code=304, headers={"ETag": tag})
    return response
