"""Key terms of a question: what it turns on, as the model's own tokenizer and the writing tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.enrich import key_terms
from ricordo.models import load_embedder
from ricordo.protocols import Embedder


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    found = load_embedder("all-minilm-l6-v2")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("how long do kubernetes pods take to start", "kubernetes"),
        ("how long do the small cats sleep in winter", None),
        ("", None),
    ],
)
def test_words_that_the_tokenizer_parts_are_key_terms(question: str, terms: str | None, embedder: Embedder) -> None:
    assert key_terms(question, embedder.pieces(question)) == terms


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("who is the client of Project Birch?", "Project Birch"),
        ("what does the note 'blue harbour' say to us now", "blue harbour"),
        ("Where is it?", None),
    ],
)
def test_names_and_what_is_quoted_are_key_terms(question: str, terms: str | None) -> None:
    assert key_terms(question, [(word, 1) for word in question.split()]) == terms


@given(st.text(max_size=200))
def test_key_terms_are_words_of_the_question(question: str) -> None:
    terms = key_terms(question, [(word, len(word)) for word in question.split()])

    assert terms is None or all(word in question for word in terms.split())


def test_pieces_are_the_words_of_a_text_in_order(embedder: Embedder) -> None:
    pieces = embedder.pieces("the kubernetes pod")

    assert [word for word, _ in pieces] == ["the", "kubernetes", "pod"]
    assert pieces[1][1] > 1 == pieces[0][1]
    assert embedder.pieces("") == ()
