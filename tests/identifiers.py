"""Seeded identifiers in families whose members differ in one character, each said in a sentence."""

from __future__ import annotations

import random
import string
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

FAMILY = 5

STATEMENTS = (
    "The staging deployment uses {}.",
    "Mira wrote down ({}) before the meeting, and nobody has changed it since.",
    'Use "{}" for the billing service; the old one expired',
    "Запиши: {}, это для рабочего проекта.",
    "Ключ от склада — «{}», спросить у Антона",
    "El proveedor nos dio {}, hay que guardarlo.",
    "O contador do escritório anotou {}: é o definitivo!",
    "seen in the log at 14:30: {}",
)
QUESTIONS = (
    "{}",
    "what did we use {} for?",
    "what is the staging deployment with {} about",
    "для чего у нас «{}»?",
    "¿Para qué sirve {}?",
    "Do que se trata {}, do contador do escritório?",
)

WORDS = "user order invoice session token report billing upload search cache queue worker payment region"
_BASE62 = string.ascii_letters + string.digits
_HEXADECIMAL = "0123456789abcdef"


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """An identifier, the sentence it was said in, and questions that contain it."""

    kind: str
    identifier: str
    statement: str
    questions: tuple[str, ...]


def named(count: int = 1000, seed: int = 20261116) -> list[Named]:
    """`count` different identifiers of all kinds, in the order of their families."""
    chance = random.Random(seed)
    known: set[str] = set()
    made: list[Named] = []
    while len(made) < count:
        kind = list(KINDS)[len(made) // FAMILY % len(KINDS)]
        for identifier in _family(kind, chance):
            if identifier.casefold() not in known and len(made) < count:
                known.add(identifier.casefold())
                made.append(_said(kind, identifier, chance))
    return made


def _said(kind: str, identifier: str, chance: random.Random) -> Named:
    return Named(
        kind=kind,
        identifier=identifier,
        statement=chance.choice(STATEMENTS).format(identifier),
        questions=(identifier, chance.choice(QUESTIONS[1:]).format(identifier)),
    )


def _family(kind: str, chance: random.Random) -> Iterator[str]:
    first = KINDS[kind](chance)
    yield first
    for _ in range(FAMILY - 1):
        yield _one_character_off(first, kind, chance)


def _one_character_off(identifier: str, kind: str, chance: random.Random) -> str:
    places = [place for place, character in enumerate(identifier) if character.isalnum()]
    # The last characters, where a difference is easiest to overlook, or to lose by cutting.
    place = chance.choice(places[-8:])
    old = identifier[place]
    hexadecimal = kind in {"uuid", "commit", "ipv6"}
    pool = _HEXADECIMAL if hexadecimal else string.digits if old.isdigit() else string.ascii_lowercase
    new = chance.choice([character for character in pool if character != old.lower() and character != "0"])
    return identifier[:place] + (new.upper() if old.isupper() else new) + identifier[place + 1 :]


def _text(chance: random.Random, alphabet: str, length: int) -> str:
    return "".join(chance.choices(alphabet, k=length))


def _two(chance: random.Random) -> list[str]:
    return chance.sample(WORDS.split(), 2)


def _camel(chance: random.Random) -> str:
    return "get" + "".join(word.title() for word in _two(chance)) + _text(chance, string.ascii_lowercase, 4).title()


KINDS: dict[str, Callable[[random.Random], str]] = {
    "api key": lambda chance: "sk-proj-" + _text(chance, _BASE62, 24),
    "access key": lambda chance: "AKIA" + _text(chance, string.ascii_uppercase + string.digits, 16),
    "uuid": lambda chance: str(uuid.UUID(int=chance.getrandbits(128), version=4)),
    "ipv4": lambda chance: ".".join(str(chance.randint(11, 99)) for _ in range(4)),
    "cidr": lambda chance: f"10.{chance.randint(11, 99)}.{chance.randint(11, 99)}.0/{chance.randint(11, 29)}",
    "ipv6": lambda chance: "2001:db8::" + ":".join(_text(chance, _HEXADECIMAL[1:], 4) for _ in range(3)),
    "commit": lambda chance: _text(chance, _HEXADECIMAL, 40),
    "ticket": lambda chance: f"{_text(chance, string.ascii_uppercase, 3)}-{chance.randint(1111, 9999)}",
    "order number": lambda chance: str(chance.randint(10**8, 10**9)),
    "unix path": lambda chance: f"/srv/{'/'.join(_two(chance))}/{_text(chance, string.ascii_lowercase, 6)}.yaml",
    "windows path": lambda chance: "\\".join(("C:", "Users", *_two(chance), _text(chance, string.digits, 6) + ".txt")),
    "e-mail": lambda chance: (
        _text(chance, string.ascii_lowercase, 7) + "@" + _text(chance, string.ascii_lowercase, 6) + ".org"
    ),
    "version": lambda chance: (
        "v" + ".".join(_text(chance, "123456789", 2) for _ in range(3)) + f"-rc{chance.randint(1, 9)}"
    ),
    "snake_case": lambda chance: "_".join((*_two(chance), _text(chance, string.ascii_lowercase, 5))),
    "camelCase": _camel,
    "phone": lambda chance: f"+7{chance.randint(9 * 10**9, 10**10 - 1)}",
}
