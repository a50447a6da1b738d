"""Who may ask: a token made at each start, the names that this server goes by, and what follows from the two; pure.

That an address is of this machine protects nothing: any page in a browser can send requests to it, and a name that a
stranger controls can be made to point at it. So every request must name this server (`Host`), must not come from
another site (`Origin`, `Sec-Fetch-Site`), and must bring the token, or the cookie that the token was exchanged for.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

from ricordo.errors import InvalidInput

__all__ = ["CSRF_HEADER", "LEAST_TOKEN", "Access", "is_loopback"]

CSRF_HEADER = "x-csrf-token"
LEAST_TOKEN = 32
"""Characters of a token that somebody chose."""
HTTP = 80
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
SAME_SITE = frozenset({"same-origin", "none"})
"""Values of Sec-Fetch-Site of our own pages, and of an address that was typed or clicked outside of the browser."""


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine alone."""
    return host in ("localhost", "::1") or (host.startswith("127.") and host.replace(".", "").isdigit())


def _new_token() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """The token of one start of the server on `port`, and the hosts that it is asked for by.

    `aliases` are values of `Host` beyond the names of this machine for itself: of a server in front of this one, or of
    another address. Raises InvalidInput for a token that is too short to be a secret.
    """

    port: int
    aliases: tuple[str, ...] = ()
    token: str = field(default_factory=_new_token, repr=False)

    def __post_init__(self) -> None:
        if len(self.token) < LEAST_TOKEN or not self.token.isascii() or not self.token.isprintable():
            raise InvalidInput(f"a token must have {LEAST_TOKEN} printable ASCII characters or more")

    @property
    def cookie_name(self) -> str:
        """One for each port: a browser gives cookies to every port of a host."""
        return f"ricordo-{self.port}"

    @property
    def session(self) -> str:
        """What the cookie holds: it opens the pages, and the token cannot be told from it."""
        return self._derived("session")

    @property
    def csrf(self) -> str:
        """What every form of our pages brings back, and no other page knows."""
        return self._derived("csrf")

    def _derived(self, purpose: str) -> str:
        return hmac.new(self.token.encode(), purpose.encode(), hashlib.sha256).hexdigest()

    @property
    def hosts(self) -> frozenset[str]:
        """The values of `Host` that mean this server."""
        plain = LOOPBACK if self.port == HTTP else ()
        return frozenset((*(f"{name}:{self.port}" for name in LOOPBACK), *plain, *map(str.lower, self.aliases)))

    def names_us(self, hosts: Iterable[str]) -> bool:
        """Whether these are the `Host` headers of a request to this server: exactly one, with a name we go by."""
        found = [host.lower() for host in hosts]
        return len(found) == 1 and found[0] in self.hosts

    def from_our_pages(self, headers: Mapping[str, str]) -> bool:
        """Whether what a browser says of where a request comes from is our own page, or no page at all.

        A form of a page that sends no referrer has the origin `null`; then Sec-Fetch-Site must vouch for it, which
        no page can set.
        """
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None and site not in SAME_SITE:
            return False
        if origin is None or (origin == "null" and site == "same-origin"):
            return True
        scheme, _, host = origin.lower().partition("://")
        return scheme in ("http", "https") and host in self.hosts

    def has_token(self, headers: Mapping[str, str]) -> bool:
        """Whether a program brings the token, as `Authorization: Bearer`."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self.is_token(given.strip())

    def has_session(self, headers: Mapping[str, str]) -> bool:
        """Whether a browser brings the cookie."""
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.cookie_name)
        except CookieError:
            return False
        return morsel is not None and _same(morsel.value, self.session)

    def is_token(self, given: str) -> bool:
        return _same(given, self.token)

    def is_csrf(self, given: str) -> bool:
        return _same(given, self.csrf)


def _same(given: str, expected: str) -> bool:
    """Compared in a time that tells nothing of where they differ."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())
