"""SQuAD and what is shaped like it (XQuAD, FaQuAD): each paragraph a memory, each question answered by its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ricordo.errors import InvalidInput
from ricordo.eval.datasets import EPOCH, Collection, Dataset, Question
from ricordo.eval.jsonfile import read_json
from ricordo.memory import Memory, Origin

__all__ = ["read_squad"]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Paragraph:
    """A paragraph, the title of its article, and its questions by id."""

    title: str
    text: str
    questions: Mapping[str, str]


def read_squad(file: Path, documents: Path | None = None) -> Dataset:
    """Questions of `file` about its own paragraphs, or about those of a parallel file in another language.

    Parallel files hold the same paragraphs in the same order, with the same ids of questions.
    Raises InvalidInput when a file is missing, has another format, or the two are not parallel.
    """
    asked = _paragraphs(file)
    told = _paragraphs(documents) if documents else asked
    if [paragraph.questions.keys() for paragraph in told] != [paragraph.questions.keys() for paragraph in asked]:
        raise InvalidInput(f"{file} and {documents} are not parallel: their questions have other ids")
    memories = [_memory((documents or file).name, paragraph) for paragraph in told]
    questions = [
        Question(id=name, text=text, relevant=frozenset([memory.id]))
        for memory, paragraph in zip(memories, asked, strict=True)
        for name, text in paragraph.questions.items()
    ]
    settings = {"file": file.name, "documents": (documents or file).name}
    # Two paragraphs of an article may be the same, and are one memory.
    distinct = tuple({memory.id: memory for memory in memories}.values())
    collection = Collection(name=settings["documents"], memories=distinct, questions=tuple(questions))
    return Dataset(name="squad", collections=(collection,), settings=settings)


def _paragraphs(file: Path) -> list[_Paragraph]:
    """All paragraphs in the order of the file."""
    return [
        _Paragraph(
            title=str(title.value) if (title := article.get("title")) else f"article {number}",
            text=paragraph["context"].text(),
            questions={question["id"].text(): question["question"].text() for question in paragraph["qas"]},
        )
        for number, article in enumerate(read_json(file)["data"])
        for paragraph in article["paragraphs"]
    ]


def _memory(file: str, paragraph: _Paragraph) -> Memory:
    return Memory(
        text=paragraph.text,
        origin=Origin(kind="squad", uri=f"squad:{file}/{paragraph.title}", title=paragraph.title),
        created_at=EPOCH,
        updated_at=EPOCH,
    )
