"""What several namespaces answer is one answer, and its ranks are honest."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from ricordo.across import across
from ricordo.memory import Chunk, told
from ricordo.query import Hit, Notice, Query, Recall

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def a_recall(namespace: str, *scores: float, notices: tuple[str, ...] = ()) -> Recall:
    hits = []
    for rank, score in enumerate(scores, start=1):
        memory = told(f"{namespace} {rank}", now=NOW)
        chunk = Chunk(memory_id=memory.id, origin_uri="told:x", text=memory.text)
        hits.append(Hit(rank=rank, score=score, arms={"words": rank}, chunk=chunk, memory=memory))
    said = tuple(Notice(code=code, message=code) for code in notices)
    return Recall(query=Query(text="q", namespace=namespace), hits=tuple(hits), notices=said)


def texts(*recalls: Recall, limit: int = 10) -> list[str]:
    return [each.hit.text for each in across(recalls, limit).placed]


def test_equal_ranks_go_by_evidence_and_then_by_who_was_asked_first() -> None:
    assert texts(a_recall("a", 2.0, 1.0), a_recall("b", 3.0, 1.0)) == ["b 1", "a 1", "a 2", "b 2"]


def test_a_hit_keeps_where_it_is_from_and_its_ranks_there() -> None:
    found = across([a_recall("a", 2.0), a_recall("b", 1.0, 0.5)], 10)

    assert [(each.namespace, each.hit.rank, each.hit.arms["words"]) for each in found.placed] == [
        ("a", 1, 1),
        ("b", 2, 1),
        ("b", 3, 2),
    ]


def test_why_one_of_them_found_nothing_is_said_only_where_all_did() -> None:
    empty = a_recall("b", notices=("empty_namespace", "reranker_unavailable"))

    assert [notice.code for notice in across([a_recall("a", 1.0), empty], 10).notices] == ["reranker_unavailable"]
    assert [notice.code for notice in across([empty, empty], 10).notices] == ["empty_namespace", "reranker_unavailable"]


@given(st.lists(st.lists(st.floats(0, 9), max_size=5), max_size=4), st.integers(1, 12))
def test_no_namespace_is_put_out_of_its_own_order(scores: list[list[float]], limit: int) -> None:
    recalls = [a_recall(f"n{number}", *sorted(each, reverse=True)) for number, each in enumerate(scores)]
    found = across(recalls, limit)

    assert len(found.placed) == min(limit, sum(map(len, scores)))
    assert [each.hit.rank for each in found.placed] == list(range(1, len(found.placed) + 1))
    for recall in recalls:
        kept = [each.hit.id for each in found.placed if each.namespace == recall.query.namespace]
        assert kept == [hit.id for hit in recall.hits][: len(kept)]
