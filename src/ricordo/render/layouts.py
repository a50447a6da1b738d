"""Values as terminal text for people: readable without colour, on narrow terminals, in any script."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import singledispatch

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ricordo.ages import day, occasion
from ricordo.context import Context
from ricordo.embedding import Dropped
from ricordo.engine import Remembered
from ricordo.ingest import Ingested
from ricordo.memory import Memory
from ricordo.move import Moved
from ricordo.protocols import Stats
from ricordo.query import Hit, Recall, TimeUse
from ricordo.render.phrases import below_home, excerpt, flat, megabytes, place, safe, short_id, size_advice
from ricordo.render.reports import (
    Answer,
    Buried,
    Completed,
    Demonstration,
    Diagnosis,
    Distributed,
    Exported,
    Finding,
    Forgotten,
    History,
    Imported,
    Revised,
    View,
)

__all__ = ["DIM", "layout", "time_lines", "to_text"]

DIM = "dim"
STRONG = "bold"
STATUS_STYLES = {"ok": "green", "note": "yellow", "fault": "bold red"}


def to_text(value: object, view: View, width: int | None = None) -> str:
    """The value laid out for the terminal that stdout is, or for `width` columns.

    What is put before a prompt is for a program: its lines stay as they are.
    """
    if isinstance(value, Context):
        return f"{safe(value.text)}\n" if value.text else ""
    console = Console(file=sys.stdout, width=width, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(layout(value, view))
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


@singledispatch
def layout(value: object, view: View) -> RenderableType:
    """A value laid out for people."""
    raise TypeError(f"{type(value).__name__} has no layout")


@layout.register
def _(found: Recall, view: View) -> RenderableType:
    parts: list[RenderableType] = [_hits(found, view) if found.hits else Text("nothing found")]
    below = [*time_lines(found.time, view), *(f"note: {flat(notice.message)}" for notice in found.notices)]
    if found.hits:
        total = found.timings.get("total", 0.0)
        below.append(f"{_count(len(found.hits), 'hit')} in {total:.0f} ms")
    return Group(*parts, *(Text(line, DIM) for line in below))


def _hits(found: Recall, view: View) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", style=STRONG, no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for hit in found.hits:
        text = safe(hit.text).strip("\n") if view.full else excerpt(hit.text, found.query.text)
        speaker = hit.memory.speaker
        said = f"{flat(speaker)}: {text}" if speaker and not text.startswith(speaker) else text
        table.add_row(str(hit.rank), Text(said))
        table.add_row("", Text(_joined((occasion(hit.memory, view.now, view.zone), place(hit.origin))), DIM))
        table.add_row("", Text(_joined((*_arms(hit), short_id(hit.id), *_marks(hit))), DIM))
        if view.explain and hit.parts:
            table.add_row("", Text(_parts(hit), DIM))
        for version in hit.versions if len(hit.versions) > 1 else ():
            table.add_row("", Text(_version(version, view)))
        table.add_row("", "")
    return table


def _parts(hit: Hit) -> str:
    """What the score is the sum of, what counts most first."""
    parts = sorted(hit.parts.items(), key=lambda part: (-abs(part[1]), part[0]))
    return f"{hit.score:.2f} = " + " ".join(f"{value:+.2f} {name}" for name, value in parts)


def _version(version: Memory, view: View) -> str:
    state = "was" if version.superseded_by else "now"
    return f"{state}  {occasion(version, view.now, view.zone)}: {excerpt(version.text)}"


def _arms(hit: Hit) -> Iterable[str]:
    """Which arms found it, at which rank; the best arm first."""
    return (flat(f"{arm} {rank}") for arm, rank in sorted(hit.arms.items(), key=lambda arm: (arm[1], arm[0])))


def _marks(hit: Hit) -> Iterable[str]:
    if hit.memory.superseded_by:
        yield f"superseded by {short_id(hit.memory.superseded_by)}"
    if hit.memory.buried:
        yield "buried"
    if hit.restated:
        yield f"restates {', '.join(map(short_id, hit.restated))}"


def time_lines(use: TimeUse | None, view: View) -> Iterable[str]:
    """A line on the time that shaped an answer, none when none did."""
    if use is not None:
        since = f"since {day(use.range.start, view.zone)}" if use.range.start else ""
        before = f"before {day(use.range.end, view.zone)}" if use.range.end else ""
        words = f"({flat(use.text)})" if use.text else ""
        yield " ".join(
            filter(
                None, ("time:", since, before, words, f"as a {use.applied}" if use.applied != "widened" else "widened")
            )
        )


@layout.register
def _(memory: Memory, view: View) -> RenderableType:
    return Group(Text(safe(memory.text).strip("\n")), Text(), _facts(_memory_facts(memory, view)))


def _memory_facts(memory: Memory, view: View) -> Iterable[tuple[str, str]]:
    yield "id", memory.id
    if memory.event_timestamp:
        yield "happened", occasion(memory, view.now, view.zone)
    yield "learned", day(memory.created_at, view.zone)
    if memory.updated_at != memory.created_at:
        yield "changed", day(memory.updated_at, view.zone)
    yield "source", place(memory.origin) or memory.origin.kind
    yield "in", memory.context
    yield "speaker", memory.speaker or ""
    yield "tags", ", ".join(memory.tags)
    yield from ((key, str(value)) for key, value in memory.metadata.items())
    yield "supersedes", memory.supersedes or ""
    yield "superseded by", memory.superseded_by or ""


@layout.register
def _(history: History, view: View) -> RenderableType:
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", style=STRONG, no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for number, memory in enumerate(history.versions, start=1):
        state = "" if memory.superseded_by else "current"
        table.add_row(str(number), Text(safe(memory.text).strip("\n")))
        table.add_row("", Text(_joined((occasion(memory, view.now, view.zone), short_id(memory.id), state)), DIM))
    return table


@layout.register
def _(remembered: Remembered, view: View) -> RenderableType:
    return Text(f"{'remembered' if remembered.created else 'known already'}: {short_id(remembered.id)}")


@layout.register
def _(revised: Revised, view: View) -> RenderableType:
    return Text(f"revised: {short_id(revised.memory.id)} in place of {short_id(revised.memory.supersedes or '')}")


@layout.register
def _(forgotten: Forgotten, view: View) -> RenderableType:
    return Text(f"forgotten: {', '.join(map(short_id, forgotten.ids))}")


@layout.register
def _(buried: Buried, view: View) -> RenderableType:
    return Text(f"{'unburied' if buried.undone else 'buried'}: {', '.join(map(short_id, buried.ids))}")


@layout.register
def _(counts: Ingested, view: View) -> RenderableType:
    facts = [f"{counts.added} added", f"{counts.unchanged} unchanged", f"{counts.forgotten} forgotten"]
    if counts.skipped:
        facts.append(f"{len(counts.skipped)} skipped")
    whole = f"{_count(counts.memories, 'memory', 'memories')} in {_count(counts.chunks, 'chunk')}"
    if counts.rehearsed:
        origins = counts.origins
        seen = f"{origins.new} new, {origins.changed} changed and {origins.unchanged} unchanged origins"
        return Text(f"{whole}: {', '.join(facts)}\n{seen}; nothing was written")
    return Text(f"{whole}: {', '.join(facts)}")


@layout.register
def _(imported: Imported, view: View) -> RenderableType:
    return layout(imported.counts, view)


@layout.register
def _(exported: Exported, view: View) -> RenderableType:
    return Text(f"exported {_count(exported.items, 'item')} to {flat(exported.file)}")


@layout.register
def _(moved: Moved, view: View) -> RenderableType:
    whole = f"{_count(moved.memories, 'memory', 'memories')} in {_count(moved.chunks, 'chunk')}"
    beside = f"{_count(moved.vectors, 'vector')} and {_count(moved.tombstones, 'tombstone')}"
    return Text(
        f"{whole}, with {beside}: {moved.memories - moved.present} copied, {moved.present} there already; "
        "read back and compared"
    )


@layout.register
def _(completed: Completed, view: View) -> RenderableType:
    embedded = completed.embedded
    did = f"read {_count(embedded.chunks, 'chunk')}" if embedded.chunks else "nothing was missing"
    whole = Text(flat(f"{did}: all have what {embedded.fingerprint} makes of them"))
    if completed.set_in is None:
        return whole
    value = f'embedder = "{completed.embedder}" in {below_home(completed.set_in)}'
    return Group(whole, Text(flat(f"to search with it from now on, set {value}")))


@layout.register
def _(dropped: Dropped, view: View) -> RenderableType:
    lines = [f"dropped: {_count(count, 'chunk')} of {name}" for name, count in dropped.chunks.items()]
    return Group(*(Text(flat(line)) for line in lines))


@layout.register
def _(distributed: Distributed, view: View) -> RenderableType:
    if not distributed.tables:
        return Text(f"nothing to distribute: {distributed.why}")
    return Text(f"distributed by namespace: {', '.join(distributed.tables)}")


@layout.register
def _(stats: Stats, view: View) -> RenderableType:
    facts = [
        ("store", stats.store),
        ("memories", f"{stats.memories:,}"),
        ("chunks", f"{stats.chunks:,}"),
        *(("namespace", f"{name}: {_count(count, 'memory', 'memories')}") for name, count in stats.namespaces.items()),
        *(("vectors", f"{count:,} by {name}") for name, count in stats.embedders.items()),
        *(("token vectors", f"{_count(count, 'chunk')} by {name}") for name, count in stats.token_embedders.items()),
        ("schema version", str(stats.schema_version)),
        ("size", megabytes(stats.size_bytes)),
        ("note", size_advice(stats.store, stats.chunks) or ""),
    ]
    return _facts(facts)


@layout.register
def _(diagnosis: Diagnosis, view: View) -> RenderableType:
    settings = ((name, f"{setting.value}  (from {setting.origin})") for name, setting in diagnosis.settings.items())
    verdict = "all is well" if diagnosis.sound else "something needs mending"
    checks = Table.grid(padding=(0, 2))
    checks.add_column(no_wrap=True)
    checks.add_column(ratio=1, overflow="fold")
    for finding in diagnosis.findings:
        checks.add_row(Text(finding.status, STATUS_STYLES[finding.status]), _finding(finding))
    return Group(
        Text("Settings", STRONG), _facts(settings), Text(), Text("Checks", STRONG), checks, Text(), Text(verdict)
    )


def _finding(finding: Finding) -> RenderableType:
    mend = f"\nto mend it: {safe(finding.mend)}" if finding.mend else ""
    return Text(f"{finding.name}: {safe(finding.message)}{mend}")


@layout.register
def _(demonstration: Demonstration, view: View) -> RenderableType:
    read = Text.assemble("Read ", layout(demonstration.ingested, view), f" ({demonstration.seconds:.1f} s)")  # type: ignore[arg-type]  # counts are laid out as Text
    answers = [_answer(answer, view) for answer in demonstration.answers]
    closing = (
        "That was a temporary store; nothing of it is kept. To start for real:",
        '  ricordo remember "the first thing to remember"',
        "  ricordo ingest ~/notes",
        '  ricordo recall "what was that?"',
    )
    return Group(read, Text(), *answers, *(Text(line) for line in closing))


def _answer(answer: Answer, view: View) -> RenderableType:
    question = Text.assemble(("? ", STRONG), (flat(answer.recall.query.text), STRONG), (f"   ({answer.shows})", DIM))
    return Group(question, layout(answer.recall, view), Text())


def _facts(facts: Iterable[tuple[str, str]]) -> Table:
    """Names and values in two columns; empty values are left out."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style=DIM, overflow="fold")
    table.add_column(ratio=1, overflow="fold")
    for name, value in facts:
        if value:
            table.add_row(Text(flat(name)), Text(flat(value)))
    return table


def _joined(parts: Sequence[str]) -> str:
    return " · ".join(part for part in parts if part)


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
