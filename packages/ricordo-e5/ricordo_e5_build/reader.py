"""The built files at work, one text at a time: for checking them and for fitting what is taken off."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

__all__ = ["NEUTRAL", "Pass", "Reader"]

NEUTRAL = "neutral"
FATAL = 4
"""onnxruntime's highest severity: what goes wrong comes as an error."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pass:
    """What one text gives: `ids`, `pooled` `(hidden,)` and `tokens` `(tokens, hidden)`, both float32."""

    ids: list[int]
    pooled: NDArray[np.float32]
    tokens: NDArray[np.float32]


class Reader:
    """A tokenizer and a session over a model."""

    def __init__(self, model: Path, tokenizer: Path) -> None:
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when the library is loaded
        import onnxruntime  # type: ignore[import-untyped]

        options = onnxruntime.SessionOptions()
        options.log_severity_level = FATAL
        self.tokenizer = Tokenizer.from_file(str(tokenizer))
        self._session = onnxruntime.InferenceSession(str(model), options)
        self._failure: type[Exception] = onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument

    def ids(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text).ids
        return ids

    def read(self, text: str) -> Pass:
        ids = self.ids(text)
        pooled, tokens = self.run([ids])
        return Pass(ids=ids, pooled=pooled[0], tokens=tokens[0])

    def run(self, texts: list[list[int]]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the model puts out, pooled and of tokens, of texts given as ids, padded to the longest."""
        ids = np.zeros((len(texts), max(map(len, texts))), np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(texts):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        found: Any = self._session.run(None, {"input_ids": ids, "attention_mask": mask})
        return found[0], found[-1]

    def neutral(self, text: str) -> NDArray[np.float32]:
        """`(hidden,)`: the pooled vector of a text without what it says of the language."""
        ids = np.array([self.ids(text)], np.int64)
        (found,) = self._session.run([NEUTRAL], {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        vector: NDArray[np.float32] = found[0]
        return vector

    def refuses(self, token: int) -> bool:
        """Whether the model refuses to look this id up."""
        try:
            self.run([[token]])
        except self._failure:
            return True
        return False
