"""Where sentences end, in English, Russian, Spanish and Portuguese prose; pure.

A missed end costs a cut in a worse place, a false one tears a name or a number apart: when in doubt,
the sentence goes on.
"""

from __future__ import annotations

import re

__all__ = ["ABBREVIATIONS", "sentence_starts"]

# Written with a full stop, and followed by a capital or a digit without ending the sentence.
WITH_FULL_STOP = """
mr mrs ms dr prof st jr sr vs etc e.g i.e cf no nos fig figs vol vols ch sec pp p ed eds al approx dept est inc ltd
co corp jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun a.m p.m u.s u.k
г гг в вв н.э т.е т.к т.д т.п т.н др пр проф акад доц им ул пер просп пл наб стр с рис табл гл п пп ст см ср напр
тел руб коп тыс млн млрд трлн кг км м мм мин сек ч обл р-н пос дер кв корп д б.н янв февр апр авг сент окт нояб дек
sra srta d dª dña ud uds vd vds pág págs núm cap art arts avda av ee.uu p.ej aprox tel dpto gral ene abr ago dic
sr.ª dra drs exmo exma ilmo v.exa n nº núms pg pgs tb obs r eng adm fev mai out dez
"""
ABBREVIATIONS = frozenset(WITH_FULL_STOP.split())

# The mark, closing quotes and brackets, white space; or a Han mark, which no space follows.
END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]]*\s+|[。！？]+[」』”’）]*\s*")
GOES_ON = re.compile(r"[\"'“‘«»(\[—–\-\s]*[^\W\d_]")
LAST_WORD = re.compile(r"[^\s(\[\"“«]*$")


def sentence_starts(text: str) -> list[int]:
    """Offsets at which a sentence after the first begins."""
    return [match.end() for match in END.finditer(text) if match.end() < len(text) and _ends(text, match)]


def _ends(text: str, match: re.Match[str]) -> bool:
    mark = match.group()
    if mark[0] in "。！？":
        return True
    following = GOES_ON.match(text, match.end(), match.end() + 8)
    if following is not None and following.group()[-1].islower():
        return False
    if mark.rstrip() != ".":
        return True
    word = LAST_WORD.search(text[max(match.start() - 20, 0) : match.start()])
    return word is None or not _is_abbreviation(word.group())


def _is_abbreviation(word: str) -> bool:
    """A known abbreviation, an initial, or the number of a list item."""
    return word.lower() in ABBREVIATIONS or (len(word) == 1 and word.isupper()) or (word.isdigit() and len(word) < 3)
