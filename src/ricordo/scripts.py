"""The same word in the other script: Петренко is Petrenko, Оскар is Oscar, server is сервер; pure.

Names and technical words cross between Russian and Latin by their sound. A question is asked in both scripts, so that
what one person wrote in one is found by another who writes in the other. Only questions pay for it: a spelling that
nobody used is found nowhere.
"""

from __future__ import annotations

import re

__all__ = ["in_other_script"]

SHORTEST = 3
"""Letters of a word that is worth it; shorter ones fall together with too much."""

_TO_LATIN = str.maketrans(
    {
        **dict(zip("абвгдезийклмнопрстуфыэ", "abvgdeziiklmnoprstufye", strict=True)),
        "ё": "e", "ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": "",
        "ю": "yu", "я": "ya",
    }
)  # fmt: skip
_TO_CYRILLIC = {
    "shch": "щ", "sch": "щ", "zh": "ж", "kh": "х", "ts": "ц", "ch": "ч", "sh": "ш", "yu": "ю", "ju": "ю", "iu": "ю",
    "ya": "я", "ja": "я", "ia": "ия", "yo": "е", "ph": "ф", "th": "т", "ck": "к", "oo": "у", "ee": "и", "ai": "ай",
    "ei": "ей", "oi": "ой",
    **dict(zip("abcdefghiklmnopqrstuvwyz", "абкдефгхиклмнопкрстуввиз", strict=True)),
    "x": "кс", "j": "дж",
}  # fmt: skip
_LATIN_WORD = re.compile(r"[a-z]+")
_CYRILLIC_WORD = re.compile(r"[а-яё]+")
_SOUND = re.compile("|".join(sorted(_TO_CYRILLIC, key=len, reverse=True)))
_FINAL_Y, _INITIAL_V = re.compile("ii$"), re.compile("^v")
_FINAL_L, _AFTER_VOWEL = re.compile("л$"), re.compile("(?<=[аеиоу])е")
_SHORT_I = re.compile(r"(?<=[aeou])y(?![aeou])")


def in_other_script(word: str) -> tuple[str, ...]:
    """How a lower-case word may be written in the other script, the likeliest first; none for what is in neither, or
    too short.
    """
    if len(word) < SHORTEST:
        return ()
    if _CYRILLIC_WORD.fullmatch(word):
        spelt = word.translate(_TO_LATIN)
        latinate = _FINAL_Y.sub("y", spelt.replace("ks", "x").replace("k", "c").replace("ckh", "kh"))
        return _different(spelt, latinate, _INITIAL_V.sub("w", spelt))
    if _LATIN_WORD.fullmatch(word):
        spelt = _SOUND.sub(lambda sound: _TO_CYRILLIC[sound.group()], _SHORT_I.sub("й", word))
        return _different(spelt, _FINAL_L.sub("ль", _AFTER_VOWEL.sub("э", spelt)))
    return ()


def _different(*spellings: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, spellings)))
