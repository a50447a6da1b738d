"""Where an assistant works, which says whose memory is meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ricordo.projects import Scope

__all__ = ["Workplace"]

PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"


@dataclass(frozen=True, kw_only=True, slots=True)
class Workplace:
    """The project that the assistant names, the directory that it works in, and the namespaces that are set.

    `personal` is that of the settings; `asked` the one that was asked for, in place of the project's.
    """

    personal: str
    asked: str | None = None
    project: str | None = None
    directory: str | None = None

    def scope(self) -> Scope:
        """The namespaces to search and to write to: the project's and the personal one, or the one asked for alone."""
        from pathlib import Path

        from ricordo.projects import PERSONAL, directory_of, scope_of

        named = {PROJECT_VARIABLE: self.project} if self.project else {}
        place = directory_of(named, (), Path(self.directory or "/")) if self.directory or named else None
        also = () if self.asked else (PERSONAL,)
        return scope_of(personal=self.personal, directory=place, asked=self.asked, also=also)

    def document(self) -> dict[str, str | None]:
        """As JSON may carry it."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: object) -> Workplace:
        """From what `document` gave; what is missing is unknown. Raises ValueError without a personal namespace."""
        given = document if isinstance(document, Mapping) else {}
        texts = {name: given[name] for name in cls.__slots__ if isinstance(given.get(name), str)}
        if "personal" not in texts:
            raise ValueError("a workplace without a namespace")
        return cls(**texts)
