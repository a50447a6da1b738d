"""What all token states have in common, to be taken off before they are compared.

The mean over the words of everyday and technical sentences in four languages, without prefix and special
tokens. For the layer that is shipped it is kept here, rounded, so that every machine has the same one to the
digit; another layer's is fitted when it is built.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ricordo_e5_build.reader import Reader

__all__ = ["DIGITS", "PASSAGE", "centring_json", "fit", "kept", "sentences"]

HERE = Path(__file__).parent
PASSAGE = "passage: "
DIGITS = 4


def centring_json(layer: int, reader: Reader) -> bytes:
    """The mean as a file: `{"layer": …, "mean": […]}`."""
    mean = kept(layer) or fit(reader, sentences())
    return json.dumps({"layer": layer, "mean": mean}, separators=(",", ":")).encode() + b"\n"


def kept(layer: int) -> list[float] | None:
    """The mean that was fitted once, if it is this layer's."""
    document = json.loads((HERE / "centring.json").read_text("utf-8"))
    return list(document["mean"]) if document["layer"] == layer else None


def sentences() -> list[str]:
    """What the mean is fitted on."""
    return (HERE / "sample.txt").read_text("utf-8").splitlines()


def fit(reader: Reader, texts: Sequence[str]) -> list[float]:
    """The mean over all words of the texts, every word alike."""
    head = len(reader.ids(PASSAGE)) - 1
    words: list[NDArray[np.float32]] = [reader.read(PASSAGE + text).states[head:-1] for text in texts]
    mean = np.concatenate(words).mean(axis=0, dtype=np.float64)
    return [round(float(value), DIGITS) for value in mean]
