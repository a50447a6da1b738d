"""Which records of a log stand, and which were left behind."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ricordo.sources.lineage import Link, abandoned, ancestry

IDS = st.sampled_from("abcdefgh")
LOGS = st.lists(st.builds(Link, id=IDS, parent=st.none() | IDS, before=st.none() | IDS), unique_by=lambda link: link.id)


def chain(*ids: str) -> list[Link]:
    return [Link(id=each, parent=above) for above, each in zip([None, *ids], ids, strict=False)]


def test_a_chain_stands_whole() -> None:
    assert abandoned(chain("a", "b", "c"), "c") == frozenset()


def test_what_hangs_on_the_way_is_left_with_all_below_it() -> None:
    log = [*chain("a", "b", "c"), Link(id="d", parent="a"), Link(id="e", parent="d")]
    assert abandoned(log, "e") == {"b", "c"}
    assert abandoned(log, "c") == {"d", "e"}


def test_another_root_stands() -> None:
    assert abandoned([*chain("a", "b"), *chain("c", "d")], "d") == frozenset()


def test_a_log_that_was_cut_goes_on_at_what_came_before() -> None:
    log = [*chain("a", "b"), Link(id="c", parent=None, before="b"), Link(id="d", parent="c"), Link(id="x", parent="a")]
    assert abandoned(log, "d") == {"x"}


def test_a_parent_that_is_not_there_is_the_record_above() -> None:
    assert abandoned([*chain("a", "b"), Link(id="c", parent="gone")], "c") == frozenset()


def test_the_way_to_a_leaf_is_told_from_the_root() -> None:
    assert ancestry("c", {"a": None, "b": "a", "c": "b"}) == ["a", "b", "c"]
    assert ancestry("c", {"c": "b", "b": "gone"}) == ["b", "c"]
    assert ancestry("x", {"a": None}) == []
    assert ancestry(None, {"a": None}) == []


@given(LOGS, st.none() | IDS)
def test_the_leaf_and_the_way_to_it_stand_whatever_the_log(log: list[Link], leaf: str | None) -> None:
    left = abandoned(log, leaf)
    assert left <= {link.id for link in log}
    assert leaf not in left
    assert not left.intersection(ancestry(leaf, {link.id: link.parent for link in log}))


@given(LOGS)
def test_without_a_leaf_nothing_was_left(log: list[Link]) -> None:
    assert abandoned(log, None) == frozenset()


@given(st.dictionaries(IDS, st.none() | IDS), IDS)
def test_a_way_has_no_circles(parents: dict[str, str | None], leaf: str) -> None:
    way = ancestry(leaf, parents)
    assert len(way) == len(set(way))
