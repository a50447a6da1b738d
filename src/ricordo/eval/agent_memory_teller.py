"""What is told in the agent-memory benchmark: needles, their near-duplicates, and much besides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from random import Random

from ricordo.eval.agent_memory_dates import NOW, stated
from ricordo.eval.agent_memory_scribe import Scribe, Slots, identifier, near_duplicate
from ricordo.eval.agent_memory_templates import Pattern, Templates

__all__ = ["Key", "Record", "Teller"]

FIRST_DAY = datetime(2024, 1, 8, tzinfo=NOW.tzinfo)
DAYS = (NOW - FIRST_DAY).days

FAMILIES, NEAR_DUPLICATES, OTHER_IDENTIFIERS = 150, 5, 1500
COLLISIONS = 40
OCCURRENCES = 26
LATIN_NAME = 0.2

Key = tuple[str, ...]
"""What a record tells: the first part is the class, the last names the thing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """A text and its times. Records of the same key answer the same question; `slots` fill it."""

    text: str
    key: Key
    kind: str
    language: str
    learned: datetime
    event: datetime | None = None
    slots: Mapping[str, str] = field(default_factory=dict)


class Teller:
    """Writes the records of one split."""

    def __init__(self, templates: Templates, random: Random) -> None:
        self.templates = templates
        self.random = random
        self.scribe = Scribe(templates, random)
        self.identifiers: set[str] = set()

    def tell(self, count: int) -> list[Record]:
        """So many records: those that are asked for, those that are like them, and filler up to the count."""
        told = [*self._families(), *self._names(), *self._collisions(), *self._events(), *self._frames()]
        return [*told, *islice(self._filler(), count - len(told))]

    def _families(self) -> Iterator[Record]:
        """Identifiers, each among others that differ in a character and are told of in the same words."""
        patterns = self.templates.identifiers
        for number in range(FAMILIES):
            pattern = patterns[number % len(patterns)]
            yield from self._family(number, pattern, NEAR_DUPLICATES)
        for number in range(OTHER_IDENTIFIERS):
            yield from self._family(FAMILIES + number, self.random.choice(patterns), 0)

    def _family(self, number: int, pattern: Pattern, near: int) -> Iterator[Record]:
        language = self.scribe.language()
        template = self.random.choice(pattern.told[language])
        style = self.scribe.style(language)
        first = self._new_identifier(lambda: identifier(pattern.identifier, self.random))
        others = [
            self._new_identifier(lambda: near_duplicate(first, pattern.identifier, self.random)) for _ in range(near)
        ]
        slots = self.scribe.slots(language)
        for name in (first, *others):
            slots = slots.again("number", "amount", id=name)
            text = self.scribe.write(template, slots, style)
            if text:
                family = "needle" if name == first and near else "near"
                key = ("identifier", family, str(self.templates.identifiers.index(pattern)), name)
                yield self._record(text, key, pattern.kind, language, {"id": name})

    def _new_identifier(self, make: Callable[[], str]) -> str:
        while (name := make()) in self.identifiers:
            pass
        self.identifiers.add(name)
        return name

    def _names(self) -> Iterator[Record]:
        """Everything that is known of each project, once."""
        for forms in self.templates.names:
            for number, pattern in enumerate(self.templates.attributes):
                language = self.scribe.language()
                given = dict(forms[language])
                if language == "ru" and self.random.random() < LATIN_NAME:
                    given |= {"name": forms["en"]["name"], "gen": forms["en"]["name"]}
                key = ("name", str(number), forms["en"]["name"])
                yield self._tell(key, "project", language, pattern.told[language], given)

    def _collisions(self) -> Iterator[Record]:
        """The words that the projects are named after."""
        for forms in self.templates.names:
            for _ in range(COLLISIONS):
                language = self.scribe.language()
                key = ("collision", forms["en"]["name"])
                yield self._tell(key, "fact", language, self.templates.collisions[language], forms[language])

    def _events(self) -> Iterator[Record]:
        """Each event at each service on many days, told in words that mostly leave the day out."""
        for number, pattern in enumerate(self.templates.events):
            for service in self.templates.services:
                for day in self.random.sample(range(DAYS), OCCURRENCES):
                    yield self._event(("event", str(number), service), pattern, FIRST_DAY + timedelta(days=day))

    def _event(self, key: Key, pattern: Pattern, day: datetime) -> Record:
        language = self.scribe.language()
        event = day.replace(hour=self.random.randrange(7, 22), minute=self.random.randrange(60))
        said, learned = stated(event, language, self.random)
        templates = [f"{said}: {told}" if said else told for told in pattern.told[language]]
        return self._tell(key, "event", language, templates, {"service": key[-1]}, times=(event, min(learned, NOW)))

    def _frames(self) -> Iterator[Record]:
        """Every person in every frame: the same of all, and much of each."""
        for person in self.templates.people:
            for number, pattern in enumerate(self.templates.frames):
                language = self.scribe.language()
                key = ("frame", str(number), person["en"])
                yield self._tell(key, "person", language, pattern.told[language], {"person": person[language]})

    def _filler(self) -> Iterator[Record]:
        while True:
            language = self.scribe.language()
            yield self._tell(("filler",), "decision", language, self.templates.filler[language], {})

    def _tell(
        self,
        key: Key,
        kind: str,
        language: str,
        templates: Iterable[str],
        given: Mapping[str, str],
        times: tuple[datetime, datetime] | None = None,
    ) -> Record:
        """A record that says what none said before."""
        choices = list(templates)
        while True:
            slots: Slots = self.scribe.slots(language, **given)
            style = self.scribe.style(language)
            if text := self.scribe.write(self.random.choice(choices), slots, style):
                return self._record(text, key, kind, language, given, times)

    def _record(
        self,
        text: str,
        key: Key,
        kind: str,
        language: str,
        slots: Mapping[str, str],
        times: tuple[datetime, datetime] | None = None,
    ) -> Record:
        event: datetime | None
        if times:
            event, learned = times
        else:
            learned = FIRST_DAY + timedelta(days=self.random.randrange(DAYS), minutes=self.random.randrange(1440))
            event = learned if self.random.random() < 0.5 else None
        return Record(text=text, key=key, kind=kind, language=language, learned=learned, event=event, slots=dict(slots))
