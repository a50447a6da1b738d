"""An environment for each peer, made with pip from PyPI and kept: what they need does not go together."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import venv
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from peerlist import Peer

__all__ = ["Environment", "NotInstalled", "environment"]

READY = "ready"


class NotInstalled(RuntimeError):
    """pip could not install it; the message is pip's last word."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Environment:
    """A Python that has the peer, the peer's version, and the size of all that pip put there, in MiB."""

    python: str
    version: str
    mib: float


def environment(peer: Peer, cache: Path) -> Environment:
    """The peer's own, made when it is not there or other packages are wanted. Raises NotInstalled."""
    if not peer.requirements:
        return Environment(python=sys.executable, version=_own_version(peer), mib=0.0)
    folder = cache / f"{peer.name}-{hashlib.sha256(' '.join(peer.requirements).encode()).hexdigest()[:12]}"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not (folder / READY).is_file():
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        bare = _mib(folder)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.requirements]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise NotInstalled(f"could not be installed: {(done.stderr.strip().splitlines() or ['no word'])[-1]}")
        (folder / READY).write_text(f"{_mib(folder) - bare:.0f}", encoding="ascii")
    installed = float((folder / READY).read_text(encoding="ascii"))
    return Environment(python=str(python), version=peer.requirements[0].partition("==")[2], mib=installed)


def _own_version(peer: Peer) -> str:
    if peer.name != "ricordo":
        return f"SQLite {sqlite3.sqlite_version}"
    try:
        return version("ricordo")
    except PackageNotFoundError:
        return "from its source"


def _mib(folder: Path) -> float:
    return sum(file.lstat().st_size for file in folder.rglob("*")) / 2**20
