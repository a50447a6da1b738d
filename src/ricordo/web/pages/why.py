"""One answer word by word: the terms that it scores by, and where its words meet those of the question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from starlette.responses import Response

from ricordo.explain import Explanation, explain
from ricordo.meeting import Meeting
from ricordo.query import Query
from ricordo.render.phrases import safe
from ricordo.stems import LEMMA, STEM
from ricordo.web.charts import parts
from ricordo.web.marking import FAINT, STRONG, Piece
from ricordo.web.rendering import Visit

__all__ = ["pieces_of", "show"]

FRAGMENT = "fragment"
FORMS = {STEM: "why.stem", LEMMA: "why.lemma"}


async def show(visit: Visit) -> Response:
    """The answer that the address names, or, as a fragment, what the page of answers shows of it."""
    asked = visit.asked
    query = Query(text=asked.text("query"), namespace=visit.memory.namespace)
    found = await explain(visit.memory.reader, query, asked.text("id"), asked.maybe("chunk"))
    scores = {_named(visit, term.term): term.score for term in found.terms}
    state = {"query": query.text, "id": asked.text("id"), "chunk": asked.maybe("chunk")}
    return visit.render(
        "word_by_word.html" if asked.flag(FRAGMENT) else "why.html",
        twin=visit.address("/api/why", state),
        question=query.text,
        found=found,
        pieces=tuple(pieces_of(found)),
        terms=tuple(zip(parts(scores, len(scores)), found.terms, strict=True)),
        meetings=[meeting for meeting in found.meetings if meeting.strength >= FAINT],
        strong=STRONG,
    )


def _named(visit: Visit, term: str) -> str:
    form = FORMS.get(term[:1])
    return visit.say(form, word=safe(term[1:])) if form else safe(term)


def pieces_of(found: Explanation) -> Iterator[Piece]:
    """The text with the words that those of the question are near to as marks, by how near: `mark` or `faint`."""
    text, end = found.chunk.text, 0
    for start, stop, strength in _spans(found.meetings):
        if start >= end:
            yield Piece(safe(text[end:start]))
            yield Piece(safe(text[start:stop]), "mark" if strength >= STRONG else "faint")
            end = stop
    yield Piece(safe(text[end:]))


def _spans(meetings: Sequence[Meeting]) -> list[tuple[int, int, float]]:
    """Each place in the text once, in order, with the strongest that meets it."""
    best: dict[tuple[int, int], float] = {}
    for meeting in meetings:
        if meeting.start is not None and meeting.end is not None and meeting.strength >= FAINT:
            place = (meeting.start, meeting.end)
            best[place] = max(best.get(place, 0.0), meeting.strength)
    return [(start, stop, best[start, stop]) for start, stop in sorted(best)]
