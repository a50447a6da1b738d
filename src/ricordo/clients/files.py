"""Configuration files of other programs, read and written with care.

They may be links into somebody's collection of dotfiles, may be read-only on purpose, may begin with a mark of their
encoding; and whoever breaks one breaks another program.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ricordo.errors import InvalidInput

__all__ = ["Ledger", "Record", "digest", "made_folders", "read", "remove", "write"]


def read(path: Path) -> str | None:
    """The text of a file as it stands, line ends and a byte order mark included; None where there is none.

    Raises InvalidInput when it is no file, cannot be read, or is no UTF-8.
    """
    try:
        if path.is_dir():
            raise InvalidInput(f"{path} is a folder, where a file should be")
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InvalidInput(f"{path}:{line}: this is not UTF-8; nothing was changed") from error
    except (OSError, RuntimeError) as error:
        raise InvalidInput(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def write(path: Path, text: str) -> None:
    """Put a text in a file's place, all of it or nothing; a link stays one, and the file's permissions stay.

    Raises InvalidInput when that cannot be done, or when the file is read-only.
    """
    try:
        target = path.resolve()
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
        # Replacing a file needs no leave from the file itself: whoever took it away meant it.
        if mode is not None and not mode & stat.S_IWUSR:
            raise InvalidInput(f"{path} is read-only; make it writable (chmod u+w) and run this again")
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.ricordo-{os.getpid()}")
        try:
            with temporary.open("xb") as stream:
                stream.write(text.encode("utf-8"))
                stream.flush()
                os.fsync(stream.fileno())
            if mode is not None:
                temporary.chmod(mode)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except (OSError, RuntimeError) as error:
        raise InvalidInput(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error


def remove(path: Path, folders: Sequence[str] = ()) -> None:
    """Remove a file, and then those of its folders that were made for it and hold nothing. Raises InvalidInput."""
    try:
        path.resolve().unlink(missing_ok=True)
    except (OSError, RuntimeError) as error:
        raise InvalidInput(f"cannot remove {path}: {getattr(error, 'strerror', None) or error}") from error
    for folder in map(Path, folders):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def made_folders(path: Path) -> tuple[str, ...]:
    """The folders that must be made for a file, innermost first."""
    return tuple(str(folder) for folder in path.parents if not folder.exists())


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """What a file was before ricordo was put into it, None where there was no file, and a digest of what it became.

    `folders` were made for it.
    """

    before: str | None
    after: str
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Ledger:
    """Records and backups of changed files, in a folder that only its owner can read: configurations hold secrets."""

    folder: Path

    def backup(self, path: Path) -> Path:
        """Where the backup of a file is, as it was, once it has been changed."""
        name = f"{digest(str(path.resolve()))[:12]}-{path.name.lstrip('.')}"
        return self.folder / name

    def find(self, path: Path) -> Record | None:
        """The record of a file; None without one, or with one that cannot be read."""
        backup = self.backup(path)
        try:
            found = json.loads(_record(backup).read_text(encoding="utf-8"))
            before = backup.read_bytes().decode("utf-8") if found["existed"] else None
            return Record(before=before, after=found["after"], folders=tuple(found["folders"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, path: Path, record: Record) -> None:
        """Keep the record of a file, and its backup if there was a file. Raises InvalidInput."""
        backup = self.backup(path)
        document = {
            "file": str(path),
            "existed": record.before is not None,
            "after": record.after,
            "folders": record.folders,
        }
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.drop(path)
            if record.before is not None:
                _private(backup, record.before)
            _private(_record(backup), json.dumps(document, ensure_ascii=False))
        except OSError as error:
            raise InvalidInput(f"cannot keep what {path} was: {error.strerror or error}") from error

    def drop(self, path: Path) -> None:
        """Drop the record and the backup of a file."""
        backup = self.backup(path)
        backup.unlink(missing_ok=True)
        _record(backup).unlink(missing_ok=True)


def digest(text: str) -> str:
    """A digest of a text, to know it again by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _record(backup: Path) -> Path:
    return backup.with_name(f"{backup.name}.record")


def _private(place: Path, text: str) -> None:
    with open(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(text.encode("utf-8"))
