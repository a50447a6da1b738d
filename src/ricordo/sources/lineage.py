"""Which records of a log that people edited, retried and wound back lie on the branch that stands; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Link", "abandoned", "ancestry"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """A record and the one it follows. `before` is what it follows where a log was cut and went on."""

    id: str
    parent: str | None
    before: str | None = None


def ancestry(leaf: str | None, parents: Mapping[str, str | None]) -> list[str]:
    """The ids from the root to the leaf; a circle, and a parent that is not there, end it."""
    path: dict[str, None] = {}
    while leaf is not None and leaf in parents and leaf not in path:
        path[leaf] = None
        leaf = parents[leaf]
    return list(path)[::-1]


def abandoned(links: Sequence[Link], leaf: str | None) -> frozenset[str]:
    """The ids of records that follow one on the way to the leaf, but do not lie on it.

    `links` stand in the order of the log, `leaf` is the one that the conversation ends with. A record whose parent is
    not there follows the one above it. What leads to another root was not left for this branch, and stands.
    """
    parents = _parents(links)
    standing: dict[str, bool] = dict.fromkeys(ancestry(leaf, parents), True)
    kept = frozenset(standing)
    for link in links:
        climbed: list[str] = []
        current: str | None = link.id
        while current is not None and current not in standing:
            standing[current] = True
            climbed.append(current)
            current = parents.get(current)
        side = current in kept or (current is not None and not standing[current])
        for each in climbed:
            standing[each] = not side
    return frozenset(each for each, stands in standing.items() if not stands)


def _parents(links: Iterable[Link]) -> dict[str, str | None]:
    known = {link.id for link in links}
    parents: dict[str, str | None] = {}
    above: str | None = None
    for link in links:
        parent = link.parent or link.before
        if parent is not None and parent not in known:
            parent = link.before if link.before in known else above
        parents[link.id] = parent if parent != link.id else None
        above = link.id
    return parents
