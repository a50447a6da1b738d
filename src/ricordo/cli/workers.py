"""Ingestion by several processes: files wait in the store, and each process claims some of them at once."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from uuid import uuid4

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from ricordo.cli.options import Options
from ricordo.cli.program import FOUND
from ricordo.cli.queued import sum_of
from ricordo.cli.stores import opened
from ricordo.exchange import Skipped
from ricordo.ingest import Ingested, Origins, Progress
from ricordo.render import tell as say
from ricordo.render import write_lines
from ricordo.skips import Skip, place_uri, record_of
from ricordo.sources import find_files

__all__ = ["Worked", "shared", "work"]

PUT_AT_ONCE = 1000
LIVES = 3
LONGEST_LINE = 1 << 24  # bytes


@dataclass(slots=True)
class Worked:
    """What workers did, all together, and how many files they left waiting."""

    counts: Ingested = field(default_factory=Ingested)
    waiting: int = 0

    def add(self, done: Ingested) -> None:
        self.counts = sum_of(self.counts, done)


def work(options: Options, claimant: str) -> int:
    """Be one of the workers: tell of each part that is done in a line of JSON."""

    def tell(done: Ingested) -> None:
        write_lines([json.dumps(asdict(done))])

    options.run(lambda memory: memory.queue.work(claimant, tell))
    return FOUND


def shared(options: Options, paths: tuple[str, ...], count: int, tell: Callable[[Progress], None] | None) -> Worked:
    """Let all files of the paths wait, and have them read by so many processes, with what waits already."""
    return anyio.run(_shared, options, paths, count, tell)


async def _shared(
    options: Options, paths: tuple[str, ...], count: int, tell: Callable[[Progress], None] | None
) -> Worked:
    worked, namespace, crew = Worked(), options.settings.namespace, uuid4().hex
    async with opened(options.settings.store) as store:
        record = record_of(options.settings)
        if record:
            record.note(namespace, [place_uri(path) for path in paths], ())
        async for part in _parts(paths):
            skipped = tuple(each for each in part if isinstance(each, Skipped))
            worked.add(Ingested(skipped=skipped))
            if record:
                record.note(namespace, (), [Skip.of(each, None, paths) for each in skipped])
            await store.enqueue(namespace, [each.as_uri() for each in part if isinstance(each, Path)])
        async with anyio.create_task_group() as tasks:
            for number in range(count):
                tasks.start_soon(_kept_alive, _Worker(options, f"{crew}-{number}", count), worked, tell)
        worked.waiting = await store.waiting(namespace)
    return worked


async def _parts(paths: tuple[str, ...]) -> AsyncIterator[list[Path | Skipped]]:
    found: Iterator[Path | Skipped] = find_files(paths)
    while part := await anyio.to_thread.run_sync(lambda: list(islice(found, PUT_AT_ONCE))):
        yield part


@dataclass(frozen=True, slots=True)
class _Worker:
    options: Options
    claimant: str
    count: int

    def command(self) -> list[str]:
        now = () if self.options.now is None else ("--now", self.options.now)
        return [sys.executable, "-m", "ricordo", "ingest", "--claimant", self.claimant, *now]

    def environment(self) -> dict[str, str]:
        """The settings in force, and this worker's share of the cores, which is where its model computes."""
        threads = max(1, (self.options.settings.threads or os.cpu_count() or 1) // self.count)
        given = {**self.options.given, "threads": str(threads)}
        return {**os.environ, **{f"RICORDO_{name.upper()}": value for name, value in given.items()}}


async def _kept_alive(worker: _Worker, worked: Worked, tell: Callable[[Progress], None] | None) -> None:
    """Run a worker to its end. One that is killed gets a successor, who goes on with what it had claimed."""
    for _ in range(LIVES):
        async with await anyio.open_process(worker.command(), stderr=None, env=worker.environment()) as process:
            async for done in _told(process):
                worked.add(done)
                if tell is not None:
                    tell(Progress(sources=worked.counts.origins.total, so_far=worked.counts))
            status = await process.wait()
        if status >= 0:
            return
        say(f"a worker was ended by signal {-status}; what it had claimed is claimed again")


async def _told(process: Process) -> AsyncIterator[Ingested]:
    assert process.stdout is not None
    lines = BufferedByteReceiveStream(process.stdout)
    while True:
        try:
            line = await lines.receive_until(b"\n", LONGEST_LINE)
        except (anyio.EndOfStream, anyio.IncompleteRead):
            return
        found = json.loads(line)
        skipped = tuple(Skipped(**each) for each in found["skipped"])
        yield Ingested(**{**found, "origins": Origins(**found["origins"]), "skipped": skipped})
