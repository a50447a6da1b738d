"""Reader of `e5-small-q4.bin`: the sizes of the model, its vocabulary, normalisation map and tensors.

All numbers are little-endian. In order::

    "E5S1"  u32 version  7 × i32 sizes  f32 epsilon  i32 block
    i32 pieces  4 × i32 special ids  u64 bytes of text  u32 ends[pieces + 1]  f32 scores[pieces]  text
    u32 entries, each  u32 code point  u8 length  u32[length] what it becomes
    u32 tensors, each  u16 length  name  u8 form  u32 values  u64 offset  u64 bytes
    tensors
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLOCK", "Blocks", "E5Source", "Sizes", "SourceError", "read"]

BLOCK = 32
"""Weights that share a scale."""

FORMAT = b"E5S1"
FLOATS, BLOCKS = 0, 1


class SourceError(ValueError):
    """The file is not laid out as this reader knows it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Of the model. `words` counts the rows of its word embedding, some of which no piece uses."""

    hidden: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    types: int
    epsilon: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Blocks:
    """A matrix in 4-bit blocks of 32 along its rows: value = scale × (nibble - 8).

    `nibbles` is `(rows, columns // 32, 32) uint8`, each 0…15, and `scales` `(rows, columns // 32) float16`.
    """

    nibbles: NDArray[np.uint8]
    scales: NDArray[np.float16]

    def rows(self, kept: NDArray[np.int64]) -> Blocks:
        """These rows alone, in this order."""
        return Blocks(nibbles=self.nibbles[kept], scales=self.scales[kept])

    def values(self) -> NDArray[np.float32]:
        """`(rows, columns) float32`."""
        signed = self.nibbles.astype(np.float32) - np.float32(8)
        return (signed * self.scales.astype(np.float32)[..., None]).reshape(len(signed), -1)


@dataclass(frozen=True, kw_only=True, slots=True)
class E5Source:
    """All that the file holds. Pieces and scores are by token id; ids beyond the pieces have no text.

    `normalisation` maps a code point to the text it becomes.
    """

    sizes: Sizes
    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    normalisation: Mapping[str, str]
    content: bytes
    directory: Mapping[str, tuple[int, int, int, int]]

    def floats(self, name: str) -> NDArray[np.float32]:
        """A tensor of floats, flat. Raises SourceError."""
        form, count, offset, size = self._entry(name)
        if form != FLOATS or size != 4 * count:
            raise SourceError(f"{name} is not a tensor of floats")
        return np.frombuffer(self.content, "<f4", count, offset)

    def blocks(self, name: str, columns: int) -> Blocks:
        """A matrix in 4-bit blocks. Raises SourceError.

        A block is a float16 scale and 16 bytes: byte j holds value j in its lower half, j + 16 in its upper.
        """
        form, count, offset, size = self._entry(name)
        if form != BLOCKS or size * BLOCK != count * 18 or count % columns or columns % BLOCK:
            raise SourceError(f"{name} is not a matrix of 4-bit blocks, {columns} values a row")
        kind = np.dtype([("scale", "<f2"), ("bytes", "u1", 16)])
        raw = np.frombuffer(self.content, kind, count // BLOCK, offset).reshape(count // columns, columns // BLOCK)
        nibbles = np.concatenate([raw["bytes"] & 15, raw["bytes"] >> 4], axis=-1)
        return Blocks(nibbles=nibbles, scales=raw["scale"])

    def _entry(self, name: str) -> tuple[int, int, int, int]:
        try:
            form, count, offset, size = self.directory[name]
        except KeyError as error:
            raise SourceError(f"there is no tensor {name}") from error
        if offset + size > len(self.content):
            raise SourceError(f"{name} lies beyond the end of the file")
        return form, count, offset, size


@dataclass(slots=True)
class Cursor:
    """A place in the file, moved on by what is read."""

    content: bytes
    at: int = 0

    def take(self, form: str) -> tuple[int | float, ...]:
        values = struct.unpack_from(f"<{form}", self.content, self.at)
        self.at += struct.calcsize(f"<{form}")
        return values

    def number(self, form: str) -> int:
        return int(self.take(form)[0])

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.content[self.at - count : self.at]


def read(content: bytes) -> E5Source:
    """The whole file. Raises SourceError."""
    cursor = Cursor(content)
    if cursor.bytes(4) != FORMAT or cursor.number("I") != 1:
        raise SourceError("this is not an E5S1 file of version 1")
    try:
        sizes = read_sizes(cursor)
        pieces, scores = read_vocabulary(cursor)
        normalisation = read_normalisation(cursor)
        directory = read_directory(cursor)
    except (struct.error, UnicodeDecodeError) as error:
        raise SourceError(f"the file is cut short or damaged: {error}") from error
    return E5Source(
        sizes=sizes,
        pieces=pieces,
        scores=scores,
        normalisation=normalisation,
        content=content,
        directory=directory,
    )


def read_sizes(cursor: Cursor) -> Sizes:
    """Sizes of the model. Raises SourceError when its blocks are not of 32."""
    hidden, layers, heads, inner, words, positions, types = (int(value) for value in cursor.take("7i"))
    (epsilon,) = cursor.take("f")
    if (block := cursor.number("i")) != BLOCK:
        raise SourceError(f"blocks hold {block} values, not {BLOCK}")
    return Sizes(
        hidden=hidden,
        layers=layers,
        heads=heads,
        inner=inner,
        words=words,
        positions=positions,
        types=types,
        epsilon=epsilon,
    )


def read_vocabulary(cursor: Cursor) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Pieces and their log probabilities. Raises SourceError when the special ids are not XLM-RoBERTa's."""
    count = cursor.number("i")
    if (special := cursor.take("4i")) != (0, 2, 1, 3):
        raise SourceError(f"the special ids are {special}")
    length = cursor.number("Q")
    bounds = cursor.take(f"{count + 1}I")
    scores = cursor.take(f"{count}f")
    text = cursor.bytes(length)
    pieces = tuple(text[int(bounds[at]) : int(bounds[at + 1])].decode() for at in range(count))
    return pieces, scores


def read_normalisation(cursor: Cursor) -> dict[str, str]:
    """What single code points become. One that becomes NUL is a slip of the table's maker, and is left out."""
    table = {}
    for _ in range(cursor.number("I")):
        point, length = (int(value) for value in cursor.take("IB"))
        table[chr(point)] = "".join(chr(int(value)) for value in cursor.take(f"{length}I"))
    return {point: text for point, text in table.items() if text != "\0"}


def read_directory(cursor: Cursor) -> dict[str, tuple[int, int, int, int]]:
    """Of each tensor: form, number of values, offset, bytes."""
    directory = {}
    for _ in range(cursor.number("I")):
        name = cursor.bytes(cursor.number("H")).decode()
        form, count, offset, size = (int(value) for value in cursor.take("BIQQ"))
        directory[name] = (form, count, offset, size)
    return directory
