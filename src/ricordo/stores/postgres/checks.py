"""Is the database whole? What `ricordo doctor` asks a PostgreSQL store."""

from __future__ import annotations

from ricordo.exchange import Fault
from ricordo.stores.postgres.session import Session

__all__ = ["faults"]

REPAIR = "`ricordo doctor --repair`"

COUNTED = (
    ("hidden_memories", "memories are hidden by a version that is not here"),
    ("memories_without_chunks", "memories cannot be found because they have no chunks"),
    ("chunks_marked_wrong", "chunks do not know whether their memory was superseded"),
    ("vectors_marked_wrong", "vectors do not know their memory, or whether it was superseded"),
    ("wrong_frequencies", "document frequencies do not add up"),
)


async def faults(session: Session) -> tuple[Fault, ...]:
    """Everything found wrong, the gravest first; the server itself vouches for keys, references and indexes."""
    found: list[Fault] = []
    for query, what in COUNTED:
        row = await session.one(query)
        if row and row["found"]:
            found.append(Fault(what=f"{row['found']} {what}", mend=REPAIR))
    namespaces = {row["namespace"] for row in await session.all("wrong_counters")}
    found += [Fault(what=f"the counters of namespace {name!r} do not add up", mend=REPAIR) for name in namespaces]
    return tuple(found)
