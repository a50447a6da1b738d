"""One model for everybody: each text is embedded once, kept on disk, and what that cost is told apart."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ricordo.eval.timing import resident_mib
from ricordo.memory import digest
from ricordo.models import load_embedder
from ricordo.protocols import Embedder

__all__ = ["Model", "Vectors"]

BATCH = 512


class Model:
    """An embedder that is loaded when it is first asked for, and what loading it took."""

    def __init__(self, name: str) -> None:
        self.name = name
        before, begin = resident_mib(), time.perf_counter()
        found = load_embedder(name)
        assert found is not None
        self.embedder: Embedder = found
        found.embed_queries(["once, so that it is loaded"])
        self.load_s = time.perf_counter() - begin
        self.mib = resident_mib() - before


class Vectors:
    """Vectors by text, from the model or the folder. A question's is made as the model wants questions to be."""

    def __init__(self, model: Model, folder: Path) -> None:
        self.model = model
        self.folder = folder
        self._passages: dict[str, NDArray[np.float32]] = {}
        self._questions: dict[str, NDArray[np.float32]] = {}

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dimension) float32`."""
        found = self._kept("passages", texts)
        self._passages.update(zip(texts, found, strict=True))
        return found

    def questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dimension) float32`."""
        found = self._kept("questions", texts)
        self._questions.update(zip(texts, found, strict=True))
        return found

    def of(self, text: str) -> NDArray[np.float32]:
        """The vector of a text for who does not say what it is: that of a question, if it was asked before."""
        for known in (self._questions, self._passages):
            if text in known:
                return known[text]
        found: NDArray[np.float32] = self.model.embedder.embed_passages([text])[0]
        return found

    def _kept(self, kind: str, texts: Sequence[str]) -> NDArray[np.float32]:
        file = self.folder / f"{digest(self.model.embedder.fingerprint, kind, *texts)}.npy"
        if file.is_file():
            kept: NDArray[np.float32] = np.load(file)
            return kept
        embed = self.model.embedder.embed_passages if kind == "passages" else self.model.embedder.embed_queries
        made = np.concatenate([embed(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)])
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, made)
        return made
