"""Forgetting: asked for, confirmed, done at once, and for some minutes taken back."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.responses import Response

from ricordo.errors import InvalidInput
from ricordo.memory import TOLD, Memory
from ricordo.web.given import Given
from ricordo.web.rendering import Visit

__all__ = ["confirm", "decide", "forget", "trash"]

MOST_SHOWN = 50


async def confirm(visit: Visit) -> Response:
    """What would be forgotten: the memories with these ids, or all that one source said."""
    memories = await _meant(visit, visit.asked)
    return visit.render(
        "forget.html", memories=memories[:MOST_SHOWN], number=len(memories), source=visit.asked.maybe("source")
    )


async def forget(visit: Visit, given: Given) -> Response:
    """They are forgotten, and kept in this process for a while."""
    memories = await _meant(visit, given)
    lines: dict[str, Memory] = {}
    for memory in memories:
        line = await visit.memory.history(memory.id) if memory.supersedes or memory.superseded_by else (memory,)
        lines.update({version.id: version for version in line})
    await visit.memory.forget([memory.id for memory in memories])
    visit.service.trash.put(visit.memory.namespace, tuple(lines.values()))
    visit.service.surveys.changed(visit.memory.namespace)
    return visit.leave("/trash")


async def _meant(visit: Visit, given: Given) -> Sequence[Memory]:
    """Raises InvalidInput when neither an id nor a source is given, NotFound."""
    if (uri := given.maybe("source")) is not None:
        memories = await _of_source(visit, uri)
    else:
        memories = [await visit.memory.show(memory_id) for memory_id in dict.fromkeys(given.texts("id"))]
    if not memories:
        raise InvalidInput("nothing was chosen that could be forgotten")
    return memories


async def _of_source(visit: Visit, uri: str) -> list[Memory]:
    if uri == TOLD:
        raise InvalidInput("what was told one by one is forgotten one by one")
    found = []
    async for _, item in visit.service.store.dump(visit.memory.namespace):
        if isinstance(item, Memory) and item.origin.uri == uri and item.superseded_by is None:
            found.append(item)
    return found


async def trash(visit: Visit) -> Response:
    """What can be taken back."""
    bin_ = visit.service.trash
    bin_.sweep()
    kept = [binned for binned in bin_.kept.values() if binned.namespace == visit.memory.namespace]
    return visit.render(
        "trash.html", kept=[(binned, max(1, bin_.seconds_left(binned) // 60)) for binned in reversed(kept)]
    )


async def decide(visit: Visit, given: Given) -> Response:
    """It is put back as it was, or dropped from this process too."""
    key, drop = given.text("key"), given.flag("drop")
    binned = visit.service.trash.take(key)
    if binned is None:
        raise HTTPException(404, visit.say("trash.gone"))
    if drop:
        return visit.leave("/trash")
    await visit.service.within(binned.namespace).restore(binned.memories)
    visit.service.surveys.changed(binned.namespace)
    return visit.leave(f"/memory/{binned.memories[-1].id}")
