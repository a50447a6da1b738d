"""Cutting long texts into windows, and grouping windows into passes of a model; pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

__all__ = ["passes", "windows"]


def windows(tokens: Sequence[int], size: int) -> list[Sequence[int]]:
    """The tokens in as few windows of at most `size` as will hold them, none more than a token longer than another.

    Even windows, because a short remainder would be read without its surroundings. No tokens are one empty window.
    """
    count = max(1, -(-len(tokens) // size))
    edges = [len(tokens) * number // count for number in range(count + 1)]
    return [tokens[start:end] for start, end in pairwise(edges)]


def passes(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Group positions, shortest first, so that a group padded to its longest stays within `budget` tokens.

    A window longer than the budget goes alone.
    """
    group: list[int] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        if group and (len(group) + 1) * lengths[position] > budget:
            yield group
            group = []
        group.append(position)
    if group:
        yield group
