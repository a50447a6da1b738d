"""What is said of a model in its row, and making a row ready: its files found, their hashes known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias, overload

from ricordo.errors import ModelError
from ricordo.models.files import ModelFile
from ricordo.protocols import Floors

__all__ = ["CrossEncoderSpec", "ModelSpec", "Pooling", "Spec", "TokenSpec", "located", "paths", "ready"]

Pooling: TypeAlias = Literal["mean", "cls", "output"]
"""How token states become a vector: their mean, the first of them, or the model does it itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenSpec:
    """Where the token vectors of a model come from: the layers, counted from 1, and the output that gives them.

    An output that is `centred` has taken off each layer's mean over text of many kinds: what all tokens share
    says nothing of any of them. That of several layers is the sum of their unit vectors.
    """

    layers: tuple[int, ...]
    output: str
    centred: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSpec:
    """One encoder: its files, and how its vectors are made.

    `max_tokens` is what one pass of the model reads, of which `reserved_tokens` go to special tokens and
    the longer prefix. A model that pools by itself does so in its first output of a vector a text, or in
    `output`. Prefixes are what the model was trained to see before questions and passages.
    `normalisation` says what is done to a text first. A model is not `batched` when its activations are
    quantised over a whole pass: a text's vector would depend on its company, so each goes alone.
    """

    name: str
    model: ModelFile
    tokenizer: ModelFile
    others: tuple[ModelFile, ...] = ()
    quantisation: str
    pooling: Pooling
    output: str = ""
    dimension: int
    max_tokens: int
    reserved_tokens: int
    floors: Floors
    languages: tuple[str, ...]
    query_prefix: str = ""
    passage_prefix: str = ""
    normalisation: Literal["none", "nfc"] = "none"
    tokens: TokenSpec | None = None
    batched: bool = True

    @property
    def files(self) -> tuple[ModelFile, ...]:
        return (self.model, self.tokenizer, *self.others)

    @property
    def revision(self) -> str:
        """The beginnings of the names of what makes a vector: a file that makes another is another revision."""
        return "-".join(_beginning(file.revision) for file in self.files)

    @property
    def fingerprint(self) -> str:
        """All that two vectors must have in common to be compared."""
        parts = [self.name, self.revision, self.quantisation, self.output or self.pooling, str(self.dimension)]
        if self.normalisation != "none":
            parts.append(self.normalisation)
        if self.query_prefix or self.passage_prefix:
            parts += (self.query_prefix, self.passage_prefix)
        return "/".join(parts)

    @property
    def token_fingerprint(self) -> str | None:
        """All that two token vectors must have in common to be compared; None when the model gives none."""
        if self.tokens is None:
            return None
        layers = "+".join(map(str, self.tokens.layers))
        # Means are in the model's file, and so in its hash, which may differ where the pooled vectors are the same.
        centring = _beginning(self.model.sha256) if self.tokens.centred else "uncentred"
        return f"{self.fingerprint}/tokens/{layers}/{centring}"

    def settled(self) -> ModelSpec:
        """The row with the hashes of its files, which are there. Raises ModelError."""
        others = tuple(file.settled() for file in self.others)
        return replace(self, model=self.model.settled(), tokenizer=self.tokenizer.settled(), others=others)


@dataclass(frozen=True, kw_only=True, slots=True)
class CrossEncoderSpec:
    """One cross-encoder: its files, and how much it reads of a question and a passage together."""

    name: str
    model: ModelFile
    tokenizer: ModelFile
    others: tuple[ModelFile, ...] = ()
    quantisation: str
    max_tokens: int
    languages: tuple[str, ...]
    batched: bool = True

    @property
    def files(self) -> tuple[ModelFile, ...]:
        return (self.model, self.tokenizer, *self.others)

    def settled(self) -> CrossEncoderSpec:
        """The row with the hashes of its files, which are there. Raises ModelError."""
        others = tuple(file.settled() for file in self.others)
        return replace(self, model=self.model.settled(), tokenizer=self.tokenizer.settled(), others=others)


Spec: TypeAlias = ModelSpec | CrossEncoderSpec


@overload
def ready(spec: ModelSpec) -> ModelSpec: ...


@overload
def ready(spec: CrossEncoderSpec) -> CrossEncoderSpec: ...


def ready(spec: Spec) -> Spec:
    """The row with the hashes of its files filled in. Loads nothing.

    Raises ModelError, which names the fix, when a file is not there.
    """
    paths(spec)
    return spec.settled()


def paths(spec: Spec) -> tuple[Path, ...]:
    """Where the model, its tokenizer and its other files lie. Looks, but does not read.

    Raises ModelError, which names the fix, when one of them is not there.
    """
    return tuple(located(spec.name, file) for file in spec.files)


def located(name: str, file: ModelFile) -> Path:
    """Where one file of a model lies. Raises ModelError."""
    path = file.path()
    if path is None:
        raise ModelError(f"{name} needs {file.name}, whose package is not installed; {file.mend}")
    if not path.is_file():
        raise ModelError(f"{name} needs {path}, which does not exist; {file.mend}")
    return path


def _beginning(digest: str | None) -> str:
    return (digest or "unknown")[:8]
