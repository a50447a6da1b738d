"""Exact vector search in memory, kept in step with the file by its growing keys.

One matrix for each namespace and embedder fingerprint, filled on first use. Before each search it takes in
what any process has written since (new vectors, and chunks that were forgotten, superseded or moved), which
costs three look-ups when nothing has changed.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ricordo.query import EVERYTHING, Filters, Variant
from ricordo.stores.sqlite.rows import filter_values
from ricordo.stores.sqlite.session import Session

__all__ = ["VectorIndex"]

Rows: TypeAlias = NDArray[np.intp]

PAGE = 4096
NEAREST_FIRST = 16  # times as many as are wanted are tried against the filters first
SAME = 1e-6  # cosines closer than this are a tie: float32 sums differ by the kernel that made them


@dataclass(slots=True)
class _Matrix:
    """Vectors of one namespace by one embedder. Rows are only ever appended; what is gone is masked out.

    `rows` is `(capacity, dimension) float32`, of which the first `count` are in use; `keys` are chunk keys.
    """

    rows: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    keys: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    present: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
    current: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
    count: int = 0
    last_vector: int = 0
    last_change: int = 0
    generation: int = 0

    def append(self, keys: list[int], vectors: NDArray[np.float32], current: list[bool]) -> None:
        end = self.count + len(keys)
        if end > len(self.keys):
            self._grow(max(end, 2 * len(self.keys), 256), vectors.shape[1])
        self.rows[self.count : end] = vectors
        self.keys[self.count : end] = keys
        self.present[self.count : end] = True
        self.current[self.count : end] = current
        self.count = end

    def _grow(self, capacity: int, dimension: int) -> None:
        rows = np.empty((capacity, dimension), np.float32)
        if self.count:
            rows[: self.count] = self.rows[: self.count]
        self.rows = rows
        self.keys = np.resize(self.keys, capacity)
        self.present = np.resize(self.present, capacity)
        self.current = np.resize(self.current, capacity)

    def change(self, state: Mapping[int, tuple[bool, bool]]) -> None:
        keys = self.keys[: self.count]
        for row in np.flatnonzero(np.isin(keys, np.fromiter(state, np.int64, len(state)))):
            self.present[row], self.current[row] = state[int(keys[row])]

    def compact(self) -> None:
        """Drop masked rows once they are a quarter of the matrix."""
        keep = np.flatnonzero(self.present[: self.count])
        if self.count - len(keep) <= self.count // 4:
            return
        self.rows = self.rows[keep]
        self.keys = self.keys[keep]
        self.current = self.current[keep]
        self.present = np.ones(len(keep), np.bool_)
        self.count = len(keep)


class VectorIndex:
    """The matrices of one store in one process."""

    def __init__(self) -> None:
        self._matrices: dict[tuple[int, str], _Matrix] = {}
        self._lock = threading.Lock()

    def search(self, session: Session, variant: Variant, filters: Filters, limit: int) -> list[tuple[int, float]]:
        """Chunk keys with their cosines, best first; all that tie with the last one are included."""
        with self._lock:
            matrix = self._caught_up(session, variant.fingerprint)
            scores = matrix.rows[: matrix.count] @ variant.vector if matrix.count else np.empty(0, np.float32)
            keys = matrix.keys[: matrix.count]
            old_too = filters.superseded or filters.as_of is not None
            allowed = (matrix.present if old_too else matrix.present & matrix.current)[: matrix.count]
            rows = np.flatnonzero(allowed & (scores >= variant.floor))
        if filters not in (EVERYTHING, Filters(superseded=True)):
            rows = _filtered(session, filters, keys, scores, rows, limit)
        rows = _best(scores, rows, limit)
        return sorted(((int(keys[row]), float(scores[row])) for row in rows), key=lambda found: -found[1])

    def _caught_up(self, session: Session, fingerprint: str) -> _Matrix:
        key = (session.namespace, fingerprint)
        generation = _number(session.one("generation"))
        matrix = self._matrices.setdefault(key, _Matrix(generation=generation))
        if matrix.generation != generation or (matrix.count and _is_gone(session, matrix, fingerprint)):
            matrix = self._matrices[key] = _Matrix(generation=generation)
        last_change = _number(session.one("last_change"))
        last_vector = _number(session.one("last_vector"))
        # Changes first: a vector read below already tells its chunk's present state.
        if last_change > matrix.last_change:
            if matrix.count:
                _take_changes(session, matrix)
            matrix.last_change = last_change
        if last_vector > matrix.last_vector:
            _take_vectors(session, matrix, fingerprint)
            matrix.last_vector = last_vector
        return matrix


def _is_gone(session: Session, matrix: _Matrix, fingerprint: str) -> bool:
    """Whether none of the vectors that the matrix was made of is left: they are dropped together, if at all."""
    first = _number(session.one("first_vector", fingerprint=fingerprint))
    return first == 0 or first > matrix.last_vector


def _take_changes(session: Session, matrix: _Matrix) -> None:
    found = session.all("changed_chunks", after=matrix.last_change)
    matrix.change({row["chunk"]: (bool(row["present"]), bool(row["current"])) for row in found})
    matrix.compact()


def _take_vectors(session: Session, matrix: _Matrix, fingerprint: str) -> None:
    values = {"namespace": session.namespace, "fingerprint": fingerprint, "after": matrix.last_vector}
    cursor = session.connection.execute(session.sql["new_vectors"], values)
    while page := cursor.fetchmany(PAGE):
        vectors = np.frombuffer(b"".join(row["vector"] for row in page), "<f2").reshape(len(page), -1)
        keys = [row["chunk"] for row in page]
        matrix.append(keys, vectors.astype(np.float32), [bool(row["current"]) for row in page])


def _best(scores: NDArray[np.float32], rows: Rows, limit: int) -> Rows:
    """The `limit` best of the rows, and all that tie with the last of them."""
    if len(rows) <= limit:
        return rows
    least = np.partition(scores[rows], len(rows) - limit)[len(rows) - limit]
    best: Rows = rows[scores[rows] >= least - SAME]
    return best


def _filtered(
    session: Session, filters: Filters, keys: NDArray[np.int64], scores: NDArray[np.float32], rows: Rows, limit: int
) -> Rows:
    """Those of the rows that pass the filters, or at least as many of the best of them as are wanted.

    Most filters let enough of the best through; only for the others the whole namespace is asked.
    """
    values = filter_values(filters)
    nearest = _best(scores, rows, NEAREST_FIRST * limit)
    among = session.all("allowed_among", keys=json.dumps(keys[nearest].tolist()), **values)
    passing: Rows = nearest[np.isin(keys[nearest], _keys(among))]
    if len(passing) >= limit or len(nearest) == len(rows):
        return passing
    passing = rows[np.isin(keys[rows], _keys(session.all("allowed_chunks", **values)))]
    return passing


def _keys(rows: list[sqlite3.Row]) -> NDArray[np.int64]:
    return np.fromiter((row[0] for row in rows), np.int64, len(rows))


def _number(row: sqlite3.Row | None) -> int:
    return int(row[0]) if row else 0
