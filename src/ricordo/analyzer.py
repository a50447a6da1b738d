"""Text → lexemes, the same for every store.

A document gives every word as it stands, identifiers whole with their parts, and what the forms of each word
have in common (its stem, and in Russian its lemma), marked. A question gives the same lexemes with weights
and leaves out its function words, unless it has nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ricordo.languages import FUNCTION_WORDS, LATIN, PRONOUNS, likely_languages
from ricordo.scripts import in_other_script
from ricordo.stems import LEMMA, STEM, lemmas, stems, unaccented
from ricordo.tokens import Token, scan

__all__ = ["STANDARD", "Analyzer", "Terms", "analyze_question", "content", "lexemes"]

# A word weighs 1: the form that was written has its share, the stem has the rest. A document that holds that form
# is found by both, one that holds another form by the stem alone. Measured on XQuAD (en, es, ru), FaQuAD (pt) and
# LoCoMo: shares from 0.3 to 0.4 do best, and 0.6 does worse on each.
_FORM = 0.4
_STEM = 1 - _FORM
# On top, not out of the stem's share: the index may have been written where there are no lemmas.
_LEMMA = 0.3
# Stems of the Latin languages that the question is probably not in.
_OTHER_LANGUAGE = 0.5
_UNACCENTED = 0.4
_OTHER_SCRIPT = 0.4
_PART = 0.5
_IDENTIFIER = 2.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """What a question looks for: lexemes with their weights, and those of them that name exactly one thing."""

    weights: Mapping[str, float]
    identifiers: frozenset[str]


def lexemes(text: str) -> tuple[str, ...]:
    """The lexemes of a document, one for each time it says them.

    None holds white space, a control character or 500 bytes of UTF-8.
    """
    tokens = tuple(scan(text))
    latin = likely_languages(token.whole for token in tokens)
    if latin == LATIN:
        # Nothing tells. Stems of all three would make such texts longer than the others, and harder to find.
        latin = LATIN[:1]
    found: list[str] = []
    for token in tokens:
        found.append(token.whole)
        found.extend(token.parts)
        for word in _words(token):
            found.extend(stems(word, latin))
            found.extend(lemmas(word))
            if (plain := unaccented(word)) != word:
                found.append(STEM + plain)
    return tuple(found)


def analyze_question(text: str) -> Terms:
    """The weighted lexemes of a question; none only for a text without any letter, digit or picture."""
    tokens = tuple(scan(text))
    likely = likely_languages(token.whole for token in tokens)
    dispensable = frozenset[str]().union(*(FUNCTION_WORDS[language] for language in (*likely, "russian")))
    asked = [token for token in tokens if token.whole not in dispensable] or tokens
    weights: dict[str, float] = {}
    for token in asked:
        for lexeme, weight in _weighted(token, likely):
            weights[lexeme] = max(weight, weights.get(lexeme, 0.0))
    return Terms(weights=weights, identifiers=frozenset(token.whole for token in tokens if token.identifier))


def content(text: str) -> tuple[str, ...]:
    """What a text says, whatever the forms of its words: the stems of all but function words; negations stay, and
    who does what to whom.

    In their order, in which "from 20 to 60" is not "from 60 to 20".
    """
    tokens = tuple(scan(text))
    likely = likely_languages(token.whole for token in tokens)
    dispensable = frozenset[str]().union(*(FUNCTION_WORDS[language] for language in (*likely, "russian")))
    said = (token for token in tokens if token.whole not in dispensable or token.whole in PRONOUNS)
    return tuple(
        token.whole if token.identifier or token.parts else next(iter(stems(token.whole, likely[:1])), token.whole)
        for token in said
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Analyzer:
    """How documents and questions become lexemes. The two only work together, so they are chosen together.

    A store must be written and read with the same one. Others than the default serve for comparison.
    """

    lexemes: Callable[[str], tuple[str, ...]] = lexemes
    question: Callable[[str], Terms] = analyze_question


STANDARD = Analyzer()


def _words(token: Token) -> Sequence[str]:
    return token.parts or (token.whole,)


def _weighted(token: Token, likely: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    if token.identifier:
        yield token.whole, _IDENTIFIER
    elif token.parts:
        yield token.whole, 1.0
    scale = _PART if token.parts else 1.0
    for word in _words(token):
        for lexeme, weight in _forms(word, likely):
            yield lexeme, weight * scale


def _forms(word: str, likely: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    """The word and what its other forms are found by; a lexeme may come twice, its greater weight is meant."""
    stemmed = stems(word, likely)
    if not stemmed:
        yield word, 1.0
        return
    yield word, _FORM
    for stem in stemmed:
        yield stem, _STEM
    # The document may have been taken for another language than the question.
    for stem in stems(word, LATIN):
        yield stem, _STEM * _OTHER_LANGUAGE
    for lemma in lemmas(word):
        yield lemma, _LEMMA
    for other in _in_other_script(word):
        yield other, _OTHER_SCRIPT
        for stem in stems(other, ("english",)):
            yield stem, _OTHER_SCRIPT
    # Accents that only one of the two was written with.
    plain = unaccented(word)
    yield plain if plain != word else STEM + word, _UNACCENTED


def _in_other_script(word: str) -> dict[str, None]:
    """As it is written and in its dictionary form, without repetitions: Байкала is Baikal too."""
    forms = (word, *(lemma.removeprefix(LEMMA) for lemma in lemmas(word)))
    return dict.fromkeys(spelling for form in forms for spelling in in_other_script(form))
