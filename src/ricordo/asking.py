"""Which sentence of a prompt asks: what stands around it is courtesy, or the page it was pasted from; pure."""

from __future__ import annotations

import re
from itertools import pairwise

from ricordo.sentences import sentence_starts

__all__ = ["asking_part"]

_LEAST = 2
_READ = 2000
"""Characters at each end of a prompt: people ask before what they paste, or after it."""
_END = re.compile(r"[.!?…]\s+")
_QUESTION_WORD = re.compile(
    r"""[\W_]{0,6}(?:and\ |so\ |но\ |а\ |y\ |e\ )?(?:
        who(?:se|m)?|what|when|where|which|why|how|tell|show|find|list|remind
        |(?:do|does|did|is|are|was|were|can|could)\ (?:i|you|we|they|he|she|it|the)
        |кто|кого|кому|кем|чей|чья|чьи|что|чем|чему|когда|где|куда|откуда|как(?:ой|ая|ое|ие|ого|ому|им|их)?|почему
        |зачем|сколько|напомни\w*|найди\w*|покажи\w*|расскажи\w*
        |qu[eé]|qui[eé]n(?:es)?|cu[aá]ndo|d[oó]nde|cu[aá]l(?:es)?|c[oó]mo|cu[aá]nt[oa]s?|dime|busca|mu[eé]strame
        |quem|quando|onde|qual|quais|como|quant[oa]s?|diga|mostre|procure
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SOMEBODY = re.compile(
    r"\b(?:he|she|they|him|her|them|his|hers|their|он|она|они|его|её|ее|им|ей|их|él|ella|ellos|ellas|ele|ela|eles|elas)\b",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"\b(?:thanks?|thank you|sorry|hello|hi|good (?:morning|evening)|спасибо|извини\w*|привет|здравствуй\w*|gracias|"
    r"perd[oó]n|hola|obrigad[oa]|desculp\w+|ol[aá])\b",
    re.IGNORECASE,
)


def asking_part(prompt: str) -> str | None:
    """The sentences that ask, where others stand around them; None where nothing, or everything, asks."""
    if len(prompt) > 2 * _READ:
        prompt = f"{prompt[:_READ]}\n{prompt[-_READ:]}"
    sentences = [part for line in prompt.splitlines() for part in _sentences(line)]
    if len(sentences) < 2:
        return None
    asked = [_asks(sentence) for sentence in sentences]
    best = max(asked)
    if best < _LEAST:
        return None
    chosen = [sentence for sentence, points in zip(sentences, asked, strict=True) if points == best]
    # A page full of questions is no question, and "she" is somebody whom another sentence names.
    asking = " ".join(chosen[-2:])
    return None if len(chosen) == len(sentences) or _SOMEBODY.search(asking) else asking


def _sentences(line: str) -> list[str]:
    # In a prompt a question may begin with a small letter, which in prose goes on with a sentence.
    begun = {end.end() for end in _END.finditer(line) if _QUESTION_WORD.match(line, end.end())}
    bounds = [0, *sorted({*sentence_starts(line), *begun}), len(line)]
    return [part for start, end in pairwise(bounds) if (part := line[start:end].strip())]


def _asks(sentence: str) -> int:
    points = 3 if sentence.rstrip("\"'»”) ").endswith("?") else 0
    points += 2 if _QUESTION_WORD.match(sentence) else 0
    return points - 2 if _COURTESY.search(sentence) and points < 3 else points
