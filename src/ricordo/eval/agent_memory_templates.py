"""The templates that the agent-memory benchmark is written from: one data file for each split, and one of words."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

__all__ = ["LANGUAGES", "SPLITS", "Pattern", "Templates", "load_templates"]

LANGUAGES = ("en", "ru")
SPLITS = ("dev", "test")

Phrases = Mapping[str, Sequence[str]]
"""Phrases by language."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """Ways to tell one thing and ways to ask for it, by language; for identifiers, also how they are formed."""

    kind: str
    told: Phrases
    asked: Phrases
    identifier: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Templates:
    """All of one split. A name's and a person's forms are slots by language."""

    styles: Phrases
    tails: Phrases
    noise: Phrases
    filler: Phrases
    collisions: Phrases
    words: Mapping[str, Phrases]
    services: Sequence[str]
    people: Sequence[Mapping[str, str]]
    names: Sequence[Mapping[str, Mapping[str, str]]]
    identifiers: Sequence[Pattern]
    attributes: Sequence[Pattern]
    events: Sequence[Pattern]
    frames: Sequence[Pattern] = field(default=())


def load_templates(split: str) -> Templates:
    """The templates of a split of `SPLITS`."""
    found = _read(f"agent_memory_{split}.toml")
    return Templates(
        **{name: found[name] for name in ("styles", "tails", "noise", "filler", "collisions")},
        words=_read("agent_memory_words.toml"),
        services=found["services"]["names"],
        people=[
            {language: f"{first[place]} {last[place]}" for place, language in enumerate(LANGUAGES)}
            for first in found["people"]["first"]
            for last in found["people"]["last"]
        ],
        names=[_name(row) for row in found["name"]],
        identifiers=[_pattern(row, row["kind"], row["pattern"]) for row in found["identifier"]],
        attributes=[_pattern(row, "project") for row in found["attribute"]],
        events=[_pattern(row, "event") for row in found["event"]],
        frames=[_pattern(row, "person") for row in found["frame"]],
    )


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("ricordo.eval") / "data" / name).read_text(encoding="utf-8"))


def _pattern(row: Mapping[str, Any], kind: str, identifier: str = "") -> Pattern:
    return Pattern(
        kind=kind,
        told={language: row[language] for language in LANGUAGES},
        asked={language: row[f"ask_{language}"] for language in LANGUAGES},
        identifier=identifier,
    )


def _name(row: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    nominative, genitive, _ = row["ru"]
    return {
        "en": {"name": row["en"], "thing_en": row["thing_en"]},
        "ru": {"name": nominative, "gen": genitive, "thing_ru": row["thing_ru"]},
    }
