"""What the handlers share: the engine, and what lives as long as the server does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from starlette.requests import Request

from ricordo.engine import Engine
from ricordo.ingest import Ingested
from ricordo.protocols import Store
from ricordo.query import Filters, Query, Recall
from ricordo.render.reports import Diagnosis
from ricordo.web.access import Access
from ricordo.web.repeats import Repeats
from ricordo.web.surveys import Overview, Surveys
from ricordo.web.trash import Trash
from ricordo.web.turns import Turns

__all__ = ["Imported", "Service", "service_of"]

TIMINGS = 200
IMPORTS = 50
NAMES = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """What was read since the server started: from where, when, and what came of it."""

    namespace: str
    what: str
    at: datetime
    counts: Ingested


@dataclass(slots=True)
class Service:
    """One open engine and what is remembered of its use. `diagnose` looks at everything, and takes its time."""

    engine: Engine
    access: Access
    diagnose: Callable[[], Diagnosis]
    trash: Trash = field(default_factory=Trash)
    surveys: Surveys = field(default_factory=Surveys)
    repeats: Repeats = field(default_factory=Repeats)
    turns: Turns = field(default_factory=Turns)
    timings: deque[dict[str, float]] = field(default_factory=lambda: deque(maxlen=TIMINGS))
    imports: deque[Imported] = field(default_factory=lambda: deque(maxlen=IMPORTS))

    def within(self, namespace: str | None) -> Engine:
        """The engine of a namespace, of the one that is set when none is named. Raises ConfigError."""
        if not namespace or namespace == self.engine.namespace:
            return self.engine
        return self.engine.within(namespace)

    @property
    def store(self) -> Store:
        return self.engine.reader.store

    def now(self) -> datetime:
        return self.engine.reader.calendar.clock()

    async def recall(
        self, memory: Engine, text: str, *, limit: int, filters: Filters, history: bool = False, any_time: bool = False
    ) -> Recall:
        """As the engine does; with `any_time` the times that the question names are words like any other."""
        reader = replace(memory.reader, times=False) if any_time else memory.reader
        query = Query(text=text, namespace=memory.namespace, limit=limit, filters=filters, history=history)
        found = await reader.recall(query)
        self.timings.append(dict(found.timings))
        return found

    async def overview(self, namespace: str, *, fresh: bool = True) -> Overview:
        """What a namespace holds, from above. Raises StoreError."""
        return await self.surveys.of(self.store, namespace, self.engine.settings.zone(), fresh=fresh)

    async def namespaces(self, present: str) -> list[str]:
        """The namespaces to choose from: the one that is set, the present one, and the fullest. Raises StoreError."""
        held = (await self.surveys.stats(self.store, fresh=False)).namespaces
        fullest = sorted(held, key=lambda name: (-held[name], name))[:NAMES]
        return sorted({self.engine.namespace, present, *fullest})

    async def look_around(self) -> None:
        """Count what there is, and survey the namespace that is set, before anybody asks for a page of it."""
        await self.surveys.recount(self.store)
        await self.surveys.renew(self.store, self.engine.namespace, self.engine.settings.zone())

    def imported(self, memory: Engine, what: str, counts: Ingested) -> None:
        """Note what was read."""
        self.surveys.changed(memory.namespace)
        self.imports.appendleft(Imported(namespace=memory.namespace, what=what, at=self.now(), counts=counts))


def service_of(request: Request) -> Service:
    """The service of the app that the request came to."""
    found: Service = request.app.state.service
    return found
