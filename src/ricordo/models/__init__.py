"""Models by name. Nothing here loads one: that happens when an embedder is first asked for vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ricordo.errors import InvalidInput, ModelError
from ricordo.models.catalog import DEFAULTS, ENCODERS, RERANKERS
from ricordo.models.embedder import OnnxEmbedder
from ricordo.models.specs import ModelSpec, ready
from ricordo.protocols import Embedder, Reranker

if TYPE_CHECKING:
    from ricordo.models.specs import CrossEncoderSpec

__all__ = [
    "AUTO",
    "NONE",
    "Choice",
    "choose_embedder",
    "find_encoder",
    "find_reranker",
    "load_embedder",
    "load_reranker",
]

AUTO = "auto"
NONE = "none"
LOCAL = "local:"


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """The embedder that `auto` came to, or None and the reason why."""

    embedder: Embedder | None
    reason: str | None = None


def load_embedder(name: str, *, threads: int = 0) -> Embedder | None:
    """The embedder of this name; None for `none`. `auto` is left to `choose_embedder`.

    `local:FOLDER` is an ONNX export in a folder. Nothing is downloaded.
    Raises ModelError when a file of the model is not there, InvalidInput when no model has the name.
    """
    if name == NONE:
        return None
    return OnnxEmbedder(ready(find_encoder(name)), threads=threads)


def find_encoder(name: str) -> ModelSpec:
    """The row of an encoder. Raises InvalidInput, and ModelError for a folder that holds no model."""
    if name.startswith(LOCAL):
        from ricordo.models.local import local_encoder

        return local_encoder(name.removeprefix(LOCAL))
    spec = ENCODERS.get(name)
    if spec is None:
        known = ", ".join((AUTO, NONE, *ENCODERS, f"{LOCAL}FOLDER"))
        raise InvalidInput(f"no embedder is named {name!r}; known are {known}")
    return spec


def choose_embedder(*, threads: int = 0, specs: Sequence[ModelSpec] = DEFAULTS) -> Choice:
    """What `auto` means: the first of the models whose files are there, otherwise none, and why. Loads nothing."""
    reasons = []
    for spec in specs:
        try:
            return Choice(embedder=OnnxEmbedder(ready(spec), threads=threads))
        except ModelError as error:
            reasons.append(str(error))
    return Choice(embedder=None, reason="; ".join(reasons))


def load_reranker(name: str, *, threads: int = 0) -> Reranker:
    """The cross-encoder of this name. Nothing is downloaded.

    Raises ModelError when a file of the model is not there, InvalidInput when no model has the name.
    """
    from ricordo.models.reranker import OnnxReranker

    return OnnxReranker(ready(find_reranker(name)), threads=threads)


def find_reranker(name: str) -> CrossEncoderSpec:
    """The row of a cross-encoder. Raises InvalidInput, and ModelError for a folder that holds no model."""
    if name.startswith(LOCAL):
        from ricordo.models.local import local_cross_encoder

        return local_cross_encoder(name.removeprefix(LOCAL))
    spec = RERANKERS.get(name)
    if spec is None:
        known = ", ".join((NONE, *RERANKERS, f"{LOCAL}FOLDER"))
        raise InvalidInput(f"no reranker is named {name!r}; known are {known}")
    return spec
