"""Forgetting: asked for, confirmed, done at once, and for some minutes taken back."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import Response

from ricordo.memory import Memory
from ricordo.web.chosen import to_forget
from ricordo.web.given import Given
from ricordo.web.rendering import Visit

__all__ = ["confirm", "decide", "forget", "trash"]

MOST_SHOWN = 50


async def confirm(visit: Visit) -> Response:
    """What would be forgotten: the memories with these ids, or all that one source said."""
    memories = await to_forget(visit.service, visit.memory, visit.asked)
    source, ids = visit.asked.maybe("source"), visit.asked.texts("id")
    return visit.render(
        "forget.html",
        twin=visit.address("/api/forget", {"source": source, "id": ids}),
        memories=memories[:MOST_SHOWN],
        number=len(memories),
        source=source,
    )


async def forget(visit: Visit, given: Given) -> Response:
    """They are forgotten, and kept in this process for a while."""
    memories = await to_forget(visit.service, visit.memory, given)
    lines: dict[str, Memory] = {}
    for memory in memories:
        line = await visit.memory.history(memory.id) if memory.supersedes or memory.superseded_by else (memory,)
        lines.update({version.id: version for version in line})
    await visit.memory.forget([memory.id for memory in memories])
    visit.service.trash.put(visit.memory.namespace, tuple(lines.values()))
    visit.service.surveys.changed(visit.memory.namespace)
    return visit.leave("/trash")


async def trash(visit: Visit) -> Response:
    """What can be taken back."""
    bin_ = visit.service.trash
    kept = [(binned, max(1, bin_.seconds_left(binned) // 60)) for binned in bin_.of(visit.memory.namespace)]
    return visit.render("trash.html", twin=visit.address("/api/trash"), kept=kept)


async def decide(visit: Visit, given: Given) -> Response:
    """It is put back as it was, or dropped from this process too."""
    key, drop = given.text("key"), given.flag("drop")
    with visit.service.trash.taken(key) as binned:
        if binned is None:
            raise HTTPException(404, visit.say("trash.gone"))
        if drop:
            return visit.leave("/trash")
        await visit.service.within(binned.namespace).restore(binned.memories)
    visit.service.surveys.changed(binned.namespace)
    return visit.leave(f"/memory/{binned.memories[-1].id}")
