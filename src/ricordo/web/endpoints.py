"""One table of what REST offers. The routes and the OpenAPI document are both made from it."""

from __future__ import annotations

from ricordo.context import BUDGET, MOST
from ricordo.web import asking, bulk, telling, whole
from ricordo.web.dispatch import FILTERS, FORM, JSON, LINES, Endpoint, Parameter
from ricordo.web.schemas import ANY_OBJECT, BOOLEAN, INTEGER, TEXT, Schema, array, ref

__all__ = ["ENDPOINTS"]

LIMIT: Schema = {**INTEGER, "minimum": 1, "maximum": 1000}
CURSOR = Parameter(name="cursor", schema=TEXT, about="`next` of the page before.")
WHEN = Parameter(name="when", schema=TEXT, about="When it happened: an ISO date or time, or a phrase.")
IDS = Parameter(name="ids", schema={**array(TEXT), "minItems": 1}, about="Whole ids, or beginnings.", required=True)
SAID = Parameter(name="text", schema={**TEXT, "minLength": 1}, about="The text.", required=True)


def _limit(default: int) -> Parameter:
    return Parameter(name="limit", schema={**LIMIT, "default": default}, about="The most to give.")


def _one(name: str) -> dict[int, tuple[Schema, str]]:
    return {200: (ref(name), JSON)}


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        name="remember",
        method="POST",
        path="/api/remember",
        about="Remember a text. 201 when it is new; saying the same again changes nothing.",
        handler=telling.remember,
        takes=JSON,
        given=(
            SAID,
            WHEN,
            Parameter(name="tags", schema=array(TEXT), about="Tags."),
            Parameter(name="metadata", schema=ANY_OBJECT, about="Properties."),
            Parameter(name="supersedes", schema=TEXT, about="The memory that this one takes the place of."),
        ),
        answers={200: (ref("Remembered"), JSON), 201: (ref("Remembered"), JSON)},
        repeatable=True,
        failures=(400, 404),
    ),
    Endpoint(
        name="recall",
        method="GET",
        path="/api/recall",
        about="Find what answers a question: by meaning, by exact name or key, and by date.",
        handler=asking.recall,
        given=(
            Parameter(name="query", schema=TEXT, about="The question.", required=True),
            _limit(asking.HITS),
            Parameter(name="history", schema=BOOLEAN, about="Each hit with all its versions."),
            Parameter(name="any_time", schema=BOOLEAN, about="Read no times in the question."),
            *FILTERS,
        ),
        answers=_one("Recall"),
    ),
    Endpoint(
        name="context",
        method="POST",
        path="/api/context",
        about="What surely bears on a prompt, to be put before it; mostly nothing.",
        handler=asking.context,
        takes=JSON,
        given=(
            Parameter(name="prompt", schema=TEXT, about="The prompt.", required=True),
            _limit(MOST),
            Parameter(name="budget", schema={**INTEGER, "default": BUDGET}, about="The most tokens."),
            *FILTERS,
        ),
        answers=_one("Context"),
    ),
    Endpoint(
        name="show",
        method="GET",
        path="/api/show/{id}",
        about="A memory whole; the id may be the beginning of one.",
        handler=asking.show,
        answers=_one("Memory"),
        failures=(400, 404),
    ),
    Endpoint(
        name="history",
        method="GET",
        path="/api/history/{id}",
        about="All versions of a memory, first to current.",
        handler=asking.history,
        answers=_one("History"),
        failures=(400, 404),
    ),
    Endpoint(
        name="near",
        method="GET",
        path="/api/near/{id}",
        about="The memories around one in its conversation or section, and those most like it.",
        handler=asking.near,
        answers=_one("Near"),
        failures=(400, 404),
    ),
    Endpoint(
        name="revise",
        method="POST",
        path="/api/revise/{id}",
        about="Put a new text in a memory's place; the old version stays in its history.",
        handler=telling.revise,
        takes=JSON,
        given=(SAID, WHEN),
        answers=_one("Revised"),
        repeatable=True,
        failures=(400, 404),
    ),
    Endpoint(
        name="bury",
        method="POST",
        path="/api/bury",
        about="Keep memories behind all others that are found, and tell them to nobody unasked.",
        handler=telling.bury,
        takes=JSON,
        given=(
            IDS,
            Parameter(name="undo", schema=BOOLEAN, about="Treat them as any other again."),
        ),
        answers=_one("Buried"),
        repeatable=True,
        failures=(400, 404),
    ),
    Endpoint(
        name="forget",
        method="POST",
        path="/api/forget",
        about="Remove memories for good, with all their versions.",
        handler=telling.forget,
        takes=JSON,
        given=(IDS,),
        answers=_one("Forgotten"),
        repeatable=True,
        failures=(400, 404),
    ),
    Endpoint(
        name="ingest",
        method="POST",
        path="/api/ingest",
        about="Read files that are sent. With `Accept: application/x-ndjson` a line tells of each few sources.",
        handler=bulk.ingest,
        takes=FORM,
        answers=_one("Ingested"),
        failures=(400, 413, 415),
    ),
    Endpoint(
        name="import",
        method="POST",
        path="/api/import",
        about="Read an export back; each line goes into the namespace it names.",
        handler=bulk.import_,
        takes=LINES,
        answers=_one("Imported"),
        failures=(400, 413),
    ),
    Endpoint(
        name="export",
        method="GET",
        path="/api/export",
        about="Everything but vectors, as JSON Lines.",
        handler=bulk.export,
        given=(Parameter(name="all", schema=BOOLEAN, about="Every namespace."),),
        answers={200: (TEXT, LINES)},
    ),
    Endpoint(
        name="timeline",
        method="GET",
        path="/api/timeline",
        about="What happened, earliest first: a topic's memories, or the latest of all, a page at a time.",
        handler=asking.timeline,
        given=(
            Parameter(name="topic", schema=TEXT, about="What it is about; then there is one page."),
            _limit(asking.EVENTS),
            CURSOR,
            *FILTERS,
        ),
        answers=_one("Timeline"),
    ),
    Endpoint(
        name="survey",
        method="GET",
        path="/api/survey",
        about="A namespace from above: memories by day and by tag.",
        handler=whole.survey,
        answers=_one("Survey"),
    ),
    Endpoint(
        name="sources",
        method="GET",
        path="/api/sources",
        about="Where the memories of a namespace come from.",
        handler=whole.sources,
        given=(_limit(whole.PAGE), CURSOR),
        answers=_one("Sources"),
    ),
    Endpoint(
        name="namespaces",
        method="GET",
        path="/api/namespaces",
        about="The namespaces that hold something.",
        handler=whole.namespaces,
        given=(_limit(whole.PAGE), CURSOR),
        answers=_one("Namespaces"),
    ),
    Endpoint(
        name="stats",
        method="GET",
        path="/api/stats",
        about="Counts over the whole store.",
        handler=whole.stats,
        answers=_one("Stats"),
    ),
    Endpoint(
        name="doctor",
        method="GET",
        path="/api/doctor",
        about="Check settings, store and models; tells how to mend what is wrong.",
        handler=whole.doctor,
        answers=_one("Diagnosis"),
    ),
)
