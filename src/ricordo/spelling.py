"""A misspelt word of a question: one that is in no memory, and a single edit away from one that is.

An edit is two neighbours swapped, a letter too few, one too many, or one for another (Damerau, A technique for computer
detection and correction of spelling errors, CACM 1964; the candidates are made as in Norvig, How to write a spelling
corrector, 2007). The first letter is nearly always right, and stands unless it is one of two swapped.

Most words that no memory holds are spelt well, and are merely not there: next to *place* a store may hold *plane*. The
embedder's tokenizer tells them apart, since it has seen more text than any store holds. What it knows whole is no
mistake, and what is in its place must be known better, in fewer pieces: *porject* is `por ject`, *project* is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import IntEnum

from anyio import to_thread

from ricordo.analyzer import Analyzer
from ricordo.languages import FUNCTION_WORDS
from ricordo.protocols import Embedder, Store
from ricordo.query import EVERYTHING, Notice, Probe, WordMatches
from ricordo.stems import stems
from ricordo.tokens import scan

__all__ = [
    "RESPELT",
    "Correction",
    "Edit",
    "Respelt",
    "Speller",
    "Unknown",
    "candidates",
    "corrected",
    "edits",
    "is_better",
    "nearest",
    "safe",
    "unknown_words",
]

RESPELT = "respelt"
"""The code of the notice that says so."""
SHARE = 0.5
"""What the forms of a correction weigh beside those of a word that was spelt so."""
MOST_WORDS = 3
"""Unknown words of a question that may be misspelt; with more it is about other things, or in another language."""
MOST_NEAR = 2
SHORTEST, LONGEST = 4, 24
"""Letters; to a word of four only a swap is done, since any other edit makes most of them another word."""
LONG, LONGER = 6, 8
"""Letters of a Russian word whose stem tells enough, and of a word that is seldom one edit away from another."""
RARE = 3
"""Pieces of a word that is rare in whatever the model has read, so that another as rare may be meant by it."""

_LATIN, _ACCENTED = "abcdefghijklmnopqrstuvwxyz", "áâàãçéêíñóôõúü"
_CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
_WORDS = tuple(re.compile(f"[{letters}]+") for letters in (_LATIN + _ACCENTED, _CYRILLIC))
_EDGES = "\"«»“”„'.,:;!?()[]…¿¡"
_FUNCTION_WORDS = frozenset[str]().union(*FUNCTION_WORDS.values())


class Edit(IntEnum):
    """What was done to a word, by what has to be done to mend it."""

    SWAP = 0
    INSERT = 1
    DELETE = 2
    SUBSTITUTE = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Unknown:
    """A word of a question that is in no memory: as it was written, folded, and whether it is written like a name."""

    written: str
    word: str
    named: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Correction:
    """A spelling that may be meant, the edit that makes it, and the lexeme that shows it is in a memory."""

    spelling: str
    edit: Edit
    lexeme: str

    @property
    def as_written(self) -> bool:
        """Whether the lexeme is the spelling itself, and not what its other forms share with it."""
        return self.lexeme == self.spelling

    @property
    def order(self) -> tuple[bool, bool]:
        """Likelier kinds of candidates first."""
        return self.edit is not Edit.SWAP, not self.as_written


@dataclass(frozen=True, kw_only=True, slots=True)
class Respelt:
    """A probe that looks for the corrections as well, the question with them in it, and what the asker is told."""

    probe: Probe
    text: str
    notice: Notice


@dataclass(frozen=True, kw_only=True, slots=True)
class Speller:
    """What corrects questions to one store. Without an embedder only what can hardly be a different word is taken."""

    store: Store
    analyzer: Analyzer
    embedder: Embedder | None

    async def respell(self, probe: Probe, statistics: WordMatches) -> Respelt | None:
        """None where every word is known or nothing is near; `statistics` are those of the probe's own terms.

        Asks the store once at most, and for nothing but words that could be a correction. Raises StoreError,
        ModelError.
        """
        unknown = unknown_words(probe, statistics, self.analyzer) if statistics.chunks else ()
        if not unknown or len(unknown) > MOST_WORDS:
            return None
        found = await to_thread.run_sync(self._candidates, unknown, abandon_on_cancel=True)
        lexemes = tuple(dict.fromkeys(each.lexeme for tried in found.values() for each in tried))
        if not lexemes:
            return None
        held = await self.store.by_words(probe.query.namespace, lexemes, EVERYTHING, 1)
        near = {written: nearest(tried, held.document_frequency) for written, tried in found.items()}
        chosen = {written: _cased(written, spellings) for written, spellings in near.items() if spellings}
        return corrected(probe, chosen, self.analyzer) if chosen else None

    def _candidates(self, unknown: Sequence[Unknown]) -> dict[str, tuple[Correction, ...]]:
        """What is worth looking up, by the word as it was written."""
        if self.embedder is None:
            return {each.written: safe(candidates(each.word, edits(each, None))) for each in unknown}
        found: dict[str, tuple[Correction, ...]] = {}
        for word in unknown:
            pieces = min(self.embedder.count_tokens([word.word, *([word.written] if word.named else ())]))
            tried = candidates(word.word, edits(word, pieces))
            spellings = tuple(dict.fromkeys(each.spelling for each in tried))
            counts = dict(zip(spellings, self.embedder.count_tokens(spellings), strict=True))
            found[word.written] = tuple(each for each in tried if is_better(word, pieces, each, counts[each.spelling]))
        return found


def unknown_words(probe: Probe, statistics: WordMatches, analyzer: Analyzer) -> tuple[Unknown, ...]:
    """The words of a question that it looks for and that no memory holds in any form; identifiers are not words."""
    fields = dict.fromkeys(field.strip(_EDGES) for wording in probe.wordings for field in wording.split())
    first = next(iter(fields), "")
    found: dict[str, Unknown] = {}
    for written in fields:
        word = _word(written)
        if word is None or word not in probe.terms:
            continue
        frequency = statistics.document_frequency
        if not frequency.get(word, 0) and not any(
            frequency.get(form, 0) for form in analyzer.question(written).weights
        ):
            found[word] = Unknown(written=written, word=word, named=written != first and written[0].isupper())
    return tuple(found.values())


def _word(written: str) -> str | None:
    if not SHORTEST <= len(written) <= LONGEST or not written.isalpha():
        return None
    token = next(scan(written), None)
    if token is None or token.parts or token.identifier or token.whole in _FUNCTION_WORDS:
        return None
    return token.whole if any(script.fullmatch(token.whole) for script in _WORDS) else None


def edits(word: Unknown, pieces: int | None) -> frozenset[Edit]:
    """How a word may be mended that the model reads in so many pieces; None where there is no model to tell.

    A letter for another makes one word of another more often than any other edit, so it is for words that are rare or
    long. A name becomes another name by a letter less or another.
    """
    letters = len(word.word)
    if pieces == 1 or (pieces is None and letters < LONGER):
        return frozenset()
    allowed = {Edit.SWAP}
    if letters > SHORTEST:
        allowed.add(Edit.INSERT)
        if not word.named:
            allowed.add(Edit.DELETE)
            if pieces is not None and (pieces >= RARE or letters >= LONGER):
                allowed.add(Edit.SUBSTITUTE)
    return frozenset(allowed)


def candidates(word: str, allowed: Set[Edit]) -> tuple[Correction, ...]:
    """All that is one of these edits away from a folded word of one script, each once, by the likeliest edit.

    Russian ones also by their stems, since of a dozen forms of a noun a memory may hold another.
    """
    russian = word[0] >= "\u0400"
    spellings: dict[str, Edit] = {}
    for edit in sorted(allowed):
        for spelling in _edited(word, edit, _CYRILLIC if russian else _alphabet(word)):
            spellings.setdefault(spelling, edit)
    spellings.pop(word, None)
    found = [Correction(spelling=each, edit=edit, lexeme=each) for each, edit in spellings.items()]
    if russian and len(word) >= LONG:
        found += [
            Correction(spelling=each, edit=edit, lexeme=stem)
            for each, edit in spellings.items()
            if edit is not Edit.SUBSTITUTE
            for stem in stems(each, ())
        ]
    return tuple(found)


def _alphabet(word: str) -> str:
    # Accents that were left out are looked for without them anyway.
    return _LATIN if word.isascii() else _LATIN + _ACCENTED


def _edited(word: str, edit: Edit, alphabet: str) -> Iterator[str]:
    for place in range(len(word)):
        before, after = word[:place], word[place:]
        if edit is Edit.SWAP and len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        elif edit is Edit.INSERT:
            yield from (before + after[0] + letter + after[1:] for letter in alphabet)
        elif edit is Edit.DELETE and before:
            yield before + after[1:]
        elif edit is Edit.SUBSTITUTE and before:
            yield from (before + letter + after[1:] for letter in alphabet)


def safe(tried: Iterable[Correction]) -> tuple[Correction, ...]:
    """Those that can be taken without knowing how well a word is known: what stands in a memory as it is."""
    return tuple(each for each in tried if each.as_written)


def is_better(word: Unknown, pieces: int, candidate: Correction, count: int) -> bool:
    """Whether a candidate is better known than the word in whose place it is, by the pieces of both.

    Of two that are known as badly, as rare names are, the one in a memory is taken, if no letter is put for another.
    """
    edit = candidate.edit
    if not candidate.as_written:
        return count == 1 or (edit is Edit.SWAP and count < pieces)
    if edit is Edit.SUBSTITUTE:
        return count < pieces and (pieces - count > 1 or len(word.word) >= LONGER)
    return count < pieces or (count == pieces and (edit is Edit.SWAP or pieces >= RARE))


def nearest(tried: Sequence[Correction], document_frequency: Mapping[str, int]) -> tuple[str, ...]:
    """Of the candidates that a memory holds the likeliest, at most two: swaps before other edits, what stands there as
    it is before what another form vouches for, then what is more frequent.

    None where that is a function word, which nothing is looked for by.
    """
    likely = [each for each in tried if document_frequency.get(each.lexeme, 0) or each.spelling in _FUNCTION_WORDS]
    best = min((each.order for each in likely), default=None)
    alike = [each for each in likely if each.order == best]
    if any(each.spelling in _FUNCTION_WORDS for each in alike):
        return ()
    frequent = sorted(alike, key=lambda each: (-document_frequency[each.lexeme], each.spelling))
    return tuple(each.spelling for each in frequent[:MOST_NEAR])


def _cased(written: str, spellings: Sequence[str]) -> tuple[str, ...]:
    """As the word was written, for the model, to which a name is one by its capital."""
    if written.isupper():
        return tuple(map(str.upper, spellings))
    return tuple(map(str.capitalize, spellings)) if written[0].isupper() else tuple(spellings)


def corrected(probe: Probe, chosen: Mapping[str, Sequence[str]], analyzer: Analyzer) -> Respelt:
    """The probe with the corrections of its words, by the word as it was written, the likeliest first.

    The model reads the first in place of the word; all of them are looked for beside it.
    """
    terms: dict[str, float] = {}
    for nth in range(MOST_NEAR):
        spelt = {written: spellings[min(nth, len(spellings) - 1)] for written, spellings in chosen.items()}
        for wording in probe.wordings:
            as_written = analyzer.question(wording).weights
            for lexeme, weight in analyzer.question(_replaced(wording, spelt)).weights.items():
                if lexeme not in as_written:
                    terms.setdefault(lexeme, SHARE * weight)
    first = {written: spellings[0] for written, spellings in chosen.items()}
    told = "; ".join(
        f"{written!r} is in no memory of {probe.query.namespace!r}; {' and '.join(map(repr, spellings))} "
        f"{'were' if len(spellings) > 1 else 'was'} looked for as well"
        for written, spellings in chosen.items()
    )
    return Respelt(
        probe=replace(
            probe,
            terms={**terms, **probe.terms},
            wordings=tuple(_replaced(wording, first) for wording in probe.wordings),
        ),
        text=_replaced(probe.query.text, first),
        notice=Notice(code=RESPELT, message=told),
    )


def _replaced(wording: str, spelt: Mapping[str, str]) -> str:
    for written, spelling in spelt.items():
        wording = re.sub(rf"(?<!\w){written}(?!\w)", spelling, wording, flags=re.IGNORECASE)
    return wording
