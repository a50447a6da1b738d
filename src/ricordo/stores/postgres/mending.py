"""Bring what is derived in line with the originals: marks of what was superseded, counters, frequencies."""

from __future__ import annotations

from ricordo.stores.postgres.session import Session

__all__ = ["mend"]

MARKED = (
    ("show_hidden", "memories that were hidden by a version that is not here are current again"),
    ("mark_chunks_anew", "chunks know again whether their memory was superseded"),
    ("mark_vectors_anew", "vectors know again their memory, and whether it was superseded"),
)


async def mend(session: Session) -> tuple[str, ...]:
    """Make all that is derived anew, inside one transaction that writers wait for; what was done, in words."""
    await session.simple("lock_for_mending")
    done: list[str] = []
    for query, what in MARKED:
        if changed := await session.run(query):
            done.append(f"{changed} {what}")
    wrong = {row["namespace"] for row in await session.all("wrong_counters")}
    await session.run("drop_counters")
    await session.run("count_anew")
    await session.run("drop_frequencies")
    await session.run("count_frequencies_anew")
    done += [f"the chunks of namespace {name!r} were counted anew" for name in sorted(wrong)]
    return (*done, "document frequencies were counted anew from all chunks")
