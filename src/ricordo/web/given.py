"""What a request gives, by name, checked as it is taken out: from a query, a form or a JSON object."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import NoReturn

from ricordo.dates import named_time, time_options
from ricordo.engine import Engine
from ricordo.errors import InvalidInput
from ricordo.memory import EventTime, Json, clean
from ricordo.query import AsOf, Filters, TimeRange

__all__ = ["Given", "from_json", "from_pairs"]

INSTANT = timedelta(microseconds=1)
QUESTIONS = ("query", "topic", "prompt")
FLAGS = {"true": True, "1": True, "on": True, "false": False, "0": False, "": False}


@dataclass(frozen=True, slots=True)
class Given:
    """Values by name. In a query and a form all are texts, and what is left empty is not given."""

    values: Mapping[str, Json]

    @property
    def asks(self) -> bool:
        """Whether there is a question among them, which the models must read."""
        return any(self.values.get(name) for name in QUESTIONS)

    def text(self, name: str) -> str:
        """Raises InvalidInput when it is missing or no text."""
        value = self.values.get(name)
        if value is None:
            raise InvalidInput(f"{name} is missing")
        return _text(name, value)

    def maybe(self, name: str) -> str | None:
        value = self.values.get(name)
        return None if value is None or value == "" else _text(name, value)

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.values.get(name)
        if value is None or isinstance(value, str):
            return (clean(value),) if value else ()
        if not isinstance(value, list):
            raise InvalidInput(f"{name} must be a list of texts")
        return tuple(_text(name, item) for item in value if item != "")

    def number(self, name: str, default: int) -> int:
        value = self.values.get(name)
        if value is None or value == "":
            return default
        if isinstance(value, str) and value.removeprefix("-").isdecimal() and len(value) <= 12:
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise InvalidInput(f"{name} must be a whole number")
        return value

    def flag(self, name: str) -> bool:
        value = self.values.get(name)
        if isinstance(value, str) and value.lower() in FLAGS:
            return FLAGS[value.lower()]
        if value is None or isinstance(value, bool):
            return bool(value)
        raise InvalidInput(f"{name} must be true or false")

    def mapping(self, name: str) -> dict[str, Json]:
        value = self.values.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise InvalidInput(f"{name} must be an object")
        return value

    def time(self, name: str, memory: Engine) -> EventTime | None:
        """The time that a text names, in ISO 8601 or as a phrase, in the time zone that is set."""
        text = self.maybe(name)
        if text is None:
            return None
        settings, calendar = memory.settings, memory.reader.calendar
        try:
            return named_time(text, now=calendar.clock(), zone=settings.zone(), options=time_options(settings))
        except InvalidInput as error:
            raise InvalidInput(f"{name}: {error}") from error

    def filters(self, memory: Engine) -> Filters:
        """Times, `as_of`, `as_known`, `tag`, `meta`, `origin`, `kind` and `superseded`, as on the command line."""
        since, until = self.time("since", memory), self.time("until", memory)
        start, end = since.start if since else None, until.start if until else None
        return Filters(
            time=TimeRange(start=start, end=end) if start or end else None,
            as_of=self._as_of(memory),
            tags=self.texts("tag"),
            metadata=dict(map(_pair, self.texts("meta"))),
            origin=self.maybe("origin"),
            kinds=self.texts("kind"),
            superseded=self.flag("superseded"),
        )

    def _as_of(self, memory: Engine) -> AsOf | None:
        true, known = self.time("as_of", memory), self.time("as_known", memory)
        if true and known:
            raise InvalidInput("as_of and as_known exclude one another: what was true, or what was known")
        time = true or known
        if time is None:
            return None
        # What began with the next day was not true at the end of this one.
        return AsOf(moment=time.end - INSTANT if time.end else time.start, known=known is not None)

    def only(self, names: Collection[str]) -> None:
        """Raises InvalidInput when something is given that nobody asks for."""
        unknown = sorted(self.values.keys() - set(names))
        if unknown:
            raise InvalidInput(f"{', '.join(map(repr, unknown))}: nothing of that name is known here")


def from_pairs(pairs: Iterable[tuple[str, str]]) -> Given:
    """What a query or a form gives; a name that comes several times is a list."""
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(clean(value))
    return Given({name: values[0] if len(values) == 1 else list[Json](values) for name, values in found.items()})


def from_json(data: bytes) -> Given:
    """What a JSON object gives. Raises InvalidInput for anything else."""
    try:
        found = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the body is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise InvalidInput("the body must be a JSON object")
    return Given(found)


def _text(name: str, value: Json) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be a text")
    return clean(value)


def _pair(text: str) -> tuple[str, Json]:
    """`key=value`; a value that is JSON is read as such, any other is a text."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise InvalidInput(f"meta {text!r} must have the form key=value")
    try:
        found: Json = json.loads(value, parse_constant=_refuse)
        json.dumps(found, ensure_ascii=False).encode()  # an escaped lone surrogate cannot be stored
    except (ValueError, RecursionError):
        found = value
    return key.strip(), found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
