"""Numbers about a namespace: how it grew, which languages it speaks, how long answers took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from anyio import to_thread

from ricordo.languages import LATIN, likely_languages
from ricordo.memory import Memory
from ricordo.protocols import Stats, Survey
from ricordo.query import Filters
from ricordo.tokens import scan
from ricordo.web.service import Service

__all__ = ["Latency", "Measures", "languages", "measures"]

SAMPLE = 300
LONGEST = 400
INFERENCE = ("embed", "rerank")


@dataclass(frozen=True, kw_only=True, slots=True)
class Latency:
    """How long the last answers took, the latest last: in all, and outside of the models; milliseconds."""

    totals: tuple[float, ...] = ()
    outside: tuple[float, ...] = ()

    @classmethod
    def of(cls, timings: Sequence[Mapping[str, float]]) -> Latency:
        return cls(
            totals=tuple(timing.get("total", 0.0) for timing in timings),
            outside=tuple(map(_outside, timings)),
        )

    @property
    def middle(self) -> tuple[float, float]:
        """The median in all, and outside of the models; 0 where nothing was asked."""
        return _middle(self.totals), _middle(self.outside)


@dataclass(frozen=True, kw_only=True, slots=True)
class Measures:
    """What the plots are of. `languages` are those of the latest `sampled` memories."""

    survey: Survey
    stats: Stats
    growth: Mapping[str, int]
    languages: Mapping[str, int]
    sampled: int
    latency: Latency


async def measures(service: Service, namespace: str) -> Measures:
    """Measure a namespace. Raises StoreError."""
    overview = await service.overview(namespace)
    sample = await service.store.timeline(namespace, Filters(), SAMPLE)
    spoken = await to_thread.run_sync(languages, sample)
    return Measures(
        survey=overview.survey,
        stats=await service.surveys.stats(service.store),
        growth=_growth(overview.learned),
        languages=dict(spoken.most_common()),
        sampled=len(sample),
        latency=Latency.of(tuple(service.timings)),
    )


def _growth(days: Mapping[str, int]) -> dict[str, int]:
    """How many memories there were at the end of each month in which some were learned."""
    months: Counter[str] = Counter()
    for day, number in days.items():
        months[day[:7]] += number
    return dict(zip(months, accumulate(months.values()), strict=True))


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


def _outside(timing: Mapping[str, float]) -> float:
    return max(0.0, timing.get("total", 0.0) - sum(timing.get(stage, 0.0) for stage in INFERENCE))


def _middle(numbers: Sequence[float]) -> float:
    return sorted(numbers)[len(numbers) // 2] if numbers else 0.0
