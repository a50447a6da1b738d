"""The first page: ask, see what was found and why, narrow it down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from starlette.responses import Response

from ricordo.fusion import K
from ricordo.memory import Memory
from ricordo.query import Hit, Recall, TimeUse
from ricordo.web.asking import HITS, page_of_timeline
from ricordo.web.charts import Part, parts
from ricordo.web.given import Given
from ricordo.web.marking import Piece, marked
from ricordo.web.moments import Moments
from ricordo.web.paging import within_limits
from ricordo.web.rendering import Visit
from ricordo.web.replies import timed

__all__ = ["Chip", "Found", "chips", "found_of", "show"]

LATEST = 8
MORE = 10
FILTERS = ("since", "until", "as_of", "as_known", "tag", "meta", "origin", "kind", "superseded", "any_time")
SEVERAL = ("tag", "meta", "kind")
FRAGMENT = "fragment"
Asked = dict[str, str | int | bool | tuple[str, ...] | None]


@dataclass(frozen=True, slots=True)
class Found:
    """A hit with what the eye needs: marks in the text, how high each arm had it, what its score is made of."""

    hit: Hit
    pieces: tuple[Piece, ...]
    arms: tuple[tuple[str, int, float], ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Chip:
    """Something that narrows the answer, and the address of the page without it."""

    kind: str
    text: str
    without: str


async def show(visit: Visit) -> Response:
    """An answer to `query`; without one, what was remembered last."""
    asked = visit.asked
    question, limit = asked.maybe("query") or "", within_limits(asked.number("limit", HITS))
    filters = asked.filters(visit.memory)
    state = _state(asked, question)
    recall: Recall | None = None
    latest: tuple[Memory, ...] = ()
    if question.strip():
        recall = await visit.service.recall(
            visit.memory, question, limit=limit, filters=filters, any_time=asked.flag("any_time")
        )
    else:
        timeline, _ = await page_of_timeline(visit.service, visit.memory.namespace, filters, LATEST, None)
        latest = timeline.memories[::-1]
    # What can be chosen may be a little old; whether there is anything at all may not.
    fresh = recall is None and not latest
    overview = await visit.service.overview(visit.memory.namespace, fresh=fresh)
    fragment = asked.flag(FRAGMENT)
    response = visit.render(
        "results.html" if fragment else "search.html",
        question=question,
        state=state,
        recall=recall,
        found=found_of(recall) if recall is not None else (),
        latest=latest,
        chips=tuple(chips(visit, state, recall)),
        overview=overview,
        namespaces=() if fragment else await visit.service.namespaces(visit.memory.namespace),
        more=visit.address("/", state, limit=limit + MORE) if recall is not None and len(recall) >= limit else None,
        twin=visit.address("/api/recall", {**state, "limit": limit}) if question else _latest(visit, state),
    )
    return timed(response, recall.timings) if recall is not None else response


def _latest(visit: Visit, state: Asked) -> str:
    """Where the latest memories are had as JSON."""
    return visit.address("/api/timeline", {**state, "query": None, "any_time": None, "limit": LATEST})


def _state(asked: Given, question: str) -> Asked:
    """All that the address of this page says, by name."""
    state: Asked = {"query": question}
    for name in FILTERS:
        values = asked.texts(name)
        if values:
            state[name] = values if name in SEVERAL else values[-1]
    return state


def found_of(recall: Recall) -> tuple[Found, ...]:
    """The hits of a recall as they are shown."""
    return tuple(
        Found(hit, marked(hit.text, recall.query.text), tuple(_arms(hit.arms)), parts(hit.parts)) for hit in recall
    )


def _arms(arms: Mapping[str, int]) -> Iterator[tuple[str, int, float]]:
    """(arm, rank, share of what the first rank gives to the fusion), the best first."""
    for arm, rank in sorted(arms.items(), key=lambda each: (each[1], each[0])):
        yield arm, rank, round(100 * (K + 1) / (K + rank), 1)


def chips(visit: Visit, state: Asked, recall: Recall | None) -> Iterator[Chip]:
    """What narrows the answer: the window read from the question, and each filter."""
    if (
        recall is not None
        and recall.time is not None
        and "any_time" not in state
        and not {"since", "until"} & state.keys()
    ):
        yield Chip("window", _window(visit, recall.time), visit.address("/", state, any_time=True))
    for name in FILTERS:
        value = state.get(name)
        for each in value if isinstance(value, tuple) else (value,):
            if each:
                rest = tuple(item for item in value if item != each) if isinstance(value, tuple) else None
                yield Chip(name, str(each), visit.address("/", {**state, name: rest}))


def _window(visit: Visit, use: TimeUse) -> str:
    return f"“{use.text}” · {Moments(visit.now, visit.zone, visit.say).range(use.range)}"
