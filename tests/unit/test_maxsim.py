"""Signs of token vectors and late interaction over them, the arithmetic written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from ricordo.tokenvectors import STRETCH, best_of, maxsim, nearest, pack, pack_each, rotation, stretches, windows

DIMENSION = 48

Rows = NDArray[np.float32]


def unit(rows: Rows) -> Rows:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    scaled: Rows = (rows / lengths).astype(np.float32)
    return scaled


def random_rows(seed: int, tokens: int, dimension: int = DIMENSION) -> Rows:
    return unit(np.random.default_rng(seed).standard_normal((tokens, dimension)).astype(np.float32))


def rows(most: int = 12) -> st.SearchStrategy[Rows]:
    return st.tuples(st.integers(0, 2**32 - 1), st.integers(1, most)).map(lambda drawn: random_rows(*drawn))


def test_a_rotation_turns_and_nothing_else() -> None:
    turn = rotation(DIMENSION)
    np.testing.assert_allclose(turn @ turn.T, np.eye(DIMENSION), atol=1e-5)


def test_the_rotation_is_always_the_same() -> None:
    np.testing.assert_allclose(rotation(4)[0], [-0.29377997, 0.4645074, -0.83505255, -0.0247687], atol=1e-6)


def test_a_token_is_the_signs_of_its_turned_dimensions() -> None:
    row = random_rows(1, 1)
    turned = (row @ rotation(DIMENSION))[0]
    bits = "".join("1" if value > 0 else "0" for value in turned)
    assert pack(row) == int(bits, 2).to_bytes(DIMENSION // 8, "big")


def test_a_dimension_that_is_no_multiple_of_eight_is_filled_up() -> None:
    row = random_rows(1, 3, 12)
    assert len(pack(row)) == 3 * 2
    assert nearest(row, [pack(row)]).shape == (1, 3)


def test_similarity_is_the_sum_of_the_turned_question_by_the_signs() -> None:
    question, text = random_rows(2, 1), random_rows(3, 1)
    signs = [1 if value > 0 else -1 for value in (text @ rotation(DIMENSION))[0]]
    turned = (question @ rotation(DIMENSION))[0]
    wanted = math.sqrt(math.pi / 2) * sum(q * s for q, s in zip(turned, signs, strict=True)) / math.sqrt(DIMENSION)
    assert nearest(question, [pack(text)])[0, 0] == pytest.approx(wanted, abs=1e-5)


def test_the_score_is_the_mean_of_the_nearest_by_weight() -> None:
    question, texts = random_rows(4, 2), [pack(random_rows(5, 3)), pack(random_rows(6, 1))]
    each = nearest(question, texts)
    singles = [nearest(question, [pack(random_rows(5, 3)[token : token + 1])])[0] for token in range(3)]
    np.testing.assert_allclose(each[0], np.max(singles, axis=0), atol=1e-5)
    wanted = [(3 * first + 1 * second) / 4 for first, second in each]
    np.testing.assert_allclose(maxsim(question, np.array([3.0, 1.0], np.float32), texts), wanted, atol=1e-5)


def test_the_estimate_is_near_the_cosine() -> None:
    question, text = random_rows(7, 200, 384), random_rows(8, 1, 384)
    question = unit(question + np.linspace(0, 3, 200, dtype=np.float32)[:, None] * text)
    errors = nearest(question, [pack(text)])[0] - (question @ text.T)[:, 0]
    assert np.abs(errors).max() < 0.15
    assert np.abs(errors.mean()) < 0.02


def test_a_text_without_tokens_is_similar_to_nothing() -> None:
    question = random_rows(9, 2)
    weights = np.ones(2, np.float32)
    scores = maxsim(question, weights, [b"", pack(question), b""])
    assert (scores[0], scores[2]) == (0.0, 0.0)
    assert scores[1] > 0.5


def test_no_texts_no_question_and_no_weight_are_no_scores() -> None:
    question, none = random_rows(10, 2), np.zeros((0, DIMENSION), np.float32)
    assert maxsim(question, np.ones(2, np.float32), []).shape == (0,)
    assert maxsim(question, np.zeros(2, np.float32), [pack(question)]).tolist() == [0.0]
    assert maxsim(none, np.zeros(0, np.float32), [pack(question)]).tolist() == [0.0]


@given(rows(), st.lists(rows(), max_size=8), rows(70))
def test_a_text_scores_the_same_alone_and_in_any_company(question: Rows, texts: list[Rows], long: Rows) -> None:
    packed = [pack(text) for text in (*texts, long, long)]
    together = nearest(question, packed)
    for position, text in enumerate(packed):
        np.testing.assert_allclose(together[position], nearest(question, [text])[0], atol=1e-5)


@given(rows(), rows())
def test_the_order_of_tokens_does_not_matter(question: Rows, text: Rows) -> None:
    np.testing.assert_allclose(nearest(question, [pack(text)]), nearest(question, [pack(text[::-1])]), atol=1e-5)


@given(rows(), arrays(np.float32, st.just(3), elements=st.floats(0.125, 8, width=32)))
def test_weights_count_by_their_shares_alone(text: Rows, weights: NDArray[np.float32]) -> None:
    question = random_rows(11, 3)
    np.testing.assert_allclose(
        maxsim(question, weights, [pack(text)]), maxsim(question, 4 * weights, [pack(text)]), atol=1e-5
    )


@pytest.mark.parametrize("lengths", [[], [0], [3], [5, 0, 1, 64]])
def test_texts_packed_together_are_as_when_packed_alone(lengths: list[int]) -> None:
    texts = [random_rows(seed, tokens) for seed, tokens in enumerate(lengths)]
    assert pack_each(texts) == [pack(text) for text in texts]


def test_stretches_part_a_text_and_together_are_all_of_it() -> None:
    question, text = random_rows(9, 3), random_rows(10, 2 * STRETCH + 1)
    found, owners = stretches(question, [b"", pack(text), pack(text[:2])])

    assert owners.tolist() == [1, 1, 1, 2]
    for place, begin in enumerate((0, STRETCH, 2 * STRETCH)):
        part = nearest(question, [pack(text[begin : begin + STRETCH])])[0]
        np.testing.assert_allclose(found[place], part, atol=1e-5)
    np.testing.assert_allclose(best_of(found, owners, 3), nearest(question, [b"", pack(text), pack(text[:2])]))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.integers(1, 7))
def test_a_window_is_the_best_of_what_follows_in_the_same_text(lengths: list[int], width: int) -> None:
    owners = np.repeat(np.arange(len(lengths)), lengths)
    rows = np.random.default_rng(len(owners)).standard_normal((len(owners), 2)).astype(np.float32)
    found = windows(rows, owners, width)

    for place, owner in enumerate(owners):
        inside = [row for row in range(place, min(place + width, len(owners))) if owners[row] == owner]
        np.testing.assert_array_equal(found[place], rows[inside].max(axis=0))
