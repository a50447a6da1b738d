"""Named SQL: what a store's `sql` folder holds, by name and number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

__all__ = ["Migration", "load_migrations", "load_queries", "load_schema"]

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Migration:
    """One numbered step of a schema."""

    version: int
    name: str
    sql: str


def load_queries(package: str, file: str = "queries.sql") -> Mapping[str, str]:
    """The statements of a file of the package's `sql` folder, by the name that stands above each."""
    text = (files(package) / "sql" / file).read_text(encoding="utf-8")
    parts = _NAME.split(text)
    return {name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def load_schema(package: str) -> str:
    """The whole schema as it stands after the last migration."""
    return (files(package) / "sql" / "schema.sql").read_text(encoding="utf-8")


def load_migrations(package: str) -> tuple[Migration, ...]:
    """The migrations of the package in the order of their numbers, which start at 1 and leave no gap."""
    found = sorted(
        (entry for entry in (files(package) / "sql" / "migrations").iterdir() if entry.name.endswith(".sql")),
        key=lambda entry: entry.name,
    )
    return tuple(
        Migration(version=number, name=entry.name.removesuffix(".sql"), sql=entry.read_text(encoding="utf-8"))
        for number, entry in enumerate(found, start=1)
    )
