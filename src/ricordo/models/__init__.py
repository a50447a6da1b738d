"""Models by name. Nothing here loads one: that happens when an embedder is first asked for vectors."""

from __future__ import annotations

from dataclasses import dataclass

from ricordo.errors import InvalidInput, ModelError
from ricordo.models.catalog import DEFAULT, MODELS, ModelSpec, paths
from ricordo.models.embedder import OnnxEmbedder
from ricordo.protocols import Embedder

__all__ = ["AUTO", "NONE", "Choice", "choose_embedder", "load_embedder"]

AUTO = "auto"
NONE = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """The embedder that `auto` came to, or None and the reason why."""

    embedder: Embedder | None
    reason: str | None = None


def load_embedder(name: str, *, threads: int = 0) -> Embedder | None:
    """The embedder of this name; None for `none`. `auto` is left to `choose_embedder`.

    Raises ModelError when a file of the model is not there, InvalidInput when no model has the name.
    """
    if name == NONE:
        return None
    spec = MODELS.get(name)
    if spec is None:
        known = ", ".join((AUTO, NONE, *sorted(MODELS)))
        raise InvalidInput(f"no embedder is named {name!r}; known are {known}")
    paths(spec)
    return OnnxEmbedder(spec, threads=threads)


def choose_embedder(*, threads: int = 0, spec: ModelSpec = DEFAULT) -> Choice:
    """What `auto` means: the model's embedder when its files are there, otherwise none, and why. Loads nothing."""
    try:
        paths(spec)
    except ModelError as error:
        return Choice(embedder=None, reason=str(error))
    return Choice(embedder=OnnxEmbedder(spec, threads=threads))
