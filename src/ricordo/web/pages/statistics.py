"""Numbers: growth, languages, sources, latency; namespaces; settings and whether all is well."""

from __future__ import annotations

from collections.abc import Sequence

from anyio import to_thread
from starlette.responses import Response

from ricordo.exchange import Held
from ricordo.web.charts import bars, line
from ricordo.web.measures import measures
from ricordo.web.rendering import Visit
from ricordo.web.twins import shown_settings

__all__ = ["namespaces", "settings", "show"]

MOST_SOURCES = 12


async def show(visit: Visit) -> Response:
    """The plots, and the counts that they are of."""
    found = await measures(visit.service, visit.memory.namespace)
    return visit.render(
        "statistics.html",
        twin=visit.address("/api/statistics"),
        survey=found.survey,
        stats=found.stats,
        growth=bars(found.growth),
        languages=found.languages.items(),
        sampled=found.sampled,
        kinds=_largest(found.survey.origins),
        latency=line(found.latency.totals),
        middle=found.latency.middle,
        asked=len(found.latency.totals),
    )


def _largest(origins: Sequence[Held]) -> list[Held]:
    return sorted(origins, key=lambda held: -held.memories)[:MOST_SOURCES]


async def namespaces(visit: Visit) -> Response:
    """All namespaces that hold something."""
    stats = await visit.service.surveys.stats(visit.service.store)
    return visit.render("namespaces.html", twin="/api/namespaces", namespaces=stats.namespaces)


async def settings(visit: Visit) -> Response:
    """The settings in force; with `check` also everything that `doctor` looks at, which takes a moment."""
    check = visit.asked.flag("check")
    return visit.render(
        "settings.html",
        twin=visit.address("/api/doctor" if check else "/api/settings"),
        diagnosis=await to_thread.run_sync(visit.service.diagnose) if check else None,
        settings=shown_settings(visit.memory),
    )
