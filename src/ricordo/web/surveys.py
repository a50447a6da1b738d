"""Surveys of namespaces, kept for a while: pages that count are asked for more often than counts change."""

from __future__ import annotations

import logging
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import partial
from typing import Any

import anyio
from anyio import to_thread

from ricordo.ages import local
from ricordo.errors import StoreError
from ricordo.exchange import Held
from ricordo.memory import uri_parts
from ricordo.protocols import Stats, Store, Survey
from ricordo.query import EVERYTHING, TimeRange

__all__ = ["Overview", "Place", "Surveys", "by_day"]

TAGS = 12
FRESH_SECONDS = 10.0
LASTING_SECONDS = 60.0
MOST = 100

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """Where memories come from, roughly: how the uris begin, what kinds there are, how many memories."""

    beginning: str
    kinds: str
    memories: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Overview:
    """A survey, its times by the days of a zone, and what an answer can be narrowed down by."""

    survey: Survey
    zone: tzinfo
    events: Mapping[str, int]
    learned: Mapping[str, int]
    quarters: Sequence[datetime]
    places: Sequence[Place]
    kinds: Mapping[str, int]
    tags: Sequence[str]

    @classmethod
    def of(cls, survey: Survey, zone: tzinfo) -> Overview:
        return cls(
            survey=survey,
            zone=zone,
            events=by_day(survey.events, zone),
            learned=by_day(survey.learned, zone),
            quarters=sorted(survey.events),
            places=_places(survey.origins),
            kinds=_kinds(survey.origins),
            tags=sorted(survey.tags, key=lambda tag: (-survey.tags[tag], tag))[:TAGS],
        )

    def hours(self, within: TimeRange) -> dict[str, int]:
        """How many memories began in each hour of a stretch, by the name of the hour; those of none are left out."""
        first = bisect_left(self.quarters, within.start) if within.start else 0
        last = bisect_left(self.quarters, within.end) if within.end else len(self.quarters)
        counts: Counter[str] = Counter()
        for quarter in self.quarters[first:last]:
            counts[f"{local(quarter, self.zone):%H}"] += self.survey.events[quarter]
        return counts


def by_day(quarters: Mapping[datetime, int], zone: tzinfo) -> dict[str, int]:
    """Counts by the day in the zone, in order."""
    counts: Counter[str] = Counter()
    for start, number in quarters.items():
        counts[local(start, zone).date().isoformat()] += number
    return dict(sorted(counts.items()))


def _places(origins: Iterable[Held]) -> list[Place]:
    counts: Counter[str] = Counter()
    kinds: dict[str, set[str]] = {}
    for held in origins:
        beginning = _beginning(held.origin.uri)
        counts[beginning] += held.memories
        kinds.setdefault(beginning, set()).add(held.origin.kind)
    return [Place(beginning, ", ".join(sorted(kinds[beginning])), number) for beginning, number in counts.most_common()]


def _kinds(origins: Iterable[Held]) -> dict[str, int]:
    """How many memories come from each kind of source, the most first; old versions count."""
    counts: Counter[str] = Counter()
    for held in origins:
        counts[held.origin.kind] += held.memories
    return dict(counts.most_common())


def _beginning(uri: str) -> str:
    """`told:`, `file:`, `https://claude.ai/`."""
    parts = uri_parts(uri)
    return f"{parts.scheme}://{parts.netloc}/" if parts.netloc else f"{uri.partition(':')[0]}:"


Mark = tuple[int, float, float]
Spawn = Callable[[Callable[[], Coroutine[Any, Any, None]]], object]


@dataclass(slots=True)
class _Kept:
    overview: Overview
    made: float
    mark: Mark
    changed: bool = False
    renewing: bool = False


@dataclass(slots=True)
class Surveys:
    """Overviews by namespace. Of many requests for one that is not there, one asks the store and the others wait.

    A survey reads every memory, which takes a second at 100,000. So one is kept as long as the namespace has as many
    chunks and lexemes as it had, which the store tells at once; what these do not show (a title, a tag) is seen within
    a minute or at the second look, for then it is made anew by what `spawn` runs in the background.
    """

    clock: Callable[[], float] = time.monotonic
    spawn: Spawn | None = None
    kept: dict[str, _Kept] = field(default_factory=dict)
    locks: dict[str, anyio.Lock] = field(default_factory=dict)
    counted: tuple[float, Stats] | None = None
    miscounted: bool = False
    counting: anyio.Lock = field(default_factory=anyio.Lock)

    async def of(self, store: Store, namespace: str, zone: tzinfo, *, fresh: bool = True) -> Overview:
        """The overview of a namespace; one of a minute ago at most will do where it need not be `fresh`.

        Raises StoreError.
        """
        async with self.locks.setdefault(namespace, anyio.Lock()):
            known = self.kept.get(namespace)
            if known is not None and not fresh and self._age(known) <= LASTING_SECONDS:
                return known.overview
            mark = await _mark(store, namespace)
            if known is None or known.changed or known.mark != mark:
                known = await self._made(store, namespace, zone, mark)
            elif self._age(known) > LASTING_SECONDS:
                if self.spawn is None:
                    known = await self._made(store, namespace, zone, mark)
                elif not known.renewing:
                    known.renewing = True
                    self.spawn(partial(self.renew, store, namespace, zone))
            return known.overview

    async def renew(self, store: Store, namespace: str, zone: tzinfo) -> None:
        """Make an overview anew while the one that is there, if any, is given out; what goes wrong is logged."""
        known = self.kept.get(namespace)
        try:
            await self._made(store, namespace, zone, await _mark(store, namespace))
        except (StoreError, ValueError, ArithmeticError):  # what is stored may be what nobody thought of
            _log.warning("the survey of a namespace could not be renewed", exc_info=True)
            self.kept.pop(namespace, None)  # whoever asks next is told why
        finally:
            if known is not None:
                known.renewing = False

    async def _made(self, store: Store, namespace: str, zone: tzinfo, mark: Mark) -> _Kept:
        survey = await store.survey(namespace)
        overview = await to_thread.run_sync(Overview.of, survey, zone)
        if len(self.kept) >= MOST:
            self.kept.clear()
        made = self.kept[namespace] = _Kept(overview, self.clock(), mark)
        return made

    async def stats(self, store: Store, *, fresh: bool = True) -> Stats:
        """Counts over the whole store, some seconds old at most.

        Where they need not be `fresh`, those of before are given out, and counted anew in the background once they are
        a minute old: of a large store nobody waits for that. Raises StoreError.
        """
        if not fresh and self.spawn is not None and (known := self.counted) is not None:
            if self.clock() - known[0] > LASTING_SECONDS and not self.counting.locked():
                self.spawn(partial(self.recount, store))
            return known[1]
        async with self.counting:
            known = self.counted
            if known is None or self.miscounted or self.clock() - known[0] > FRESH_SECONDS:
                self.miscounted = False
                known = self.counted = self.clock(), await store.stats()
            return known[1]

    async def recount(self, store: Store) -> None:
        """Count the whole store anew, unless that was just done; what goes wrong is logged."""
        try:
            await self.stats(store)
        except StoreError:
            _log.warning("the store could not be counted", exc_info=True)

    def _age(self, known: _Kept) -> float:
        return self.clock() - known.made

    def changed(self, namespace: str) -> None:
        """What is known of a namespace, and of the whole store, is old now."""
        self.miscounted = True
        if namespace in self.kept:
            self.kept[namespace].changed = True


async def _mark(store: Store, namespace: str) -> Mark:
    """What changes with nearly everything that is written, and costs nothing: the statistics that BM25 needs."""
    found = await store.by_words(namespace, (), EVERYTHING, 1)
    return found.chunks, found.mean_length, found.mean_context_length
