"""Files that wait in the store to be read, and those who read them: any number of processes, on any machine.

A claim runs out a minute after its worker was last heard of, and then another takes up what it left. What had been
written of it by then is known and is not written twice; so two workers that take one another for dead do no harm.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import anyio

from ricordo.errors import StoreBusy
from ricordo.exchange import Claim, Skipped
from ricordo.ingest import Ingested, ingest
from ricordo.protocols import Source
from ricordo.prune import file_of
from ricordo.remember import Writer
from ricordo.taskerrors import one_error

__all__ = ["Queue"]

Find: TypeAlias = Callable[[Iterable[str | PathLike[str]]], Iterator["Source | Skipped"]]

FILES_AT_ONCE = 16
HELD = timedelta(seconds=60)
HEARD_EVERY = 10.0  # seconds
LOOK_AGAIN = 0.5  # seconds


@dataclass(frozen=True, kw_only=True, slots=True)
class Queue:
    """What waits in the writer's namespace; `find` gives the sources of a file."""

    writer: Writer
    find: Find

    async def put(self, files: Sequence[Path]) -> int:
        """Let files wait, by their absolute paths; how many did not wait yet. Raises StoreError."""
        return await self.writer.store.enqueue(self.writer.namespace, [file.as_uri() for file in files])

    async def waiting(self) -> int:
        """How many files are not done. Raises StoreError."""
        return await self.writer.store.waiting(self.writer.namespace)

    async def work(self, claimant: str, tell: Callable[[Ingested], None]) -> None:
        """Read what waits, some files at once, until all is done, also by others; `tell` hears of what was done.

        A worker that comes back under the name of one that died goes on with what that one left. Raises StoreError,
        ModelError; what was claimed is then for others at once.
        """
        while True:
            async with self._claimed(claimant) as files:
                paths = [path for path in map(file_of, files) if path is not None]
                done = await ingest(self.writer, self.find(paths), places=paths) if files else None
            if done is not None:
                tell(done)
            elif await self.waiting():
                await anyio.sleep(LOOK_AGAIN)
            else:
                return

    @asynccontextmanager
    async def _claimed(self, claimant: str) -> AsyncIterator[tuple[str, ...]]:
        """Some files, claimed as long as this takes; off the queue when it ends well, for others when it does not."""
        store, namespace = self.writer.store, self.writer.namespace
        files = await store.claim(namespace, _claim(claimant, HELD), FILES_AT_ONCE)
        try:
            with one_error():
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._hold, claimant)
                    yield files
                    tasks.cancel_scope.cancel()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await store.claim(namespace, _claim(claimant, timedelta()), 0)
            raise
        if files:
            await store.settle(namespace, claimant, files)

    async def _hold(self, claimant: str) -> None:
        while True:
            await anyio.sleep(HEARD_EVERY)
            with suppress(StoreBusy):  # the claim lasts for several of these
                await self.writer.store.claim(self.writer.namespace, _claim(claimant, HELD), 0)


def _claim(claimant: str, held: timedelta) -> Claim:
    now = datetime.now(UTC)
    return Claim(claimant=claimant, now=now, until=now + held)
