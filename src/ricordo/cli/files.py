"""Commands that read and write files: ingest, export, import."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, TypedDict, Unpack

import click

from ricordo.cli.input import STDIN, read_lines
from ricordo.cli.options import TEXT, Command, Options, examples, pass_options, redacting
from ricordo.cli.program import FOUND, NOTHING
from ricordo.errors import InvalidInput, StoreError

if TYPE_CHECKING:
    from ricordo.engine import Engine
    from ricordo.ingest import Ingested, Progress
    from ricordo.watch import Watched

__all__ = ["export", "import_", "ingest"]

STDOUT = "-"
LINES_AT_ONCE = 200
MOST_TOLD = 100
"""Skipped records told on the terminal, one a line."""


class How(TypedDict):
    """How an ingest is to be done."""

    dry_run: bool
    prune: bool
    queued: bool
    workers: int | None
    claimant: str | None


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo ingest ~/notes",
        "ricordo ingest README.md docs --namespace work",
        "ricordo ingest ~/Downloads/data-2026-05-04.zip --dry-run",
        "ricordo ingest --queued",
        "ricordo ingest ~/mail ~/projects --workers 4",
        "ricordo ingest ~/notes ~/.claude/projects --watch",
    ),
)
@click.argument("paths", type=click.Path(), metavar="PATH…", nargs=-1)
@click.option("--dry-run", is_flag=True, help="Tell what would change, and write nothing.")
@click.option("--prune", is_flag=True, help="Forget what was read from files in these folders that are gone.")
@click.option("--queued", is_flag=True, help="Read the transcripts that hooks set aside, each for its project.")
@click.option(
    "--workers", type=click.IntRange(1, 64), metavar="N", help="Read by so many processes, which share the work."
)
@click.option("--claimant", type=TEXT, hidden=True)
@click.option("--watch", "watched", is_flag=True, help="Go on with whatever changes there, until interrupted.")
@redacting
@pass_options
def ingest(options: Options, /, *, paths: tuple[str, ...], watched: bool, **how: Unpack[How]) -> int:
    """Read files and exports, and all files in folders.

    What has not changed is not read again; what a file no longer says is forgotten.
    """
    dry_run, prune, queued = how["dry_run"], how["prune"], how["queued"]
    if how["workers"] or how["claimant"]:
        if dry_run or prune or queued or watched:
            raise click.UsageError("--workers goes with paths alone")
        return _by_workers(options, paths, how["workers"], how["claimant"])
    if queued == bool(paths) or (queued and (dry_run or prune or watched)):
        raise click.UsageError("name a PATH to read, or --queued alone")
    if watched:
        return _watch(options, paths, ends=options.json or dry_run)
    with _watching(quiet=options.json) as tell:
        if queued:
            from ricordo.cli.queued import drained

            counts = options.run(lambda memory: drained(memory, tell))
        else:
            counts = options.run(lambda memory: memory.ingest(paths, tell=tell, dry_run=dry_run, prune=prune))
    _tell_skipped(counts)
    options.show(counts)
    if not (queued or counts.memories or counts.forgotten or counts.skipped):
        _tell_of_nothing(paths)
    unusable = any(skipped.unusable for skipped in counts.skipped)
    return FOUND if (counts.memories or (prune and counts.forgotten)) and not unusable else NOTHING


def _by_workers(options: Options, paths: tuple[str, ...], count: int | None, claimant: str | None) -> int:
    from ricordo.cli import workers

    if claimant:
        return workers.work(options, claimant)
    with _watching(quiet=options.json) as tell:
        worked = workers.shared(options, paths, count or 1, tell)
    _tell_skipped(worked.counts)
    if worked.waiting:
        raise StoreError(f"{worked.waiting:,} files are still waiting: the same command goes on with them")
    options.show(worked.counts)
    return _code(worked.counts, paths)


def _code(counts: Ingested, paths: tuple[str, ...]) -> int:
    if paths and not (counts.memories or counts.forgotten or counts.skipped):
        _tell_of_nothing(paths)
    return FOUND if counts.memories and not any(skipped.unusable for skipped in counts.skipped) else NOTHING


def _tell_of_nothing(paths: tuple[str, ...]) -> None:
    from ricordo.memory import clean
    from ricordo.render import tell

    tell(f"nothing in {', '.join(map(clean, paths))} can be remembered")


def _watch(options: Options, paths: tuple[str, ...], *, ends: bool) -> int:
    """Read what changes and tell of it, until interrupted, which is how it ends well."""
    from ricordo.render import tell

    if ends:
        raise click.UsageError("--watch goes on; --json and --dry-run are for what comes to an end")

    def show(done: Watched) -> None:
        _tell_skipped(done.ingested)
        if done.ingested.origins.total or not (done.moved or done.forgotten):
            options.show(done.ingested)
        if done.moved:
            tell(f"{done.moved} moved")
        if done.forgotten:
            tell(f"{done.forgotten} forgotten: their files are gone")

    tell("reading what is there, and then whatever changes; Ctrl-C ends it")
    try:
        options.run(lambda memory: memory.watch(paths, tell=show))
    except KeyboardInterrupt:
        tell("no longer following")
    return FOUND


@contextmanager
def _watching(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A line of progress while somebody watches stderr."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from ricordo.render.progress import reading_line

    with reading_line() as tell:
        yield tell


def _tell_skipped(counts: Ingested) -> None:
    from ricordo.render import tell

    for skipped in counts.skipped[:MOST_TOLD]:
        tell(f"skipped {skipped.where}: {skipped.why}")
    if (more := len(counts.skipped) - MOST_TOLD) > 0:
        tell(f"skipped {more:,} more; --json lists them all")


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo export memories.jsonl",
        "ricordo export --all | gzip > memories.jsonl.gz",
    ),
)
@click.argument("file", type=click.Path(), metavar="[FILE|-]", default=STDOUT)
@click.option("--all", "everything", is_flag=True, help="Every namespace, not this one alone.")
@pass_options
def export(options: Options, /, *, file: str, everything: bool) -> int:
    """Write memories as JSON Lines.

    Everything but vectors, which an import makes again.
    """
    from ricordo.memory import clean
    from ricordo.render.reports import Exported

    if file == STDOUT and options.json:
        raise InvalidInput("an export is JSON Lines, not one JSON document; with --json name a FILE to write it to")

    async def write(memory: Engine) -> int:
        lines = memory.export(everything=everything)
        if file == STDOUT:
            return await _print(lines)
        with _replacing(file) as stream:
            return await _write(lines, stream)

    items = options.run(write)
    if file != STDOUT:
        options.show(Exported(items=items, file=clean(file)))
    return FOUND


async def _print(lines: AsyncIterator[str]) -> int:
    from ricordo.render import write_lines

    count = -1  # the header is no item
    waiting: list[str] = []
    async for line in lines:
        count += 1
        waiting.append(line)
        if len(waiting) == LINES_AT_ONCE:
            write_lines(waiting)
            waiting.clear()
    write_lines(waiting)
    return count


async def _write(lines: AsyncIterator[str], stream: IO[str]) -> int:
    count = -1  # the header is no item
    async for line in lines:
        stream.write(f"{line}\n")
        count += 1
    return count


@contextmanager
def _replacing(name: str) -> Iterator[IO[str]]:
    """A stream whose content takes the file's place when all of it is written; readable by its owner alone.

    Raises InvalidInput when it cannot be written.
    """
    target = Path(name).resolve()
    try:
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8", newline="\n") as stream:
                yield stream
            return
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".ricordo-")
        try:
            with open(handle, "w", encoding="utf-8", newline="\n") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise InvalidInput(f"cannot write {name}: {error.strerror or error}") from error


@click.command(
    "import",
    cls=Command,
    epilog=examples(
        "ricordo import memories.jsonl",
        "gunzip -c memories.jsonl.gz | ricordo import -",
    ),
)
@click.argument("file", type=click.Path(), metavar="FILE|-")
@pass_options
def import_(options: Options, /, *, file: str) -> int:
    """Read an export.

    Each line goes into the namespace it names; importing twice changes nothing.
    """
    from ricordo.memory import clean
    from ricordo.render.reports import Imported

    where = "standard input" if file == STDIN else clean(file)
    with _reading(file) as stream:
        counts = options.run(lambda memory: memory.load(read_lines(stream, where), where=where))
    _tell_skipped(counts)
    options.show(Imported(counts=counts))
    return NOTHING if counts.skipped and not counts.memories else FOUND


@contextmanager
def _reading(name: str) -> Iterator[BinaryIO]:
    """The file, or standard input for `-`. Raises InvalidInput when it cannot be opened."""
    if name == STDIN:
        yield sys.stdin.buffer
        return
    try:
        with open(name, "rb") as stream:
            yield stream
    except OSError as error:
        raise InvalidInput(f"cannot read {name}: {error.strerror or error}") from error
