from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.bm25 import OKAPI, Bm25, idf, rank
from ricordo.errors import InvalidInput
from ricordo.query import WordMatch, WordMatches


def held(chunk_id: str, counts: Mapping[str, int], length: int = 10, **context: object) -> WordMatch:
    return WordMatch(chunk_id=chunk_id, length=length, counts=counts, **context)  # type: ignore[arg-type]


def found(*matches: WordMatch, chunks: int = 100, **document_frequency: int) -> WordMatches:
    return WordMatches(
        matches=matches,
        chunks=chunks,
        mean_length=10.0,
        mean_context_length=4.0,
        document_frequency=document_frequency,
    )


def test_idf_is_the_logarithm_worked_out_by_hand() -> None:
    # ln(1 + (100 - 1 + 0.5) / (1 + 0.5)) = ln(1 + 66.333…)
    assert idf(100, 1) == pytest.approx(4.209655, abs=1e-6)
    # and the logarithm of 1 + 0.5 / 100.5
    assert idf(100, 100) == pytest.approx(0.004963, abs=1e-6)
    assert idf(100, 0) == 0
    assert idf(100, 120) == idf(100, 100)


def test_a_chunk_of_mean_length_scores_as_worked_out_by_hand() -> None:
    matches = found(held("a", {"key": 2}), key=1)

    # idf 4.209655 · 2 · 2.5 / (2 + 1.5)
    assert dict(rank({"key": 1.0}, matches)) == pytest.approx({"a": 6.013793}, abs=1e-6)


def test_length_counts_against_a_chunk_as_worked_out_by_hand() -> None:
    matches = found(held("long", {"key": 1}, length=20), held("short", {"key": 1}, length=5), key=2)
    value = math.log(1 + 98.5 / 2.5) * 2.5

    # norms: 0.25 + 0.75 · 2 = 1.75 and 0.25 + 0.75 / 2 = 0.625
    ranked = rank({"key": 1.0}, matches)
    assert dict(ranked) == pytest.approx({"short": value / (1 + 1.5 * 0.625), "long": value / (1 + 1.5 * 1.75)})
    assert [chunk_id for chunk_id, _ in ranked] == ["short", "long"]


def test_context_adds_its_weighed_share_before_saturation() -> None:
    in_both = held("both", {"key": 1}, context_length=4, context_counts={"key": 1})
    in_context = held("context", {}, context_length=4, context_counts={"key": 1})
    value = idf(100, 2) * 2.5

    ranked = rank({"key": 1.0}, found(in_both, in_context, key=2))
    assert dict(ranked) == pytest.approx({"both": value * 1.3 / (1.3 + 1.5), "context": value * 0.3 / (0.3 + 1.5)})


def test_context_can_be_left_out_of_account() -> None:
    in_context = held("a", {}, context_length=4, context_counts={"key": 1})
    assert rank({"key": 1.0}, found(in_context, key=1), Bm25(context_weight=0)) == [("a", 0.0)]


def test_weights_multiply_and_terms_add_up() -> None:
    both = found(held("a", {"key": 1, "door": 1}), key=1, door=9)
    alone = {term: rank({term: 1.0}, both)[0][1] for term in ("key", "door")}

    assert rank({"key": 2.0, "door": 0.5}, both)[0][1] == pytest.approx(2 * alone["key"] + alone["door"] / 2)


def test_ties_are_ordered_by_id() -> None:
    matches = found(held("b", {"key": 1}), held("a", {"key": 1}), key=2)
    assert [chunk_id for chunk_id, _ in rank({"key": 1.0}, matches)] == ["a", "b"]


def test_terms_that_nobody_holds_add_nothing() -> None:
    matches = found(held("a", {"key": 1}), key=1)
    assert rank({"key": 1.0, "door": 5.0}, matches) == rank({"key": 1.0}, matches)
    assert rank({}, matches) == [("a", 0.0)]
    assert rank({"key": 1.0}, found()) == []


def test_a_store_without_lengths_ranks_all_the_same() -> None:
    matches = WordMatches(
        matches=(held("a", {"key": 1}, length=0),),
        chunks=1,
        mean_length=0.0,
        mean_context_length=0.0,
        document_frequency={"key": 1},
    )
    assert rank({"key": 1.0}, matches, Bm25(b=1.0))[0][1] > 0


@pytest.mark.parametrize("wrong", [{"k1": -1.0}, {"b": 1.5}, {"b": -0.1}, {"context_weight": -1.0}, {"k1": math.nan}])
def test_parameters_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match="b between 0 and 1"):
        Bm25(**wrong)


parameters = st.builds(
    Bm25, k1=st.floats(min_value=0, max_value=5), b=st.floats(min_value=0, max_value=1), context_weight=st.just(0.3)
)
counts = st.dictionaries(st.sampled_from("abcde"), st.integers(min_value=1, max_value=50))
weights = st.dictionaries(st.sampled_from("abcde"), st.floats(min_value=0.01, max_value=10), min_size=1)
frequencies = dict.fromkeys("abcde", 7)


@given(weights, counts, counts, st.integers(min_value=1, max_value=500), parameters)
def test_no_score_is_negative(
    terms: dict[str, float], text: dict[str, int], context: dict[str, int], length: int, chosen: Bm25
) -> None:
    match = held("a", text, length=length, context_length=sum(context.values()), context_counts=context)
    assert rank(terms, found(match, **frequencies), chosen)[0][1] >= 0


@given(weights, counts, st.sampled_from("abcde"), parameters)
def test_saying_a_term_more_often_never_hurts(
    terms: dict[str, float], text: dict[str, int], term: str, chosen: Bm25
) -> None:
    more = text | {term: text.get(term, 0) + 1}
    scores = dict(rank(terms, found(held("less", text), held("more", more), **frequencies), chosen))
    assert scores["more"] >= scores["less"] - 1e-12


@given(weights, counts)
def test_the_order_of_terms_and_matches_does_not_matter(terms: dict[str, float], text: dict[str, int]) -> None:
    matches = [held("a", text), held("b", dict(reversed(text.items()))), held("c", text, length=3)]
    expected = rank(terms, found(*matches, **frequencies))

    shuffled = dict(reversed(terms.items()))
    assert rank(shuffled, found(*reversed(matches), **frequencies)) == expected


@given(st.integers(min_value=1, max_value=10**6), st.data())
def test_rarer_terms_are_worth_more(chunks: int, data: st.DataObject) -> None:
    frequency = data.draw(st.integers(min_value=1, max_value=chunks))
    assert idf(chunks, frequency) > idf(chunks, frequency + 1) or frequency == chunks


def test_the_usual_parameters_are_the_default() -> None:
    assert Bm25(k1=1.5, b=0.75, context_weight=0.3) == OKAPI
