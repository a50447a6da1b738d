"""Text in the older encodings of Chinese, Japanese and Korean, told by the characters that come up all the time."""

from __future__ import annotations

__all__ = ["read_eastern"]

# Each makes characters of almost any pairs of bytes; only the right one makes these, over and over.
CHINESE = (
    "的一是不了在有人我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没"
    "于起还发成事只作当想看文无开手用主行方又如前所本见经头面公同三已老从动两长知样现分日请明新今点"
    "這來個國說們為時過學對裡後麼沒還發當無開見經頭動兩長樣現請點會從問間電話書號與關"
)
KANA = "".join(map(chr, (*range(0x3041, 0x3097), *range(0x30A1, 0x30FD))))
HANGUL = "이다에는을를의가고하지한도로기서사은리어자나시대있그것으만라해인정일아수부보전과니들게오"

# Encoding → the characters that speak for it, and the least share of all its foreign ones that they must be.
ENCODINGS = {
    "gb18030": (frozenset(CHINESE), 0.1),
    "big5": (frozenset(CHINESE), 0.1),
    "shift_jis": (frozenset(KANA), 0.25),
    "euc_jp": (frozenset(KANA), 0.25),
    "cp949": (frozenset(HANGUL), 0.2),
}
FEWEST = 2
SAMPLE_CHARACTERS = 20_000


def read_eastern(data: bytes) -> tuple[str, str] | None:
    """The encoding whose characters are the most usual, and the text; None when none makes any sense."""
    readings = (
        (_usual(text, encoding), encoding, text) for encoding in ENCODINGS if (text := _decoded(data, encoding))
    )
    best = max(readings, default=(0.0, "", ""))
    return best[1:] if best[0] else None


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _usual(text: str, encoding: str) -> float:
    """How far the share of usual characters is above the least, in multiples of it; 0 below."""
    usual, least = ENCODINGS[encoding]
    foreign = [character for character in text[:SAMPLE_CHARACTERS] if character > "\x7f"]
    # Half-width kana and the area for private use are what a wrong reading is full of.
    wrong = sum("\uff61" <= character <= "\uff9f" or "\ue000" <= character <= "\uf8ff" for character in foreign)
    found = sum(character in usual for character in foreign)
    if found < FEWEST or wrong * 10 > len(foreign) or found < least * len(foreign):
        return 0.0
    return found / len(foreign) / least
