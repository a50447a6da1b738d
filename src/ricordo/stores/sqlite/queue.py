"""Work that waits in a SQLite store. A write transaction lets one process at a time look and claim: that is short."""

from __future__ import annotations

from collections.abc import Sequence

from ricordo.exchange import Claim
from ricordo.stores.sqlite.rows import json_list, timestamp
from ricordo.stores.sqlite.session import Session

__all__ = ["claim", "enqueue", "settle", "waiting"]


def enqueue(session: Session, items: Sequence[str]) -> int:
    """Let items wait; how many did not yet."""
    return sum(session.run("enqueue", item=item) for item in items)


def claim(session: Session, claim: Claim, limit: int) -> tuple[str, ...]:
    """What the claimant has, held on to, and as much more as makes up the limit."""
    until = timestamp(claim.until)
    held = [row["item"] for row in session.all("hold", claimant=claim.claimant, until=until)]
    if len(held) < limit:
        values = {"claimant": claim.claimant, "until": until, "now": timestamp(claim.now)}
        held += [row["item"] for row in session.all("claim", limit=limit - len(held), **values)]
    return tuple(sorted(held))


def settle(session: Session, claimant: str, items: Sequence[str]) -> None:
    """Remove what was done and is still the claimant's."""
    session.run("settle", claimant=claimant, items=json_list(items))


def waiting(session: Session) -> int:
    """How many items are not done."""
    row = session.one("count_queue")
    return int(row["items"]) if row else 0
