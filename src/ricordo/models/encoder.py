"""An open encoder: windows of tokens → a vector of each window, and the states of its tokens, from one pass."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from ricordo.errors import ModelError
from ricordo.models.runtime import Runner, load
from ricordo.models.specs import ModelSpec
from ricordo.models.windows import passes
from ricordo.protocols import TokenVectors

__all__ = ["Encoder", "load_encoder"]

PASS_TOKENS = 256
"""Tokens a pass, padding included. Larger passes are hardly faster, and each thread holds the memory of one."""

RANKS = {"output": 2, "mean": 3, "cls": 3}
"""The rank of the output that vectors are made of, by pooling."""

MARKS = ("▁", "Ġ")
"""How tokenizers write the space before a word."""

CONTINUED = "##"
"""How WordPiece writes that a piece continues the word before it."""


def load_encoder(spec: ModelSpec, threads: int = 0) -> Encoder:
    """Open the model of a row that is ready. Raises ModelError."""
    return Encoder(spec, load(spec, threads))


class Encoder:
    """Text → tokens → vectors. Safe to use from several threads.

    A window's vector does not depend on the windows that share its pass: padding is masked, and a model
    whose activations are quantised over the whole pass gets passes of one window.
    """

    def __init__(self, spec: ModelSpec, runner: Runner) -> None:
        self._spec = spec
        self._runner = runner
        self._head, self._tail = runner.frame()
        self._prefixes = {prefix: self._tokens_of_prefix(prefix) for prefix in (spec.query_prefix, spec.passage_prefix)}
        pooled = named_output(runner, spec.output) if spec.output else output_of(runner, RANKS[spec.pooling])
        width = runner.outputs[pooled][-1]
        if width != spec.dimension:
            raise ModelError(f"{spec.name} has {width} dimensions, not the {spec.dimension} of its row")
        self._pooled = (pooled,)
        self._with_states = (pooled, named_output(runner, spec.tokens.output)) if spec.tokens else self._pooled
        self._spoken: dict[int, bool] = {}

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, special tokens left out."""
        return self._runner.tokens([self._normalised(text) for text in texts])

    def vectors(self, windows: Sequence[Sequence[int]], prefix: str) -> NDArray[np.float32]:
        """`(len(windows), dimension) float32` of unit length. Raises ModelError."""
        return self._encode(windows, prefix, None)

    def vectors_and_tokens(
        self, windows: Sequence[Sequence[int]], prefix: str
    ) -> tuple[NDArray[np.float32], list[TokenVectors]]:
        """The same, and the tokens of each window. Raises ModelError."""
        states = [TokenVectors.none(self._spec.dimension)] * len(windows)
        return self._encode(windows, prefix, states), states

    def _encode(
        self, windows: Sequence[Sequence[int]], prefix: str, states: list[TokenVectors] | None
    ) -> NDArray[np.float32]:
        head = [*self._head, *self._prefixes[prefix]]
        framed = [[*head, *window, *self._tail] for window in windows]
        rows = np.zeros((len(framed), self._spec.dimension), np.float32)
        wanted = self._pooled if states is None else self._with_states

        def read(group: Sequence[int]) -> None:
            found, mask = self._runner.run(wanted, [framed[position] for position in group])
            rows[group] = self._pool(found[0], mask)
            if states is not None:
                for place, position in enumerate(group):
                    own = found[-1][place, len(head) : len(head) + len(windows[position])]
                    states[position] = self._token_vectors(windows[position], own)

        self._runner.each(read, list(passes([len(window) for window in framed], self._budget(framed))))
        return rows

    def _budget(self, windows: Sequence[Sequence[int]]) -> int:
        """Tokens of a pass, so that every thread has one where there are windows enough."""
        if not self._spec.batched:
            return 1
        return min(PASS_TOKENS, -(-sum(map(len, windows)) // self._runner.threads))

    def _pool(self, rows: NDArray[np.float32], mask: NDArray[np.float32]) -> NDArray[np.float32]:
        if self._spec.pooling == "cls":
            rows = rows[:, 0]
        elif self._spec.pooling == "mean":
            rows = np.einsum("wth,wt->wh", rows, mask)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def _token_vectors(self, window: Sequence[int], states: NDArray[np.float32]) -> TokenVectors:
        """Tokens that say something, their states of unit length."""
        kept = np.array([self._says_something(token) for token in window], bool)
        rows = states[kept]
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        words = tuple(word for (_, word), spoken in zip(self._words(window), kept, strict=True) if spoken)
        return TokenVectors(ids=np.array(window, np.int32)[kept], rows=rows, words=words)

    def pieces(self, text: str) -> tuple[tuple[str, int], ...]:
        """The words of a text, each with its number of tokens, in order."""
        (tokens,) = self.tokens([text])
        return tuple((word, len(list(same))) for (_, word), same in groupby(self._words(tokens)))

    def _words(self, window: Sequence[int]) -> list[tuple[int, str]]:
        """For each token the number of its word, and the word that it is a piece of."""
        pieces = [self._runner.piece(token) for token in window]
        marked = any(piece.startswith(MARKS) for piece in pieces)
        words: list[str] = []
        numbers: list[int] = []
        for piece in pieces:
            first = piece.startswith(MARKS) if marked else not piece.startswith(CONTINUED)
            if first or not words:
                words.append("")
            words[-1] += piece.lstrip("".join(MARKS)) if marked else piece.removeprefix(CONTINUED)
            numbers.append(len(words) - 1)
        return [(number, words[number]) for number in numbers]

    def _says_something(self, token: int) -> bool:
        """Punctuation does not: a fifth of all tokens, and answers are found as well without them."""
        known = self._spoken.get(token)
        if known is None:
            piece = self._runner.piece(token).strip("".join(MARKS))
            known = self._spoken[token] = any(unicodedata.category(character)[0] not in "PZC" for character in piece)
        return known

    def _normalised(self, text: str) -> str:
        return unicodedata.normalize("NFC", text).strip() if self._spec.normalisation == "nfc" else text

    def _tokens_of_prefix(self, prefix: str) -> list[int]:
        # The space after a prefix is the mark on the word that follows.
        return self._runner.tokens([prefix.strip()])[0] if prefix else []


def named_output(runner: Runner, name: str) -> str:
    """The name, when there is an output that has it. Raises ModelError."""
    if name not in runner.outputs:
        raise ModelError(f"{runner.name} has no output {name}; it has {', '.join(runner.outputs)}")
    return name


def output_of(runner: Runner, rank: int) -> str:
    """The first output of this rank. Raises ModelError."""
    for name, shape in runner.outputs.items():
        if len(shape) == rank:
            return name
    shapes = ", ".join(f"{name} {list(shape)}" for name, shape in runner.outputs.items())
    raise ModelError(f"{runner.name} has no output of rank {rank}; it has {shapes}")
