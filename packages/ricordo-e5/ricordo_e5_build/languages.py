"""In which directions vectors say what language a text is in, to be taken off: what a text says does not lie there.

A question is nearer to any text of its own language than to the same text in another, because the vectors of each
language share a part. The directions in which the means of languages differ most, over sentences that say the same
in each, are that part, and without it languages meet (after Yang et al., A Simple and Effective Method To Eliminate
the Self Language Bias in Multilingual Representations, EMNLP 2021). The directions of the form that is shipped are
kept here, rounded, so that every machine has the same to the digit; others are fitted when they are built.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ricordo_e5_build.centring import PASSAGE, sentences
from ricordo_e5_build.reader import Reader

__all__ = ["Languages", "fit_pooled", "fit_tokens", "kept", "languages"]

HERE = Path(__file__).parent
PREFIXES = ("query: ", PASSAGE)
LANGUAGES = 4
"""The sample says the same in as many languages, one after the other."""
DIRECTIONS = 2
"""A third gives nothing in a language of the sample, and in others it is another."""
DIGITS = 5

Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, slots=True)
class Languages:
    """The directions of pooled vectors and of token vectors, each `(directions, hidden) float32` with unit rows."""

    pooled: Floats
    tokens: Floats


def languages(output: str, plain: Callable[[], Reader]) -> Languages:
    """Those of the vectors, and those of this output of token vectors; `plain` reads it with nothing taken off."""
    known = kept()
    tokens = known["tokens"].get(output)
    found = np.array(tokens, np.float32) if tokens is not None else fit_tokens(plain())
    return Languages(pooled=np.array(known["pooled"], np.float32), tokens=found)


def kept() -> dict[str, Any]:
    """What was fitted once: of `pooled`, and of `tokens` by output."""
    document: dict[str, Any] = json.loads((HERE / "languages.json").read_text("utf-8"))
    return document


def fit_pooled(reader: Reader) -> Floats:
    """The directions in which the means of the languages of the sample differ most, as questions and as passages."""
    found = [
        means([[reader.read(prefix + text).pooled[None] for text in own] for own in spoken()]) for prefix in PREFIXES
    ]
    return directions(np.concatenate(found))


def fit_tokens(reader: Reader) -> Floats:
    """The same of the tokens of passages, every word alike."""
    head = len(reader.ids(PASSAGE)) - 1
    return directions(means([[reader.read(PASSAGE + text).tokens[head:-1] for text in own] for own in spoken()]))


def spoken() -> list[list[str]]:
    """The sentences of each language of the sample."""
    return [list(own) for own in np.array_split(np.array(sentences()), LANGUAGES)]


def means(vectors: Sequence[Sequence[Floats]]) -> NDArray[np.float64]:
    """How the mean of each language differs from that of all."""
    found = np.array([np.concatenate(own).mean(axis=0, dtype=np.float64) for own in vectors])
    differences: NDArray[np.float64] = found - found.mean(axis=0)
    return differences


def directions(differences: NDArray[np.float64]) -> Floats:
    """The principal directions, of which the largest component is positive."""
    _, _, rows = np.linalg.svd(differences, full_matrices=False)
    chosen = rows[:DIRECTIONS]
    largest = np.take_along_axis(chosen, np.abs(chosen).argmax(axis=1)[:, None], axis=1)
    rounded: Floats = (chosen * np.sign(largest)).round(DIGITS).astype(np.float32)
    return rounded
