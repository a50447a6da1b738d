"""The same memory without `await`: one line a method over the asynchronous engine.

::

    from ricordo import sync

    with sync.open("sqlite:///memory.db") as memory:
        memory.remember("Project Baikal is our internal ML pipeline")
        print(memory.recall("what is Baikal?").hits[0].text)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from os import PathLike
from types import TracebackType

from anyio.from_thread import BlockingPortal, start_blocking_portal

from ricordo import engine
from ricordo.analyzer import STANDARD, Analyzer
from ricordo.context import BUDGET, MOST, Context
from ricordo.embedding import Dropped, Embedded, Embedding
from ricordo.engine import Remembered
from ricordo.ingest import Ingested, Progress
from ricordo.intake import Given
from ricordo.memory import EventTime, Json, Memory
from ricordo.protocols import Embedder, Fault, Stats, Store
from ricordo.query import EVERYTHING, Filters, Recall
from ricordo.settings import Settings
from ricordo.skips import Skip
from ricordo.timeline import Timeline
from ricordo.watch import Patience, Watched
from ricordo.window import utc_now

__all__ = ["Engine", "open"]


def open(
    store: str | Store | None = None,
    *,
    namespace: str | None = None,
    embedder: str | Embedder | None = None,
    settings: Settings | None = None,
    analyzer: Analyzer = STANDARD,
    clock: Callable[[], datetime] = utc_now,
) -> Engine:
    """A memory, to be used as `with ricordo.sync.open(...) as memory`; see `ricordo.open`."""
    inner = engine.open(
        store, namespace=namespace, embedder=embedder, settings=settings, analyzer=analyzer, clock=clock
    )
    return Engine(inner)


class Engine:
    """`ricordo.engine.Engine`, blocking: same names, same parameters, same defaults, same errors."""

    def __init__(self, inner: engine.Engine) -> None:
        self._inner = inner
        self._stack = ExitStack()
        self._portal: BlockingPortal

    def __enter__(self) -> Engine:
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            stack.enter_context(self._portal.wrap_async_context_manager(self._inner))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, traceback)

    def close(self) -> None:
        self._stack.close()

    def within(self, namespace: str) -> Engine:
        other = Engine(self._inner.within(namespace))
        other._portal = self._portal
        return other

    @property
    def namespace(self) -> str:
        return self._inner.namespace

    def remember(
        self,
        text: str,
        *,
        event_timestamp: datetime | EventTime | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Json] | None = None,
        supersedes: str | None = None,
    ) -> Remembered:
        said = partial(self._inner.remember, text, event_timestamp=event_timestamp, tags=tags, metadata=metadata)
        return self._portal.call(partial(said, supersedes=supersedes))

    def recall(self, text: str, *, limit: int = 10, filters: Filters = EVERYTHING, history: bool = False) -> Recall:
        return self._portal.call(partial(self._inner.recall, text, limit=limit, filters=filters, history=history))

    def context(
        self, prompt: str, *, limit: int = MOST, budget: int = BUDGET, filters: Filters = EVERYTHING
    ) -> Context:
        return self._portal.call(partial(self._inner.context, prompt, limit=limit, budget=budget, filters=filters))

    def revise(self, memory_id: str, text: str, *, event_timestamp: datetime | EventTime | None = None) -> Memory:
        return self._portal.call(partial(self._inner.revise, memory_id, text, event_timestamp=event_timestamp))

    def timeline(self, topic: str | None = None, *, limit: int = 20, filters: Filters = EVERYTHING) -> Timeline:
        return self._portal.call(partial(self._inner.timeline, topic, limit=limit, filters=filters))

    def forget(self, ids: Sequence[str]) -> tuple[str, ...]:
        return self._portal.call(self._inner.forget, ids)

    def bury(self, ids: Sequence[str], *, undo: bool = False) -> tuple[str, ...]:
        return self._portal.call(partial(self._inner.bury, ids, undo=undo))

    def restore(self, memories: Sequence[Memory]) -> tuple[str, ...]:
        return self._portal.call(self._inner.restore, memories)

    def ingest(
        self,
        paths: Iterable[Given],
        *,
        tell: Callable[[Progress], None] | None = None,
        dry_run: bool = False,
        prune: bool = False,
    ) -> Ingested:
        return self._portal.call(partial(self._inner.ingest, paths, tell=tell, dry_run=dry_run, prune=prune))

    def skipped(self) -> tuple[Skip, ...]:
        return self._portal.call(self._inner.skipped)

    def watch(
        self,
        paths: Iterable[str | PathLike[str]],
        *,
        tell: Callable[[Watched], None] | None = None,
        patience: Patience | None = None,
    ) -> None:
        return self._portal.call(partial(self._inner.watch, paths, tell=tell, patience=patience))

    def show(self, memory_id: str) -> Memory:
        return self._portal.call(self._inner.show, memory_id)

    def history(self, memory_id: str) -> tuple[Memory, ...]:
        return self._portal.call(self._inner.history, memory_id)

    def stats(self) -> Stats:
        return self._portal.call(self._inner.stats)

    def check(self) -> tuple[Fault, ...]:
        return self._portal.call(self._inner.check)

    def embed(self, *, everything: bool = False, tell: Callable[[Embedding], None] | None = None) -> Embedded:
        return self._portal.call(partial(self._inner.embed, everything=everything, tell=tell))

    def drop_vectors(self, name: str, *, everything: bool = False) -> Dropped:
        return self._portal.call(partial(self._inner.drop_vectors, name, everything=everything))

    def export(self, *, everything: bool = False) -> Iterator[str]:
        lines = self._inner.export(everything=everything)
        while (line := self._portal.call(partial(anext, lines, None))) is not None:
            yield line

    def load(self, lines: Iterable[str], *, where: str = "import") -> Ingested:
        return self._portal.call(partial(self._inner.load, lines, where=where))
