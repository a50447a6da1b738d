"""What all token states of a layer have in common, to be taken off before they are compared.

The mean over the words of everyday and technical sentences in four languages, without prefix and special
tokens. For the layers that are shipped it is kept here, rounded, so that every machine has the same one to the
digit, as it was fitted on the source's own blocks; another layer's is fitted when it is built.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ricordo_e5_build.reader import Reader

__all__ = ["PASSAGE", "fit", "kept", "means", "sentences"]

HERE = Path(__file__).parent
PASSAGE = "passage: "
DIGITS = 4


def means(layers: Sequence[int], plain: Callable[[int], Reader]) -> Mapping[int, NDArray[np.float32]]:
    """The mean of each layer, `(hidden,) float32`; `plain` reads the states of a layer as they are."""
    known = kept()
    return {layer: known[layer] if layer in known else fit(plain(layer), sentences()) for layer in layers}


def kept() -> Mapping[int, NDArray[np.float32]]:
    """The means that were fitted once, by layer."""
    document = json.loads((HERE / "centring.json").read_text("utf-8"))
    return {int(layer): np.array(mean, np.float32) for layer, mean in document.items()}


def sentences() -> list[str]:
    """What a mean is fitted on."""
    return (HERE / "sample.txt").read_text("utf-8").splitlines()


def fit(plain: Reader, texts: Sequence[str]) -> NDArray[np.float32]:
    """The mean over all words of the texts, every word alike, rounded."""
    head = len(plain.ids(PASSAGE)) - 1
    words = [plain.read(PASSAGE + text).tokens[head:-1] for text in texts]
    mean: NDArray[np.float64] = np.concatenate(words).mean(axis=0, dtype=np.float64)
    return mean.round(DIGITS).astype(np.float32)
