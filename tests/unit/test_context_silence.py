"""What is told unasked: silence before prompts about other things, an answer before those that the memory bears on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import ricordo
from packagedmodels import opened
from ricordo.eval.datasets import Question
from ricordo.eval.locomo import read_locomo
from ricordo.eval.squad import read_squad
from trustworthy import LONG

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

PROMPTS = 200 if LONG else 100


def spread(questions: Sequence[Question]) -> list[str]:
    """So many of them, evenly spaced."""
    step = len(questions) / PROMPTS
    return [questions[int(number * step)].text for number in range(PROMPTS)]


@pytest.mark.parametrize("language", ["en", "ru"])
async def test_prompts_about_other_things_are_met_with_silence(data: Path, tmp_path: Path, language: str) -> None:
    opened()
    (paragraphs,) = read_squad(data / f"xquad.{language}.json").collections
    elsewhere = [each for part in read_locomo(data / "locomo-dev.json").collections for each in part.questions]

    async with ricordo.open(f"sqlite:///{tmp_path}/memory.db") as memory:
        for each in paragraphs.memories:
            await memory.remember(each.text)
        told = [bool((await memory.context(prompt)).text) for prompt in spread(paragraphs.questions)]
        unasked = [bool((await memory.context(prompt)).text) for prompt in spread(elsewhere)]

    sys.stdout.write(f"{language}: told for {sum(told)} of {PROMPTS}, silent for {PROMPTS - sum(unasked)}\n")
    assert sum(told) >= 0.90 * PROMPTS
    assert sum(unasked) <= 0.05 * PROMPTS
