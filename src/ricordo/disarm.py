"""Text of others made harmless to read: no control, invisible or reordering characters, no markers of a protocol; pure.

What a person would read stays as it is. A marker is disarmed in place, by one character that no parser takes for
its own, so that it can still be told what stood there: `</ricordo>` becomes `‹/ricordo>`. Markers are looked for as an
eye would, in full-width letters and in Cyrillic or Greek ones that look Latin too, and after the invisible is gone.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["CONTAINER", "disarmed", "flat", "without_quotes"]

CONTAINER = "ricordo"
"""The element that memories are quoted in."""

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, …: titles, links
    r"|\x1b[ -/]*[0-~]"
)
_BREAKS = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_JOINERS = "\u200c\u200d"
_PRESENTATION = "\ufe0e\ufe0f"
# Without a glyph though not of category Cf: fillers, joiners of graphemes, selectors of variants.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0d\U000e0000-\U000e0fff]")
_LONE_JOINER = re.compile(
    f"(?<![^\\x00-\\x7f{_JOINERS}])[{_JOINERS}{_PRESENTATION}]+|[{_JOINERS}]+(?![^\\x00-\\x7f{_JOINERS}])"
)
_JOINED = re.compile(f"[{_JOINERS}{_PRESENTATION}]{{3,}}")  # two are a picture's; more spell out something hidden
_LOOK_ALIKES = str.maketrans("аеорсухіѕјԁһмткнвԛԝɡαορνικτυ", "aeopcyxisjdhmtkhbqwgaopviktu")

_STRONG = (
    r"[\w.-]*(?:ricordo|reminder|instruction)[\w.-]*|antml:[\w-]+|function_(?:calls|results?)"
    r"|tool_(?:use|calls?|results?)"
)
_WEAK = (
    r"(?:system|user|assistant|human|developer|tools?|functions?|memor(?:y|ies)|thinking|prompt|invoke|parameter)"
    r"(?:[-_][\w-]*)?"
)
_MARKER = re.compile(
    rf"(?:<(?=[^\w<>‹\n]{{0,5}}(?:{_STRONG})(?![\w-]))"
    # List<User> is a type, and a < user_count a comparison.
    rf"|(?<!\w)<(?=[/!?]{{0,2}}(?:{_WEAK})(?![\w-]))"
    r"|<(?=\|[^|>\n]{1,40}\|>)|<(?=<\s*/?\s*sys\s*>)|\[(?=\s*/?\s*inst\s*\]))"
)
_DISARMED = {"<": "‹", "[": "⁅"}
_TURN = re.compile(
    r"^[ \t]*(?=(?:[#*_]{1,6}[ \t]*)?(?:human|assistant|system|user|developer|tool)[*_]{0,2}[ \t]*:"
    r"|#{1,6}[ \t]*(?:instruction|response)s?[ \t]*:"
    r'|\{[ \t]*"jsonrpc"|content-length[ \t]*:)',
    re.MULTILINE,
)
_QUOTES = re.compile(rf"<{CONTAINER} [^<>\n]*>.*?(?:</{CONTAINER}>|\Z)", re.DOTALL)


def disarmed(text: str) -> str:
    """The text without what steers a terminal or a reader, its markers disarmed, its false turns of a talk quoted."""
    text = _markers(_visible(text))
    folded = _folded(text)
    turns = [turn.end() for turn in _TURN.finditer(folded)]
    for place in reversed(turns):
        text = f"{text[:place]}> {text[place:]}"
    return text


def flat(text: str) -> str:
    """The text disarmed, on one line."""
    return " ".join(_markers(_visible(text)).split())


def without_quotes(text: str) -> str:
    """The text without what was quoted from memory: nobody learns from what he said himself."""
    return _QUOTES.sub("", text)


def _visible(text: str) -> str:
    """The text without escape sequences and whatever has no glyph; line breaks become newlines."""
    if text.isascii() and text.isprintable():
        return text
    text = _BREAKS.sub("\n", _ESCAPES.sub("", text))
    text = "".join(map(_character, _BLANK.sub("", text)))
    return _LONE_JOINER.sub("", _JOINED.sub("", text))


def _character(character: str) -> str:
    if character in "\n\t" or character in _JOINERS:
        return character
    category = unicodedata.category(character)
    if category in ("Cf", "Co"):
        return ""
    return "\ufffd" if category in ("Cc", "Cs") else character


def _markers(text: str) -> str:
    found = [marker.start() for marker in _MARKER.finditer(_folded(text))]
    if not found:
        return text
    characters = list(text)
    for place in found:
        characters[place] = _DISARMED[_folded(characters[place])]
    return "".join(characters)


def _folded(text: str) -> str:
    """The text as an eye takes it, character for character."""
    if text.isascii():
        return text.lower()
    return "".join(map(_fold, text)).translate(_LOOK_ALIKES)


def _fold(character: str) -> str:
    plain = unicodedata.normalize("NFKC", character).casefold()
    return plain if len(plain) == 1 else character
