"""Vaults of notes: a folder with the settings of the program that keeps it, such as `.obsidian`.

The settings are only read. They tell where templates are, and how the names of daily pages are to be understood.
"""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

__all__ = ["daily_date", "is_template"]

SETTINGS = ".obsidian"
# Where the settings, below their folder, name that of the templates, and under which key.
NAMED_IN = (("templates.json", "folder"), ("plugins/templater-obsidian/data.json", "templates_folder"))
USUAL_NAMES = frozenset({"templates", "template", "_templates", "шаблоны", "plantillas", "modelos"})
MAX_SETTINGS = 2**20
# The parts of a date as Moment.js writes them in a format, and what each looks like in a name.
TOKEN = re.compile(r"\[[^\]]*\]|YYYY|MM|DD|M|D|dddd|ddd|dd|.", re.DOTALL)
LOOKS = {
    "YYYY": r"(?P<year>\d{4})",
    "MM": r"(?P<month>\d{2})",
    "M": r"(?P<month>\d{1,2})",
    "DD": r"(?P<day>\d{2})",
    "D": r"(?P<day>\d{1,2})",
    **dict.fromkeys(("dddd", "ddd", "dd"), r"[^\W\d_]+"),
}
PARTS = ("year", "month", "day")
PART_OF = {"YYYY": "year", "MM": "month", "M": "month", "DD": "day", "D": "day"}
MAX_FORMAT = 100


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


def daily_date(path: Path) -> date | None:
    """The day whose page this is, by the format that its vault's settings name for daily pages.

    Which of `03.04.2026` is the day is no guess where the settings say it. None outside a vault, and without a format.
    """
    path = path.resolve()
    vault = _vault(path.parent)
    if vault is None:
        return None
    settings = _settings(vault / SETTINGS / "daily-notes.json")
    folder, form = settings.get("folder"), settings.get("format")
    if not isinstance(form, str) or not 0 < len(form) <= MAX_FORMAT:
        return None
    below = path.relative_to(vault).with_suffix("").as_posix()
    prefix = f"{folder.strip('/')}/" if isinstance(folder, str) and folder.strip("/") else ""
    looks = _look_of(form)
    if looks is None or not below.startswith(prefix) or (found := looks.fullmatch(below[len(prefix) :])) is None:
        return None
    try:
        return date(*(int(found[part]) for part in PARTS))
    except ValueError:
        return None


def _look_of(form: str) -> re.Pattern[str] | None:
    """What a name in this format looks like; None for one that does not name a day once."""
    tokens = TOKEN.findall(form)
    if any(sum(PART_OF.get(token) == part for token in tokens) != 1 for part in PARTS):
        return None
    return re.compile("".join(LOOKS.get(token) or re.escape(token.strip("[]")) for token in tokens))


def _vault(folder: Path) -> Path | None:
    return next((parent for parent in (folder, *folder.parents) if (parent / SETTINGS).is_dir()), None)


def _template_folders(vault: Path) -> tuple[tuple[str, ...], ...]:
    """The folders that the vault's settings name, as parts of a path below it."""
    found = (_named(vault / SETTINGS / file, key) for file, key in NAMED_IN)
    return tuple(parts for parts in found if parts)


def _named(file: Path, key: str) -> tuple[str, ...]:
    name = _settings(file).get(key)
    return tuple(part for part in name.split("/") if part) if isinstance(name, str) else ()


def _settings(file: Path) -> dict[str, object]:
    """A file of settings; empty when there is none that can be read."""
    try:
        if file.stat().st_size > MAX_SETTINGS:
            return {}
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
