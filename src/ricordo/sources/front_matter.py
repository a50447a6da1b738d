"""Front matter in YAML or TOML → title, tags, the time the page speaks of, and metadata."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, tzinfo

import yaml

from ricordo.dates import STANDARD, dated, iso_time
from ricordo.memory import EventOrigin, EventTime, Json, clean
from ricordo.timeparse import TimeOptions

__all__ = ["FrontMatter", "FrontMatterError", "read_front_matter", "unique"]

# The first of these that holds a date is when the page's events happened.
EVENT_KEYS = ("event_timestamp", "event", "date", "created", "created_at")
TAG_KEYS = ("tags", "tag")
ALIAS_KEYS = ("aliases", "alias")
# What programs keep in properties for themselves: nobody will ask for it.
HOUSEKEEPING = re.compile(
    r"alias(?:es)?|css-?class(?:es)?|publish(?:ed)?|permalink|u?u?id|slug|layout|draft|type|lang|icon|banner.*|cover.*"
    r"|(?:date|created|updated|modified|last)(?:[-_ ]?\w+)*|\w+[-_](?:at|date|time)|kanban.*|excalidraw.*|position"
    r"|weight|toc|comments|math|obsidian.*|node_type",
    re.IGNORECASE,
)

# A word of the text, in what a parser says of it; `'<scalar>'` is none.
QUOTED = re.compile(r"""(['"])(?!<)[^'"\s]*\w{2,}[^'"\s]*\1""")
MAX_DEPTH = 8
COMPACT_DATE = len("20240503")
SECONDS = (10**9, 4 * 10**9)


class FrontMatterError(ValueError):
    """The front matter cannot be understood; the page below it can be read all the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FrontMatter:
    """What front matter says about its page; `metadata` is whatever is neither title, tags nor event time."""

    title: str | None = None
    tags: tuple[str, ...] = ()
    event: EventTime | None = None
    metadata: dict[str, Json] = field(default_factory=dict)

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the page."""
        return unique(name for key in ALIAS_KEYS for name in _names(self.metadata.get(key)))

    def telling(self) -> str:
        """The properties that say something, one a line, as they can be read; empty when all is housekeeping."""
        said = ((key, _spoken(value)) for key, value in self.metadata.items() if not HOUSEKEEPING.fullmatch(key))
        return "\n".join(f"{key}: {value}" for key, value in said if value)


class _Loader(yaml.SafeLoader):
    """Safe, without aliases, by which a few lines unfold into gigabytes; a date that is none stays a text."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise FrontMatterError("YAML aliases are not read")
        return super().compose_node(parent, index)

    def construct_date_or_text(self, node: yaml.ScalarNode) -> object:
        try:
            return self.construct_yaml_timestamp(node)
        except ValueError:
            return self.construct_scalar(node)


_Loader.add_constructor("tag:yaml.org,2002:timestamp", _Loader.construct_date_or_text)


def read_front_matter(
    text: str, zone: tzinfo, options: TimeOptions = STANDARD, *, toml: bool = False
) -> FrontMatter | None:
    """Read what stands between the dashes, or in TOML between the pluses; None for prose between two rules.

    A date without a time is its day in `zone`; a time without an offset is in `zone` too.
    Raises FrontMatterError.
    """
    try:
        loaded = tomllib.loads(text) if toml else yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, tomllib.TOMLDecodeError) as error:
        raise FrontMatterError(f"is not valid {'TOML' if toml else 'YAML'}: {_why(error)}") from error
    except (ValueError, RecursionError) as error:
        raise FrontMatterError(f"cannot be read: {_why(error)}") from error
    if loaded is None:
        return FrontMatter()
    if not isinstance(loaded, dict):
        return None
    return _front_matter({clean(str(key)): value for key, value in loaded.items()}, zone, options)


def _front_matter(properties: dict[str, object], zone: tzinfo, options: TimeOptions) -> FrontMatter:
    title = properties.pop("title", None)
    tags = unique(tag for key in TAG_KEYS for tag in _tags(properties.pop(key, None)))
    event = None
    for key in EVENT_KEYS:
        event = _event(properties.get(key), zone, options)
        if event is not None:
            del properties[key]
            break
    return FrontMatter(
        title=None if title is None or isinstance(title, (dict, list)) else clean(str(title)).strip() or None,
        tags=tags,
        event=event,
        metadata={key: _json(value, 0) for key, value in properties.items()},
    )


def unique(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags in order, each once."""
    return tuple(dict.fromkeys(tags))


def _tags(value: object) -> list[str]:
    if isinstance(value, str):
        value = value.split("," if "," in value else None)
    if not isinstance(value, (list, set)):
        value = [] if value is None else [value]
    return [tag for item in _ordered(value) if (tag := clean(str(item)).strip().lstrip("#").strip())]


def _names(value: object) -> list[str]:
    """A list of names, or one."""
    items = value if isinstance(value, list) else [value]
    return [name for item in items if isinstance(item, str | int | float) and (name := str(item).strip())]


def _spoken(value: Json) -> str:
    """A value as people write it: what is only true or false says nothing by itself."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return ", ".join(filter(None, map(_spoken, value)))
    if isinstance(value, dict):
        pairs = ((key, _spoken(item)) for key, item in value.items())
        return ", ".join(f"{key} {item}" for key, item in pairs if item)
    return "" if value is None or isinstance(value, bool) else str(value)


def _event(value: object, zone: tzinfo, options: TimeOptions) -> EventTime | None:
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=zone)
        try:
            return EventTime(start=moment.astimezone(UTC), origin=EventOrigin.SOURCE)
        except OverflowError:
            return None
    if isinstance(value, date):
        return iso_time(value.isoformat(), zone, EventOrigin.SOURCE)
    if isinstance(value, int) and not isinstance(value, bool):
        return _counted(value, zone)
    return dated(value, zone, options) if isinstance(value, str) else None


def _counted(value: int, zone: tzinfo) -> EventTime | None:
    """A date written as one number, or seconds or milliseconds since 1970, of a year that people write about."""
    if len(str(value)) == COMPACT_DATE:
        return iso_time(str(value), zone, EventOrigin.SOURCE)
    for unit in (1, 1000):
        if SECONDS[0] <= value / unit < SECONDS[1]:
            return EventTime(start=datetime.fromtimestamp(value / unit, UTC), origin=EventOrigin.SOURCE)
    return None


def _json(value: object, depth: int) -> Json:
    if isinstance(value, str):
        return clean(value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (date, time)):
        return value.isoformat()
    if depth < MAX_DEPTH and isinstance(value, dict):
        return {clean(str(key)): _json(item, depth + 1) for key, item in value.items()}
    if depth < MAX_DEPTH and isinstance(value, (list, set)):
        return [_json(item, depth + 1) for item in _ordered(value)]
    return clean(str(value))


def _ordered(items: list[object] | set[object]) -> list[object]:
    """A set comes in another order in each process, and what is read twice must be the same."""
    return items if isinstance(items, list) else sorted(items, key=str)


def _why(error: Exception) -> str:
    """What is wrong, and where, without the text itself that a parser would quote."""
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    if isinstance(error, yaml.MarkedYAMLError) and mark is not None:
        why = f"{error.problem or error.context} (at line {mark.line + 1}, column {mark.column + 1})"
    else:
        why = re.sub(r"\s+", " ", str(error)).strip()[:200]
    return QUOTED.sub("…", why)
