"""A question and a moment → what the question says about time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from ricordo.errors import InvalidInput
from ricordo.timeparse import atoms, clocks, divisions, relative
from ricordo.timeparse.chains import Chains
from ricordo.timeparse.civil import utc_range
from ricordo.timeparse.events import event_hints
from ricordo.timeparse.hints import EventHint, TimeHint, TimeOptions, TimeReading
from ricordo.timeparse.lexicon import Entry, Lexicon, available_languages, lexicon
from ricordo.timeparse.patterns import Context
from ricordo.timeparse.ranges import Draft
from ricordo.timeparse.relations import drafts_at
from ricordo.timeparse.words import Field, Token, Vocabulary, split_fields, typed_tokens

__all__ = ["read_times"]

RULES = (atoms, clocks, relative, divisions)
"""The modules whose rules make the grammar; they register when they are imported."""

DEFAULT_OPTIONS = TimeOptions()
LEAST_CONFIDENCE = 0.55
_REACH = 6
_RECALL = 4
# Characters that a less likely language must read more, to be believed.
_MORE = 4
_LETTERS, _LONG = 4, 7
# What a word such as "of" tells of the language, beside a word of time.
_LITTLE_EVIDENCE = 0.25
_OPENERS = frozenset({"since", "before", "after", "until", "between"})


class Spoken(NamedTuple):
    """A language that a question may be in, the evidence for that, and its tokens in that language."""

    evidence: float
    words: Lexicon
    tokens: list[Token]


def read_times(
    text: str,
    *,
    now: datetime,
    zone: tzinfo,
    options: TimeOptions = DEFAULT_OPTIONS,
    languages: Sequence[str] | None = None,
) -> TimeReading:
    """The times and events that a question names, seen from `now` in an IANA time zone.

    `languages` are codes of lexicons (`available_languages`), all of them when None. Readings below a
    confidence of 0.55 are left out. Raises InvalidInput for a naive `now` and for an unknown language.
    """
    if now.tzinfo is None:
        raise InvalidInput("now must have a time zone")
    codes = tuple(languages) if languages is not None else available_languages()
    if unknown := set(codes) - set(available_languages()):
        raise InvalidInput(f"no lexicon for {sorted(unknown)}; there are {', '.join(available_languages())}")
    fields = split_fields(text, _vocabulary(codes))
    local = now.astimezone(zone).replace(tzinfo=None)
    spoken = _spoken(fields, codes)
    readings = [
        _read(text, Context(tokens=each.tokens, words=each.words, now=local, zone=zone, options=options))
        for each in spoken
    ]
    likeliest = [each.evidence == spoken[0].evidence for each in spoken]
    return _merged(readings, likeliest)


@lru_cache(maxsize=64)
def _vocabulary(codes: tuple[str, ...]) -> Vocabulary:
    entries = [entry for code in codes for found in lexicon(code).entries.values() for entry in found]
    return Vocabulary(
        words=frozenset(word for entry in entries for word in entry.words),
        names=frozenset(entry.words[0] for entry in entries if _named(entry)),
    )


def _named(entry: Entry) -> bool:
    return "short" not in entry.senses and not entry.senses.keys().isdisjoint({"month", "weekday"})


def _spoken(fields: Sequence[Field], codes: Iterable[str]) -> list[Spoken]:
    """The languages that the question may be in, likeliest first, with its tokens.

    A language that is less likely is of use only if it knows words of time that the likeliest does not.
    """
    found: list[Spoken] = []
    letters = {char for field in fields if not field.raw.isascii() for char in field.raw.lower() if char.isalpha()}
    letters = {char for char in letters if not char.isascii()}
    forms = {field.folded for field in fields}
    for words in map(lexicon, codes):
        signs = len(forms & words.signs) + 0.5 * (bool(letters) and letters <= words.alphabet)
        tokens = typed_tokens(fields, words) if not forms.isdisjoint(words.entries) else []
        known = sum(token.lexical * (1 if token.strong else _LITTLE_EVIDENCE) for token in tokens)
        found.append(Spoken(signs + known, words, tokens))
    if not found:
        return []
    found.sort(key=lambda spoken: -spoken.evidence)
    best = found[0]._replace(tokens=found[0].tokens or typed_tokens(fields, found[0].words))
    read = {token.start for token in best.tokens if token.strong}
    others = (
        other
        for other in found[1:]
        if any(token.strong and (token.start not in read or other.evidence == best.evidence) for token in other.tokens)
    )
    return [best, *others]


def _read(text: str, context: Context) -> tuple[list[TimeHint], list[EventHint]]:
    """What one language makes of the text; nothing when it leads over the edge of the calendar."""
    try:
        return _read_within(text, context)
    except (OverflowError, ValueError):
        return [], []


def _read_within(text: str, context: Context) -> tuple[list[TimeHint], list[EventHint]]:
    if not any(token.strong for token in context.tokens):
        return [], list(event_hints(context, text, []))
    chains = Chains(context)
    times: list[TimeHint] = []
    taken: list[tuple[int, int]] = []
    place = 0
    near = _near(context.tokens)
    while place < len(context.tokens):
        hint, end = _best(text, chains, place) if near[place] else (None, place + 1)
        if hint is not None:
            times.append(hint)
            taken.append((place, end))
        place = end
    return times, list(event_hints(context, text, taken))


def _near(tokens: Sequence[Token]) -> list[bool]:
    """For each token, whether a time may begin with it: a word that surely is of time stands there or soon after."""
    near: list[bool] = []
    distance = _REACH
    for token in reversed(tokens):
        distance = 0 if token.strong else distance + 1
        near.append(distance < _REACH and bool(token.senses) and "comma" not in token.senses)
    return near[::-1]


def _best(text: str, chains: Chains, place: int) -> tuple[TimeHint | None, int]:
    """The longest reading that begins here; of two as long the surer one, then the one by the earlier rule."""
    drafts = sorted(drafts_at(chains, place), key=lambda draft: (-draft.end, -draft.confidence))
    for draft in drafts:
        if draft.confidence < LEAST_CONFIDENCE:
            continue
        if _recurs(chains.context.tokens, place, draft.end):
            return None, draft.end
        if hint := _hint(text, chains.context, place, draft):
            return hint, draft.end
    return None, place + 1


def _recurs(tokens: Sequence[Token], place: int, end: int) -> bool:
    """Whether the words, or those of time just before them, say that it happens again and again."""
    first = place
    if _OPENERS.isdisjoint(tokens[place].senses):
        nearby = reversed(tokens[max(place - _RECALL, 0) : place])
        first -= len(list(takewhile(lambda token: token.senses and not token.pause, nearby)))
    return any("every" in token.senses for token in tokens[first:end] if "comma" not in token.senses)


def _hint(text: str, context: Context, place: int, draft: Draft) -> TimeHint | None:
    try:
        main = utc_range(*draft.bounds, context.zone)
        others = [utc_range(*bounds, context.zone) for bounds in draft.alternatives]
    except (OverflowError, ValueError):
        return None
    if main is None:
        return None
    start, end = context.tokens[place].start, context.tokens[draft.end - 1].end
    return TimeHint(
        range=main,
        start=start,
        end=end,
        text=text[start:end],
        grain=draft.grain,
        relation=draft.relation,
        confidence=draft.confidence,
        language=context.words.language,
        alternatives=tuple(other for other in dict.fromkeys(others) if other is not None and other != main),
    )


def _merged(readings: Sequence[tuple[list[TimeHint], list[EventHint]]], likeliest: Sequence[bool]) -> TimeReading:
    """The hints of the likeliest language, and those of others where it has none."""
    times: list[TimeHint] = []
    for (found, _), likely in zip(readings, likeliest, strict=True):
        for hint in found:
            if not likely and not _foreign(hint):
                continue
            rivals = [other for other in times if hint.start < other.end and other.start < hint.end]
            least = 1 if likely else _MORE
            if all(len(hint.text) >= len(other.text) + least for other in rivals):
                times = [other for other in times if other not in rivals]
                times.append(hint)
    times.sort(key=lambda hint: hint.start)
    return TimeReading(times=tuple(times), events=tuple(readings[0][1]) if readings else ())


def _foreign(hint: TimeHint) -> bool:
    """Whether words of another language than the question's are surely words of time."""
    letters = sum(map(str.isalpha, hint.text))
    return hint.confidence >= 0.85 and letters >= _LETTERS and (" " in hint.text or letters >= _LONG)
