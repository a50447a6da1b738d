"""Where a server is: a URL taken apart, and a name for it that holds no password."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ricordo.errors import InvalidInput

__all__ = ["Address", "Directory", "address", "directory"]

DATABASE = "ricordo"
USUAL = {
    "application_name": "ricordo",
    "connect_timeout": "10",
    # A server that vanishes without a word is noticed within a minute, also by what may take as long as it takes.
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
"""What libpq is told unless the URL says otherwise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """A server to connect to. `conninfo` may hold a password, `label` never does."""

    conninfo: str = field(repr=False)
    label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Directory:
    """A private server's directory, the database in it, and the `bin` directory to run it with, if one is named."""

    path: Path
    database: str = DATABASE
    binaries: str | None = None


def address(url: str) -> Address:
    """`postgresql://user:password@host:port/database?sslmode=…`, as libpq reads it.

    Raises InvalidInput, which does not repeat the URL, for it may hold a password.
    """
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        message = "the store's URL cannot be read; write postgresql://user:password@host:5432/database, with %40 for @"
        raise InvalidInput(message) from None
    usual = {name: value for name, value in USUAL.items() if name not in parts}
    return Address(conninfo=make_conninfo(url, **usual), label=_label(parts))


def _label(parts: Mapping[str, object]) -> str:
    user = f"{parts['user']}@" if parts.get("user") else ""
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{user}{parts.get('host') or ''}{port}/{parts.get('dbname') or ''}"


def directory(url: str) -> Directory:
    """`postgresql+embedded:///absolute/directory`, `…:///~/directory`, with `?bin=` and `?database=`.

    Raises InvalidInput.
    """
    parts = urlsplit(url)
    path = unquote(parts.path)
    if parts.netloc or not path.startswith("/") or path.strip("/") == "":
        raise InvalidInput(f"{url!r} names no directory; write postgresql+embedded:///home/me/memory")
    options = parse_qs(parts.query, keep_blank_values=True)
    unknown = sorted(set(options) - {"bin", "database"})
    if unknown:
        raise InvalidInput(f"{unknown[0]!r} is no option of {parts.scheme}; the options are bin and database")
    # Four slashes, as SQLite's URLs have them before an absolute path, mean the same.
    return Directory(
        path=Path("/" + path.lstrip("/")) if not path.startswith("/~") else Path(path[1:]).expanduser(),
        database=options.get("database", [DATABASE])[-1],
        binaries=options.get("bin", [None])[-1],
    )
