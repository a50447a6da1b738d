"""Every error ricordo raises on purpose.

::

    RicordoError
    ├── InvalidInput        a value from outside is wrong (also a ValueError)
    │   └── ConfigError     a setting is wrong: which one, where it came from, what is allowed
    ├── NotFound            no memory has this id
    ├── SourceError         a file or record cannot be read: where, and why
    ├── ModelError          a model cannot be had or used: file, hash, shape
    ├── MissingExtra        an optional dependency is absent (also an ImportError)
    └── StoreError          a store cannot be opened, read or written; the driver's error is the cause
        ├── SchemaTooNew    a newer ricordo wrote this store
        └── StoreBusy       another process held the store for too long

A message says what is wrong, where, and how to mend it.
"""

from __future__ import annotations

__all__ = [
    "ConfigError",
    "InvalidInput",
    "MissingExtra",
    "ModelError",
    "NotFound",
    "RicordoError",
    "SchemaTooNew",
    "SourceError",
    "StoreBusy",
    "StoreError",
]


class RicordoError(Exception):
    """Base of every error that ricordo raises on purpose."""


class InvalidInput(RicordoError, ValueError):
    """A value given by the caller cannot be used."""


class ConfigError(InvalidInput):
    """A setting cannot be used."""

    def __init__(self, setting: str, origin: str, problem: str) -> None:
        super().__init__(f"{setting} (from {origin}): {problem}")
        self.setting = setting
        self.origin = origin


class NotFound(RicordoError, LookupError):
    """No memory has the id that was asked for."""


def revised_meanwhile(memory_id: str) -> InvalidInput:
    """What a store raises when a memory to be replaced has been replaced already."""
    return InvalidInput(f"{memory_id} was revised in the meantime; look at its history and revise the current version")


class SourceError(RicordoError):
    """A source, or one record of it, cannot be read."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.where = where
        self.why = why


class ModelError(RicordoError):
    """A model's files are missing, damaged or not what their row says."""


class MissingExtra(RicordoError, ImportError):
    """An optional part of ricordo is not installed."""

    def __init__(self, extra: str, why: str) -> None:
        super().__init__(f"{why}; install it with: pip install 'ricordo[{extra}]'")
        self.extra = extra


class StoreError(RicordoError):
    """A store cannot be opened, read or written."""


class SchemaTooNew(StoreError):
    """The store was written by a newer ricordo than this one."""


class StoreBusy(StoreError):
    """Another process held the store for longer than we wait."""
