"""Values as JSON documents. Field names and shapes are contracts that other programs rely on."""

from __future__ import annotations

from datetime import datetime
from functools import singledispatch

from ricordo.context import Context
from ricordo.embedding import Dropped
from ricordo.engine import Remembered
from ricordo.ingest import Ingested
from ricordo.memory import Memory, Origin
from ricordo.move import Moved
from ricordo.protocols import Stats
from ricordo.query import Hit, Recall, TimeUse
from ricordo.render.reports import (
    Buried,
    Completed,
    Demonstration,
    Diagnosis,
    Distributed,
    Exported,
    Forgotten,
    History,
    Imported,
    Revised,
)

__all__ = ["Document", "document", "time_document"]

Document = dict[str, object]


@singledispatch
def document(value: object) -> Document:
    """The JSON document of a value."""
    raise TypeError(f"{type(value).__name__} has no JSON document")


@document.register
def _(found: Recall) -> Document:
    return {
        "query": found.query.text,
        "namespace": found.query.namespace,
        "time": time_document(found.time),
        "hits": [_hit(hit) for hit in found.hits],
        "notices": [{"code": notice.code, "message": notice.message} for notice in found.notices],
        "timings_ms": {stage: round(spent, 2) for stage, spent in found.timings.items()},
    }


def _hit(hit: Hit) -> Document:
    memory = hit.memory
    return {
        "rank": hit.rank,
        "id": hit.id,
        "text": hit.text,
        "score": hit.score,
        "arms": dict(hit.arms),
        "created_at": _moment(memory.created_at),
        "updated_at": _moment(memory.updated_at),
        **_event(memory),
        "source": _origin(memory.origin),
        "context": hit.chunk.context,
        "group": memory.group,
        "speaker": memory.speaker,
        "superseded_by": memory.superseded_by,
        "metadata": dict(memory.metadata),
        "parts": dict(hit.parts),
        "history": [document(version) for version in hit.versions],
        "restated": list(hit.restated),
    }


@document.register
def _(context: Context) -> Document:
    return {**document(context.recall), "text": context.text}


@document.register
def _(memory: Memory) -> Document:
    return {
        "id": memory.id,
        "text": memory.text,
        "context": memory.context,
        "created_at": _moment(memory.created_at),
        "updated_at": _moment(memory.updated_at),
        **_event(memory),
        "source": _origin(memory.origin),
        "group": memory.group,
        "speaker": memory.speaker,
        "position": memory.position,
        "tags": list(memory.tags),
        "metadata": dict(memory.metadata),
        "supersedes": memory.supersedes,
        "superseded_by": memory.superseded_by,
    }


@document.register
def _(history: History) -> Document:
    return {"versions": [document(version) for version in history.versions]}


@document.register
def _(remembered: Remembered) -> Document:
    return {"id": remembered.id, "created": remembered.created}


@document.register
def _(revised: Revised) -> Document:
    return {"id": revised.memory.id, "supersedes": revised.memory.supersedes}


@document.register
def _(forgotten: Forgotten) -> Document:
    return {"forgotten": list(forgotten.ids)}


@document.register
def _(buried: Buried) -> Document:
    return {"unburied" if buried.undone else "buried": list(buried.ids)}


@document.register
def _(counts: Ingested) -> Document:
    return {
        "memories": counts.memories,
        "chunks": counts.chunks,
        "added": counts.added,
        "unchanged": counts.unchanged,
        "forgotten": counts.forgotten,
        "origins": {
            "new": counts.origins.new,
            "changed": counts.origins.changed,
            "unchanged": counts.origins.unchanged,
        },
        "dry_run": counts.rehearsed,
        "skipped": [{"where": skipped.where, "why": skipped.why} for skipped in counts.skipped],
    }


@document.register
def _(imported: Imported) -> Document:
    counts = document(imported.counts)
    return {name: counts[name] for name in counts if name not in ("origins", "dry_run")}


@document.register
def _(exported: Exported) -> Document:
    return {"exported": exported.items, "file": exported.file}


@document.register
def _(moved: Moved) -> Document:
    return {
        "memories": moved.memories,
        "present": moved.present,
        "chunks": moved.chunks,
        "vectors": moved.vectors,
        "tombstones": moved.tombstones,
        "checksum": moved.checksum,
    }


@document.register
def _(completed: Completed) -> Document:
    embedded = completed.embedded
    return {
        "fingerprint": embedded.fingerprint,
        "token_fingerprint": embedded.token_fingerprint,
        "chunks": embedded.chunks,
        "embedder": completed.embedder,
        "set_in": completed.set_in,
    }


@document.register
def _(dropped: Dropped) -> Document:
    return {"dropped": [{"fingerprint": name, "chunks": count} for name, count in dropped.chunks.items()]}


@document.register
def _(distributed: Distributed) -> Document:
    return {"distributed": list(distributed.tables), "why": distributed.why}


@document.register
def _(stats: Stats) -> Document:
    return {
        "memories": stats.memories,
        "chunks": stats.chunks,
        "namespaces": dict(stats.namespaces),
        "store": stats.store,
        "schema_version": stats.schema_version,
        "embedders": [{"fingerprint": name, "vectors": count} for name, count in stats.embedders.items()],
        "token_embedders": [{"fingerprint": name, "chunks": count} for name, count in stats.token_embedders.items()],
        "size_bytes": stats.size_bytes,
    }


@document.register
def _(diagnosis: Diagnosis) -> Document:
    return {
        "ok": diagnosis.sound,
        "settings": {
            name: {"value": setting.value, "from": setting.origin} for name, setting in diagnosis.settings.items()
        },
        "checks": [
            {"name": found.name, "status": found.status, "message": found.message, "mend": found.mend}
            for found in diagnosis.findings
        ],
    }


@document.register
def _(demonstration: Demonstration) -> Document:
    return {
        "ingested": document(demonstration.ingested),
        "seconds": round(demonstration.seconds, 2),
        "questions": [{"shows": answer.shows, **document(answer.recall)} for answer in demonstration.answers],
    }


def _event(memory: Memory) -> Document:
    return {
        "event_timestamp": _moment(memory.event_timestamp),
        "event_end": _moment(memory.event_end),
        "event_grain": memory.event_grain,
        "event_origin": memory.event_origin,
    }


def _origin(origin: Origin) -> Document:
    return {"kind": origin.kind, "uri": origin.uri, "title": origin.title}


def time_document(use: TimeUse | None) -> Document | None:
    """The time that shaped an answer, `null` when none did."""
    if use is None:
        return None
    return {
        "start": _moment(use.range.start),
        "end": _moment(use.range.end),
        "text": use.text,
        "applied": use.applied,
    }


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
