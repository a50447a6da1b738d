"""Spread a database over the nodes of a Citus cluster, by namespace.

A namespace stays whole: all its rows lie on one node, and every statement names one namespace, so each is
answered by one node. Tables that hold data already are distributed with it.
"""

from __future__ import annotations

from ricordo.stores.postgres.session import Session

__all__ = ["TABLES", "distribute"]

FIRST = "ricordo.namespace"
TABLES = (
    FIRST,
    "ricordo.origin",
    "ricordo.memory",
    "ricordo.chunk",
    "ricordo.embedder",
    "ricordo.embedding",
    "ricordo.token_embedding",
    "ricordo.tombstone",
    "ricordo.counter",
    "ricordo.frequency",
    "ricordo.queue",
)  # parents first


async def distribute(session: Session) -> tuple[str, ...] | None:
    """Distribute the tables that are not yet; their names. None, and nothing is done, where there is no Citus."""
    if await session.one("has_citus") is None:
        return None
    await session.simple("lock_schema")
    known = {row["name"] for row in await session.all("distributed_tables")}
    done = [table for table in TABLES if table not in known]
    for table in done:
        beside = "none" if table == FIRST else FIRST
        await session.all("distribute_table", name=table, beside=beside)
    if "ricordo.schema_version" not in known:
        await session.all("replicate_table", name="ricordo.schema_version")
    for table in reversed(done):
        await session.all("truncate_local_rows", name=table)
    return tuple(done)
