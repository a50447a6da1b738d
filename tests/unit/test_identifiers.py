from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import pytest

from identifiers import KINDS, Named, named
from ricordo.analyzer import analyze_question, lexemes
from ricordo.bm25 import rank
from ricordo.identifiers import names_one_thing
from ricordo.query import WordMatch, WordMatches

NAMED = named()
NAMES = """
abc123 ABC-1234 #4521 @mira v1.2.3 10.0.0.1 ::1 2001:db8::/32 8472 48213 snake_case __init__ camelCase node.js
example.org README.md /etc/hosts ~/notes a/b/c C:\\x --dry-run .env $HOME C++ C# a@b.co http://localhost
covid-19 00:1A:2B:3C:4D:5E utf8 Ж-17 AKIASMODUAODFFEHYNMG
"""
WORDS_AND_AMOUNTS = """
word слово well-known кое-что and/or he/she end.Next e.g т.д 42 2024 1999 2019-2021 2024-05-03 03.05.2024 14:30
3.14 1,299.99 $5 €12,50 50% 2nd 90s 20gb 5pm 24/7 5-6 18-го 10-year-old mid-1990s 3D don't key:value NASA
"""


class Words:
    """The statements by lexeme, as a store keeps them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.lengths: list[int] = []
        self.postings: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for place, text in enumerate(texts):
            counts = Counter(lexemes(text))
            self.lengths.append(counts.total())
            for lexeme, count in counts.items():
                self.postings[lexeme][place] = count

    def find(self, terms: Mapping[str, float]) -> WordMatches:
        counts: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for term in terms:
            for place, count in self.postings.get(term, {}).items():
                counts[place][term] = count
        return WordMatches(
            matches=tuple(
                WordMatch(chunk_id=str(place), length=self.lengths[place], counts=held)
                for place, held in counts.items()
            ),
            chunks=len(self.lengths),
            mean_length=sum(self.lengths) / len(self.lengths),
            mean_context_length=0.0,
            document_frequency={term: len(self.postings[term]) for term in terms if term in self.postings},
        )


@pytest.fixture(scope="module")
def words() -> Words:
    return Words(one.statement for one in NAMED)


@pytest.mark.parametrize("kind", KINDS)
def test_the_exact_identifier_comes_first_among_its_near_duplicates(words: Words, kind: str) -> None:
    for place, one in enumerate(NAMED):
        if one.kind == kind:
            for question in one.questions:
                terms = analyze_question(question)
                assert rank(terms.weights, words.find(terms.weights))[0][0] == str(place), question


@pytest.mark.parametrize("kind", KINDS)
def test_generated_identifiers_are_taken_for_identifiers(kind: str) -> None:
    missed = [one.identifier for one in NAMED if one.kind == kind and not _recognised(one)]
    assert missed == []


def _recognised(one: Named) -> bool:
    return one.identifier.casefold() in analyze_question(one.questions[-1]).identifiers


def test_a_thousand_different_identifiers_are_made_the_same_way_each_time() -> None:
    assert len({one.identifier.casefold() for one in NAMED}) == 1000
    assert named() == NAMED


@pytest.mark.parametrize("name", NAMES.split())
def test_these_name_one_thing(name: str) -> None:
    assert names_one_thing(name)


@pytest.mark.parametrize("name", WORDS_AND_AMOUNTS.split())
def test_amounts_dates_and_plain_words_do_not(name: str) -> None:
    assert not names_one_thing(name)
