"""Where the records of a format hold what is read of them, so that what is of another type is told, not passed over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from ricordo.exchange import Skipped

__all__ = ["ANY", "Faults", "Shape", "faults_in", "misshapen", "refuse"]

Shape: TypeAlias = "type[str] | Sequence[Shape] | Mapping[str, Shape] | tuple[Shape, ...]"
"""A text is `str`; an array is a list of the one shape that its items have; an object has a shape for each key that
is read; a tuple holds the shapes that are allowed. What a key that ends with `!` names must be there; anything else may
be null or missing. `ANY` stands for all keys.
"""

ANY = "*"
MOST_TOLD = 5
MOST_OF_A_FILE = 100
KINDS = {"str": "a text", "list": "a list", "dict": "an object", "bool": "a truth value", "int": "a number"}


def misshapen(value: object, shape: Shape, place: str = "") -> Iterator[str]:
    """What is of another type than it should be, or not there, each with its place: `content 2, text is a list`."""
    if value is None:
        return
    if isinstance(shape, tuple):
        shape = next((each for each in shape if isinstance(value, _type_of(each))), shape[0])
    if not isinstance(value, _type_of(shape)):
        yield f"{place or 'it'} is {KINDS.get(type(value).__name__, 'a number')}"
    elif isinstance(shape, Mapping):
        yield from _misshapen_fields(value, shape, place)
    elif isinstance(value, list) and isinstance(shape, list):
        for number, item in enumerate(value, start=1):
            yield from misshapen(item, shape[0], f"{place} {number}".strip())


def _misshapen_fields(value: object, shape: Mapping[str, Shape], place: str) -> Iterator[str]:
    held = value if isinstance(value, Mapping) else {}
    for key, inner in shape.items():
        name = key.removesuffix("!")
        if key == ANY:
            for each in held:
                yield from misshapen(held[each], inner, _below(place, str(each)[:60]))
        elif name != key and held.get(name) is None:
            yield f"{place or 'it'} has no {name}"
        else:
            yield from misshapen(held.get(name), inner, _below(place, name))


def _below(place: str, name: str) -> str:
    return f"{place}, {name}" if place else name


def _type_of(shape: Shape) -> type:
    if isinstance(shape, type):
        return shape
    return dict if isinstance(shape, Mapping) else list


def faults_in(value: object, shape: Shape, where: str) -> tuple[Skipped, ...]:
    """The first few of what is misshapen, as lost."""
    return tuple(Skipped(where=where, why=why) for why in islice(misshapen(value, shape), MOST_TOLD))


class Faults:
    """What could not be read in a file: the first of it, and how much more there was, however long the file is."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._first: list[Skipped] = []
        self._more = 0
        self._more_lost = False

    def add(self, *found: Skipped) -> None:
        """Count what was found behind what there was before."""
        room = MOST_OF_A_FILE - len(self._first)
        self._first += found[:room]
        self._more += len(found[room:])
        self._more_lost = self._more_lost or any(fault.loses_memories for fault in found[room:])

    def told(self) -> tuple[Skipped, ...]:
        """The first of them, then one for all the rest, which loses memories where any of these does."""
        if not self._more:
            return tuple(self._first)
        rest = Skipped(where=self._where, why=f"and {self._more} more like these", loses_memories=self._more_lost)
        return (*self._first, rest)


def refuse(value: object, shape: Shape) -> None:
    """Raises ValueError that names the first few of what is misshapen."""
    if found := list(islice(misshapen(value, shape), MOST_TOLD)):
        raise ValueError("; ".join(found))
