"""Questions whose time is known: one file per language, and the rules that hold for all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from ricordo.query import TimeRange
from ricordo.timeparse import available_languages, read_times

GOLDEN = sorted((Path(__file__).parent.parent / "golden" / "time").glob("*.txt"))


@dataclass(frozen=True, kw_only=True)
class Case:
    language: str
    question: str
    now: datetime
    zone: ZoneInfo
    when: TimeRange | None


def cases() -> Iterator[object]:
    for file in GOLDEN:
        now, zone = datetime.now(UTC), ZoneInfo("UTC")
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("@"):
                stamp, name = line[1:].split()
                zone = ZoneInfo(name)
                now = datetime.fromisoformat(stamp).replace(tzinfo=zone)
            elif line and not line.startswith("#"):
                when, question = line.split(" | ", 1)
                case = Case(language=file.stem, question=question, now=now, zone=zone, when=interval(when, zone))
                yield pytest.param(case, id=f"{file.stem}: {question}")


def interval(text: str, zone: ZoneInfo) -> TimeRange | None:
    """`2026`, `2026-05`, `2026-05-03`, `A..B`, `A/B`, `A/`, `/B`, `-`: as the head of the English file says."""
    if text == "-":
        return None
    if "/" in text:
        first, last = text.split("/")
        return TimeRange(
            start=bounds(first)[0].replace(tzinfo=zone) if first else None,
            end=bounds(last)[0].replace(tzinfo=zone) if last else None,
        )
    first, _, last = text.partition("..")
    start, end = bounds(first)[0], bounds(last or first)[1]
    return TimeRange(start=start.replace(tzinfo=zone), end=end.replace(tzinfo=zone))


def bounds(text: str) -> tuple[datetime, datetime]:
    if "T" in text:
        moment = datetime.fromisoformat(text)
        return moment, moment
    year, month, day = (int(part) for part in (*text.split("-"), "0", "0")[:3])
    start = date(year, month or 1, day or 1)
    end = start + timedelta(days=1) if day else date(year + (month in (0, 12)), month % 12 + 1 if month else 1, 1)
    return midnight(start), midnight(end)


def midnight(day: date) -> datetime:
    return datetime.fromisoformat(day.isoformat())


@pytest.mark.parametrize("case", list(cases()))
def test_a_question_means_the_time_that_people_mean(case: Case) -> None:
    known = {case.language} & set(available_languages())
    for languages in (sorted(known) or None, None):
        found = read_times(case.question, now=case.now, zone=case.zone, languages=languages).times
        assert [hint.range for hint in found] == ([case.when] if case.when else []), found
