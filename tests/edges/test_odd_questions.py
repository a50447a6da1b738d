"""Whatever is pasted as a question gets a sensible answer: a page, nothing, marks, another script, operators."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import ricordo
from ricordo.testing import HashEmbedder

pytestmark = pytest.mark.anyio

NOTES = (
    "Project Baikal is our internal machine learning pipeline",
    "The deploy token sk-proj-abc124 belongs to production",
    "Ключ от сервера лежит у Миры в сейфе",
    "会議は東京駅の近くです",
    'She said "never again" AND left, NOT before noon',
    "👍🏽 is how Tomas approves a release",
)
PAGE = " ".join(
    f"Paragraph {number} of a pasted report speaks about weather, roads and trains." for number in range(280)
)


@pytest.fixture(params=["words alone", "words and vectors"])
async def memory(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ricordo.Engine]:
    embedder = HashEmbedder() if request.param == "words and vectors" else "none"
    async with ricordo.open(f"sqlite:///{tmp_path / 'memory.db'}", embedder=embedder) as engine:
        for note in NOTES:
            await engine.remember(note)
        yield engine


@pytest.mark.parametrize("text", ["", " \n\t ", "?!… — «»", '"""', "* ( ) ^ : -", "\0", "\u200b\u200d"])
async def test_a_question_without_a_word_finds_nothing_and_says_so(memory: ricordo.Engine, text: str) -> None:
    recall = await memory.recall(text)

    assert len(recall) == 0
    assert {notice.code for notice in recall.notices} & {"empty_query", "no_terms"}


@pytest.mark.parametrize("text", ["what is the", "и в на не", "THE"])
async def test_function_words_alone_are_looked_for_when_there_is_nothing_else(
    memory: ricordo.Engine, text: str
) -> None:
    recall = await memory.recall(text)

    assert not {notice.code for notice in recall.notices} & {"empty_query", "no_terms"}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("東京駅", NOTES[3]),
        ("👍", NOTES[5]),
        ('"never again" AND (left OR NOT noon)', NOTES[4]),
        ("lexemes:Baikal", NOTES[0]),
        ("NEAR(Baikal pipeline, 3)", NOTES[0]),
        ("Baikal*", NOTES[0]),
        ("'; DROP TABLE memory; -- Baikal", NOTES[0]),
        ("BAIKAL\u0301", NOTES[0]),
        ("ключи от серверов", NOTES[2]),
    ],
)
async def test_operators_quotes_and_other_scripts_are_only_text(memory: ricordo.Engine, text: str, answer: str) -> None:
    recall = await memory.recall(text)

    assert next(hit.text for hit in recall if hit.arms.get("words") == 1) == answer


@pytest.mark.parametrize("text", ["ሰላም ነው", "ܫܠܡܐ", "𐎠𐎡𐎢", "\ud800 lone", "a" * 50_000, "a " * 10_000, "\u0301" * 500])
async def test_what_no_memory_knows_is_no_error(memory: ricordo.Engine, text: str) -> None:
    recall = await memory.recall(text)

    assert all(hit.text in NOTES for hit in recall)


async def test_a_pasted_page_finds_what_its_last_line_asks(memory: ricordo.Engine) -> None:
    begin = time.perf_counter()
    recall = await memory.recall(f"{PAGE}\n\nWhose is sk-proj-abc124?")
    seconds = time.perf_counter() - begin

    assert len(PAGE) > 20_000
    assert recall.hits[0].text == NOTES[1]
    assert seconds < 5  # not a speed to reach, only that nothing grows without bound


async def test_the_question_comes_back_word_for_word(memory: ricordo.Engine) -> None:
    text = "  What IS\tBaikal?\n"

    assert (await memory.recall(text)).query.text == text
