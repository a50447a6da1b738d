"""Source code: one memory for each definition that stands at the left edge, whatever the language.

What is said between definitions (imports, constants, statements) goes together, as far as it stands together. A long
definition is cut further by the chunker, at its blank lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from ricordo.dates import STANDARD
from ricordo.memory import Json, Memory, Origin, clean
from ricordo.sources import files
from ricordo.sources.dating import written_at
from ricordo.timeparse import TimeOptions

__all__ = ["SUFFIXES", "CodeSource", "blocks"]

# Raised whenever the same file would give other memories than before.
READER = "code-1"

LANGUAGES = """
bash c cc clj cljs cpp cs cxx dart erl ex exs fish fs go gql graphql groovy h hh hpp hs java jl js jsx kt kts lua m mjs
ml mm nim nix php pl pm proto ps1 py pyi r rb rs scala sh sol sql svelte swift tcl tf ts tsx v vb vim vue zig zsh
"""
SUFFIXES = frozenset(f".{language}" for language in LANGUAGES.split())
LANGUAGE_WORDS = (
    "class|struct|interface|trait|impl|enum|union|record|object|protocol|extension|module|namespace|type|typedef"
    "|def|fn|func|fun|function|sub|proc|procedure|macro|macro_rules!|message|service|rpc|resource|data|contract"
    "|defmodule|defn|defun|instance|newtype"
)
# Words that may stand before, the word that says what it is, and its name.
DEFINITION = re.compile(
    rf"(?:[a-z@][\w()]*\s+){{0,6}}(?:{LANGUAGE_WORDS})\b[\s*&]*(?:<[^>\n]*>\s*)?"
    r"(?:\([^()\n]*\)\s*)?[\"']?([A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*)"
)
ASSIGNED = re.compile(
    r"(?:export\s+)?(?:const|let|var|val)\s+([A-Za-z_$][\w$]*)[^=\n]*=\s*(?:async\b|function\b|\(.*=>|\w+\s*=>)"
)
SQL = re.compile(
    r"CREATE\s+(?:OR\s+REPLACE\s+)?(?:(?:TEMP|TEMPORARY|UNIQUE|VIRTUAL|MATERIALIZED)\s+)?"
    r"(?:TABLE|VIEW|INDEX|FUNCTION|PROCEDURE|TRIGGER|TYPE|SCHEMA|SEQUENCE)\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    r"[\"`]?([A-Za-z_][\w.]*)",
    re.IGNORECASE,
)
# C and its like: a type, a name, parameters, and a brace or the end of the line.
TYPED = re.compile(
    r"(?!return\b|else\b|if\b|for\b|while\b|switch\b)[A-Za-z_][\w:<>,*& \t]*?[\s*&]([A-Za-z_~][\w:~]*)"
    r"\s*\([^;]*[{(,)]\s*$"
)
NAMED = (DEFINITION, ASSIGNED, SQL, TYPED)
# Lines that belong to what is above them, or to what is below.
CLOSES = re.compile(r"[)\]}]|(?:else|elif|elsif|except|rescue|catch|finally|ensure|end|fi|done|esac|then|do)\b")
QUOTES = '"""'
MOST_BETWEEN = 2000
"""Characters of what stands between definitions that are kept together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CodeSource:
    """A file of source code. `now` dates its memories."""

    path: Path
    now: datetime
    zone: tzinfo = UTC
    options: TimeOptions = STANDARD

    @property
    def origin(self) -> Origin:
        return files.origin(self.path, "code", self.path.name)

    def revision(self) -> str:
        return files.revision(self.path, READER, self.zone, self.options)

    def memories(self) -> Iterator[Memory]:
        """One for each definition, and for what stands between two, in order."""
        written = files.read(self.path)
        origin = self.origin
        said = written_at(self.path, written.data, self.now)
        seen: set[str] = set()
        for name, text in blocks(written.text):
            memory = Memory(
                text=text,
                origin=origin,
                created_at=self.now,
                updated_at=self.now,
                context=clean("/".join(self.path.parts[-2:]).lstrip("/")),
                position=len(seen),
                metadata=written.metadata | _symbol(name),
            )
            if memory.id not in seen:
                seen.add(memory.id)
                yield memory.happened(said)


def _symbol(name: str | None) -> dict[str, Json]:
    return {"symbol": name} if name else {}


def blocks(text: str) -> Iterator[tuple[str | None, str]]:
    """(name of what is defined, text) of each definition, and (None, text) of what stands between two, in order."""
    between = ""
    for paragraph in _paragraphs(text):
        name = _name(paragraph)
        if between and (name or len(between) + len(paragraph) > MOST_BETWEEN):
            yield None, between
            between = ""
        if name:
            yield name, paragraph
        else:
            between = f"{between}\n\n{paragraph}" if between else paragraph
    if between:
        yield None, between


def _paragraphs(text: str) -> Iterator[str]:
    """The text parted at blank lines that something at the left edge follows, outside of quoted paragraphs."""
    gathered: list[str] = []
    blank, quoted = False, False
    for line in text.split("\n"):
        if gathered and blank and not quoted and line[:1].strip() and not CLOSES.match(line):
            yield "\n".join(gathered).rstrip()
            gathered = []
        if gathered or line.strip():
            gathered.append(line)
        blank = not line.strip()
        quoted ^= line.count(QUOTES) % 2 == 1
    if gathered:
        yield "\n".join(gathered).rstrip()


def _name(paragraph: str) -> str | None:
    """The name of the first thing that the paragraph defines at the left edge."""
    for line in paragraph.split("\n"):
        if line[:1].strip() and len(line) < MOST_BETWEEN:
            found = next((match[1] for form in NAMED if (match := form.match(line))), None)
            if found:
                return found
    return None
