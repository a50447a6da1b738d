"""The shapes of what REST takes and gives, as JSON Schema; a test holds real answers against them."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["ANY_OBJECT", "BOOLEAN", "COMPONENTS", "INTEGER", "TEXT", "Schema", "array", "object_of", "ref"]

Schema = dict[str, object]

TEXT: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
BOOLEAN: Schema = {"type": "boolean"}
MOMENT: Schema = {"type": "string", "format": "date-time"}
ANY_OBJECT: Schema = {"type": "object"}
COUNTS: Schema = {"type": "object", "additionalProperties": INTEGER}


def array(items: Schema) -> Schema:
    """A list of these."""
    return {"type": "array", "items": items}


def object_of(properties: Mapping[str, Schema], *optional: str) -> Schema:
    """An object with these properties and no others; all must be there but the optional ones."""
    required = [name for name in properties if name not in optional]
    schema: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def ref(name: str) -> Schema:
    """A shape by its name in COMPONENTS."""
    return {"$ref": f"#/components/schemas/{name}"}


def _maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


EVENT: dict[str, Schema] = {
    "event_timestamp": _maybe(MOMENT),
    "event_end": _maybe(MOMENT),
    "event_grain": _maybe(TEXT),
    "event_origin": _maybe({"enum": ["stated", "source", "inferred", "said"]}),
}
SHARED: dict[str, Schema] = {
    "id": TEXT,
    "text": TEXT,
    "context": TEXT,
    "created_at": MOMENT,
    "updated_at": MOMENT,
    **EVENT,
    "source": ref("Source"),
    "group": _maybe(TEXT),
    "speaker": _maybe(TEXT),
    "metadata": ANY_OBJECT,
    "superseded_by": _maybe(TEXT),
}
MEMORY: dict[str, Schema] = {**SHARED, "position": INTEGER, "tags": array(TEXT), "supersedes": _maybe(TEXT)}
RECALL: dict[str, Schema] = {
    "query": TEXT,
    "namespace": TEXT,
    "time": _maybe(ref("TimeUse")),
    "hits": array(ref("Hit")),
    "notices": array(ref("Notice")),
    "timings_ms": {"type": "object", "additionalProperties": NUMBER},
}

COUNTED = dict.fromkeys(("memories", "chunks", "added", "unchanged", "forgotten"), INTEGER)
INGESTED: dict[str, Schema] = {
    **COUNTED,
    "origins": object_of({"new": INTEGER, "changed": INTEGER, "unchanged": INTEGER}),
    "dry_run": BOOLEAN,
    "skipped": array(ref("Skipped")),
}
HELD: dict[str, Schema] = {
    "source": ref("Source"),
    "memories": INTEGER,
    "first": MOMENT,
    "last": MOMENT,
    "read": BOOLEAN,
}

COMPONENTS: dict[str, Schema] = {
    "Source": object_of({"kind": TEXT, "uri": TEXT, "title": _maybe(TEXT)}),
    "TimeUse": object_of(
        {
            "start": _maybe(MOMENT),
            "end": _maybe(MOMENT),
            "text": TEXT,
            "applied": {"enum": ["filter", "boost", "widened"]},
        }
    ),
    "Notice": object_of({"code": TEXT, "message": TEXT}),
    "Memory": object_of(MEMORY),
    "Hit": object_of(
        {
            "rank": INTEGER,
            "score": NUMBER,
            "arms": COUNTS,
            **SHARED,
            "parts": {"type": "object", "additionalProperties": NUMBER},
            "history": array(ref("Memory")),
            "restated": array(TEXT),
        }
    ),
    "Recall": object_of(RECALL),
    "Why": object_of(
        {
            "id": TEXT,
            "chunk": TEXT,
            "text": TEXT,
            "terms": array(
                object_of({"term": TEXT, "in_text": INTEGER, "in_context": INTEGER, "chunks": INTEGER, "score": NUMBER})
            ),
            "meetings": array(
                object_of(
                    {
                        "asked": TEXT,
                        "found": TEXT,
                        "similarity": NUMBER,
                        "strength": NUMBER,
                        "start": _maybe(INTEGER),
                        "end": _maybe(INTEGER),
                    }
                )
            ),
        }
    ),
    "Context": object_of({**RECALL, "text": TEXT}),
    "History": object_of({"versions": array(ref("Memory"))}),
    "Near": object_of({"neighbours": array(ref("Memory")), "similar": array(ref("Memory"))}),
    "Page": object_of(
        {
            **MEMORY,
            "versions": array(ref("Memory")),
            "neighbours": array(ref("Memory")),
            "similar": array(ref("Memory")),
        }
    ),
    "Remembered": object_of({"id": TEXT, "created": BOOLEAN}),
    "Revised": object_of({"id": TEXT, "supersedes": _maybe(TEXT)}),
    "Buried": object_of({"buried": array(TEXT), "unburied": array(TEXT)}, "buried", "unburied"),
    "Forgotten": object_of({"forgotten": array(TEXT)}),
    "Skipped": object_of({"where": TEXT, "why": TEXT}),
    "Imported": object_of({**COUNTED, "skipped": array(ref("Skipped"))}),
    "Ingested": object_of(INGESTED),
    "Imports": object_of({"imports": array(object_of({"what": TEXT, "at": MOMENT, **INGESTED}))}),
    "Forgettable": object_of({"memories": array(ref("Memory"))}),
    "Trash": object_of(
        {"kept": array(object_of({"key": TEXT, "seconds_left": INTEGER, "memories": array(ref("Memory"))}))}
    ),
    "Restored": object_of({"restored": array(TEXT)}),
    "Settings": object_of({"settings": {"type": "object", "additionalProperties": TEXT}}),
    "Timeline": object_of(
        {
            "topic": _maybe(TEXT),
            "namespace": TEXT,
            "time": _maybe(ref("TimeUse")),
            "memories": array(ref("Memory")),
            "undated": _maybe(INTEGER),
            "notices": array(ref("Notice")),
            "next": _maybe(TEXT),
        }
    ),
    "Held": object_of(HELD),
    "Said": object_of({**HELD, "said": array(ref("Memory")), "next": _maybe(TEXT)}),
    "Skip": object_of({"at": MOMENT, "where": TEXT, "why": TEXT, "origin": _maybe(TEXT)}),
    "Skips": object_of({"namespace": TEXT, "skipped": array(ref("Skip")), "next": _maybe(TEXT)}),
    "Sources": object_of(
        {"namespace": TEXT, "sources": array(ref("Held")), "skipped": array(ref("Skip")), "next": _maybe(TEXT)}
    ),
    "Namespaces": object_of(
        {"namespaces": array(object_of({"name": TEXT, "memories": INTEGER})), "next": _maybe(TEXT)}
    ),
    "Survey": object_of(
        {
            "namespace": TEXT,
            "current": INTEGER,
            "superseded": INTEGER,
            "undated": INTEGER,
            "events": COUNTS,
            "learned": COUNTS,
            "kinds": COUNTS,
            "tags": COUNTS,
        }
    ),
    "Statistics": object_of(
        {
            **dict.fromkeys(("current", "superseded", "undated", "sampled", "sources"), INTEGER),
            "growth": COUNTS,
            "languages": COUNTS,
            "stats": ref("Stats"),
            "latency": object_of(
                {
                    "answers": INTEGER,
                    "median_ms": NUMBER,
                    "median_outside_models_ms": NUMBER,
                    "totals_ms": array(NUMBER),
                }
            ),
        }
    ),
    "Stats": object_of(
        {
            "memories": INTEGER,
            "chunks": INTEGER,
            "namespaces": COUNTS,
            "store": TEXT,
            "schema_version": INTEGER,
            "embedders": array(object_of({"fingerprint": TEXT, "vectors": INTEGER})),
            "token_embedders": array(object_of({"fingerprint": TEXT, "chunks": INTEGER})),
            "size_bytes": INTEGER,
        }
    ),
    "Diagnosis": object_of(
        {
            "ok": BOOLEAN,
            "settings": {"type": "object", "additionalProperties": object_of({"value": {}, "from": TEXT})},
            "checks": array(
                object_of(
                    {
                        "name": TEXT,
                        "status": {"enum": ["ok", "note", "fault"]},
                        "message": TEXT,
                        "mend": _maybe(TEXT),
                    }
                )
            ),
        }
    ),
    "Problem": object_of({"type": TEXT, "title": TEXT, "status": INTEGER, "detail": TEXT, "code": TEXT}),
}
