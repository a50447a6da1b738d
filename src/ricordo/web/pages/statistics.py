"""Numbers: growth, languages, sources, latency; namespaces; settings and whether all is well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from itertools import accumulate

from anyio import to_thread
from starlette.responses import Response

from ricordo.exchange import Held
from ricordo.languages import LATIN, likely_languages
from ricordo.memory import Memory
from ricordo.query import Filters
from ricordo.settings import without_password
from ricordo.tokens import scan
from ricordo.web.charts import bars, line
from ricordo.web.rendering import Visit

__all__ = ["languages", "namespaces", "settings", "show"]

SAMPLE = 300
MOST_SOURCES = 12
LONGEST = 400
INFERENCE = ("embed", "rerank")


async def show(visit: Visit) -> Response:
    """The plots, and the counts that they are of."""
    namespace = visit.memory.namespace
    overview = await visit.service.overview(namespace)
    stats = await visit.service.surveys.stats(visit.service.store)
    sample = await visit.service.store.timeline(namespace, Filters(), SAMPLE)
    spoken = await to_thread.run_sync(languages, sample)
    totals = [timing.get("total", 0.0) for timing in visit.service.timings]
    outside = [_outside(timing) for timing in visit.service.timings]
    return visit.render(
        "statistics.html",
        survey=overview.survey,
        stats=stats,
        growth=bars(_growth(overview.learned)),
        languages=sorted(spoken.items(), key=lambda each: -each[1]),
        sampled=len(sample),
        kinds=_largest(overview.survey.origins),
        latency=line(totals),
        middle=(_middle(totals), _middle(outside)),
        asked=len(totals),
        twin=visit.address("/api/survey"),
    )


def _growth(days: Mapping[str, int]) -> dict[str, float]:
    """How many memories there were at the end of each month in which some were learned."""
    months: Counter[str] = Counter()
    for day, number in days.items():
        months[day[:7]] += number
    return dict(zip(months, map(float, accumulate(months.values())), strict=True))


def languages(memories: Iterable[Memory]) -> Counter[str]:
    """In which language each is, as far as its letters and its function words tell."""
    return Counter(_language(memory.text[:LONGEST].lower()) for memory in memories)


@lru_cache(maxsize=4 * SAMPLE)
def _language(text: str) -> str:
    letters = [letter for letter in text if letter.isalpha()]
    if 2 * sum("а" <= letter <= "я" for letter in letters) > len(letters):
        return "russian"
    likely = likely_languages(token.whole for token in scan(text))
    return "other" if likely == LATIN else likely[0]


def _largest(origins: Sequence[Held]) -> list[Held]:
    return sorted(origins, key=lambda held: -held.memories)[:MOST_SOURCES]


def _outside(timing: Mapping[str, float]) -> float:
    """What a recall took outside of the models."""
    return max(0.0, timing.get("total", 0.0) - sum(timing.get(stage, 0.0) for stage in INFERENCE))


def _middle(numbers: Sequence[float]) -> float:
    return sorted(numbers)[len(numbers) // 2] if numbers else 0.0


async def namespaces(visit: Visit) -> Response:
    """All namespaces that hold something."""
    stats = await visit.service.surveys.stats(visit.service.store)
    return visit.render("namespaces.html", namespaces=stats.namespaces, twin="/api/namespaces")


async def settings(visit: Visit) -> Response:
    """The settings in force; with `check` also everything that `doctor` looks at, which takes a moment."""
    diagnosis = await to_thread.run_sync(visit.service.diagnose) if visit.asked.flag("check") else None
    chosen = visit.memory.settings
    shown = {each.name: without_password(str(getattr(chosen, each.name))) for each in fields(chosen)}
    return visit.render("settings.html", diagnosis=diagnosis, settings=shown, twin="/api/doctor")
