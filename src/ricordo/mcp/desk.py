"""What all calls of a server share: the store, opened at the first of them, and models that load while words answer.

A server is started with every session of an assistant, and most never ask: so it opens and loads nothing before that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from datetime import datetime, tzinfo
from types import TracebackType
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from ricordo.errors import ModelError
from ricordo.query import Notice
from ricordo.settings import Settings

if TYPE_CHECKING:
    from ricordo.engine import Engine
    from ricordo.recall import Reader

__all__ = ["MODEL_LOADING", "Desk"]

PATIENCE = 1.5
"""Seconds that a call waits for a model; then words alone answer."""

MODEL_LOADING = Notice(
    code="model_loading", message="searched by words alone while the model is loading; ask again in a moment for more"
)


class Desk:
    """One store and its models, to be used as `async with Desk(...) as desk`."""

    def __init__(self, *, settings: Settings, clock: Callable[[], datetime], patience: float = PATIENCE) -> None:
        self.settings = settings
        self.clock = clock
        self._patience = patience
        self._opening = anyio.Lock()
        self._ready = anyio.Event()
        self._warming = False
        self._engine: Engine | None = None
        self._stack = AsyncExitStack()
        self._tasks: TaskGroup

    async def __aenter__(self) -> Desk:
        self._tasks = await self._stack.enter_async_context(anyio.create_task_group())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        self._tasks.cancel_scope.cancel()
        with anyio.CancelScope(shield=True):
            if self._engine is not None:
                await self._engine.close()
        return await self._stack.__aexit__(kind, error, traceback)

    @property
    def zone(self) -> tzinfo:
        return self.settings.zone()

    async def engine(self, namespace: str) -> Engine:
        """The memory of a namespace. Raises StoreError, ModelError."""
        # A call that is cancelled meanwhile leaves the store open for the next.
        async with self._opening:
            with anyio.CancelScope(shield=True):
                opened = self._engine = self._engine or await self._open()
        return opened.within(namespace)

    async def reader(self, engine: Engine) -> Reader:
        """The read path as it is now: with its models, or by words alone while these are loading."""
        full = engine.reader
        if full.embedder is None or self._ready.is_set():
            return full
        if not self._warming:
            self._warming = True
            self._tasks.start_soon(self._warm, full)
        with anyio.move_on_after(self._patience):
            await self._ready.wait()
            return full
        notices = (*full.notices, MODEL_LOADING)
        return replace(full, embedder=None, reranker=None, token_vectors="off", notices=notices)

    async def _open(self) -> Engine:
        from ricordo.engine import open

        return await open(settings=self.settings, clock=self.clock).__aenter__()

    async def _warm(self, reader: Reader) -> None:
        """Load the embedder. That it cannot be loaded is for the next question to find out, and say."""
        embedder = reader.embedder
        if embedder is not None:
            with suppress(ModelError):
                await to_thread.run_sync(embedder.embed_queries, _ANY_WORD)
        self._ready.set()


_ANY_WORD: Sequence[str] = ("ready",)
