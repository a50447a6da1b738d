"""What is asked in the agent-memory benchmark, class by class, each with the key of what answers it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from ricordo.eval.agent_memory_dates import asked_times
from ricordo.eval.agent_memory_teller import Key, Record
from ricordo.eval.agent_memory_templates import Pattern, Templates
from ricordo.query import TimeRange

__all__ = ["Ask", "Asker"]

QUESTIONS = 120
MOST_RELEVANT = 4
OTHER_LANGUAGE = {"en": "ru", "ru": "en"}
LOWER_CASE = 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """A question of a class, and what it asks for: a key, and perhaps an interval."""

    text: str
    category: str
    key: Key
    time: TimeRange | None = None


class Asker:
    """Writes the questions of one split, 120 of each class."""

    def __init__(self, templates: Templates, random: Random, records: Sequence[Record]) -> None:
        self.templates = templates
        self.random = random
        self.events: defaultdict[Key, list[Record]] = defaultdict(list)
        for record in records:
            if record.key[0] == "event":
                self.events[record.key].append(record)
        self.identifiers = [record for record in records if record.key[:2] == ("identifier", "needle")]
        self.names = [record for record in records if record.key[0] == "name"]
        self.frames = [record for record in records if record.key[0] == "frame"]
        self.recurring = [record for records in self.events.values() for record in records]

    def ask(self) -> list[Ask]:
        """All questions."""
        return [
            *(self._identifier(record) for record in self._some(self.identifiers)),
            *(self._plain(record, self.templates.attributes, "names") for record in self._some(self.names)),
            *(self._event(record, record.language, "temporal") for record in self._some(self.recurring)),
            *(self._plain(record, self.templates.frames, "paraphrase") for record in self._some(self.frames)),
            *self._mixed(),
        ]

    def _some(self, records: Sequence[Record]) -> list[Record]:
        return self.random.sample(list(records), min(QUESTIONS, len(records)))

    def _identifier(self, record: Record) -> Ask:
        asked = self.random.choice(self._pattern(record, self.templates.identifiers).asked[record.language])
        name = record.slots["id"]
        name = name.lower() if self.random.random() < LOWER_CASE else name
        return Ask(text=asked.format(id=name), category="identifiers", key=record.key)

    def _plain(self, record: Record, patterns: Sequence[Pattern], category: str) -> Ask:
        asked = self.random.choice(self._pattern(record, patterns).asked[record.language])
        return Ask(text=asked.format_map(record.slots), category=category, key=record.key)

    def _event(self, record: Record, language: str, category: str) -> Ask:
        """Asks for the event in an interval in which it did not happen often."""
        assert record.event is not None
        asked = self.random.choice(self._pattern(record, self.templates.events).asked[language])
        choices = asked_times(record.event, language, self.random)
        when, time = next(
            (phrase, time) for phrase, time in choices if self._happened(record.key, time) <= MOST_RELEVANT
        )
        return Ask(text=asked.format(when=when, **record.slots), category=category, key=record.key, time=time)

    def _happened(self, key: Key, time: TimeRange) -> int:
        return sum(record.event in time for record in self.events[key])

    def _mixed(self) -> Iterator[Ask]:
        """Two difficulties at once."""
        recipes: tuple[tuple[Sequence[Record], Callable[[Record], Ask]], ...] = (
            (self.identifiers, self._foreign_identifier),
            (self.names, self._misspelt_name),
            (self.names, self._long_name),
            (self.frames, self._long_frame),
            (self.frames, self._foreign_frame),
            (self.recurring, self._foreign_event),
        )
        for records, recipe in recipes:
            for record in self.random.sample(list(records), QUESTIONS // len(recipes)):
                yield recipe(record)

    def _foreign_identifier(self, record: Record) -> Ask:
        asked = self._pattern(record, self.templates.identifiers).asked[OTHER_LANGUAGE[record.language]]
        return Ask(text=max(asked, key=len).format(id=record.slots["id"]), category="mixed", key=record.key)

    def _misspelt_name(self, record: Record) -> Ask:
        """All in lower case, and two letters of a word swapped that is not the name."""
        asked = self.random.choice(self._pattern(record, self.templates.attributes).asked[record.language])
        words = asked.split()
        place = max(range(len(words)), key=lambda place: 0 if "{" in words[place] else len(words[place]))
        word = words[place]
        words[place] = word[0] + word[2] + word[1] + word[3:] if len(word) > 3 else word
        return Ask(text=" ".join(words).format_map(record.slots).lower(), category="mixed", key=record.key)

    def _long_name(self, record: Record) -> Ask:
        return self._within_noise(self._plain(record, self.templates.attributes, "mixed"), record.language)

    def _long_frame(self, record: Record) -> Ask:
        return self._within_noise(self._plain(record, self.templates.frames, "mixed"), record.language)

    def _within_noise(self, ask: Ask, language: str) -> Ask:
        before, after = self.random.sample(list(self.templates.noise[language]), 2)
        return Ask(text=f"{before} {ask.text} {after}", category=ask.category, key=ask.key)

    def _foreign_frame(self, record: Record) -> Ask:
        language = OTHER_LANGUAGE[record.language]
        asked = self.random.choice(self._pattern(record, self.templates.frames).asked[language])
        person = next(forms[language] for forms in self.templates.people if forms["en"] == record.key[-1])
        return Ask(text=asked.format(person=person), category="mixed", key=record.key)

    def _foreign_event(self, record: Record) -> Ask:
        return self._event(record, OTHER_LANGUAGE[record.language], "mixed")

    def _pattern(self, record: Record, patterns: Sequence[Pattern]) -> Pattern:
        """How this is asked; the last but one part of a key is the number of its pattern."""
        return patterns[int(record.key[-2])]
