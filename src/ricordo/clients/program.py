"""How this ricordo is run from elsewhere: assistants with windows do not have the PATH of a terminal."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

__all__ = ["MODULE", "own_program", "passing"]

NAMES = ("ricordo", "ricordo.exe")
MODULE = ("-P", "-m", "ricordo")
"""Without -P, Python would look for modules first in the folder it is started in, which may be anybody's."""
PASSING = ("/uv/archive-v", "/uv/cache/", "/.cache/uv/", "/pipx/.cache/", "/_npx/")
"""Folders that tools clear of what they ran once."""


def own_program(argument: str = sys.argv[0], executable: str = sys.executable) -> tuple[str, ...]:
    """The program that runs now by its absolute path, or else Python and its module.

    A name on the PATH that leads to it goes before: that one stays when the environment behind it is made anew.
    """
    here = _existing(argument) or _existing(str(Path(executable).with_name("ricordo")))
    found = shutil.which("ricordo")
    if found is not None and here is not None and Path(found).resolve() == here.resolve():
        return (str(Path(found).absolute()),)
    return (str(here),) if here is not None else (executable, *MODULE)


def passing(program: tuple[str, ...]) -> bool:
    """Whether the program lies where it will not stay."""
    path = Path(program[0]).as_posix()
    return any(part in path for part in PASSING)


def _existing(name: str) -> Path | None:
    path = Path(name)
    for candidate in (path, path.with_suffix(".exe")):
        if candidate.name.lower() in NAMES and candidate.is_absolute() and candidate.is_file():
            return candidate
    return None
