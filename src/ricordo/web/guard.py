"""The door: every request, of whatever route, is checked here before anything else sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ricordo.web.access import CSRF_HEADER, Access

__all__ = ["STATIC", "Guard", "csrf_given", "signed_in"]

STATIC = "/static/"
SIGN_IN = "/sign-in"
TOKEN = "token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
SESSION_COOKIE = "session"
BEARER = "bearer"

LASTING = "max-age=31536000, immutable"
"""Of the files of our pages: their addresses change with what they hold."""
POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

Refuse = Callable[[Request, int, str], Response]
"""How a refusal looks: the request, the status, why."""


def csrf_given(request: Request) -> bool:
    """Whether the request needs no form's token any more: a program sent it, or its header brought that token."""
    return bool(request.scope["ricordo.csrf"])


def signed_in(request: Request) -> bool:
    """Whether the request brought the token or the cookie."""
    return request.scope["ricordo.by"] is not None


@dataclass(frozen=True, slots=True)
class Guard:
    """Lets through who names this server, comes from nowhere else, and has the token or the cookie.

    The files of our pages need no token: they are the same for everybody, and the page that asks for it uses them.
    """

    app: ASGIApp
    access: Access
    refuse: Refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            answer = self._checked(scope) or self.app
            await answer(scope, receive, _with_headers(send, lasting=scope["path"].startswith(STATIC)))
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _checked(self, scope: Scope) -> ASGIApp | None:
        """A refusal, or the redirection away from a link with the token; None lets the request through."""
        request, headers = Request(scope), Headers(scope=scope)
        scope["ricordo.by"], scope["ricordo.csrf"] = None, False
        if not self.access.names_us(headers.getlist("host")):
            return self.refuse(request, 421, "this server does not go by that name")
        if not self.access.from_our_pages(headers):
            return self.refuse(request, 403, "another site may not ask this server")
        if scope["method"] in SAFE_METHODS and (query := _query(scope)) and TOKEN in query:
            return self._exchange(request, query)
        if self.access.has_token(headers):
            scope["ricordo.by"], scope["ricordo.csrf"] = BEARER, True
        elif self.access.has_session(headers):
            scope["ricordo.by"] = SESSION_COOKIE
            scope["ricordo.csrf"] = self.access.is_csrf(headers.get(CSRF_HEADER, ""))
        elif not scope["path"].startswith(STATIC) and scope["path"] != SIGN_IN:
            return self.refuse(request, 401, "the token of this server is needed")
        return None

    def _exchange(self, request: Request, query: dict[str, str]) -> Response:
        if not self.access.is_token(query.pop(TOKEN)):
            return self.refuse(request, 401, "this is not the token of this server; it has a new one since each start")
        # A path that begins with two slashes would lead to another host.
        path = "/" + request.scope["path"].lstrip("/\\")
        response = RedirectResponse(f"{path}?{urlencode(query)}" if query else path, status_code=303)
        set_session(response, self.access)
        return response


def set_session(response: Response, access: Access) -> None:
    """Let the browser keep the cookie until it is closed."""
    response.set_cookie(access.cookie_name, access.session, httponly=True, samesite="strict", path="/")


def _query(scope: Scope) -> dict[str, str]:
    return dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))


def _with_headers(send: Send, *, lasting: bool) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            found = lasting and message["status"] == HTTPStatus.OK
            headers.setdefault("Cache-Control", LASTING if found else "private, no-cache")
            del headers["server"]
        await send(message)

    return sending
