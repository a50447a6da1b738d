"""What figures look like: dates, clocks, years, decades, quarters, weeks, ordinals, plain numbers.

Each shape gives senses: types of token with their values, some of them more than one ("2024" is a number and a year).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date

__all__ = ["Senses", "figures", "roman"]

Senses = Mapping[str, object]

_PIVOT = 50
_YEAR = r"(?:1[5-9]|20|21)\d\d"
_SHORT_YEAR = r"\d\d(?:\d\d)?"
_ROMAN = {
    "I": 1,
    "II": 2,
    "III": 3,
    "IV": 4,
    "XV": 15,
    "XVI": 16,
    "XVII": 17,
    "XVIII": 18,
    "XIX": 19,
    "XX": 20,
    "XXI": 21,
}
_DASHES = re.compile(r"[-–—−]")


def roman(word: str) -> Senses:
    """The senses of a Roman numeral in capitals; none for other words."""
    return {"roman": _ROMAN[word]} if word in _ROMAN else {}


def figures(text: str) -> tuple[Senses, ...]:
    """The senses of a folded field that begins with a figure or holds one: one, or three for a range such as 5-12."""
    single = _single(text)
    if single:
        return (single,)
    parts = _DASHES.split(text)
    if len(parts) != 2:
        return ()
    first, last = map(_single, parts)
    return (first, {"to": "-"}, last) if first and last and _alike(first, last) else ()


def _alike(first: Senses, last: Senses) -> bool:
    """12–16, 9–11am, 2019–2021, 2.3–5.3.; not 2019-17."""
    if "num" in first and "clock" in last:
        return True
    if "year" in first or "year" in last:
        return "year" in first and "year" in last
    return bool(first.keys() & last.keys())


def full_year(text: str) -> int:
    """Two figures mean the nearest century."""
    number = int(text)
    return number if number >= 100 else number + (1900 if number >= _PIVOT else 2000)


def _day(year: str, month: str, day: str) -> date | None:
    try:
        return date(full_year(year), int(month), int(day))
    except ValueError:
        return None


def _date(match: re.Match[str]) -> Senses:
    found = _day(match["y"], match["m"], match["d"])
    return {"date": found} if found else {}


def _stamp(match: re.Match[str]) -> Senses:
    found = _day(match["y"], match["m"], match["d"])
    hour, minute = int(match["h"]), int(match["min"])
    if found is None or hour > 23 or minute > 59:
        return {}
    return {"stamp": (found, hour, minute, match["z"] or "")}


def _local_date(match: re.Match[str]) -> Senses:
    first, second, year = int(match["a"]), int(match["b"]), match["y"]
    orders = {"dmy": _day(year, str(second), str(first)), "mdy": _day(year, str(first), str(second))}
    if len(year) == 2:
        orders["ymd"] = _day(str(first), str(second), year)
    return {"local_date": orders} if orders["dmy"] or orders["mdy"] else {}


def _day_month(match: re.Match[str]) -> Senses:
    first, second = int(match["a"]), int(match["b"] or match["b2"])
    orders = {"dmy": (first, second), "mdy": (second, first)}
    fit = {order: pair for order, pair in orders.items() if 1 <= pair[0] <= 31 and 1 <= pair[1] <= 12}
    return {"day_month": fit} if fit else {}


def _year_month(match: re.Match[str]) -> Senses:
    year, month = match["y"] or match["y2"], int(match["m"] or match["m2"])
    return {"month_year": (int(year), month)} if 1 <= month <= 12 else {}


def _month_year(match: re.Match[str]) -> Senses:
    month = int(match["m"])
    return {"month_year": (int(match["y"]), month)} if 1 <= month <= 12 else {}


def _clock(match: re.Match[str]) -> Senses:
    hour, minute = int(match["h"]), int(match["min"] or 0)
    half = (match["half"] or "").replace(".", "")
    if half in ("am", "pm"):
        if not 1 <= hour <= 12:
            return {}
        hour = hour % 12 + (12 if half == "pm" else 0)
    return {"clock": (hour, minute)} if hour <= 24 and minute <= 59 and hour * 60 + minute <= 1440 else {}


def _number(match: re.Match[str]) -> Senses:
    number = int(match[0])
    senses: dict[str, object] = {"num": number}
    if len(match[0]) == 4:
        senses = {"year": number, "num": number} if 1500 <= number < 2200 else {"num": number}
    return senses


def _ordinal(match: re.Match[str]) -> Senses:
    number = int(match["n"])
    if not 1 <= number <= 53:
        return {}
    return {"ord": number, "figure_ord": number} if number <= 31 else {"ord": number}


def _decade(match: re.Match[str]) -> Senses:
    number = int(match["n"])
    if number % 10:
        return {}
    decade = number if number >= 100 else number + (2000 if number <= 20 else 1900)
    ordinal = {"ord": number} if number in (10, 20, 30) and not match[0].isascii() else {}
    named = {} if match[0].isascii() else {"named_decade": decade}  # "90s" may also be seconds
    return {"decade": decade, **named, **ordinal}


def _part_of_year(match: re.Match[str]) -> Senses:
    kind = "half_name" if match["kind"] in "hs" else "quarter_name"
    number = int(match["n"])
    if kind == "half_name" and number > 2:
        return {}
    year = match["y"]
    return {kind: (number, full_year(year) if year else None)}


def _week(match: re.Match[str]) -> Senses:
    number = int(match["n"])
    if not 1 <= number <= 53:
        return {}
    return {"iso_week": (number, int(match["y"]))} if match["y"] else {"week_name": number}


_CLOCK_END = r"(?P<half>am|pm|a\.m|p\.m|h|hs|hrs|ч|uhr)?"
_SHAPES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Senses]], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (r"\d{1,4}", _number),
        (
            rf"(?P<y>{_YEAR})-(?P<m>\d\d)-(?P<d>\d\d)[t_](?P<h>\d\d):(?P<min>\d\d)(?::\d\d(?:\.\d+)?)?"
            r"(?P<z>z|[-+]\d\d:?\d\d)?",
            _stamp,
        ),
        (rf"(?P<y>{_YEAR})(?P<s>[-./])(?P<m>\d\d?)(?P=s)(?P<d>\d\d?)", _date),
        (rf"(?P<a>\d\d?)(?P<s>[-./])(?P<b>\d\d?)(?P=s)(?P<y>{_SHORT_YEAR})", _local_date),
        (rf"(?P<y>{_YEAR})[-/](?P<m>\d\d?)|(?P<y2>{_YEAR})\.(?P<m2>\d\d)", _year_month),
        (rf"(?P<m>\d\d?)[-./](?P<y>{_YEAR})", _month_year),
        (r"(?P<a>\d\d?)(?:/(?P<b>\d\d?)|\.(?P<b2>\d\d))", _day_month),
        (rf"(?P<h>\d\d?):(?P<min>\d\d)(?::\d\d)?{_CLOCK_END}", _clock),
        (r"(?P<h>\d\d?)[.](?P<min>\d\d)(?P<half>am|pm|a\.m|p\.m)", _clock),
        (r"(?P<h>\d\d?)(?P<min>)(?P<half>am|pm|a\.m|p\.m|h|hs|ч)", _clock),
        (r"(?P<h>\d\d?)(?:h|ч)(?P<min>\d\d)(?P<half>)(?:m|min)?", _clock),
        (rf"['’]?(?P<n>\d0|{_YEAR})['’]?(?:s|er|[-–]?(?:х|е|ые|ых|м|ми))", _decade),
        (
            r"(?P<n>\d\d?)(?:st|nd|rd|th|[-–]?(?:г?о|его|ого|ый|ий|й|е|ое|ья|ая|я|ю|ую|ей|ой|м|ом|ем|му|ому|х|ых)"
            r"|[.]?[ºª°oa]|er|ere|re|e|eme|te|ten|ter)",
            _ordinal,
        ),
        (rf"(?P<y>{_YEAR})[-–]?(?:го|м|ом|й|ый|ого|г|гг|р)", lambda match: {"year": int(match["y"]), "year_form": 1}),
        (rf"(?P<kind>[qhs])(?P<n>[1-4])(?:[-/'’ ]?(?P<y>{_SHORT_YEAR}))?", _part_of_year),
        (rf"(?P<n>[1-4])(?P<kind>[qts])[-/'’]?(?P<y>{_SHORT_YEAR})", _part_of_year),
        (rf"(?P<y>{_YEAR})[-/]?(?P<kind>[qths])(?P<n>[1-4])", _part_of_year),
        (r"(?P<n>[1-4])(?P<kind>q)(?P<y>)", _part_of_year),
        (rf"(?:(?P<y>{_YEAR})-?)?(?:w|kw|cw|wk)-?(?P<n>\d\d?)", _week),
        (r"['’](?P<n>\d\d)", lambda match: {"short_year": full_year(match["n"])}),
    )
)


def _single(text: str) -> Senses:
    for shape, read in _SHAPES:
        match = shape.fullmatch(text)
        if match and (senses := read(match)):
            return senses
    return {}
