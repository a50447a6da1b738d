"""Proximity: how near to each other the words of a question stand in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.proximity import Sought, beginnings, proximity

DEPLOY, WINDOW, BAIKAL = Sought(("deploy",), 3.0), Sought(("window",), 2.0), Sought(("baikal",), 5.0)
WORDS = st.lists(st.sampled_from(["deploy", "deploys", "window", "of", "the", "baikal", "garden"]), max_size=12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the deploy window is on Monday", 2.0),
        ("the window for deploys", 1.0),
        ("the deploy, a window", 1.0),
        ("we deploy. Later on, a window opened", 0.5),
        ("the deploy is done", 0.0),
        ("nothing of both", 0.0),
        ("redeploy window", 0.0),
        ("Deploy WINDOW", 2.0),
        ("", 0.0),
    ],
)
def test_two_words_count_by_the_commoner_over_the_words_between(text: str, said: float) -> None:
    assert proximity(text, [DEPLOY, WINDOW]) == said


def test_the_word_after_next_counts_half() -> None:
    assert proximity("the deploy window", [DEPLOY, BAIKAL, WINDOW]) == 1.0
    assert proximity("deploy baikal", [DEPLOY, WINDOW, BAIKAL]) == 1.5
    assert proximity("deploy baikal", [DEPLOY, WINDOW, WINDOW, BAIKAL]) == 0.0


def test_the_nearest_places_count() -> None:
    assert proximity("deploy it, we said, and then the deploy window", [DEPLOY, WINDOW]) == 2.0


@pytest.mark.parametrize(
    ("forms", "kept"),
    [
        (("ciudad", "ciud", "ciudad"), ("ciud",)),
        (("байкала", "байкал", "baikal"), ("baikal", "байкал")),
        ((), ()),
    ],
)
def test_forms_that_begin_alike_are_one(forms: tuple[str, ...], kept: tuple[str, ...]) -> None:
    assert beginnings(forms) == kept


@given(WORDS, st.lists(st.sampled_from([DEPLOY, WINDOW, BAIKAL]), max_size=5))
def test_it_is_no_more_than_all_pairs_side_by_side(said: list[str], words: list[Sought]) -> None:
    pairs = [(words[a], words[b], b - a) for a in range(len(words)) for b in range(a + 1, len(words)) if b - a <= 2]

    found = proximity(" ".join(said), words)

    assert 0 <= found <= sum(min(one.value, other.value) / apart for one, other, apart in pairs)
