"""Whose memory an assistant works with: each project has a namespace; others are reached only where a rule says so.

The rules, from the strictest:

1. `pins` are all there is: a tool that is pinned to namespaces cannot leave them, wherever it is started. Their first
   is its home.
2. A namespace that was asked for is home, in place of the project's.
3. The project's namespace is home where the client works in one: `atlas-3f9c2a` for `/home/mira/src/atlas`. Its
   worktrees share it.
4. Otherwise home is the personal namespace: what is set as `namespace`, `default` unless something else is.

Home is searched and written to. Beside it only those of `also` can be reached. In all of these `personal` and `project`
stand for what they are here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ricordo.errors import InvalidInput
from ricordo.memory import digest

__all__ = ["PERSONAL", "PROJECT", "Rules", "Scope", "directory_of", "project_namespace", "project_root", "scope_of"]

PERSONAL, PROJECT = "personal", "project"

READABLE = 40
DIGITS = 6
# Where programs keep their own things: who is started there works on no project.
NO_PROJECTS = frozenset({"AppData", "Library"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """The namespaces that can be reached: `home` is written to, all `searched`, in order of their weight at a tie."""

    home: str
    also: tuple[str, ...] = ()
    personal: str = "default"
    project: str | None = None

    @property
    def searched(self) -> tuple[str, ...]:
        return (self.home, *self.also)

    def target(self, name: str | None) -> str:
        """The one namespace to write to. Raises InvalidInput for one that cannot be reached."""
        return self.resolve(name or self.home)[0]

    def resolve(self, name: str | None) -> tuple[str, ...]:
        """The namespaces that a name given by a tool stands for, all of them where none is given.

        Raises InvalidInput for one that cannot be reached from here, the same whether it exists or not.
        """
        if name is None:
            return self.searched
        meant = _meant(name, self.personal, self.project)
        if meant not in self.searched:
            raise InvalidInput(f"namespace {name!r} cannot be reached from here; reachable: {', '.join(self.searched)}")
        return (meant,)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """Which namespaces a tool may reach: that `asked` for, others `also`, or `pins` that it cannot leave."""

    asked: str | None = None
    also: tuple[str, ...] = ()
    pins: tuple[str, ...] = ()

    def scope(self, personal: str, directory: Path | None) -> Scope:
        """What they come to where the tool works. Raises InvalidInput where they contradict one another."""
        return scope_of(personal=personal, directory=directory, asked=self.asked, also=self.also, pins=self.pins)


def scope_of(
    *,
    personal: str,
    directory: Path | None,
    asked: str | None = None,
    also: Sequence[str] = (),
    pins: Sequence[str] = (),
) -> Scope:
    """The scope of a tool that works in a directory, None for nowhere in particular.

    Raises InvalidInput where pins contradict what is asked for.
    """
    project = project_namespace(directory) if directory is not None else None

    def meant(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_meant(name, personal, project) for name in names))

    if pins:
        pinned = meant(pins)
        beyond = sorted(set(meant((*also, *([asked] if asked else [])))) - set(pinned))
        if beyond:
            raise InvalidInput(f"pinned to {', '.join(pinned)}, which leaves out {', '.join(beyond)}")
        home = meant([asked])[0] if asked else pinned[0]
        others = pinned
    else:
        home = meant([asked])[0] if asked else project or personal
        others = meant(also)
    return Scope(home=home, also=tuple(name for name in others if name != home), personal=personal, project=project)


def _meant(name: str, personal: str, project: str | None) -> str:
    return {PERSONAL: personal, PROJECT: project or personal}.get(name, name)


def project_namespace(directory: Path) -> str:
    """The namespace of the project in a directory: a name to be read, and six digits that tell it from its likes."""
    root = project_root(directory) or directory.resolve()
    name = re.sub(r"[^\w.-]+", "-", root.name).strip("-.")[:READABLE] or "root"
    return f"{name}-{digest(os.path.normcase(root))[:DIGITS]}"


def project_root(directory: Path) -> Path | None:
    """The folder of the git repository that a directory is in, for a worktree that of its repository; None for none.

    A repository of the home folder itself (settings of programs, under version control) makes no project of all below.
    """
    place = directory.resolve()
    for folder in (place, *place.parents):
        mark = folder / ".git"
        if folder == Path.home().resolve():
            return None
        if mark.is_dir():
            return folder
        if mark.is_file():
            return _main_tree(mark) or folder
    return None


def _main_tree(mark: Path) -> Path | None:
    """`gitdir: /home/mira/src/atlas/.git/worktrees/fix` → `/home/mira/src/atlas`; None for a submodule."""
    try:
        line = mark.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
    inner = (mark.parent / line.removeprefix("gitdir:").strip()).resolve()
    return inner.parents[2] if inner.parent.name == "worktrees" and inner.parents[1].name == ".git" else None


def directory_of(environment: Mapping[str, str], roots: Sequence[str], working: Path) -> Path | None:
    """The directory that a client works in: what its environment says, the first of its roots, or where it was started.

    The last counts only inside a repository or below the home folder: a desktop application starts its tools anywhere.
    """
    if said := environment.get("CLAUDE_PROJECT_DIR"):
        return Path(said)
    for root in roots:
        if (parts := urlsplit(root)).scheme == "file":
            path = unquote(parts.path)
            # file:///C:/src/atlas
            return Path(path[1:] if re.match("/[A-Za-z]:", path) else path)
    return working if project_root(working) or _is_below_home(working.resolve()) else None


def _is_below_home(place: Path) -> bool:
    home = Path.home().resolve()
    inside = place.relative_to(home).parts if place.is_relative_to(home) else ()
    return bool(inside) and not inside[0].startswith(".") and inside[0] not in NO_PROJECTS
