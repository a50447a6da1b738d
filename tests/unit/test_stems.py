from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from ricordo.languages import LATIN
from ricordo.stems import stems, unaccented


@pytest.mark.parametrize(
    ("forms", "language"),
    [
        (("connection", "connections", "connected"), "english"),
        (("canción", "canciones"), "spanish"),
        (("casa", "casas"), "portuguese"),
        (("книга", "книги", "книгами"), "russian"),
        (("дёшево", "дешево"), "russian"),
    ],
)
def test_forms_of_a_word_share_a_stem(forms: tuple[str, ...], language: str) -> None:
    assert len({stems(form.replace("ё", "е"), (language,)) for form in forms}) == 1


def test_a_latin_word_has_each_of_its_stems_once() -> None:
    assert stems("informaciones", LATIN) == ("≈informacion", "≈inform")
    assert stems("mapa", ("english",)) == ("≈mapa",)
    assert stems("test", LATIN) == ("≈test",)


@pytest.mark.parametrize("word", ["a", "я", "42", "abc123", "a-b", "東京", "سلام", "👍", "x" * 41, ""])
def test_what_is_not_a_word_of_these_scripts_has_no_stem(word: str) -> None:
    assert stems(word, LATIN) == ()


def test_accents_are_left_out_of_latin_words_only() -> None:
    assert [unaccented(word) for word in ("canção", "año", "plain", "йод", "ελλάδα")] == [
        "cancao",
        "ano",
        "plain",
        "йод",
        "ελλάδα",
    ]


def test_threads_do_not_disturb_each_other() -> None:
    words = [f"{prefix}{ending}" for prefix in ("connect", "relat", "absor") for ending in ("ing", "ed", "ions")] * 200
    expected = [stems.__wrapped__(word, LATIN) for word in words]

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda word: stems.__wrapped__(word, LATIN), words)) == expected
