"""Whether a built model is what it should be: its ids and vectors against ones that are known."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ricordo_e5_build.reader import Reader
from ricordo_e5_build.scripts import spells

__all__ = ["LEAST_COSINE", "OURS", "Known", "Verdict", "VerificationError", "known", "verify"]

OURS = Path(__file__).parent / "reference.jsonl"
LEAST_COSINE = 0.999


class VerificationError(RuntimeError):
    """A built file is not what it should be."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """A text, prefix included, the ids of the whole vocabulary that it should come to, and its vector."""

    text: str
    ids: tuple[int, ...]
    vector: NDArray[np.float32] | None


@dataclass(kw_only=True, slots=True)
class Verdict:
    """How many texts the vocabulary can spell, how many came to the right ids, and the cosine of each vector."""

    spelled: int = 0
    equal: int = 0
    cosines: list[float] = field(default_factory=list)

    @property
    def least(self) -> float:
        return min(self.cosines, default=1.0)


def known(path: Path) -> Iterator[Known]:
    """The texts of a file of JSON lines: `text`, `kind` (query or passage), `ids`, and for some `vector`."""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        vector = np.array(row["vector"], np.float32) if "vector" in row else None
        yield Known(text=f"{row['kind']}: {row['text'].strip()}", ids=tuple(row["ids"]), vector=vector)


def verify(reader: Reader, kept: NDArray[np.int64], rows: int, references: Sequence[Path] = (OURS,)) -> Verdict:
    """Compare with what is known. `kept` leads from the reader's ids to the whole vocabulary's, `rows` are embedded.

    Texts that need a script which was dropped are passed over. Raises VerificationError.
    """
    if not reader.tokenizer.get_vocab_size() == len(kept) == rows:
        raise VerificationError(f"{reader.tokenizer.get_vocab_size()} pieces for {rows} rows of the embedding")
    if not reader.refuses(rows):
        raise VerificationError(f"the model reads id {rows}, which is beyond its vocabulary")
    full = bool(kept[-1] + 1 == len(kept))
    verdict = Verdict()
    for text in (text for path in references for text in known(path)):
        if full or spells(reader.tokenizer.normalizer.normalize_str(text.text)):
            compare(reader, kept, text, verdict)
    if verdict.equal != verdict.spelled or verdict.least < LEAST_COSINE:
        raise VerificationError(
            f"{verdict.equal} of {verdict.spelled} texts have the right ids; the least cosine is {verdict.least:.5f}"
        )
    return verdict


def compare(reader: Reader, kept: NDArray[np.int64], text: Known, verdict: Verdict) -> None:
    """One text more in the verdict."""
    found = reader.read(text.text)
    verdict.spelled += 1
    verdict.equal += tuple(kept[found.ids].tolist()) == text.ids
    if text.vector is not None:
        verdict.cosines.append(float(found.pooled @ text.vector / np.linalg.norm(text.vector)))
