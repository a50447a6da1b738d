"""Long-term memory for AI assistants that lives on its owner's machine.

::

    import ricordo

    async with ricordo.open("sqlite:///memory.db") as memory:
        await memory.remember("Project Baikal is our internal ML pipeline")
        for hit in await memory.recall("what is Baikal?", limit=5):
            print(hit.rank, hit.text, hit.event_timestamp)

`ricordo.sync` is the same without `await`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ricordo.context import Context
    from ricordo.engine import Engine, Remembered, open
    from ricordo.errors import (
        ConfigError,
        InvalidInput,
        MissingExtra,
        ModelError,
        NotFound,
        RicordoError,
        SchemaTooNew,
        SourceError,
        StoreBusy,
        StoreError,
    )
    from ricordo.memory import Chunk, EventTime, Memory, Origin
    from ricordo.query import AsOf, Filters, Hit, Notice, Query, Recall, TimeRange
    from ricordo.settings import Settings
    from ricordo.timeline import Timeline

__all__ = [
    "AsOf",
    "Chunk",
    "ConfigError",
    "Context",
    "Engine",
    "EventTime",
    "Filters",
    "Hit",
    "InvalidInput",
    "Memory",
    "MissingExtra",
    "ModelError",
    "NotFound",
    "Notice",
    "Origin",
    "Query",
    "Recall",
    "Remembered",
    "RicordoError",
    "SchemaTooNew",
    "Settings",
    "SourceError",
    "StoreBusy",
    "StoreError",
    "TimeRange",
    "Timeline",
    "open",
]

# Names are looked up when first used, so that `ricordo --help` does not wait for numpy.
_HOMES = {
    "AsOf": "ricordo.query",
    "Chunk": "ricordo.memory",
    "ConfigError": "ricordo.errors",
    "Context": "ricordo.context",
    "Engine": "ricordo.engine",
    "EventTime": "ricordo.memory",
    "Filters": "ricordo.query",
    "Hit": "ricordo.query",
    "InvalidInput": "ricordo.errors",
    "Memory": "ricordo.memory",
    "MissingExtra": "ricordo.errors",
    "ModelError": "ricordo.errors",
    "NotFound": "ricordo.errors",
    "Notice": "ricordo.query",
    "Origin": "ricordo.memory",
    "Query": "ricordo.query",
    "Recall": "ricordo.query",
    "Remembered": "ricordo.engine",
    "RicordoError": "ricordo.errors",
    "SchemaTooNew": "ricordo.errors",
    "Settings": "ricordo.settings",
    "SourceError": "ricordo.errors",
    "StoreBusy": "ricordo.errors",
    "StoreError": "ricordo.errors",
    "TimeRange": "ricordo.query",
    "Timeline": "ricordo.timeline",
    "open": "ricordo.engine",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
