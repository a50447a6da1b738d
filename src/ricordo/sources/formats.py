"""The formats of JSON files that are known, by the keys of their records, whatever the file is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TypeAlias, cast

from ricordo.protocols import Skipped, Source
from ricordo.sources.blobs import Blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.records import keys_of_records

__all__ = ["FORMATS", "Format", "Read", "recognise"]

Read: TypeAlias = Callable[[Blob, Circumstances], Iterator["Source | Skipped | Path"]]
"""Finds the sources in a blob, in turn. A path is a file that belongs to it, to be read as well."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """A format: `name` for people, the keys that at least one record has all of, and the function that reads it."""

    name: str
    keys: frozenset[str]
    module: str
    function: str

    def load(self) -> Read:
        return cast("Read", getattr(import_module(self.module), self.function))


def _format(name: str, keys: str, module: str, function: str) -> Format:
    return Format(name=name, keys=frozenset(keys.split()), module=f"ricordo.sources.{module}", function=function)


# The first that fits reads the file: what asks for more comes first.
FORMATS: tuple[Format, ...] = (_format("claude.ai conversations", "uuid chat_messages", "claude", "conversations"),)


def recognise(head: bytes) -> Format | None:
    """The format of a file that begins with `head`; None when it is none of these, or no JSON."""
    records = keys_of_records(head)
    if not records:
        return None
    return next((known for known in FORMATS if any(known.keys <= keys for keys in records)), None)
