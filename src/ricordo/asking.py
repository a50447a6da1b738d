"""Which sentence of a prompt asks: what stands around it is courtesy, or the page it was pasted from; pure."""

from __future__ import annotations

import re
from itertools import pairwise

from ricordo.sentences import ABBREVIATIONS, sentence_starts

__all__ = ["asking_part"]

_LEAST = 2
_READ = 2000
"""Characters at each end of a prompt: people ask before what they paste, or after it."""
_END = re.compile(r"[.!?…]\s+")
_QUESTION_WORD = re.compile(
    r"""[\W_]{0,6}(?:and\ |so\ |но\ |а\ |y\ |e\ )?
    (?:(?:at|by|for|from|in|of|on|to|under|with|в|во|для|до|за|из|к|на|о|об|от|по|под|при|про|с|со|у
        |a|con|de|desde|en|para|por|com|em)\ )?(?:
        who(?:se|m)?|what|when|where|which|why|how|tell|show|find|list|remind
        |(?:do|does|did|is|are|was|were|can|could|will|would|should|has|have)\ (?:
            i|you|we|they|he|she|it|the|my|our|there|any)
        |кто|кого|кому|кем|чей|чья|чьи|что|ч[её]м|чему|когда|где|куда|откуда|как(?:ой|ая|ое|ие|ого|ому|им|их)?|почему
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
_NEW_SENTENCE = re.compile(
    r"(?<=[\w\"»”)])\s+(?=(?:Thanks?|Sorry|Hello|Hi|You|We|They|It|This|That|There|Before|After|If|Since|Because|As|Please"
    r"|Спасибо|Извини\w*|Привет|Здравствуй\w*|Я|Ты|Мы|Вы|Они|Это|То|Перед|До|После|Если|Пока|Когда|Пожалуйста"
    r"|Gracias|Perd[oó]n|Hola|Yo|T[uú]|Nosotros|Esto|Eso|Antes|Despu[eé]s|Si|Por"
    r"|Obrigad[oa]|Desculp\w+|Ol[aá]|Eu|Voc[eê]|N[oó]s|Isto|Isso|Depois|Se)\b[^?]*$)"
)
_TITLE = 4
"""Words of a title that may begin with a capital in the middle of a sentence; a sentence of courtesy has more."""
_WHOLE = 4
"""Letters of a word that is not likely to be cut short by its full stop."""
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
    # Where nothing asks, all but courtesy may be meant; a page full of questions is no question.
    least, most = (best, 2) if best >= _LEAST else (0, len(sentences))
    chosen = [sentence for sentence, points in zip(sentences, asked, strict=True) if points >= least]
    asking = " ".join(chosen[-most:])
    # "She" is somebody whom another sentence names.
    return None if len(chosen) in (0, len(sentences)) or _SOMEBODY.search(asking) else asking


def _sentences(line: str) -> list[str]:
    # In a prompt a question may begin with a small letter, which in prose goes on with a sentence.
    begun = {end.end() for end in _END.finditer(line) if _ended(line, end)}
    bounds = [0, *sorted({*sentence_starts(line), *begun}), len(line)]
    return [part for start, end in pairwise(bounds) for part in _without_mark(line[start:end])]


def _ended(line: str, end: re.Match[str]) -> bool:
    word = line[: end.start()].rpartition(" ")[2]
    whole = len(word) >= _WHOLE and word.isalpha() and word.lower() not in ABBREVIATIONS
    return whole or _QUESTION_WORD.match(line, end.end()) is not None


def _without_mark(sentence: str) -> list[str]:
    """A question that nothing ends, and what is said after it: "who leads it Sorry to ask again, I forgot."."""
    begun = _NEW_SENTENCE.search(sentence)
    if begun is None or len(sentence[begun.end() :].split()) <= _TITLE:
        return [part] if (part := sentence.strip()) else []
    return [sentence[: begun.start()].strip(), sentence[begun.end() :].strip()]


def _asks(sentence: str) -> int:
    points = 3 if sentence.rstrip("\"'»”) ").endswith("?") else 0
    points += 2 if _QUESTION_WORD.match(sentence) else 0
    return points - 2 if _COURTESY.search(sentence) and points < 3 else points
