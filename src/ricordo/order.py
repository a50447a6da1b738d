"""Questions about sequence: which end of the story is asked for; pure."""

from __future__ import annotations

import re
from enum import StrEnum

__all__ = ["Order", "asked_order"]


class Order(StrEnum):
    """Of equally good answers: the `latest` first, or the `earliest`."""

    LATEST = "latest"
    EARLIEST = "earliest"


_LATEST = re.compile(
    r"""\b(?:
        current(?:ly)?|now|nowadays|latest|newest|most\ recent(?:ly)?|last|up\ to\ date|at\ the\ moment|these\ days
        |сейчас|теперь|нынешн\w+|текущ\w+|последн\w+|актуальн\w+|на\ данный\ момент|недавно
        |actual(?:mente|es)?|ahora|últim[oa]s?|ultim[oa]s?|más\ recientes?|vigentes?|hoy\ en\ día
        |atual(?:mente)?|atuais|agora|mais\ recentes?|hoje\ em\ dia
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_EARLIEST = re.compile(
    r"""\b(?:
        first(?:\ time)?|originally|initially|earliest|at\ first|in\ the\ beginning|in\ what\ order
        |(?:when\ did\ \w+|have\ we|did\ we)\ (?:start|begin)|history\ of|step\ by\ step
        |впервые|сначала|изначально|первоначально|перв(?:ый|ая|ое|ые)(?:\ раз)?|в\ первый\ раз|в\ каком\ порядке
        |когда\ (?:\w+\ )?нача(?:ли|л|ла|лось)|история
        |primer[oa]?s?(?:\ vez)?|inicialmente|originalmente|al\ principio|en\ qué\ orden|cuándo\ (?:empez|comenz)\w+
        |primeir[oa]s?(?:\ vez)?|a\ princípio|no\ início|em\ que\ ordem|quando\ começ\w+
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)


def asked_order(question: str) -> Order | None:
    """The end of the story that the question is about; None when it does not say, or says both."""
    latest, earliest = _LATEST.search(question), _EARLIEST.search(question)
    if (latest is None) == (earliest is None):
        return None
    return Order.LATEST if latest else Order.EARLIEST
