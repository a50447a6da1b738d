"""The metrics agree with trec_eval, and the bootstrap with what is known of it."""

from __future__ import annotations

from dataclasses import replace

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import RR, R, Success, nDCG

from ricordo.errors import InvalidInput
from ricordo.eval.metrics import MEASURES, Outcome, bootstrap, means, ndcg, outcome, paired, recall, reciprocal_rank

THEIRS = {
    "recall@1": R @ 1,
    "recall@5": R @ 5,
    "recall@10": R @ 10,
    "hit@10": Success @ 10,
    "mrr": RR,
    "ndcg@10": nDCG @ 10,
}

ids = st.integers(0, 30).map("d{:02}".format)
rankings = st.lists(ids, unique=True, max_size=30)
relevants = st.frozensets(ids, min_size=1, max_size=14)
outcomes = st.lists(st.builds(outcome, rankings, relevants), min_size=1, max_size=20)


@settings(deadline=None, max_examples=30)  # libraries that load on first use take their time
@given(questions=st.lists(st.tuples(rankings, relevants), min_size=1, max_size=8))
def test_every_measure_agrees_with_trec_eval(questions: list[tuple[list[str], frozenset[str]]]) -> None:
    relevant = {f"q{number}": dict.fromkeys(gold, 1) for number, (_, gold) in enumerate(questions)}
    scored = {
        f"q{number}": {found: float(-rank) for rank, found in enumerate(ranked)}
        for number, (ranked, _) in enumerate(questions)
    }
    theirs = ir_measures.calc_aggregate(list(THEIRS.values()), relevant, scored)

    ours = means([outcome(ranked, gold) for ranked, gold in questions])

    assert ours == pytest.approx({name: theirs[measure] for name, measure in THEIRS.items()})


def test_the_measures_by_hand() -> None:
    found = outcome(["x", "a", "y", "b"], {"a", "b", "c"})

    assert found == Outcome(ranks=(2, 4), relevant=3)
    assert recall(found, 2) == pytest.approx(1 / 3)
    assert reciprocal_rank(found) == 0.5
    assert ndcg(found, 10) == pytest.approx((1 / 1.58496 + 1 / 2.32193) / (1 + 1 / 1.58496 + 1 / 2), abs=1e-5)


def test_several_chunks_of_one_memory_count_once_at_the_best_rank() -> None:
    assert outcome(["a", "a", "a", "b"], {"b"}).ranks == (2,)


@settings(deadline=None, max_examples=30)  # libraries that load on first use take their time
@given(found=outcomes)
def test_an_interval_holds_its_mean_and_stays_between_0_and_1(found: list[Outcome]) -> None:
    averages, intervals = means(found), bootstrap(found)

    for name in MEASURES:
        assert 0 <= intervals[name].low <= averages[name] + 1e-9
        assert averages[name] - 1e-9 <= intervals[name].high <= 1 + 1e-9


def test_an_interval_is_as_wide_as_the_binomial_says() -> None:
    half = [Outcome(ranks=(1,) if number % 2 else (), relevant=1) for number in range(400)]

    interval = bootstrap(half)["recall@1"]

    assert interval.low == pytest.approx(0.5 - 1.96 * 0.025, abs=0.006)
    assert interval.high == pytest.approx(0.5 + 1.96 * 0.025, abs=0.006)


def test_the_same_outcomes_have_the_same_interval() -> None:
    found = [Outcome(ranks=(number % 7 + 1,), relevant=1) for number in range(50)]

    assert bootstrap(found) == bootstrap(found)


@settings(deadline=None, max_examples=30)  # libraries that load on first use take their time
@given(found=outcomes)
def test_a_run_does_not_differ_from_itself(found: list[Outcome]) -> None:
    differences = paired(found, found)

    assert all(each.mean == 0 and not each.certain for each in differences.values())
    assert all((each.better, each.worse) == (0, 0) for each in differences.values())


def test_pairs_show_a_difference_that_means_alone_would_not() -> None:
    before = [Outcome(ranks=(number % 9 + 2,), relevant=1) for number in range(60)]
    after = [replace(each, ranks=(each.ranks[0] - 1,)) for each in before]

    difference = paired(before, after)["mrr"]

    assert difference.certain
    assert (difference.better, difference.worse) == (60, 0)
    assert difference.mean == pytest.approx(means(after)["mrr"] - means(before)["mrr"])


def test_runs_of_different_lengths_are_no_pairs() -> None:
    one = Outcome(ranks=(), relevant=1)

    with pytest.raises(InvalidInput, match="no pairs"):
        paired([one], [one, one])


@pytest.mark.parametrize("ranks", [(0,), (1, 2)])
def test_an_outcome_that_cannot_be_is_refused(ranks: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInput):
        Outcome(ranks=ranks, relevant=1)


def test_no_questions_have_no_measures() -> None:
    assert means([]) == {}
    assert bootstrap([]) == {}
    assert paired([], []) == {}
