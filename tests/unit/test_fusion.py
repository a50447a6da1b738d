from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from ricordo.fusion import cut, ranks, reciprocal_rank_fusion
from ricordo.query import RankedList

IDS = st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=10)
LISTS = st.lists(IDS, max_size=4).map(
    lambda lists: [RankedList(arm=f"arm{number}", ids=tuple(ids)) for number, ids in enumerate(lists)]
)


def test_scores_are_the_sum_of_reciprocal_ranks() -> None:
    fused = reciprocal_rank_fusion([RankedList(arm="words", ids=("a", "b")), RankedList(arm="vectors", ids=("b", "c"))])

    assert [chunk_id for chunk_id, _ in fused] == ["b", "a", "c"]
    assert math.isclose(fused[0][1], 1 / 62 + 1 / 61)
    assert math.isclose(fused[1][1], 1 / 61)
    assert math.isclose(fused[2][1], 1 / 62)


def test_an_arm_weighs_what_it_is_given() -> None:
    lists = [RankedList(arm="words", ids=("a",)), RankedList(arm="vectors", ids=("b",))]

    assert reciprocal_rank_fusion(lists, weights={"vectors": 2.0})[0] == ("b", 2 / 61)
    assert reciprocal_rank_fusion(lists, k=0)[0] == ("a", 1.0)


@given(LISTS)
def test_every_id_appears_once_ordered_by_score_then_id(lists: list[RankedList]) -> None:
    fused = reciprocal_rank_fusion(lists)

    assert {chunk_id for chunk_id, _ in fused} == {chunk_id for ranked in lists for chunk_id in ranked.ids}
    assert fused == sorted(fused, key=lambda item: (-item[1], item[0]))


@given(LISTS, st.randoms())
def test_the_order_of_the_arms_does_not_matter(lists: list[RankedList], random: object) -> None:
    there = [chunk_id for chunk_id, _ in reciprocal_rank_fusion(lists)]
    back = [chunk_id for chunk_id, _ in reciprocal_rank_fusion(lists[::-1])]

    assert sorted(there) == sorted(back)
    scores = dict(reciprocal_rank_fusion(lists))
    assert all(math.isclose(scores[one], scores[other]) for one, other in zip(there, back, strict=True))


@given(LISTS, st.integers(min_value=1, max_value=12))
def test_a_cut_keeps_the_order_and_every_first_hit_there_is_room_for(lists: list[RankedList], size: int) -> None:
    fused = reciprocal_rank_fusion(lists)
    kept = cut(fused, lists, size)
    first = {ranked.ids[0] for ranked in lists if ranked.ids}

    assert len(kept) == min(size, len(fused))
    assert kept == [item for item in fused if item in kept]
    assert len(first) > size or first <= {chunk_id for chunk_id, _ in kept}


def test_a_first_hit_of_one_arm_is_not_crowded_out() -> None:
    crowd = tuple(f"m{number:02}" for number in range(50))
    lists = [RankedList(arm="words", ids=("z",)), *(RankedList(arm=f"v{number}", ids=crowd) for number in range(3))]

    fused = reciprocal_rank_fusion(lists)
    assert "z" not in [chunk_id for chunk_id, _ in fused[:10]]
    assert [chunk_id for chunk_id, _ in cut(fused, lists, 10)] == [*crowd[:9], "z"]


def test_ranks_tell_where_each_arm_put_an_id() -> None:
    lists = [RankedList(arm="words", ids=("a", "b")), RankedList(arm="vectors", ids=("b",))]

    assert ranks(lists) == {"a": {"words": 1}, "b": {"words": 2, "vectors": 1}}
