"""What a page or a program points at: the memories to forget, or one source."""

from __future__ import annotations

from collections.abc import Sequence

from ricordo.engine import Engine
from ricordo.errors import InvalidInput, NotFound
from ricordo.exchange import Held
from ricordo.memory import TOLD, Memory
from ricordo.query import Filters
from ricordo.web.given import Given
from ricordo.web.paging import earlier
from ricordo.web.service import Service

__all__ = ["held", "said_by", "to_forget"]


async def to_forget(service: Service, memory: Engine, given: Given) -> Sequence[Memory]:
    """The memories of the ids, or all that the source says. Raises InvalidInput when neither is given, NotFound."""
    if (uri := given.maybe("source")) is not None:
        memories = await _of_source(service, memory.namespace, uri)
    else:
        memories = [await memory.show(memory_id) for memory_id in dict.fromkeys(given.texts("id"))]
    if not memories:
        raise InvalidInput("nothing was chosen that could be forgotten")
    return memories


async def _of_source(service: Service, namespace: str, uri: str) -> list[Memory]:
    if uri == TOLD:
        raise InvalidInput("what was told one by one is forgotten one by one")
    found = []
    async for _, item in service.store.dump(namespace):
        if isinstance(item, Memory) and item.origin.uri == uri and item.superseded_by is None:
            found.append(item)
    return found


async def held(service: Service, namespace: str, uri: str) -> Held:
    """A source by its uri. Raises NotFound for one that the namespace holds nothing of."""
    for each in (await service.overview(namespace)).survey.origins:
        if each.origin.uri == uri:
            return each
    raise NotFound(f"nothing in this namespace comes from {uri}")


async def said_by(
    service: Service, namespace: str, source: Held, limit: int, cursor: str | None
) -> tuple[tuple[Memory, ...], str | None]:
    """A page of the memories of a source whose time is known, earliest first, and the cursor of those before them."""
    uri = source.origin.uri
    if uri == TOLD:
        return await earlier(service.store, namespace, Filters(origin=f"{TOLD}:", superseded=True), limit, cursor)
    of_any_like_it = Filters(origin=uri, superseded=True)
    return await earlier(service.store, namespace, of_any_like_it, limit, cursor, lambda item: item.origin.uri == uri)
