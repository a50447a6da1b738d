"""Times told by an event: "after the release", «до переезда», "antes de la migración"."""

from __future__ import annotations

from collections.abc import Iterator

from ricordo.timeparse.hints import EventHint, Relation
from ricordo.timeparse.patterns import Context, skip

__all__ = ["event_hints"]

_RELATIONS = {
    "after": Relation.AFTER,
    "before": Relation.BEFORE,
    "until": Relation.BEFORE,
    "since": Relation.SINCE,
    "since_or_from": Relation.SINCE,
    "during": Relation.IN,
    "while": Relation.IN,
}
# "с" and the like are mostly "with".
_SURE = frozenset(_RELATIONS) - {"since_or_from"}
_MOST_WORDS = 8
_LINKS = frozenset({"of", "the", "that"})


def event_hints(context: Context, text: str, taken: list[tuple[int, int]]) -> Iterator[EventHint]:
    """The events that a question relates to; `taken` are the tokens of its time hints."""
    place = 0
    while place < len(context.tokens):
        kind = next((kind for kind in context.tokens[place].senses if kind in _SURE), None)
        if kind is None or any(first <= place < last for first, last in taken):
            place += 1
            continue
        first, last = _anchor(context, place, taken)
        if first < last:
            start, end = context.tokens[place].start, context.tokens[last - 1].end
            anchor = text[context.tokens[first].start : end]
            yield EventHint(
                start=start,
                end=end,
                text=text[start:end],
                relation=_RELATIONS[kind],
                anchor=anchor,
                language=context.words.language,
            )
        place = max(last, place + 1)


def _anchor(context: Context, place: int, taken: list[tuple[int, int]]) -> tuple[int, int]:
    """The tokens of the event: up to the end of the clause, a time hint, or eight words."""
    tokens = context.tokens
    limit = min([first for first, _ in taken if first > place] + [len(tokens), place + 1 + _MOST_WORDS])
    first = skip(tokens, place + 1, _LINKS)
    last = first
    while last < limit and not tokens[last - 1].pause and "comma" not in tokens[last].senses and tokens[last].folded:
        last += 1
    content = any(
        token.opaque or "label" in token.senses or not (token.senses or token.folded in context.words.signs)
        for token in tokens[first:last]
    )
    return (first, last) if content else (first, first)
