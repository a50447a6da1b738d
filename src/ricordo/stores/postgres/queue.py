"""Work that waits in a PostgreSQL store. Whoever looks for some passes over what others are about to claim."""

from __future__ import annotations

from collections.abc import Sequence

from ricordo.exchange import Claim
from ricordo.memory import digest
from ricordo.stores.postgres.session import Session

__all__ = ["claim", "enqueue", "settle", "waiting"]


async def enqueue(session: Session, items: Sequence[str]) -> int:
    """Let items wait; how many did not yet."""
    rows = {digest(item): {"id": digest(item), "item": item} for item in items}
    if not rows:
        return 0
    await session.run("add_namespace")
    return await session.run_many("enqueue", [rows[key] for key in sorted(rows)])


async def claim(session: Session, claim: Claim, limit: int) -> tuple[str, ...]:
    """What the claimant has, held on to, and as much more as makes up the limit."""
    values = {"claimant": claim.claimant, "until": claim.until}
    held = [row["item"] for row in await session.all("hold", **values)]
    if len(held) < limit:
        more = await session.all("claim", now=claim.now, limit=limit - len(held), **values)
        held += [row["item"] for row in more]
    return tuple(sorted(held))


async def settle(session: Session, claimant: str, items: Sequence[str]) -> None:
    """Remove what was done and is still the claimant's."""
    await session.run("settle", claimant=claimant, ids=list(map(digest, items)))


async def waiting(session: Session) -> int:
    """How many items are not done."""
    row = await session.one("count_queue")
    return int(row["items"]) if row else 0
