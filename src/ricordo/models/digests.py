"""Hashes of files, and the check that a file is what it should be to the byte."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ricordo.errors import ModelError
from ricordo.models.files import ModelFile

__all__ = ["git_blob_of", "sha256_of", "verify"]

BLOCK = 1 << 20


def sha256_of(path: Path, mend: str) -> str:
    """In hexadecimal digits. Raises ModelError, which ends with `mend`, when the file cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}; {mend}") from error


def git_blob_of(path: Path) -> str:
    """The SHA-1 that git names a file's content by: of `blob`, its size, a zero byte and the content."""
    digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def verify(file: ModelFile, path: Path) -> None:
    """Raise ModelError unless what lies at the path is the file, to the byte.

    Reads the whole file every time a model is loaded: that is a tenth of what loading takes, and a size or
    a date that has not changed would say nothing about a damaged disk.
    """
    found = sha256_of(path, file.mend)
    if found != file.sha256:
        raise ModelError(f"{path} is damaged: its sha256 is {found}, not {file.sha256}; {file.mend}")
