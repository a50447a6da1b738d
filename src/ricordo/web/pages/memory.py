"""One memory: its text, its versions as a story, where it comes from, what stands near it; and a new one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from starlette.responses import Response

from ricordo.memory import BURIED, Json, Memory, clean, uri_parts
from ricordo.nearby import neighbours, similar
from ricordo.web.given import Given
from ricordo.web.marking import Piece, changes
from ricordo.web.rendering import Visit

__all__ = ["Version", "blank", "bury", "link_of", "remember", "revise", "show", "versions_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """One version: how it differs from the one before, and from when it held until the next did."""

    number: int
    memory: Memory
    pieces: tuple[Piece, ...]
    until: Memory | None


async def show(visit: Visit) -> Response:
    """The memory that the address names."""
    memory = await visit.memory.show(clean(str(visit.request.path_params["id"])))
    line = await visit.memory.history(memory.id)
    store, namespace = visit.service.store, visit.memory.namespace
    around = await neighbours(store, namespace, memory)
    return visit.render(
        "memory.html",
        memory=memory,
        versions=tuple(versions_of(line)),
        current=line[-1],
        around=around if len(around) > 1 else (),
        alike=await similar(store, namespace, memory, visit.memory.reader.embedder),
        link=link_of(memory),
        facts=tuple(_facts(memory.metadata)),
        twin=visit.address(f"/api/memory/{memory.id}"),
    )


def versions_of(line: Sequence[Memory]) -> Iterator[Version]:
    """The versions of a memory, first to current."""
    for number, (before, memory) in enumerate(pairwise((None, *line)), start=1):
        if memory is not None:
            pieces = changes(before.text, memory.text) if before else (Piece(memory.text),)
            until = line[number] if number < len(line) else None
            yield Version(number=number, memory=memory, pieces=pieces, until=until)


def link_of(memory: Memory) -> str | None:
    """Where on the web it was said, when it tells: an address of any other kind is not made a link."""
    link = memory.metadata.get("link") or memory.origin.uri
    return link if isinstance(link, str) and uri_parts(link).scheme in ("http", "https") else None


def _facts(metadata: object) -> Iterator[tuple[str, Json]]:
    if isinstance(metadata, dict):
        yield from ((name, value) for name, value in metadata.items() if name != BURIED)


async def revise(visit: Visit, given: Given) -> Response:
    """A new text takes its place."""
    when = given.time("when", visit.memory)
    memory_id = clean(str(visit.request.path_params["id"]))
    revised = await visit.memory.revise(memory_id, given.text("text"), event_timestamp=when)
    visit.service.surveys.changed(visit.memory.namespace)
    return visit.leave(f"/memory/{revised.id}")


async def bury(visit: Visit, given: Given) -> Response:
    """It is kept behind all others, or among them again."""
    memory_id = given.text("id")
    await visit.memory.bury([memory_id], undo=given.flag("undo"))
    return visit.leave(f"/memory/{memory_id}")


async def blank(visit: Visit) -> Response:
    """The form for something new."""
    overview = await visit.service.overview(visit.memory.namespace, fresh=False)
    text = visit.asked.maybe("text") or ""
    return visit.render("remember.html", twin=visit.address("/api/survey"), text=text, tags=overview.tags)


async def remember(visit: Visit, given: Given) -> Response:
    """What was written is remembered, and shown."""
    tags = [tag.strip() for tag in (given.maybe("tags") or "").split(",")]
    remembered = await visit.memory.remember(
        given.text("text"), event_timestamp=given.time("when", visit.memory), tags=[tag for tag in tags if tag]
    )
    visit.service.surveys.changed(visit.memory.namespace)
    return visit.leave(f"/memory/{remembered.id}")
