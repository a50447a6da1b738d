"""The file of the MCP memory server: one entity with its observations, or one relation, a line.

Each observation is a memory below the name of its entity, and each relation one by itself. An entity of which nothing
was observed is remembered for what it is. Nothing tells when but a
date in an observation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ricordo.sources.blobs import Blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.records import elements
from ricordo.sources.shapes import Shape
from ricordo.sources.statements import Statement, StatementSource
from ricordo.sources.values import items, text

__all__ = ["graph"]

KIND = "mcp-memory"
# Raised whenever the same file would give other memories than before.
READER = "knowledge-graph-1"
OBSERVATION: Shape = (str, {"content": str, "text": str, "observation": str})
SHAPE: Shape = {
    **dict.fromkeys(("name", "entityType", "from", "relationType", "to"), str),
    "observations": [OBSERVATION],
}


def graph(blob: Blob, circumstances: Circumstances) -> Iterator[StatementSource]:
    """The graph that a file holds, an object a line, in an array, or on one line where writers ran into each other."""
    yield StatementSource(
        blob=blob,
        circumstances=circumstances,
        kind=KIND,
        reader=READER,
        records=elements,
        understand=_understand,
        shape=SHAPE,
    )


def _understand(record: Mapping[str, object], circumstances: Circumstances) -> Iterator[Statement]:
    if "from" in record and "to" in record:
        ends = [text(record.get(key)).strip() for key in ("from", "relationType", "to")]
        if not ends[0] or not ends[2]:
            raise ValueError("is a relation without ends")
        link = ends[1].replace("_", " ") or "is related to"
        yield Statement(
            text=f"{ends[0]} {link} {ends[2]}", group=ends[0], metadata={"relation": ends[1], "to": ends[2]}
        )
    elif name := text(record.get("name")).strip():
        yield from _entity(name, text(record.get("entityType")).strip(), record)
    elif record and record.get("type") not in (None, "entity", "relation"):
        raise ValueError(f"is neither entity nor relation but {str(record['type'])[:40]!r}")
    elif record:
        raise ValueError("is an entity without a name")


def _entity(name: str, kind: str, record: Mapping[str, object]) -> Iterator[Statement]:
    context = f"{name} ({kind})" if kind else name
    said = [observation for observation in map(_observation, items(record.get("observations"))) if observation.strip()]
    for observation in said:
        yield Statement(text=observation, context=context, group=name)
    if not said:
        yield Statement(text=context, group=name)
    if any(value and not _observation(value) for value in items(record.get("observations")) if isinstance(value, dict)):
        raise ValueError("holds an observation without a text")


def _observation(value: object) -> str:
    """An observation, which some forks of the server keep as an object with a text and more."""
    if isinstance(value, dict):
        return next((text(value.get(key)) for key in ("content", "text", "observation") if text(value.get(key))), "")
    return text(value)
