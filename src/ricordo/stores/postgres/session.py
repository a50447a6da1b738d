"""One transaction on one connection, in one namespace, with the named queries: everything else is names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from psycopg import AsyncConnection, AsyncCopy, sql
from psycopg.rows import DictRow

__all__ = ["Connection", "Row", "Session"]

_COPY = re.compile(r"COPY (\w+)\.(\w+) \(([^)]+)\)")

Connection: TypeAlias = AsyncConnection[DictRow]
Row: TypeAlias = DictRow


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """`namespace` goes into every statement. Where rows are `secured` from this role, none are copied."""

    connection: Connection
    sql: Mapping[str, str]
    namespace: str = ""
    secured: bool = False

    async def run(self, query: str, **values: object) -> int:
        """Execute a statement; the number of rows it changed."""
        cursor = await self.connection.execute(self.sql[query].encode(), {"namespace": self.namespace, **values})
        return cursor.rowcount

    async def run_many(self, query: str, rows: Sequence[Mapping[str, object]]) -> int:
        """Execute a statement once for each row of values, without waiting in between; rows changed in all."""
        if not rows:
            return 0
        cursor = self.connection.cursor()
        values = [{"namespace": self.namespace, **row} for row in rows]
        await cursor.executemany(self.sql[query].encode(), values)
        return cursor.rowcount

    async def all(self, query: str, **values: object) -> list[Row]:
        values = {"namespace": self.namespace, **values}
        cursor = await self.connection.execute(self.sql[query].encode(), values, binary=True)
        return await cursor.fetchall()

    async def one(self, query: str, **values: object) -> Row | None:
        found = await self.all(query, **values)
        return found[0] if found else None

    async def ids(self, query: str, ids: Iterable[str], **values: object) -> frozenset[str]:
        """The column `id` of a query over a list of ids."""
        return frozenset(row["id"] for row in await self.all(query, ids=list(ids), **values))

    async def simple(self, query: str) -> None:
        """Execute statements that take no values, in one message."""
        await self.connection.execute(self.sql[query].encode())

    async def composed(self, query: str, parts: Mapping[str, int | str], values: Mapping[str, object]) -> list[Row]:
        """A query whose {parts} cannot be parameters: the length of a vector, the name of an index."""
        text = sql.SQL(self.sql[query])
        names = {key: sql.Identifier(str(part)) if key == "name" else sql.Literal(part) for key, part in parts.items()}
        cursor = await self.connection.execute(
            text.format(**names), {"namespace": self.namespace, **values} if values else None, binary=True
        )
        return await cursor.fetchall() if cursor.description else []

    async def copy(self, query: str, rows: Iterable[Sequence[object]], types: Sequence[str] = ()) -> None:
        """Append rows; with types, in binary form."""
        if self.secured:
            await self._insert(query, rows)
            return
        copying: AsyncCopy
        async with self.connection.cursor().copy(self.sql[query].encode()) as copying:
            if types:
                copying.set_types(cast("Any", list(types)))
            for row in rows:
                await copying.write_row(row)

    async def _insert(self, query: str, rows: Iterable[Sequence[object]]) -> None:
        """The same by INSERT: PostgreSQL copies nothing into a table with row-level security."""
        schema, table, listed = _COPY.findall(self.sql[query])[0]
        columns = [name.strip() for name in listed.split(",")]
        statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier(schema, table),
            sql.SQL(", ").join(map(sql.Identifier, columns)),
            sql.SQL(", ").join(sql.Placeholder() for _ in columns),
        )
        await self.connection.cursor().executemany(statement, [tuple(row) for row in rows])
