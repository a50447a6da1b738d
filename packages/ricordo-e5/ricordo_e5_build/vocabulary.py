"""The pieces that are kept, and how their new ids lead back to the old ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ricordo_e5_build.scripts import spells
from ricordo_e5_build.source import E5Source

__all__ = ["MASK", "SPECIAL", "Vocabulary", "choose"]

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
"""The first ids, in every vocabulary."""

MASK = "<mask>"
"""A piece of the training alone, the last one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Vocabulary:
    """Pieces and scores by new id. `kept` holds the old id of each, `(pieces,) int64`, rising."""

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    kept: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.pieces)


def choose(source: E5Source, *, full: bool) -> Vocabulary:
    """All pieces, or those alone that the kept scripts can spell. Never MASK, which text could otherwise match."""
    kept = [
        at for at, piece in enumerate(source.pieces) if at < len(SPECIAL) or (piece != MASK and (full or spells(piece)))
    ]
    return Vocabulary(
        pieces=tuple(source.pieces[at] for at in kept),
        scores=tuple(source.scores[at] for at in kept),
        kept=np.array(kept, np.int64),
    )
