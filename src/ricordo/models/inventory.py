"""Which of the known models are here, whether they are whole, and taking downloaded ones away again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ricordo.errors import InvalidInput, ModelError
from ricordo.models import LOCAL, find_encoder
from ricordo.models.catalog import ENCODERS, RERANKERS
from ricordo.models.digests import verify
from ricordo.models.hub import HubFile, hub_folder
from ricordo.models.specs import ModelSpec, Spec, paths, ready

__all__ = ["Standing", "check", "find_model", "known_models", "look", "makers", "remove"]

State = Literal["here", "absent", "damaged"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """How a model stands: its row, with the hashes of its files where it is here; else what is wrong.

    One that is damaged is here in part: another of its files, or what tells their hashes, is missing or changed.
    """

    spec: Spec
    state: State
    size: int = 0
    problem: str | None = None


def known_models() -> Iterator[Spec]:
    """Every row, encoders first."""
    yield from ENCODERS.values()
    yield from RERANKERS.values()


def find_model(name: str) -> Spec:
    """The row of this name, whatever it is for. Raises InvalidInput, and ModelError for a folder without a model."""
    if name.startswith(LOCAL):
        return find_encoder(name)
    for spec in known_models():
        if spec.name == name:
            return spec
    known = ", ".join((*(spec.name for spec in known_models()), f"{LOCAL}FOLDER"))
    raise InvalidInput(f"no model is named {name!r}; known are {known}")


def look(spec: Spec) -> Standing:
    """Whether the files are here; reads none of them."""
    try:
        found = ready(spec)
        return Standing(spec=found, state="here", size=sum(path.stat().st_size for path in paths(found)))
    except ModelError as error:
        path = spec.model.path()
        state: State = "damaged" if path is not None and path.is_file() else "absent"
        return Standing(spec=spec, state=state, problem=str(error))


def makers() -> dict[str, str]:
    """Fingerprints of the vectors and token vectors that models which are here make → the models' names."""
    standings = map(look, ENCODERS.values())
    here = [each.spec for each in standings if each.state == "here" and isinstance(each.spec, ModelSpec)]
    made = ((fingerprint, spec.name) for spec in here for fingerprint in (spec.fingerprint, spec.token_fingerprint))
    return {fingerprint: name for fingerprint, name in made if fingerprint is not None}


def check(spec: Spec) -> Standing:
    """The same, every file read and held against its hash."""
    standing = look(spec)
    if standing.state != "here":
        return standing
    try:
        for file, path in zip(standing.spec.files, paths(standing.spec), strict=True):
            verify(file, path)
    except ModelError as error:
        return Standing(spec=standing.spec, state="damaged", size=standing.size, problem=str(error))
    return standing


def remove(spec: Spec) -> bool:
    """Delete a downloaded model, what is unfinished of it, and its lock. Whether there was one.

    Raises InvalidInput for a model that was not downloaded, ModelError when it cannot be deleted.
    """
    if not isinstance(spec.model, HubFile):
        raise InvalidInput(f"{spec.name} was not downloaded by ricordo; only what `ricordo models fetch` brought goes")
    folder = hub_folder(spec.model.repository)
    if not folder.is_dir():
        return False
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise ModelError(f"cannot delete {folder}: {error.strerror or error}") from error
    return True
