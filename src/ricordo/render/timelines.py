"""A timeline at the edge: one line an event, the long silences between them visible."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ricordo.ages import gap, occasion
from ricordo.memory import Memory
from ricordo.render.documents import Document, document, time_document
from ricordo.render.layouts import DIM, layout, time_lines
from ricordo.render.phrases import excerpt, flat, place, safe, short_id
from ricordo.render.reports import View
from ricordo.timeline import Timeline

__all__ = ["Events"]

EXCERPT = 160


@dataclass(frozen=True, kw_only=True, slots=True)
class Events:
    """A timeline to be shown."""

    timeline: Timeline


@document.register
def _(events: Events) -> Document:
    timeline = events.timeline
    return {
        "topic": timeline.topic,
        "namespace": timeline.namespace,
        "time": time_document(timeline.time),
        "memories": [document(memory) for memory in timeline.memories],
        "undated": timeline.undated,
        "notices": [{"code": notice.code, "message": notice.message} for notice in timeline.notices],
    }


@layout.register
def _(shown: Events, view: View) -> RenderableType:
    timeline = shown.timeline
    below = [*time_lines(timeline.time, view), *(f"note: {flat(notice.message)}" for notice in timeline.notices)]
    if timeline.undated:
        below.append(f"{timeline.undated:,} more of no known time")
    events = _events(timeline, view) if timeline.memories else Text("nothing of known time found")
    return Group(events, *(Text(line, DIM) for line in below))


def _events(timeline: Timeline, view: View) -> Table:
    table = Table.grid()
    table.add_column(ratio=1, overflow="fold")
    before: Memory | None = None
    for memory in timeline.memories:
        silence = _silence(before, memory, view)
        if silence:
            table.add_row(Text(f"… {silence} …", DIM))
            table.add_row("")
        facts = (occasion(memory, view.now, view.zone), place(memory.origin), short_id(memory.id), _mark(memory))
        table.add_row(Text(" · ".join(filter(None, facts)), DIM))
        table.add_row(Text(safe(memory.text).strip("\n") if view.full else excerpt(memory.text, size=EXCERPT)))
        table.add_row("")
        before = memory
    return table


def _silence(before: Memory | None, memory: Memory, view: View) -> str | None:
    if before is None or before.event is None or memory.event is None:
        return None
    return gap(before.event, memory.event, view.zone)


def _mark(memory: Memory) -> str:
    return f"superseded by {short_id(memory.superseded_by)}" if memory.superseded_by else ""
