from __future__ import annotations

import pytest

from ricordo.languages import FUNCTION_WORDS, LATIN, likely_languages


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("what is the name of my dentist", "english"),
        ("where did we put the keys", "english"),
        ("¿cómo se llama el perro de los vecinos?", "spanish"),
        ("las llaves están donde siempre", "spanish"),
        ("qual é o nome do cachorro dos vizinhos", "portuguese"),
        ("onde você deixou as chaves ontem", "portuguese"),
        ("mañana reunión", "spanish"),
        ("reunião amanhã", "portuguese"),
    ],
)
def test_a_language_is_told_by_its_function_words_and_letters(text: str, language: str) -> None:
    assert likely_languages(text.split()) == (language,)


@pytest.mark.parametrize("text", ["", "Baikal", "kubernetes deployment", "мои ключи", "東京"])
def test_no_language_is_ruled_out_without_evidence(text: str) -> None:
    assert likely_languages(text.split()) == LATIN


@pytest.mark.parametrize("word", ["no", "not", "never", "не", "нет", "ни", "sin", "não", "nem", "sem", "nunca"])
def test_negations_are_not_function_words(word: str) -> None:
    assert not any(word in words for words in FUNCTION_WORDS.values())


def test_function_words_are_written_as_the_scanner_folds() -> None:
    for words in FUNCTION_WORDS.values():
        assert all(word == word.casefold() and "ё" not in word for word in words)
