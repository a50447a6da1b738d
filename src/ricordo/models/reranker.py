"""The reranker that runs a cross-encoder of the catalog: question and passage are read together."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ricordo.errors import ModelError
from ricordo.models.runtime import Runner, load
from ricordo.models.specs import CrossEncoderSpec
from ricordo.models.windows import passes

__all__ = ["OnnxReranker"]

PASS_TOKENS = 1024


class OnnxReranker:
    """(question, passages) → scores, higher is better; they are the model's own and mean nothing across models.

    A pair that is too long for the model loses the end of its passage. A question alone may take half of
    what the model reads; of a longer one the beginning counts. The model is loaded when it is first
    needed, once, whichever thread comes first.
    """

    def __init__(self, spec: CrossEncoderSpec, *, threads: int = 0) -> None:
        self._spec = spec
        self._threads = threads
        self._lock = Lock()
        self._loaded: Runner | None = None

    def score(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """`(len(passages),) float32`. Raises ModelError."""
        scores = np.zeros(len(passages), np.float32)
        if not passages:
            return scores
        runner = self._runner()
        pairs, types = self._pairs(runner, question, passages)
        output = next(iter(runner.outputs))

        def read(group: Sequence[int]) -> None:
            found, _ = runner.run([output], [pairs[each] for each in group], [types[each] for each in group])
            logits = found[0].reshape(len(group), -1)
            if logits.shape[1] > 2:
                raise ModelError(f"{self._spec.name} puts out {logits.shape[1]} numbers a pair, which are no score")
            # Of two classes the second is "relevant"; the difference orders as its probability does.
            scores[group] = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]

        runner.each(read, list(passes([len(pair) for pair in pairs], PASS_TOKENS if self._spec.batched else 1)))
        return scores

    def _pairs(self, runner: Runner, question: str, passages: Sequence[str]) -> tuple[list[list[int]], list[list[int]]]:
        """Token ids and token types of each pair, none longer than the model reads."""
        head, between, tail, (first, second) = runner.pair_frame()
        room = self._spec.max_tokens - len(head) - len(between) - len(tail)
        asked, *read = runner.tokens([question, *passages])
        asked = asked[: room // 2]
        start = [*head, *asked, *between]
        pairs = [[*start, *tokens[: room - len(asked)], *tail] for tokens in read]
        return pairs, [[first] * len(start) + [second] * (len(pair) - len(start)) for pair in pairs]

    def _runner(self) -> Runner:
        with self._lock:
            if self._loaded is None:
                self._loaded = load(self._spec, self._threads)
            return self._loaded
