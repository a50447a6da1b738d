"""How well dates in questions are read: a list of questions with the interval that each means.

A line of the file is an object with `lang`, `query`, `now` (ISO with offset), `tz` (IANA), `kind`, and for a
question that names a time `start` and `end` (half-open, null for an open end), `span` (the words), and perhaps
`alt` (other defensible intervals) and `tol` (seconds by which a bound of a vague phrase may differ). Questions of
the kinds `neg` and `event` name no time: any interval found in them is a false positive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ricordo.eval.jsonfile import Node, read_json_lines
from ricordo.memory import Json
from ricordo.query import TimeRange
from ricordo.timeparse import TimeHint, available_languages, read_times

__all__ = ["Phrase", "Scored", "Verdict", "document", "judge", "markdown", "read_phrases", "score"]

TIMELESS = ("neg", "event")
# A filter that leaves out more than this part of what was meant does harm.
COVERED = 0.5
_FIRST, _LAST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)


class Verdict(StrEnum):
    """`right`: an interval that people mean; `partial`: another that covers half of it or more."""

    RIGHT = "right"
    PARTIAL = "partial"
    HARMFUL = "harmful"
    SILENT = "silent"
    FALSE_POSITIVE = "false_positive"


@dataclass(frozen=True, kw_only=True, slots=True)
class Phrase:
    """A question, the moment it is asked, and the intervals that people mean by it; the first is the main one."""

    language: str
    kind: str
    question: str
    now: datetime
    zone: ZoneInfo
    meant: tuple[TimeRange, ...] = ()
    words: str = ""
    tolerance: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """A question and what became of it."""

    phrase: Phrase
    verdict: Verdict
    found: tuple[TimeHint, ...]


def read_phrases(file: Path) -> list[Phrase]:
    """The questions of a file of JSON lines. Raises InvalidInput."""
    return [_phrase(line) for line in read_json_lines(file)]


def _phrase(line: Node) -> Phrase:
    kind = line["kind"].text()
    meant: list[TimeRange] = []
    if kind not in TIMELESS:
        meant.append(TimeRange(start=_moment(line.get("start")), end=_moment(line.get("end"))))
        for other in line.get("alt") or ():
            start, end = other
            meant.append(TimeRange(start=_moment(start), end=_moment(end)))
    now, words, tolerance = _moment(line["now"]), line.get("span"), line.get("tol")
    if now is None:
        raise line["now"].mistake("a moment")
    return Phrase(
        language=line["lang"].text(),
        kind=kind,
        question=line["query"].text(),
        now=now,
        zone=_zone(line["tz"]),
        meant=tuple(meant),
        words=words.text() if words else "",
        tolerance=float(tolerance.whole()) if tolerance else 0.0,
    )


def _moment(node: Node | None) -> datetime | None:
    if node is None or node.value is None:
        return None
    try:
        moment = datetime.fromisoformat(node.text())
    except ValueError as error:
        raise node.mistake("a moment, such as 2026-11-25T14:30:00+01:00") from error
    if moment.tzinfo is None:
        raise node.mistake("a moment with an offset")
    return moment


def _zone(node: Node) -> ZoneInfo:
    try:
        return ZoneInfo(node.text())
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise node.mistake("an IANA time zone") from error


def score(phrases: Iterable[Phrase], *, tell_language: bool = True) -> list[Scored]:
    """Read every question, in its language if there is a lexicon and it may be told."""
    known = frozenset(available_languages()) if tell_language else frozenset()
    scored: list[Scored] = []
    for phrase in phrases:
        languages = (phrase.language,) if phrase.language in known else None
        found = read_times(phrase.question, now=phrase.now, zone=phrase.zone, languages=languages).times
        scored.append(Scored(phrase=phrase, verdict=judge(phrase, found), found=found))
    return scored


def judge(phrase: Phrase, found: Sequence[TimeHint]) -> Verdict:
    """What was found against what is meant."""
    if not phrase.meant:
        return Verdict.FALSE_POSITIVE if found else Verdict.SILENT
    if not found:
        return Verdict.SILENT
    if any(_same(hint.range, meant, phrase.tolerance) for hint in found for meant in phrase.meant):
        return Verdict.RIGHT
    surest = max(found, key=lambda hint: hint.confidence)
    start = phrase.question.find(phrase.words) if phrase.words else -1
    elsewhere = start >= 0 and not (surest.start < start + len(phrase.words) and start < surest.end)
    return Verdict.HARMFUL if elsewhere or _covered(surest.range, phrase.meant[0]) < COVERED else Verdict.PARTIAL


def _same(found: TimeRange, meant: TimeRange, tolerance: float) -> bool:
    return _near(found.start, meant.start, tolerance) and _near(found.end, meant.end, tolerance)


def _near(found: datetime | None, meant: datetime | None, tolerance: float) -> bool:
    if found is None or meant is None:
        return found is meant
    return abs((found - meant).total_seconds()) <= tolerance


def _covered(found: TimeRange, meant: TimeRange) -> float:
    """The part of what is meant that was found."""
    start, end = meant.start or _FIRST, meant.end or _LAST
    common = min(found.end or _LAST, end) - max(found.start or _FIRST, start)
    return common.total_seconds() / (end - start).total_seconds()


def fractions(scored: Sequence[Scored]) -> dict[str, Json]:
    """`right` and `harmful` of the questions that name a time, `false_positive` of the others; None without any."""
    timed = [each.verdict for each in scored if each.phrase.meant]
    timeless = [each.verdict for each in scored if not each.phrase.meant]
    return {
        "n": len(scored),
        "right": _share(timed, Verdict.RIGHT),
        "harmful": _share(timed, Verdict.HARMFUL),
        "false_positive": _share(timeless, Verdict.FALSE_POSITIVE),
    }


def _share(verdicts: Sequence[Verdict], wanted: Verdict) -> float | None:
    return round(verdicts.count(wanted) / len(verdicts), 4) if verdicts else None


def _groups(scored: Sequence[Scored], key: Callable[[Phrase], str]) -> dict[str, list[Scored]]:
    groups: dict[str, list[Scored]] = {}
    for each in scored:
        groups.setdefault(key(each.phrase), []).append(each)
    return dict(sorted(groups.items()))


def document(scored: Sequence[Scored]) -> dict[str, Json]:
    """All as one JSON document: overall, by language, by kind."""
    by_language = _groups(scored, lambda phrase: phrase.language)
    by_kind = _groups(scored, lambda phrase: phrase.kind)
    return {
        **fractions(scored),
        "by_language": {name: fractions(group) for name, group in by_language.items()},
        "by_kind": {name: fractions(group) for name, group in by_kind.items()},
    }


def markdown(scored: Sequence[Scored]) -> str:
    """The same as tables, and the questions that were not read right."""
    found = document(scored)
    lines = ["| | n | right | harmful | false positives |", "| --- | ---: | ---: | ---: | ---: |", _row("all", found)]
    for title in ("by_language", "by_kind"):
        groups = found[title]
        if isinstance(groups, dict):
            lines += [_row(name, group) for name, group in groups.items() if isinstance(group, dict)]
    wrong = [each for each in scored if each.verdict not in (Verdict.RIGHT, Verdict.SILENT) or _missed(each)]
    if wrong:
        lines += ["", *(_mistake(each) for each in wrong)]
    return "\n".join(lines) + "\n"


def _missed(scored: Scored) -> bool:
    return scored.verdict is Verdict.SILENT and bool(scored.phrase.meant)


def _row(name: str, group: Mapping[str, Json]) -> str:
    shares = (group[key] for key in ("right", "harmful", "false_positive"))
    cells = (f"{share:.3f}" if isinstance(share, float) else "–" for share in shares)
    return f"| {name} | {group['n']} | {' | '.join(cells)} |"


def _mistake(scored: Scored) -> str:
    phrase = scored.phrase
    found = "; ".join(f"{hint.text!r} {_span(hint.range, phrase.zone)}" for hint in scored.found)
    meant = _span(phrase.meant[0], phrase.zone) if phrase.meant else "no time"
    return f"- {scored.verdict}: {phrase.question} (means {meant}; found {found or 'nothing'})"


def _span(when: TimeRange, zone: ZoneInfo) -> str:
    bounds = (moment and f"{moment.astimezone(zone):%Y-%m-%d %H:%M}" for moment in (when.start, when.end))
    return "–".join(bound or "…" for bound in bounds)
