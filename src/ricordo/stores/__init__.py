"""Stores, found by URL and imported only when asked for."""

from __future__ import annotations

from importlib import import_module
from typing import cast
from urllib.parse import urlsplit

from ricordo.errors import InvalidInput
from ricordo.protocols import Store
from ricordo.settings import without_password

__all__ = ["open_store"]

_STORES = {
    "sqlite": ("ricordo.stores.sqlite", "SqliteStore"),
    "postgresql": ("ricordo.stores.postgres", "PostgresStore"),
    "postgresql+embedded": ("ricordo.stores.postgres.embedded", "EmbeddedStore"),
    "memory": ("ricordo.testing", "InMemoryStore"),
}


def open_store(url: str) -> Store:
    """The store behind a URL, not yet opened.

    `sqlite:///path/to/file.db`, `postgresql://user@host/database`, `postgresql+embedded:///directory` for a
    private server, or `memory:` for tests.

    Raises InvalidInput for a scheme that no store has.
    """
    scheme = urlsplit(url).scheme
    if scheme not in _STORES:
        known = ", ".join(f"{name}:" for name in sorted(_STORES))
        raise InvalidInput(f"no store is behind {without_password(url)!r}; a store URL begins with one of {known}")
    module, name = _STORES[scheme]
    return cast("Store", getattr(import_module(module), name).from_url(url))
