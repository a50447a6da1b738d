"""Coming in with the token, and how a reader likes to read."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ricordo.errors import InvalidInput
from ricordo.web.given import Given
from ricordo.web.guard import set_session
from ricordo.web.rendering import LANGUAGE_COOKIE, THEME_COOKIE, THEMES, Visit, refusal_page
from ricordo.web.service import service_of
from ricordo.web.wording import LANGUAGES

__all__ = ["prefer", "sign_in"]

YEAR = 365 * 24 * 3600


async def sign_in(request: Request) -> Response:
    """The token from the form, in exchange for the cookie."""
    access = service_of(request).access
    async with request.form(max_fields=2, max_files=0) as form:
        token = form.get("token")
    if not isinstance(token, str) or not access.is_token(token.strip()):
        return refusal_page(request, 401, "this is not the token of this server; it has a new one since each start")
    response = RedirectResponse("/", status_code=303)
    set_session(response, access)
    return response


async def prefer(visit: Visit, given: Given) -> Response:
    """Keep a language or a theme, and go back to the page that it was chosen on."""
    theme, language = given.maybe("theme"), given.maybe("language")
    if (theme and theme not in THEMES) or (language and language not in LANGUAGES):
        raise InvalidInput(f"there are the themes {', '.join(THEMES)} and the languages {', '.join(LANGUAGES)}")
    response = RedirectResponse(_local(given.maybe("next") or "/"), status_code=303)
    for name, value in ((THEME_COOKIE, theme), (LANGUAGE_COOKIE, language)):
        if value:
            response.set_cookie(name, value, max_age=YEAR, samesite="strict", httponly=True)
    return response


def _local(path: str) -> str:
    """A path of this server; anything that could lead elsewhere becomes the first page."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() else "/"
