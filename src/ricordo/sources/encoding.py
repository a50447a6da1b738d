"""Bytes of a text file → text, whatever it was written in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from ricordo.errors import SourceError
from ricordo.sources.eastern import read_eastern

__all__ = ["Decoded", "decode", "decoded", "looks_binary"]

# UTF-32 goes first: its little-endian mark begins with that of UTF-16.
MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
)
# What people who write Russian, Spanish, Portuguese and English had before UTF-8. Any single-byte
# encoding decodes anything, so a longer list makes short texts undecidable.
LEGACY = ("cp1251", "koi8_r", "cp866", "cp1252")

CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b")) + b"\x7f"
CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
# A stray control byte in a valid UTF-8 note is a slip; a third of them is not a note.
MAX_CONTROL_UTF8 = 0.3
MAX_CONTROL_LEGACY = 0.01

FOREIGN_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]*[^\W\d_\x00-\x7f][^\W\d_]*")
MIXED_SCRIPTS = re.compile(r"[A-Za-z\u00c0-\u024f][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z\u00c0-\u024f]")
BARE_ACCENTS = re.compile(r"(?<![^\W\d_])[\u00c0-\u024f]{2,}(?![^\W\d_])")
SYMBOL_IN_WORD = re.compile(r"[^\W\d_][^\w\s'’\-–—./\\@:,;()\[\]{}!?\"”&+*=_<>#»…|%$~`^№°]|[\u2500-\u259f\x80-\x9f]")
# Half of all letters of Russian prose are one of these; misread Russian has few of them.
COMMON_RUSSIAN = frozenset("оеаинтсрвл")
SAMPLE_CHARACTERS = 20_000
MAX_ODD_SHARE = 0.5
# UTF-8 that was cut in the middle of a character, or had a line in another encoding put into it.
MAX_BROKEN_SHARE = 0.01
WHOLE_FOR_BROKEN = 5
REPLACEMENT = "\ufffd"


@dataclass(frozen=True, kw_only=True, slots=True)
class Decoded:
    """A text, and the encoding it was read in by a name that Python knows.

    A `guessed` encoding is one of the many that nothing in a file names; it was told by how its text looks.
    """

    text: str
    encoding: str = "utf-8"
    guessed: bool = False


def decode(data: bytes, where: str) -> str:
    """The text of a file as `decoded` reads it."""
    return decoded(data, where).text


def decoded(data: bytes, where: str) -> Decoded:
    """The text of a file, lines ended by `\\n`, without a byte order mark.

    Reads UTF-8, UTF-16 and UTF-32 (marked or told by their shape) and the older encodings of Russian, the languages
    of western Europe, Chinese, Japanese and Korean. Raises SourceError, naming `where`, for a binary file and for
    bytes that none of them explains.
    """
    found = _marked(data, where) or _utf8(data) or _wide(data) or _damaged(data, often=True) or _legacy(data, where)
    text = found.text.replace("\r\n", "\n").replace("\r", "\n")
    return Decoded(text=text, encoding=found.encoding, guessed=found.guessed)


def looks_binary(head: bytes) -> bool:
    """Whether a file that begins with these bytes holds no text, as far as its beginning tells."""
    if any(head.startswith(mark) for mark, _ in MARKS):
        return False
    if b"\0" in head:
        return _wide(head[: len(head) // 4 * 4]) is None
    return _control_share(head) > MAX_CONTROL_LEGACY


def _marked(data: bytes, where: str) -> Decoded | None:
    for mark, encoding in MARKS:
        if data.startswith(mark):
            try:
                return Decoded(text=data.decode(encoding), encoding=encoding)
            except UnicodeDecodeError as error:
                raise SourceError(where, f"begins like {encoding} but is not: {error.reason}") from error
    return None


def _utf8(data: bytes) -> Decoded | None:
    if _control_share(data) > MAX_CONTROL_UTF8:
        return None
    try:
        return Decoded(text=data.decode("utf-8"))
    except UnicodeDecodeError:
        return None


def _damaged(data: bytes, *, often: bool) -> Decoded | None:
    """UTF-8 with a few bytes that are not; `often` asks for characters beyond ASCII that are, to be sure of it."""
    if _control_share(data) > MAX_CONTROL_LEGACY:
        return None
    text = data.decode("utf-8", "replace")
    broken = text.count(REPLACEMENT) - data.count(REPLACEMENT.encode())
    if broken > max(1, MAX_BROKEN_SHARE * len(text)) or len(text) < 2 * WHOLE_FOR_BROKEN:
        return None
    if often and sum(character > "\x7f" for character in text) < (WHOLE_FOR_BROKEN + 1) * broken:
        return None
    return Decoded(text=text, guessed=True)


def _wide(data: bytes) -> Decoded | None:
    """UTF-16 or UTF-32 without a mark: NUL bytes all on one side of each unit, and no control characters."""
    if b"\0" not in data:
        return None
    for encoding, width in (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2)):
        if len(data) % width:
            continue
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if not CONTROL_CHARACTERS.search(text) and _mostly_words(text):
            return Decoded(text=text, encoding=encoding)
    return None


def _mostly_words(text: str) -> bool:
    sample = text[:SAMPLE_CHARACTERS]
    # Read with the wrong byte order, a line feed is U+0A00 and a space U+2000, and letters are unassigned or Han.
    plain = sum(character.isspace() or character < "\u0500" for character in sample)
    return plain * 2 > len(sample)


def _legacy(data: bytes, where: str) -> Decoded:
    if _control_share(data) > MAX_CONTROL_LEGACY:
        raise SourceError(where, "is a binary file")
    if (eastern := read_eastern(data)) is not None:
        return Decoded(encoding=eastern[0], text=eastern[1], guessed=True)
    matches = from_bytes(data, cp_isolation=list(LEGACY), threshold=1.0, enable_fallback=False)
    readings = sorted((_oddness(str(match)[:SAMPLE_CHARACTERS]), rank, match) for rank, match in enumerate(matches))
    if not readings or readings[0][0][0] > MAX_ODD_SHARE:
        if (damaged := _damaged(data, often=False)) is not None:
            return damaged
        raise SourceError(where, "its encoding cannot be told; save it as UTF-8")
    best = readings[0][2]
    return Decoded(text=str(best), encoding=best.encoding, guessed=True)


def _oddness(text: str) -> tuple[float, float]:
    """How unlike written language a reading looks: the share of odd words, then that of rare Cyrillic letters.

    The detector's own verdict is made for pages; on a line or two it takes KOI8-R for cp1251, and
    Spanish for Russian. A misread word gives itself away by mixed scripts, accents alone and swapped case.
    """
    words = FOREIGN_WORD.findall(text)
    odd = sum(not (word.islower() or word.isupper() or word.istitle()) for word in words)
    odd += sum(len(pattern.findall(text)) for pattern in (MIXED_SCRIPTS, BARE_ACCENTS, SYMBOL_IN_WORD))
    cyrillic = [letter for letter in text.lower() if "\u0400" <= letter <= "\u04ff"]
    rare = sum(letter not in COMMON_RUSSIAN for letter in cyrillic)
    return odd / max(len(words), 1), rare / max(len(cyrillic), 1)


def _control_share(data: bytes) -> float:
    return (len(data) - len(data.translate(None, CONTROL_BYTES))) / max(len(data), 1)
