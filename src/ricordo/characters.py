"""Characters: which belong to words and names, which only part them, and which are one and the same."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["CURRENCY", "FLAG", "JOINER", "PICTURE", "SKIN", "SOFT", "UNSPACED", "fold", "plain"]

SOFT = "!#$%&'*+,-./:=?@\\_~"
"""Connectors inside a name, punctuation at its edges."""

CURRENCY = "$€£¥₽₴₸₹₩₪₫₺₿¢"
JOINER = "\u200d"

# Ranges for the inside of a regular expression's brackets.
PICTURE = "⌀-⏿☀-➿⬀-⯿\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
FLAG = "\U0001f1e6-\U0001f1ff"
SKIN = "\U0001f3fb-\U0001f3ff"
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts that write no space between words, and Hangul, whose particles cling to the word before them."""

_APOSTROPHES = "’ʼ‘"
_HYPHENS = "‐‑‒−"
_KEPT = frozenset(SOFT + CURRENCY + JOINER)
_PICTURES = re.compile(f"[{PICTURE}{FLAG}{SKIN}]")
# NFKC spells these out and would glue them to what stands beside them: №7 is not "No7", 6½ not "61/2".
_SIGNS = dict.fromkeys(map(ord, "№™℠℡…"), " ") | {
    ord(sign): " " + unicodedata.normalize("NFKC", sign).replace("⁄", "/") for sign in "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
}


def plain(text: str) -> str:
    """NFKC, with a space in place of everything that cannot stand inside a name."""
    return unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_FATES)


def fold(text: str) -> str:
    """Case and ё made one: the form in which words are compared."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text.casefold()).replace("ё", "е")


class _Fates(dict[int, str]):
    """A table for `str.translate` that decides about a character when it first meets it."""

    def __missing__(self, code: int) -> str:
        self[code] = fate = _fate(chr(code))
        return fate


_FATES = _Fates()


def _fate(character: str) -> str:
    if character in _KEPT or _PICTURES.match(character):
        return character
    if character in _APOSTROPHES:
        return "'"
    if character in _HYPHENS:
        return "-"
    category = unicodedata.category(character)
    if category == "Cf" or "\ufe00" <= character <= "\ufe0f":
        # Soft hyphens, marks of direction and variation selectors say how to draw; a zero-width space parts words.
        return " " if character == "\u200b" else ""
    return character if category[0] in "LMN" else " "
