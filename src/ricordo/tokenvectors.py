"""Token vectors in one bit a dimension, and late interaction over them; pure.

A stored text keeps the signs of its token vectors after a fixed random rotation, 48 bytes a token of 384
dimensions. The rotation spreads what a few dimensions hold over all of them, so that every sign tells as
much as another. A question's tokens stay float32.

The score of a text is the weighted mean, over the question's tokens, of the similarity to the nearest of
its tokens (MaxSim; Khattab and Zaharia, ColBERT, SIGIR 2020). For unit vectors q and d, rotated,

    cos(q, d) ≈ sqrt(pi / 2) * (q · sign(d)) / sqrt(dimension)

because the signs of a random direction have a cosine of sqrt(2 / pi) with it (Charikar, STOC 2002; Gao and
Long, RaBitQ, SIGMOD 2024). The estimate is unbiased but for that constant, and may leave [-1, 1] a little.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "FORMAT",
    "best_of",
    "maxsim",
    "nearest",
    "pack",
    "pack_each",
    "rotation",
    "stretches",
    "windows",
]

FORMAT = "signs/1"
"""Changes whenever the same token vectors would be stored as other bytes."""

SEED = 384
STRETCH = 8
"""Tokens of a text that are looked at together, when what stands close together counts."""

BLOCK_TOKENS = 2048
"""Tokens unpacked at once: 3 MB of float32 at 384 dimensions, which stay in the cache."""

SMALL_PRODUCT = 1 << 18
"""Multiplications up to which OpenBLAS keeps a product on the calling thread. Threads that wait for each other
win little here and lose tenfold when a core is busy."""


@lru_cache(maxsize=4)
def rotation(dimension: int) -> NDArray[np.float32]:
    """`(dimension, dimension) float32`, orthogonal, the same on every machine but for rounding.

    Uniform over all rotations and reflections: Q of the QR of a Gaussian matrix, the diagonal of R made
    positive (Mezzadri, Notices of the AMS 54, 2007). RandomState, because its numbers never change.
    """
    gaussian = np.random.RandomState(SEED).standard_normal((dimension, dimension))
    orthogonal, upper = np.linalg.qr(gaussian)
    rotated: NDArray[np.float32] = (orthogonal * np.sign(np.diag(upper))).astype(np.float32)
    rotated.setflags(write=False)
    return rotated


def pack(rows: NDArray[np.float32]) -> bytes:
    """Token vectors `(tokens, dimension) float32` as bytes, `ceil(dimension / 8)` a token; 1 for a positive sign."""
    return np.packbits(rows @ rotation(rows.shape[1]) > 0, axis=1).tobytes()


def pack_each(texts: Sequence[NDArray[np.float32]]) -> list[bytes]:
    """What `pack` makes of each text; one product for all takes a sixth of the time of one for each."""
    if not texts:
        return []
    packed = pack(np.concatenate(texts))
    width = -(-texts[0].shape[1] // 8)
    ends = [0, *accumulate(len(rows) * width for rows in texts)]
    return [packed[start:end] for start, end in pairwise(ends)]


def stretches(question: NDArray[np.float32], texts: Sequence[bytes]) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """The similarity of each question token to the nearest token of each stretch of `STRETCH` tokens of each text.

    `(s, question tokens) float32`, the stretches of a text in their order, and for each the place of its text,
    `(s,)`. `question` is `(tokens, dimension) float32`, unit rows; a text is what `pack` made.
    """
    tokens, dimension = question.shape
    width = -(-dimension // 8)
    lengths = np.array([len(text) // width for text in texts], np.intp) if tokens else np.zeros(0, np.intp)
    owners = np.repeat(np.arange(len(lengths)), -(-lengths // STRETCH))
    found = np.zeros((len(owners), tokens), np.float32)
    if not len(owners):
        return found, owners
    scale = np.float32(np.sqrt(np.pi / 2 / dimension))
    turned = np.ascontiguousarray(_product(question, rotation(dimension)).T * scale)
    sums = turned.sum(axis=0)
    done = 0
    for group in _blocks(lengths):
        signs = np.frombuffer(b"".join([texts[each] for each in group]), np.uint8).reshape(-1, width)
        ones = np.unpackbits(signs, axis=1, count=dimension).astype(np.float32)
        # q · sign(d), the signs being 2 * bit - 1.
        similarities = 2 * _product(ones, turned) - sums
        ends = np.cumsum(lengths[group])
        starts = np.concatenate(
            [np.arange(end - lengths[each], end, STRETCH) for each, end in zip(group, ends, strict=True)]
        )
        found[done : done + len(starts)] = np.maximum.reduceat(similarities, starts, axis=0)
        done += len(starts)
    return found, owners


def nearest(question: NDArray[np.float32], texts: Sequence[bytes]) -> NDArray[np.float32]:
    """`(len(texts), question tokens) float32`: the similarity of each question token to the nearest token of each text.

    A text without tokens is similar to nothing: 0.
    """
    return best_of(*stretches(question, texts), len(texts))


def best_of(rows: NDArray[np.float32], owners: NDArray[np.intp], count: int) -> NDArray[np.float32]:
    """`(count, columns)`: the largest of the rows of each owner, which stand together; 0 for one that has none."""
    found = np.zeros((count, rows.shape[1]), np.float32)
    if len(owners):
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        found[owners[starts]] = np.maximum.reduceat(rows, starts, axis=0)
    return found


def windows(rows: NDArray[np.float32], owners: NDArray[np.intp], width: int) -> NDArray[np.float32]:
    """For each stretch, the largest similarities in it and those that follow it in its text, `width` in all."""
    found = rows.copy()
    for step in range(1, min(width, len(rows))):
        same = owners[step:] == owners[:-step]
        found[:-step][same] = np.maximum(found[:-step][same], rows[step:][same])
    return found


def maxsim(question: NDArray[np.float32], weights: NDArray[np.float32], texts: Sequence[bytes]) -> NDArray[np.float32]:
    """`(len(texts),) float32`: the mean of `nearest` over the question's tokens, each by its weight `(tokens,)`.

    Weights say how much a token tells apart, such as its inverse document frequency. Zero when all of them are.
    """
    total = float(weights.sum())
    if not total:
        return np.zeros(len(texts), np.float32)
    means: NDArray[np.float32] = nearest(question, texts) @ (weights / total).astype(np.float32)
    return means


def _product(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """The matrix product in stacks of small ones, with what is left over."""
    rows = max(1, SMALL_PRODUCT // right.size)
    whole = len(left) // rows * rows
    stacked = left[:whole].reshape(-1, rows, left.shape[1]) @ right
    product: NDArray[np.float32] = np.concatenate([stacked.reshape(whole, right.shape[1]), left[whole:] @ right])
    return product


def _blocks(lengths: Iterable[int]) -> list[list[int]]:
    """Positions of texts that have tokens, in order, in groups of about `BLOCK_TOKENS`."""
    groups: list[list[int]] = [[]]
    size = 0
    for position, length in enumerate(lengths):
        if size and size + length > BLOCK_TOKENS:
            groups.append([])
            size = 0
        if length:
            groups[-1].append(position)
            size += length
    return [group for group in groups if group]
