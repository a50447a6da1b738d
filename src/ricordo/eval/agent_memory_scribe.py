"""Fills templates: slots, styles of writing, identifiers and their near-duplicates. Seeded."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from random import Random

from ricordo.eval.agent_memory_templates import LANGUAGES, Templates

__all__ = ["Scribe", "Slots", "identifier", "near_duplicate"]

_ALPHABETS = {"#": string.digits, "@": string.ascii_uppercase, "%": "0123456789abcdef"}
_COMPANIES = (
    "Norvik",
    "Altair Foods",
    "Pelagia",
    "Quillon",
    "Verstova",
    "Tamarisk",
    "Oberon Rail",
    "Lumen & Co",
    "Zarya",
)
_CODE = ("Rust", "Go", "Kotlin", "Elixir", "Python", "Haskell", "Swift", "Scala", "Zig", "OCaml")
_MIXED_TAIL, _TAIL = 0.12, 0.3


class Slots(dict[str, str]):
    """What stands in a template's slots. A slot not yet filled is drawn, and then stays."""

    def __init__(self, draw: Callable[[str], str], given: Mapping[str, str]) -> None:
        super().__init__(given)
        self._draw = draw

    def __missing__(self, name: str) -> str:
        self[name] = self._draw(name)
        return self[name]

    def again(self, *names: str, **given: str) -> Slots:
        """The same slots, but for those named, which are drawn anew, and those given."""
        return Slots(self._draw, {name: value for name, value in self.items() if name not in names} | given)


class Scribe:
    """Writes texts of one split, none twice."""

    def __init__(self, templates: Templates, random: Random) -> None:
        self.templates = templates
        self.random = random
        self.written: set[str] = set()

    def language(self) -> str:
        """Three records of five are English."""
        return "en" if self.random.random() < 0.6 else "ru"

    def slots(self, language: str, **given: str) -> Slots:
        """Slots to be filled in a language."""
        return Slots(lambda name: self._draw(name, language), given)

    def style(self, language: str) -> str:
        """A way of writing a thing down, perhaps with a tail in this or the other language."""
        style = self.random.choice(self.templates.styles[language])
        chance = self.random.random()
        if chance < _TAIL:
            tail = self.random.choice(LANGUAGES) if chance < _MIXED_TAIL else language
            phrase = self.random.choice(self.templates.tails[tail])
            end = "." if style.endswith("}") else ""
            style = f"{style}{end} {phrase.format_map(self.slots(tail))}"
        return style

    def write(self, template: str, slots: Slots, style: str) -> str | None:
        """The text in this style, or None when it was written before."""
        told = template.format_map(slots)
        if style.startswith("{text}"):
            told = told[0].upper() + told[1:]
        text = style.format_map(slots.again("writer", text=told))
        if text in self.written:
            return None
        self.written.add(text)
        return text

    def _draw(self, name: str, language: str) -> str:
        random = self.random
        drawn: dict[str, Callable[[], str]] = {
            "person": lambda: random.choice(self.templates.people)[language],
            "writer": lambda: random.choice(self.templates.people)[language],
            "number": lambda: str(random.randint(2, 480)),
            "amount": lambda: f"{random.randint(11, 980) * 10}",
            "clock": lambda: f"{random.randint(7, 21)}:{random.choice(('00', '15', '30', '45'))}",
            "company": lambda: random.choice(_COMPANIES),
            "language": lambda: random.choice(_CODE),
            "slug": lambda: "-".join(random.sample(("ops", "talk", "core", "bird", "east", "lab", "crew", "one"), 2)),
            "version": lambda: f"{random.randint(1, 9)}.{random.randint(0, 30)}.{random.randint(0, 9)}",
        }
        return drawn[name]() if name in drawn else random.choice(self.templates.words[language][name])


def identifier(pattern: str, random: Random) -> str:
    """An identifier of the pattern: `#` a digit, `@` a capital letter, `%` a hexadecimal digit."""
    return "".join(random.choice(_ALPHABETS[sign]) if sign in _ALPHABETS else sign for sign in pattern)


def near_duplicate(name: str, pattern: str, random: Random) -> str:
    """The identifier with one character another, or two neighbours swapped."""
    free = [place for place, sign in enumerate(pattern) if sign in _ALPHABETS]
    letters = list(name)
    pairs = [place for place in free if place + 1 in free and name[place] != name[place + 1]]
    if pairs and random.random() < 0.3:
        place = random.choice(pairs)
        letters[place], letters[place + 1] = letters[place + 1], letters[place]
    else:
        place = random.choice(free)
        letters[place] = random.choice(_ALPHABETS[pattern[place]].replace(name[place], ""))
    return "".join(letters)
