"""What the pages say, in English and in Russian: one catalogue each, the same keys in both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["LANGUAGES", "Wording", "preferred", "wording"]

LANGUAGES = ("en", "ru")


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of one language. A list holds the forms of a word for numbers: one, few and many, or one and many."""

    language: str
    texts: Mapping[str, str | list[str]]

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key with its places filled. Raises KeyError for a key that the catalogue lacks."""
        found = self.texts[key]
        text = found if isinstance(found, str) else found[-1]
        return text.format(**values) if values else text

    def many(self, key: str, number: int) -> str:
        """`3 memories`, in the form that the number asks for."""
        form = self.texts[key][_form(self.language, number)]
        return form.format(n=f"{number:,}".replace(",", "\u202f"))


def _form(language: str, number: int) -> int:
    """Which of the forms of a word a number asks for."""
    if language != "ru":
        return 0 if number == 1 else 1
    tens, ones = number % 100, number % 10
    if ones == 1 and tens != 11:
        return 0
    return 1 if 2 <= ones <= 4 and not 12 <= tens <= 14 else 2


@cache
def wording(language: str) -> Wording:
    """The catalogue of a language, of English for any that there is none of."""
    name = language if language in LANGUAGES else LANGUAGES[0]
    text = files("ricordo.web").joinpath("words", f"{name}.json").read_text(encoding="utf-8")
    return Wording(name, json.loads(text))


def preferred(accepted: str) -> str:
    """The language that an Accept-Language header puts first among those there are."""
    for each in accepted.lower().split(","):
        language = each.partition(";")[0].strip().partition("-")[0]
        if language in LANGUAGES:
            return language
    return LANGUAGES[0]
