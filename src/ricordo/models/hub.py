"""Model files that come from the model hub: where they are kept, and the lock that remembers their hashes.

A hub row names a repository, not bytes. The first download is trusted as far as the hub vouches for it; the
hashes then go into a lock file beside the files, and what lies there is held to them ever after.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ricordo.errors import ModelError
from ricordo.models.digests import sha256_of
from ricordo.models.files import ModelFile
from ricordo.settings import data_directory

__all__ = ["HubFile", "Locked", "hub_folder", "read_lock", "write_lock"]

LOCK = "ricordo.lock.json"


def hub_folder(repository: str) -> Path:
    """Where the files of a repository are kept."""
    return data_directory() / "models" / repository.replace("/", "--")


@dataclass(frozen=True, kw_only=True, slots=True)
class Locked:
    """What a file was when it came: its SHA-256, its bytes, and the commit of the repository it belongs to."""

    sha256: str
    size: int
    commit: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class HubFile:
    """A file of a repository on the hub, by its path there. `sha256` is None where no row pins it."""

    name: str
    repository: str
    licence: str
    sha256: str | None = None

    @property
    def revision(self) -> str | None:
        return self.sha256

    @property
    def work(self) -> str:
        return self.repository

    @property
    def packaging(self) -> str:
        return "hub"

    @property
    def mend(self) -> str:
        target = hub_folder(self.repository) / self.name
        return (
            f"run: ricordo models fetch {self.repository}, or download {self.name} of {self.repository} "
            f"from the model hub yourself and put it at {target}"
        )

    def path(self) -> Path | None:
        return hub_folder(self.repository) / self.name

    def settled(self) -> ModelFile:
        """With the hash of the lock; a file put there by hand is locked as it is found."""
        if self.sha256:
            return self
        folder = hub_folder(self.repository)
        lock = read_lock(folder)
        if self.name not in lock:
            path = folder / self.name
            lock = {**lock, self.name: Locked(sha256=sha256_of(path, self.mend), size=path.stat().st_size)}
            write_lock(folder, lock)
        return replace(self, sha256=lock[self.name].sha256)


def read_lock(folder: Path) -> Mapping[str, Locked]:
    """Files of the folder by name, as they were when they came. Raises ModelError when the lock is damaged."""
    path = folder / LOCK
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {name: Locked(**entry) for name, entry in content["files"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} is damaged: {error}; remove it, and what lies beside it is locked anew") from error


def write_lock(folder: Path, lock: Mapping[str, Locked]) -> None:
    """Replace the lock as a whole. Raises ModelError."""
    content = {"version": 1, "files": {name: asdict(entry) for name, entry in sorted(lock.items())}}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=LOCK)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(content, stream, indent=2)
        os.replace(temporary, folder / LOCK)
    except OSError as error:
        raise ModelError(f"cannot write {folder / LOCK}: {error.strerror}") from error
