"""Which part of a prompt asks, and how a word is written in the other script."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.analyzer import analyze_question
from ricordo.asking import asking_part
from ricordo.scripts import in_other_script


@pytest.mark.parametrize(
    ("prompt", "asks"),
    [
        ("Hi! What port do we use? Thanks in advance.", "What port do we use?"),
        ("You helped me with the slides yesterday. who is the client of Birch?", "who is the client of Birch?"),
        ("Спасибо за вчера. Какой порт у тестовой базы? Я спешу.", "Какой порт у тестовой базы?"),
        ("Hola. ¿Cuál es el puerto? Gracias.", "¿Cuál es el puerto?"),
        ("Bom dia. Qual é a porta? Obrigado.", "Qual é a porta?"),
        ("A page of notes.\nIt goes on.\nWhere is the key?", "Where is the key?"),
        ("What is it?", None),
        ("Fix the bug. Add tests.", None),
        (
            "You were a help, thanks for that. region of the backups Sorry to ask again, I forgot.",
            "region of the backups",
        ),
        (
            "Sorry for this. by what road does Ann come After the flood nothing is as it was.",
            "by what road does Ann come",
        ),
        ("Спасибо за всё. на чём написан сервер? Пишу отчёт.", "на чём написан сервер?"),
        ("Thanks. who wrote The Lord Of The Rings", "who wrote The Lord Of The Rings"),
        ("It is on p. 5 of the manual. It is red. Thanks!", "It is on p. 5 of the manual. It is red."),
        ("", None),
    ],
)
def test_the_sentence_that_asks_is_found(prompt: str, asks: str | None) -> None:
    assert asking_part(prompt) == asks


@given(st.text(max_size=400))
def test_any_text_has_a_part_that_asks_or_none(text: str) -> None:
    part = asking_part(text)

    assert part is None or 0 < len(part) <= len(text) + 1


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("петренко", "petrenko"),
        ("оскар", "oscar"),
        ("максим", "maxim"),
        ("винтер", "winter"),
        ("ким", "kim"),
        ("kim", "ким"),
        ("даниэль", "daniel"),
        ("daniel", "даниэль"),
        ("koval", "коваль"),
        ("petrenko", "петренко"),
        ("сервер", "server"),
        ("server", "сервер"),
        ("байкал", "baikal"),
        ("baikal", "байкал"),
        ("шишкин", "shishkin"),
        ("shishkin", "шишкин"),
        ("kubernetes", "кубернетес"),
    ],
)
def test_a_word_has_a_spelling_in_the_other_script(word: str, other: str) -> None:
    assert other in in_other_script(word)


@pytest.mark.parametrize("word", ["io", "año", "8080", "к8s", ""])
def test_what_is_no_word_of_one_script_has_none(word: str) -> None:
    assert in_other_script(word) == ()


@given(st.text(max_size=40))
def test_any_word_has_few_spellings(word: str) -> None:
    spellings = in_other_script(word)

    assert len(set(spellings)) == len(spellings) <= 3
    assert all(map(str.isalpha, spellings))


def test_a_question_is_asked_in_both_scripts_and_its_own_weighs_more() -> None:
    weights = analyze_question("Petrenko").weights

    assert 0 < weights["петренко"] < weights["petrenko"] + 0.1


@pytest.mark.parametrize("prompt", [". " * 10_000, "? " * 10_000, "a. " * 10_000, "…" * 20_000, "\n" * 20_000])
def test_a_long_prompt_of_marks_takes_no_time(prompt: str) -> None:
    begin = time.process_time()
    asking_part(prompt)

    assert time.process_time() - begin < 1


def test_a_question_about_somebody_keeps_the_sentence_that_names_them() -> None:
    assert asking_part("Marta visits us tomorrow. What does she drink in the morning?") is None
