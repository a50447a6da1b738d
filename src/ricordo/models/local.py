"""A model in a folder of its owner: an ONNX export with its tokenizer and its configuration.

model.onnx or onnx/model.onnx     the graph
tokenizer.json                    as the `tokenizers` library reads it
config.json                       hidden_size, max_position_embeddings, num_hidden_layers
ricordo.json                      optional: what a configuration does not say, see `SAID`
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ricordo.errors import ModelError
from ricordo.models.digests import sha256_of
from ricordo.models.files import ModelFile
from ricordo.models.specs import CrossEncoderSpec, ModelSpec
from ricordo.protocols import Floors

__all__ = ["FolderFile", "local_cross_encoder", "local_encoder"]

SAID: Mapping[str, type] = {
    "pooling": str,
    "query_prefix": str,
    "passage_prefix": str,
    "normalisation": str,
    "reserved_tokens": int,
    "max_tokens": int,
    "batched": bool,
    "recall_floor": float,
    "context_floor": float,
}
"""What `ricordo.json` may say, and of which type."""

CHOICES: Mapping[str, tuple[str, ...]] = {"pooling": ("mean", "cls", "output"), "normalisation": ("none", "nfc")}

FLOORS = Floors(recall=0.2, context=0.3)
"""Loose, because nothing is known of the model: a floor that is too high hides everything."""

PAIR_TOKENS = 512


@dataclass(frozen=True, kw_only=True, slots=True)
class FolderFile:
    """A file in a folder; its hash is what is found when the model is chosen."""

    name: str
    folder: Path
    sha256: str | None = None

    @property
    def revision(self) -> str | None:
        return self.sha256

    @property
    def licence(self) -> str:
        return "unknown"

    @property
    def work(self) -> str:
        return str(self.folder)

    @property
    def packaging(self) -> str:
        return "local"

    @property
    def mend(self) -> str:
        return f"put {self.name} into {self.folder}, or name another folder"

    def path(self) -> Path | None:
        return self.folder / self.name

    def settled(self) -> ModelFile:
        return replace(self, sha256=sha256_of(self.folder / self.name, self.mend))


def local_encoder(folder: str) -> ModelSpec:
    """The row of the encoder in a folder. Raises ModelError, which names what is missing or wrong."""
    place = Path(folder).expanduser().absolute()
    config, said = _config(place), _said(place)
    recall = said.pop("recall_floor", FLOORS.recall)
    return ModelSpec(
        name=f"local:{place.name}",
        model=_graph(place),
        tokenizer=FolderFile(name="tokenizer.json", folder=place),
        quantisation="local",
        dimension=_number(place, config, "hidden_size"),
        floors=Floors(recall=recall, context=said.pop("context_floor", max(recall, FLOORS.context))),
        languages=(),
        **{
            "pooling": "mean",
            "max_tokens": _number(place, config, "max_position_embeddings"),
            "reserved_tokens": 2,
            **said,
        },
    )


def local_cross_encoder(folder: str) -> CrossEncoderSpec:
    """The row of the cross-encoder in a folder. Raises ModelError."""
    place = Path(folder).expanduser().absolute()
    config, said = _config(place), _said(place)
    limit = said.get("max_tokens", min(PAIR_TOKENS, _number(place, config, "max_position_embeddings")))
    return CrossEncoderSpec(
        name=f"local:{place.name}",
        model=_graph(place),
        tokenizer=FolderFile(name="tokenizer.json", folder=place),
        quantisation="local",
        max_tokens=limit,
        languages=(),
        batched=said.get("batched", True),
    )


def _graph(folder: Path) -> FolderFile:
    nested = "onnx/model.onnx"
    name = nested if not (folder / "model.onnx").is_file() and (folder / nested).is_file() else "model.onnx"
    return FolderFile(name=name, folder=folder)


def _config(folder: Path) -> Mapping[str, Any]:
    path = folder / "config.json"
    if not path.is_file():
        raise ModelError(
            f"{folder} holds no model: {path} does not exist; a model's folder has model.onnx, tokenizer.json "
            f"and config.json, as an ONNX export writes them"
        )
    return _object(path)


def _said(folder: Path) -> dict[str, Any]:
    path = folder / "ricordo.json"
    said = dict(_object(path)) if path.is_file() else {}
    for name, value in said.items():
        kind = SAID.get(name)
        if kind is None:
            raise ModelError(f"{path}: {name} is not known; known are {', '.join(SAID)}")
        if type(value) is not kind or value not in CHOICES.get(name, (value,)):
            wanted = " or ".join(CHOICES.get(name, (f"a {kind.__name__}",)))
            raise ModelError(f"{path}: {name} must be {wanted}, not {value!r}")
    return said


def _object(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise ModelError(f"{path} is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise ModelError(f"{path} holds no JSON object")
    return content


def _number(folder: Path, config: Mapping[str, Any], name: str) -> int:
    value = config.get(name)
    if type(value) is not int or value < 1:
        raise ModelError(f"{folder / 'config.json'}: {name} must be a whole number of at least 1, not {value!r}")
    return value
