"""The store on PostgreSQL: GIN for words, pgvector for vectors, on a server or a cluster."""

from __future__ import annotations

from ricordo.errors import MissingExtra

try:
    import pgvector  # noqa: F401
    import psycopg  # noqa: F401
    import psycopg_pool  # noqa: F401
except ImportError as error:
    raise MissingExtra("postgres", f"the PostgreSQL store needs {error.name}") from error

from ricordo.stores.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
