"""The encoder once more, in NumPy and float32, straight from the source's tensors: what the graph is held to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import erf, sqrt

import numpy as np
from numpy.typing import NDArray

from ricordo_e5_build.source import E5Source

Array = NDArray[np.float32]


def states(source: E5Source, ids: list[int]) -> list[Array]:
    """`(tokens, hidden)` after each layer, of one text by its old ids."""
    sizes = source.sizes
    rows = source.blocks("emb.word", sizes.hidden).values()[ids]
    rows = rows + source.floats("emb.pos").reshape(-1, sizes.hidden)[: len(ids)]
    rows = normalised(source, "emb.ln", rows + source.floats("emb.type")[: sizes.hidden])
    found = []
    for layer in range(sizes.layers):
        rows = normalised(source, f"l{layer}.aln", rows + attention(source, layer, rows))
        inner = gelu(linear(source, f"l{layer}.fi", rows))
        rows = normalised(source, f"l{layer}.oln", rows + linear(source, f"l{layer}.fo", inner))
        found.append(rows)
    return found


def token_vectors(layers: list[Array], means: Mapping[int, Array]) -> Array:
    """The sum of unit vectors of centred states, of unit length; layers count from 1."""
    return unit(np.sum([unit(layers[layer - 1] - mean) for layer, mean in means.items()], axis=0))


def without(rows: Array, directions: Sequence[Sequence[float]]) -> Array:
    """The rows less their part in the directions, of unit length."""
    along = np.array(directions, np.float32)
    return unit(rows - rows @ along.T @ along)


def unit(rows: Array) -> Array:
    scaled: Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return scaled


def pooled(rows: Array) -> Array:
    total: Array = rows.sum(axis=0)
    total /= np.linalg.norm(total)
    return total


def attention(source: E5Source, layer: int, rows: Array) -> Array:
    heads = source.sizes.heads
    query, key, value = (
        linear(source, f"l{layer}.{part}", rows).reshape(len(rows), heads, -1).transpose(1, 0, 2) for part in "qkv"
    )
    scores = query @ key.transpose(0, 2, 1) / np.float32(sqrt(query.shape[-1]))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return linear(source, f"l{layer}.ao", (weights @ value).transpose(1, 0, 2).reshape(len(rows), -1))


def linear(source: E5Source, name: str, rows: Array) -> Array:
    return rows @ source.blocks(f"{name}.w", rows.shape[1]).values().T + source.floats(f"{name}.b")


def normalised(source: E5Source, name: str, rows: Array) -> Array:
    centred = rows - rows.mean(axis=-1, keepdims=True)
    scaled: Array = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(source.sizes.epsilon))
    return scaled * source.floats(f"{name}.w") + source.floats(f"{name}.b")


def gelu(rows: Array) -> Array:
    found: Array = rows * np.float32(0.5) * (1 + np.vectorize(erf, otypes=[np.float32])(rows / sqrt(2)))
    return found
