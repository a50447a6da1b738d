"""Reading other people's JSON: what is missing or of another kind is told by where it should be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ricordo.errors import InvalidInput
from ricordo.memory import Json

__all__ = ["Node", "read_json", "read_json_lines"]


class Node:
    """A value and its place in a file. Whatever it is asked for and is not raises InvalidInput."""

    def __init__(self, value: Json, where: str) -> None:
        self.value = value
        self.where = where

    def get(self, key: str) -> Node | None:
        """What an object holds under the key, if it does."""
        if not isinstance(self.value, dict):
            raise self.mistake("an object")
        value = self.value.get(key)
        return None if value is None else Node(value, f"{self.where}.{key}")

    def __getitem__(self, key: str) -> Node:
        found = self.get(key)
        if found is None:
            raise InvalidInput(f"{self.where} should have {key!r}")
        return found

    def __iter__(self) -> Iterator[Node]:
        if not isinstance(self.value, list):
            raise self.mistake("a list")
        return (Node(value, f"{self.where}[{number}]") for number, value in enumerate(self.value))

    def items(self) -> Iterator[tuple[str, Node]]:
        """Keys and values of an object."""
        if not isinstance(self.value, dict):
            raise self.mistake("an object")
        return ((key, Node(value, f"{self.where}.{key}")) for key, value in self.value.items())

    def text(self) -> str:
        """A text that says something."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.mistake("a text")
        return self.value

    def whole(self) -> int:
        """A whole number."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.mistake("a whole number")
        return self.value

    def number(self) -> float:
        """A number."""
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            raise self.mistake("a number")
        return float(self.value)

    def mistake(self, expected: str) -> InvalidInput:
        """The error for a value that is something else."""
        return InvalidInput(f"{self.where} should be {expected}, not {json.dumps(self.value, ensure_ascii=False)[:60]}")


def read_json(file: Path) -> Node:
    """What a JSON file holds. Raises InvalidInput when there is no such file, or it is not JSON."""
    return _parsed(_read(file), file.name)


def read_json_lines(file: Path) -> list[Node]:
    """What each line that is not blank holds. Raises InvalidInput."""
    lines = enumerate(_read(file).split("\n"), start=1)
    return [_parsed(line, f"{file.name}:{number}") for number, line in lines if line.strip()]


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise InvalidInput(f"{file} does not exist; docs/benchmarks says where each dataset is had") from error
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file} is not valid UTF-8: {error.reason} at byte {error.start}") from error


def _parsed(text: str, where: str) -> Node:
    try:
        return Node(json.loads(text), where)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where} is not JSON: {error}") from error
