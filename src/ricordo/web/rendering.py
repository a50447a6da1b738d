"""Pages from templates: what every page has, and how a handler of one is called."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cache
from importlib.resources import files
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ricordo.engine import Engine
from ricordo.memory import digest
from ricordo.render.phrases import safe, short_id
from ricordo.web.given import Given, from_pairs
from ricordo.web.guard import STATIC, csrf_given, signed_in
from ricordo.web.moments import Moments
from ricordo.web.replies import conditional
from ricordo.web.service import Service, service_of
from ricordo.web.wording import LANGUAGES, Wording, preferred, wording

__all__ = [
    "LANGUAGE_COOKIE",
    "THEMES",
    "THEME_COOKIE",
    "Visit",
    "action",
    "asset",
    "check_csrf",
    "page",
    "refusal_page",
    "visit_of",
]

LANGUAGE_COOKIE, THEME_COOKIE = "ricordo-language", "ricordo-theme"
THEMES = ("auto", "light", "dark")
CSRF_FIELD = "csrf"
Values = Mapping[str, str | int | bool | tuple[str, ...] | None]


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("ricordo.web"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(safe_text=safe, short_id=short_id)
    environment.globals.update(asset=asset)
    return environment


@cache
def asset(name: str) -> str:
    """The address of a file of our pages, which changes with what it holds."""
    content = files("ricordo.web").joinpath("static", name).read_bytes()
    return f"{STATIC}{name}?v={digest(content.hex())[:12]}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Visit:
    """A request for a page: what it asks for, in which namespace, and how its reader likes to read."""

    request: Request
    service: Service
    memory: Engine
    asked: Given
    say: Wording
    theme: str

    @property
    def zone(self) -> tzinfo:
        return self.memory.settings.zone()

    @property
    def now(self) -> datetime:
        return self.service.now()

    def address(self, path: str, values: Values | None = None, **more: str | int | bool | None) -> str:
        """A path of ours with what is given in its query, in the namespace of the visit."""
        given = {**(values or {}), **more}.items()
        named = ((name, each) for name, value in given for each in (value if isinstance(value, tuple) else (value,)))
        pairs = [(name, "true" if each is True else str(each)) for name, each in named if each not in (None, "", False)]
        if self.memory.namespace != self.service.engine.namespace:
            pairs.append(("namespace", self.memory.namespace))
        return f"{path}?{urlencode(pairs)}" if pairs else path

    def render(self, template: str, *, twin: str, status: int = 200, **values: object) -> Response:
        """A page. Its `twin` is the address of what it shows as JSON."""
        html = _templates().get_template(template).render(
            visit=self, twin=twin, say=self.say, address=self.address, csrf=self.service.access.csrf, theme=self.theme,
            translations=LANGUAGES, path=self.request.url.path, when=Moments(self.now, self.zone, self.say), **values
        )  # fmt: skip
        return conditional(self.request, HTMLResponse(html, status), digest(html))

    def leave(self, path: str, **values: str | int | bool | None) -> Response:
        """On to another page, after something was done."""
        return RedirectResponse(self.address(path, values), status_code=303)


def page(handler: Callable[[Visit], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """A handler of GET."""

    async def handle(request: Request) -> Response:
        visit = visit_of(request)
        return await visit.service.turns.take(request, lambda: handler(visit), asks=visit.asked.asks)

    return handle


def action(handler: Callable[[Visit, Given], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """A handler of a form that was sent from one of our pages, and from no other."""

    async def handle(request: Request) -> Response:
        visit = visit_of(request)
        async with request.form(max_fields=2000, max_files=0) as form:
            given = from_pairs((name, value) for name, value in form.multi_items() if isinstance(value, str))
        check_csrf(visit, given)
        return await handler(visit, given)

    return handle


def check_csrf(visit: Visit, given: Given) -> None:
    """Raises HTTPException unless the form, or a header, brought the token of our pages."""
    if not csrf_given(visit.request) and not visit.service.access.is_csrf(given.maybe(CSRF_FIELD) or ""):
        raise HTTPException(403, "the form is not one of this server's since its start; go back and load the page anew")


def visit_of(request: Request) -> Visit:
    """Raises ConfigError for a namespace that cannot be."""
    service = service_of(request)
    asked = from_pairs(request.query_params.multi_items())
    memory = service.within(asked.maybe("namespace"))
    return Visit(
        request=request, service=service, memory=memory, asked=asked, say=_wording(request), theme=_theme(request)
    )


def _wording(request: Request) -> Wording:
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    return wording(chosen if chosen in LANGUAGES else preferred(request.headers.get("accept-language", "")))


def _theme(request: Request) -> str:
    chosen = request.cookies.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else THEMES[0]


def refusal_page(request: Request, status: int, why: str) -> Response:
    """Why there is no page, and what to do; with the form for the token to whom has not signed in."""
    html = _templates().get_template("refusal.html").render(
        say=_wording(request), theme=_theme(request), status=status, why=why, signed_in=signed_in(request)
    )  # fmt: skip
    return HTMLResponse(html, status)
