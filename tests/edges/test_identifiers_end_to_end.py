"""An exact identifier in a question comes first, among many that differ from it in one character."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

import ricordo
from identifiers import Named, named
from ricordo.chunking import StructureChunker, word_chunker
from ricordo.memory import told
from ricordo.models import load_embedder
from ricordo.protocols import Embedder
from ricordo.remember import Writer
from ricordo.stores import open_store
from trustworthy import LONG

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 30, tzinfo=UTC)
STEP = 1 if LONG else 3  # in three rounds it comes to every kind and every place in a family


async def remember_all(url: str, known: Sequence[Named], embedder: Embedder | None) -> None:
    """Every statement a memory of its own, in one batch."""
    chunker = (
        StructureChunker(measure=embedder.count_tokens, limit=embedder.max_tokens, name=embedder.fingerprint)
        if embedder
        else word_chunker()
    )
    store = open_store(url)
    await store.open()
    writer = Writer(store=store, chunker=chunker, embedder=embedder, namespace="default")
    memories = [told(one.statement, now=NOW) for one in known]
    await writer.write(memories, writer.cut(memories))
    await store.close()


async def not_first(url: str, known: Sequence[Named], embedder: Embedder | None) -> list[tuple[str, str, str]]:
    """(kind, question, what came first instead) of every question whose identifier did not come first."""
    failed = []
    async with ricordo.open(url, embedder=embedder or "none") as memory:
        for one in known:
            for question in one.questions:
                hits = (await memory.recall(question, limit=3)).hits
                if not hits or hits[0].text != one.statement:
                    failed.append((one.kind, question, hits[0].text if hits else "nothing"))
    return failed


@pytest.mark.parametrize(("count", "step"), [(160, 1), pytest.param(1000, STEP, marks=pytest.mark.slow)], ids=str)
@pytest.mark.parametrize("model", ["all-minilm-l6-v2", "none"])
async def test_the_exact_identifier_comes_first(tmp_path: Path, model: str, count: int, step: int) -> None:
    known = named(count)
    embedder = load_embedder(model)
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    await remember_all(url, known, embedder)

    assert await not_first(url, known[::step], embedder) == []
