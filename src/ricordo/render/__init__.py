"""The only place that prints: values as one JSON document or as text for people, and errors as one line.

Nothing heavy is imported before it is needed: an error message should not wait for a terminal library.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ricordo.render.reports import View

__all__ = ["fail", "show", "tell", "write", "write_json", "write_lines"]


def show(value: object, view: View) -> None:
    """Show a value on stdout as the view asks."""
    from ricordo.render.documents import document

    if view.json:
        write_json(document(value))
        return
    from ricordo.render.layouts import to_text

    write(to_text(value, view))


def write_json(document: object) -> None:
    """One JSON document on stdout, in UTF-8 whatever the locale."""
    write_lines([json.dumps(document, ensure_ascii=False, indent=2)])


def write_lines(lines: list[str]) -> None:
    """Lines on stdout, in UTF-8 whatever the locale: they are for programs."""
    sys.stdout.flush()
    sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def write(text: str) -> None:
    """Text on stdout; what the terminal's encoding lacks becomes a question mark."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()


def tell(message: str) -> None:
    """A line for people on stderr."""
    from ricordo.render.phrases import safe

    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write(f"{safe(message)}\n".encode(encoding, "replace").decode(encoding))
    sys.stderr.flush()


def fail(code: str, message: str, *, as_json: bool) -> None:
    """An error: one line on stderr, and with `as_json` also `{"error": {"code", "message"}}` on stdout."""
    from ricordo.render.phrases import flat

    if as_json:
        write_json({"error": {"code": code, "message": message}})
    tell(f"ricordo: {flat(message)}")
