"""What a folder may hold that nobody wrote to be read: hidden files, and what programs install; pure."""

from __future__ import annotations

__all__ = ["is_passed_over"]

# Programs put whole libraries there, and their text would drown that of the project.
INSTALLED = frozenset(
    {"__MACOSX", "__pycache__", "__pypackages__", "bower_components", "node_modules", "site-packages"}
)


def is_passed_over(name: str) -> bool:
    """Whether a file or folder of this name in a folder that is read is left out."""
    return name.startswith(".") or name in INSTALLED
