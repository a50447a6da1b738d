"""One connection, in one namespace, with the named queries: three primitives, everything else is names."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ricordo.stores.sqlite.rows import Value

__all__ = ["Session"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """`namespace` is the namespace's key, which goes into every statement; 0 where nothing was written yet."""

    connection: sqlite3.Connection
    sql: Mapping[str, str]
    namespace: int = 0

    @classmethod
    def within(cls, connection: sqlite3.Connection, sql: Mapping[str, str], namespace: str) -> Session:
        row = connection.execute(sql["namespace_key"], {"namespace": namespace}).fetchone()
        return cls(connection=connection, sql=sql, namespace=row["key"] if row else 0)

    def run(self, query: str, **values: Value) -> int:
        """Execute a statement; the number of rows it changed."""
        return self.connection.execute(self.sql[query], {"namespace": self.namespace, **values}).rowcount

    def all(self, query: str, **values: Value) -> list[sqlite3.Row]:
        return self.connection.execute(self.sql[query], {"namespace": self.namespace, **values}).fetchall()

    def one(self, query: str, **values: Value) -> sqlite3.Row | None:
        row: sqlite3.Row | None = self.connection.execute(
            self.sql[query], {"namespace": self.namespace, **values}
        ).fetchone()
        return row

    def ids(self, query: str, ids: Iterable[str], **values: Value) -> frozenset[str]:
        """The first column of a query over a list of ids."""
        return frozenset(row[0] for row in self.all(query, ids=json.dumps(list(ids)), **values))
