"""Where to draw the line between a memory that bears on a prompt and one that does not, for one embedder.

The best cosine is taken of questions that the memories answer and of questions about other things. The floor of
`context` is the lowest that keeps silent for 95 of 100 of the latter; that of `recall` leaves 99 of 100 answers in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from ricordo.errors import InvalidInput
from ricordo.eval.datasets import Dataset, Question
from ricordo.eval.harness import Plan, Step, opened
from ricordo.protocols import Embedder
from ricordo.scene import Floats
from ricordo.settings import Settings

__all__ = ["Calibration", "as_table", "calibrate", "document"]

SILENT = 0.95
KEPT = 0.99
SHOWN = 9


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """Cosines `(questions,)`: of the answers, and of the best memory where there is an answer or none."""

    embedder: str
    gold: Floats
    related: Floats
    unrelated: Floats

    @property
    def recall(self) -> float:
        """The floor that leaves nearly all answers in."""
        return float(np.quantile(self.gold, 1 - KEPT))

    @property
    def context(self) -> float:
        """The floor above which few questions about other things find anything."""
        return float(np.quantile(self.unrelated, SILENT))


async def calibrate(
    answered: Dataset,
    other: Dataset,
    settings: Settings,
    at_most: int,
    tell: Callable[[Step], None] = lambda _: None,
) -> Calibration:
    """Compare questions of both with the memories of the first. Raises InvalidInput, ModelError, StoreError."""
    collection = answered.collections[0]
    asked = _spread(collection.questions, at_most)
    strange = _spread([each for part in other.collections for each in part.questions], at_most)
    async with opened(Plan(settings=settings), collection, tell) as memory:
        embedder = memory.reader.embedder
        if embedder is None:
            raise InvalidInput("floors are those of an embedder; there is none")
        ids = [each.id for each in collection.memories]
        passages = await to_thread.run_sync(embedder.embed_passages, [each.text for each in collection.memories])
        related = await _cosines(embedder, asked, passages)
        unrelated = await _cosines(embedder, strange, passages)
    gold = [
        max(row[ids.index(each)] for each in question.relevant) for question, row in zip(asked, related, strict=True)
    ]
    return Calibration(
        embedder=embedder.fingerprint,
        gold=np.array(gold, np.float64),
        related=related.max(axis=1),
        unrelated=unrelated.max(axis=1),
    )


async def _cosines(embedder: Embedder, questions: Sequence[Question], passages: NDArray[np.float32]) -> Floats:
    """`(questions, passages)`."""
    rows = await to_thread.run_sync(embedder.embed_queries, [question.text for question in questions])
    cosines: Floats = (rows @ passages.T).astype(np.float64)
    return cosines


def _spread(questions: Sequence[Question], at_most: int) -> Sequence[Question]:
    return questions[:: max(1, -(-len(questions) // at_most))]


def document(found: Calibration) -> dict[str, object]:
    """The floors, and what they do, as JSON."""
    return {
        "embedder": found.embedder,
        "floors": {"recall": round(found.recall, 3), "context": round(found.context, 3)},
        "answered": round(float(np.mean(found.related >= found.context)), 4),
        "silent": round(float(np.mean(found.unrelated < found.context)), 4),
        "questions": {"related": len(found.related), "unrelated": len(found.unrelated)},
    }


def as_table(found: Calibration) -> str:
    """The floors, and the shares above a range of them, in Markdown."""
    low, high = np.quantile(found.unrelated, 0.5), np.quantile(found.related, 0.5)
    lines = [
        f"Floors of {found.embedder}: recall {found.recall:.3f}, context {found.context:.3f}.",
        "",
        "| floor | answered | silent |",
        "|---:|---:|---:|",
    ]
    for floor in np.linspace(low, high, SHOWN):
        answered, silent = np.mean(found.related >= floor), np.mean(found.unrelated < floor)
        lines.append(f"| {floor:.3f} | {answered:.3f} | {silent:.3f} |")
    lines += ["", f"{len(found.related):,} questions that have an answer, {len(found.unrelated):,} that have none.", ""]
    return "\n".join(lines)
