"""Where a keeper listens: a socket in a folder that is its user's alone, named by what it serves."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import stat
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ricordo.settings import Settings, state_directory

__all__ = ["Insecure", "Place", "peer", "place_for", "store_file", "supported"]

UNRELATED = frozenset({"hook_ms", "keeper", "keeper_minutes", "namespace"})
"""Settings that change no answer of a keeper, or come with each question."""
CREDENTIALS = struct.Struct("3i")
SOL_LOCAL, LOCAL_PEERCRED = 0, 1
"""macOS, <sys/un.h>; Python has no names for them."""


class Insecure(Exception):
    """Somebody else could listen, or listens, where the keeper should."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """The files of one keeper: all else about it is asked of itself."""

    folder: Path
    key: str

    @property
    def socket(self) -> Path:
        return self.folder / f"{self.key}.sock"

    @property
    def lock(self) -> Path:
        """Held by the keeper as long as it lives."""
        return self.folder / f"{self.key}.lock"

    @property
    def started(self) -> Path:
        """Touched when somebody starts a keeper."""
        return self.folder / f"{self.key}.started"

    def secure(self) -> None:
        """Make the folder, or see that it is this user's alone. Raises Insecure."""
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            found = self.folder.lstat()
        except OSError as error:
            raise Insecure(f"{self.folder} cannot be made: {error.strerror}") from error
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o077:
            raise Insecure(f"{self.folder} is not a folder of this user alone; remove it")


def supported() -> bool:
    """Whether this system has sockets in files, and users to tell apart."""
    return hasattr(socket, "AF_UNIX") and sys.platform != "win32"


def place_for(settings: Settings, environment: Mapping[str, str] = os.environ) -> Place:
    """The place of the keeper that answers by these settings, whatever the namespace.

    Short, for a socket's path may have a hundred bytes, and a home folder may be deep.
    """
    served = {entry.name: getattr(settings, entry.name) for entry in fields(settings) if entry.name not in UNRELATED}
    file = store_file(settings.store)
    described = [served, str(state_directory(environment)), str(file.absolute()) if file is not None else ""]
    key = hashlib.sha256(json.dumps(described, sort_keys=True).encode("utf-8", "replace")).hexdigest()[:16]
    runtime = environment.get("XDG_RUNTIME_DIR")
    if runtime and Path(runtime).is_dir():
        return Place(folder=Path(runtime) / "ricordo", key=key)
    return Place(
        folder=Path(environment.get("TMPDIR") or "/tmp") / f"ricordo-{os.getuid()}", key=key
    )  # secured before use


def store_file(url: str) -> Path | None:
    """The file that a store's URL names, None for a store that is no file."""
    parts = urlsplit(url)
    path = unquote(parts.path.removeprefix("/"))
    return Path(path).expanduser() if parts.scheme == "sqlite" and path else None


def peer(connection: socket.socket) -> tuple[int | None, int | None]:
    """The process and the user at the other end, None where the system does not tell."""
    if sys.platform == "linux":
        found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
        process, user, _ = CREDENTIALS.unpack(found)
        return process, user
    if sys.platform == "darwin":
        _, user = struct.unpack("2I", connection.getsockopt(SOL_LOCAL, LOCAL_PEERCRED, 76)[:8])
        return None, user
    return None, None
