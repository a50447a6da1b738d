"""Vaults of notes: a folder with the settings of the program that keeps it, such as `.obsidian`."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["is_template"]

SETTINGS = ".obsidian"
# Where the settings, below their folder, name that of the templates, and under which key.
NAMED_IN = (("templates.json", "folder"), ("plugins/templater-obsidian/data.json", "templates_folder"))
USUAL_NAMES = frozenset({"templates", "template", "_templates", "шаблоны", "plantillas", "modelos"})
MAX_SETTINGS = 2**20


def is_template(path: Path) -> bool:
    """Whether a file stands in the folder that its vault keeps templates in; False outside a vault."""
    folder = path.resolve().parent
    vault = _vault(folder)
    if vault is None:
        return False
    parts = folder.relative_to(vault).parts
    named = _template_folders(vault)
    if named:
        return any(parts[: len(each)] == each for each in named)
    return any(part.casefold() in USUAL_NAMES for part in parts)


def _vault(folder: Path) -> Path | None:
    return next((parent for parent in (folder, *folder.parents) if (parent / SETTINGS).is_dir()), None)


def _template_folders(vault: Path) -> tuple[tuple[str, ...], ...]:
    """The folders that the vault's settings name, as parts of a path below it."""
    found = (_named(vault / SETTINGS / file, key) for file, key in NAMED_IN)
    return tuple(parts for parts in found if parts)


def _named(file: Path, key: str) -> tuple[str, ...]:
    try:
        if file.stat().st_size > MAX_SETTINGS:
            return ()
        settings = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return ()
    name = settings.get(key) if isinstance(settings, dict) else None
    return tuple(part for part in name.split("/") if part) if isinstance(name, str) else ()
