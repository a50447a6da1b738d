"""Values as short plain text for people; pure. Text out of memories is data and may not steer a terminal."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from ricordo.memory import Origin, uri_parts

__all__ = ["below_home", "excerpt", "flat", "megabytes", "place", "safe", "short_id", "size_advice"]

EXCERPT_CHARACTERS = 420
EXCERPT_LINES = 8
SHORT_ID = 8
LARGE_CHUNKS = 200_000
# Of a question's word, this much must reappear: endings differ, beginnings seldom.
STEM_CHARACTERS = 5
ELLIPSIS = "…"

# C0 and DEL have pictures of their own; C1 and what reorders a line of text have none.
_PICTURES = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"} | {0x7F: "\u2421"}
_NAMELESS = dict.fromkeys((*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd")
_BREAKS = {0x2028: "\n", 0x2029: "\n"}
_SAFE = _PICTURES | _NAMELESS | _BREAKS

WORD = re.compile(r"\w{3,}")


def safe(text: str) -> str:
    """The text with control characters and bidirectional overrides made visible; tabs become spaces."""
    return text.replace("\r\n", "\n").expandtabs(4).translate(_SAFE)


def flat(text: str) -> str:
    """The text, safe, on one line."""
    return " ".join(safe(text).split())


def excerpt(text: str, question: str = "", size: int = EXCERPT_CHARACTERS) -> str:
    """The text without its blank lines when it is short; otherwise the part that holds most of the question's words.

    What is left out at either end is marked by an ellipsis.
    """
    lines = [line.rstrip() for line in safe(text).splitlines() if line.strip()]
    whole = "\n".join(lines)
    if len(whole) <= size and len(lines) <= EXCERPT_LINES:
        return whole
    text = " ".join(whole.split())
    if len(text) <= size:
        return text
    start = _best_start(text, question, size)
    if start:
        start = text.find(" ", start, start + size // 4) + 1 or start
    end = min(start + size, len(text))
    if end < len(text):
        end = max(text.rfind(" ", start + size // 2, end), 0) or end
    return (ELLIPSIS if start else "") + text[start:end] + (ELLIPSIS if end < len(text) else "")


def _best_start(text: str, question: str, size: int) -> int:
    """Where to begin so that most different words of the question are seen; the earliest such place."""
    stems = {word[:STEM_CHARACTERS] for word in WORD.findall(question.lower())}
    if not stems:
        return 0
    pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(stems))) + ")", re.IGNORECASE)
    found = [(match.start(), match.group().lower()) for match in pattern.finditer(text)]
    best, most = 0, 0
    for position, _ in found:
        start = max(0, min(position - size // 4, len(text) - size))
        seen = len({stem for at, stem in found if start <= at < start + size})
        if seen > most:
            best, most = start, seen
    return best


def short_id(memory_id: str) -> str:
    """The beginning of an id, long enough to be told from others in all but the largest stores."""
    return flat(memory_id[:SHORT_ID])


def place(origin: Origin, home: Path | None = None) -> str:
    """Where a memory comes from: its title and its file, below `~` where that is true; empty when it was told."""
    if origin.kind == "told":
        return ""
    parts = uri_parts(origin.uri)
    if parts.scheme != "file":
        return " ".join(filter(None, (flat(origin.title or ""), flat(origin.uri))))
    path = PurePosixPath(unquote(parts.path))
    where = below_home(path.as_posix(), home)
    title = flat(origin.title or "")
    return flat(where) if title in ("", path.stem, path.name) else f"{title} ({flat(where)})"


def below_home(path: str, home: Path | None = None) -> str:
    """The path, below `~` where that is true."""
    base = PurePosixPath((home or Path.home()).as_posix())
    return f"~/{PurePosixPath(path).relative_to(base)}" if PurePosixPath(path).is_relative_to(base) else path


def megabytes(size: int) -> str:
    """A number of bytes for people."""
    return f"{size / 2**20:,.1f} MiB" if size >= 2**20 else f"{size / 2**10:,.0f} KiB"


def size_advice(store: str, chunks: int) -> str | None:
    """What to say about a file that has outgrown a search over all of its vectors; None when it has not."""
    if chunks <= LARGE_CHUNKS or not store.startswith("sqlite:"):
        return None
    return f"with {chunks:,} chunks PostgreSQL suits this store better: ricordo move --to postgresql://…"
