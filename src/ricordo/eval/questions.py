"""A user's own questions about the user's own memories.

JSON Lines: `{"question": "…", "expected": ["…", …]}`. What is expected is the id of a memory or its first
characters, six at least, or else a text, which stands for every memory that contains it. A `category` is optional.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ricordo.errors import InvalidInput
from ricordo.eval.datasets import Collection, Dataset, Question
from ricordo.eval.jsonfile import Node, read_json_lines
from ricordo.memory import Memory

__all__ = ["read_questions"]

SHORTEST_ID = 6


def read_questions(file: Path, memories: Sequence[Memory]) -> Dataset:
    """The questions, with what is expected found among the memories.

    Raises InvalidInput for a line of another shape, and for one that expects what no memory is or says.
    """
    lines = read_json_lines(file)
    if not lines:
        raise InvalidInput(f'{file} holds no question; write lines such as {{"question": "…", "expected": ["…"]}}')
    current = [memory for memory in memories if memory.superseded_by is None]
    texts = {memory.id: memory.text.casefold() for memory in current}
    questions = tuple(_question(line, texts) for line in lines)
    collection = Collection(name="your questions", memories=tuple(current), questions=questions)
    return Dataset(name="questions", collections=(collection,), settings={"file": file.name})


def _question(line: Node, texts: dict[str, str]) -> Question:
    expected = frozenset(found for each in line["expected"] for found in _meant(each, texts))
    if not expected:
        raise line["expected"].mistake("a list of at least one id or text")
    category = line.get("category")
    return Question(
        id=line.where,
        text=line["question"].text(),
        relevant=expected,
        category=category.text() if category else "",
    )


def _meant(expected: Node, texts: dict[str, str]) -> list[str]:
    wanted = expected.text().strip()
    if len(wanted) >= SHORTEST_ID:
        named = [memory_id for memory_id in texts if memory_id.startswith(wanted)]
        if named:
            return named
    said = [memory_id for memory_id, text in texts.items() if wanted.casefold() in text]
    if not said:
        raise InvalidInput(f"{expected.where}: no memory has the id or contains the text {wanted!r}")
    return said
