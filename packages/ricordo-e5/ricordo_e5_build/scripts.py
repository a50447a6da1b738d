"""Which characters the trimmed vocabulary can spell.

By code point and not by Unicode property, so that every version of Python keeps the same pieces.
"""

from __future__ import annotations

import re

__all__ = ["KEPT", "spells"]

KEPT = ("Latin", "Cyrillic", "Greek", "digits", "punctuation", "emoji", "symbols")

DROPPED = (
    (0x0530, 0x1AAF),  # Armenian, Hebrew, Arabic, the scripts of India, Thai, Georgian, Ethiopic, Khmer, Mongolian
    (0x1B00, 0x1C7F),  # Balinese to Ol Chiki
    (0x1C90, 0x1CFF),  # Georgian capitals, Vedic marks
    (0x2C00, 0x2C5F),  # Glagolitic
    (0x2D00, 0x2DDF),  # Georgian, Tifinagh, Ethiopic
    (0x2E80, 0x2FFF),  # radicals of CJK
    (0x3040, 0xA63F),  # Kana, Bopomofo, Hangul letters, CJK ideographs, Yi, Vai
    (0xA6A0, 0xA6FF),  # Bamum
    (0xA800, 0xAB2F),  # Syloti Nagri to Ethiopic
    (0xAB70, 0xD7FF),  # Cherokee, Meetei Mayek, Hangul
    (0xF900, 0xFAFF),  # compatibility ideographs
    (0xFB13, 0xFDFF),  # Armenian, Hebrew and Arabic presentation forms
    (0xFE70, 0xFEFE),  # more of the Arabic ones
    (0xFF65, 0xFFDC),  # Kana and Hangul of half width
    (0x10280, 0x1CFFF),  # historic scripts
    (0x20000, 0x3FFFF),  # rarer ideographs
)

ANY_DROPPED = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in DROPPED) + "]")


def spells(text: str) -> bool:
    """Whether the text has no character of a dropped script."""
    return ANY_DROPPED.search(text) is None
