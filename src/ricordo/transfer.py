"""Memories as JSON Lines, and back: everything but vectors, which are made again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from anyio import to_thread

from ricordo.errors import InvalidInput
from ricordo.ingest import Ingested
from ricordo.memory import EventOrigin, Json, Memory, Origin, clean
from ricordo.protocols import Skipped, Tombstone
from ricordo.remember import Writer
from ricordo.settings import MAX_NAMESPACE
from ricordo.successions import Successions

__all__ = ["FORMAT", "Item", "header", "load", "read_lines", "to_line"]

FORMAT = "ricordo-export/1"

PAGE = 64

_ID = re.compile(r"[0-9a-f]{24}")

Item = Memory | Tombstone


def header() -> str:
    """The first line of an export."""
    return json.dumps({"format": FORMAT})


def to_line(namespace: str, item: Item) -> str:
    """One memory or tombstone as one line of JSON."""
    if isinstance(item, Tombstone):
        record: dict[str, object] = {
            "type": "tombstone",
            "namespace": namespace,
            "id": item.memory_id,
            "forgotten_at": item.forgotten_at.isoformat(),
        }
    else:
        record = {"type": "memory", "namespace": namespace, **_memory_record(item)}
    return json.dumps(record, ensure_ascii=False)


def _memory_record(memory: Memory) -> dict[str, object]:
    return {
        "id": memory.id,
        "text": memory.text,
        "origin": {"kind": memory.origin.kind, "uri": memory.origin.uri, "title": memory.origin.title},
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
        "event_timestamp": memory.event_timestamp.isoformat() if memory.event_timestamp else None,
        "event_end": memory.event_end.isoformat() if memory.event_end else None,
        "event_grain": memory.event_grain,
        "event_origin": memory.event_origin,
        "context": memory.context,
        "group": memory.group,
        "speaker": memory.speaker,
        "position": memory.position,
        "tags": list(memory.tags),
        "metadata": dict(memory.metadata),
        "supersedes": memory.supersedes,
        "superseded_by": memory.superseded_by,
    }


def read_lines(lines: Iterable[str], where: str) -> Iterator[tuple[str, Item] | Skipped]:
    """(namespace, item) for each line; a line that cannot be read comes as Skipped with its number.

    Raises InvalidInput when the first line says that this is no export, or one of a newer format.
    """
    numbered = enumerate(lines, start=1)
    for number, line in numbered:
        if line.strip():
            _check_header(line, f"{where}:{number}")
            break
    else:
        raise InvalidInput(f"{where}: this is no ricordo export: it is empty")
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            yield _item(_Fields.parse(line))
        except (ValueError, KeyError, RecursionError) as error:
            why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            yield Skipped(where=f"{where}:{number}", why=why)


def _check_header(line: str, where: str) -> None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where}: this is no ricordo export: {error}") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InvalidInput(f'{where}: this is no ricordo export; its first line must be {{"format": "{FORMAT}"}}')


def _item(fields: _Fields) -> tuple[str, Item]:
    namespace = fields.namespace()
    if fields.text("type") == "tombstone":
        return namespace, Tombstone(memory_id=fields.id(), forgotten_at=fields.moment("forgotten_at"))
    origin = _Fields(fields.mapping("origin"))
    return namespace, Memory(
        id=fields.id(),
        text=fields.text("text"),
        origin=Origin(kind=origin.text("kind"), uri=origin.text("uri"), title=origin.maybe("title")),
        created_at=fields.moment("created_at"),
        updated_at=fields.moment("updated_at"),
        event_timestamp=fields.maybe_moment("event_timestamp"),
        event_end=fields.maybe_moment("event_end"),
        event_grain=fields.maybe("event_grain"),
        event_origin=fields.event_origin(),
        context=fields.maybe("context") or "",
        group=fields.maybe("group"),
        speaker=fields.maybe("speaker"),
        position=fields.number("position"),
        tags=fields.texts("tags"),
        metadata=fields.mapping("metadata"),
        supersedes=fields.maybe("supersedes"),
        superseded_by=fields.maybe("superseded_by"),
    )


async def load(writer: Writer, items: Iterable[tuple[str, Item] | Skipped]) -> Ingested:
    """Write imported items, each into the namespace it names. Raises StoreError, ModelError."""
    skipped: list[Skipped] = []
    total = Ingested()
    owners: dict[str, dict[str, str]] = {}
    successions = Successions()
    waiting = iter(items)
    while page := await to_thread.run_sync(_page, waiting):
        skipped += [item for item in page if isinstance(item, Skipped)]
        by_namespace: dict[str, list[Item]] = {}
        for found in page:
            if not isinstance(found, Skipped):
                by_namespace.setdefault(found[0], []).append(found[1])
        for namespace, batch in by_namespace.items():
            here, known = replace(writer, namespace=namespace), owners.setdefault(namespace, {})
            total = await _write(here, batch, total, known, successions)
    if total.forgotten:
        await writer.purge()
    return replace(total, skipped=tuple(skipped))


def _page(items: Iterator[tuple[str, Item] | Skipped]) -> list[tuple[str, Item] | Skipped]:
    return list(islice(items, PAGE))


async def _write(
    writer: Writer, items: Sequence[Item], total: Ingested, owners: dict[str, str], successions: Successions
) -> Ingested:
    memories = [item for item in items if isinstance(item, Memory)]
    tombstones = [item for item in items if isinstance(item, Tombstone)]
    chunks = await to_thread.run_sync(writer.cut, memories, owners)
    added = await writer.write(successions.complete(writer.namespace, memories), chunks)
    gone = await _buried(writer, tombstones) if tombstones else frozenset[str]()
    return replace(
        total,
        forgotten=total.forgotten + len(gone),
        memories=total.memories + len(memories),
        chunks=total.chunks + len(chunks),
        added=total.added + len(added.memories),
        unchanged=total.unchanged + len(memories) - len(added.memories),
    )


async def _buried(writer: Writer, tombstones: Sequence[Tombstone]) -> frozenset[str]:
    ids = [tombstone.memory_id for tombstone in tombstones]
    origins = await writer.owners(ids) if writer.skips is not None else {}
    gone = await writer.store.bury(writer.namespace, tombstones)
    await writer.let_go(origins[memory_id] for memory_id in gone if memory_id in origins)
    return gone


@dataclass(slots=True)
class _Fields:
    """A JSON object whose fields are checked as they are taken out; ValueError and KeyError tell what is wrong."""

    values: Mapping[str, Json]

    @classmethod
    def parse(cls, line: str) -> _Fields:
        found = json.loads(line)
        if not isinstance(found, dict):
            raise ValueError(f"an object is needed, not {type(found).__name__}")
        return cls(found)

    def text(self, name: str) -> str:
        value = self.values[name]
        if not isinstance(value, str):
            raise ValueError(f"{name!r} is not a text")
        return clean(value)

    def id(self) -> str:
        value = self.text("id")
        if not _ID.fullmatch(value):
            raise ValueError(f"{value!r} is no id: 24 hexadecimal digits in lower case")
        return value

    def namespace(self) -> str:
        value = self.text("namespace")
        if not value.strip() or len(value) > MAX_NAMESPACE:
            raise ValueError(f"{value!r} is no namespace: 1 to {MAX_NAMESPACE} characters, not all blank")
        return value

    def maybe(self, name: str) -> str | None:
        return None if self.values.get(name) is None else self.text(name)

    def moment(self, name: str) -> datetime:
        return datetime.fromisoformat(self.text(name))

    def maybe_moment(self, name: str) -> datetime | None:
        return None if self.values.get(name) is None else self.moment(name)

    def event_origin(self) -> EventOrigin | None:
        value = self.maybe("event_origin")
        return None if value is None else EventOrigin(value)

    def number(self, name: str) -> int:
        value = self.values.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"{name!r} is not a whole number")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        values = self.values.get(name) or []
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise ValueError(f"{name!r} is not a list of texts")
        return tuple(str(value) for value in values)

    def mapping(self, name: str) -> Mapping[str, Json]:
        value = self.values.get(name) or {}
        if not isinstance(value, dict):
            raise ValueError(f"{name!r} is not an object")
        return value
