"""A sample of short notes, five questions that show what finding means, and their answers."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.resources import as_file, files
from pathlib import Path
from urllib.parse import quote

from ricordo.engine import Engine, open
from ricordo.render.reports import Answer, Demonstration
from ricordo.settings import Settings

__all__ = ["QUESTIONS", "Question", "demonstrate"]

LIMIT = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question, what it shows, and the name of the note that answers it."""

    text: str
    shows: str
    note: str


QUESTIONS = (
    Question(
        text="whose key is sk-proj-Vt4kQ8mZ1nRb7Lw2?",
        shows="an exact key among others like it",
        note="keys-search.md",
    ),
    Question(text="what is Project Baikal?", shows="a proper name that is also a lake", note="project-baikal.md"),
    Question(
        text="is anybody allergic to nuts?",
        shows="the same thing in other words",
        note="peanuts.md",
    ),
    Question(
        text="где хранится резервная копия базы",
        shows="Russian, in other forms of the words",
        note="backups.md",
    ),
    Question(
        text="какой gateway timeout сейчас, после инцидента?",
        shows="two languages in one question, and a value that changed",
        note="gateway-timeout-october.md",
    ),
)


async def demonstrate(settings: Settings, clock: Callable[[], datetime], paths: Sequence[Path]) -> Demonstration:
    """Read the notes and the paths into a temporary store and ask. Raises StoreError, ModelError."""
    with tempfile.TemporaryDirectory(prefix="ricordo-demo-") as folder, as_file(files(__name__) / "notes") as notes:
        store = f"sqlite:///{quote((Path(folder) / 'demo.db').as_posix())}"
        async with open(settings=replace(settings, store=store, namespace="demo"), clock=clock) as memory:
            return await _ask(memory, [notes, *paths])


async def _ask(memory: Engine, paths: Sequence[Path]) -> Demonstration:
    begin = time.perf_counter()
    ingested = await memory.ingest(paths)
    seconds = time.perf_counter() - begin
    answers = [
        Answer(shows=question.shows, recall=await memory.recall(question.text, limit=LIMIT)) for question in QUESTIONS
    ]
    return Demonstration(ingested=ingested, seconds=seconds, answers=tuple(answers))
