"""The vocabulary as a file of the `tokenizers` library: a Unigram model with the normalisation it was trained on.

That normalisation is NFKC but for control characters, which go, characters read as a space, and FULLWIDTH TILDE.
Said so, and not as the table of single code points that the source holds, it also composes what comes decomposed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ricordo_e5_build.vocabulary import SPECIAL, Vocabulary

__all__ = ["PREFIX_MARK", "tokenizer_json"]

PREFIX_MARK = "▁"
"""Stands for the space before a word."""

TILDE = "～"
STAND_IN = "\ufdd0"
"""A code point that is no character, for TILDE while NFKC passes."""


def tokenizer_json(vocabulary: Vocabulary, normalisation: Mapping[str, str]) -> bytes:
    """The file, the same to the byte for the same vocabulary."""
    document: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": normalizer(normalisation),
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "WhitespaceSplit"},
                {"type": "Metaspace", "replacement": PREFIX_MARK, "prepend_scheme": "always", "split": True},
            ],
        },
        "post_processor": frame(),
        "decoder": {"type": "Metaspace", "replacement": PREFIX_MARK, "prepend_scheme": "always", "split": True},
        "model": {
            "type": "Unigram",
            "unk_id": SPECIAL.index("<unk>"),
            "vocab": list(zip(map(reachable, vocabulary.pieces), vocabulary.scores, strict=True)),
            "byte_fallback": False,
        },
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def reachable(piece: str) -> str:
    """The piece as the model should match it. No text may spell a special piece: `<s>` is HTML, too.

    A space in it sees to that, since words are split at spaces before the model sees them.
    """
    return f"{piece} " if piece in SPECIAL else piece


def normalizer(normalisation: Mapping[str, str]) -> dict[str, Any]:
    """NFKC, and before it what the table says otherwise."""
    removed = [point for point, text in normalisation.items() if not text]
    spaces = [point for point, text in normalisation.items() if text == " "]
    return {
        "type": "Sequence",
        "normalizers": [
            replace({"Regex": character_class(removed)}, ""),
            replace({"Regex": character_class(spaces)}, " "),
            replace({"String": TILDE}, STAND_IN),
            {"type": "NFKC"},
            replace({"String": STAND_IN}, TILDE),
        ],
    }


def replace(pattern: Mapping[str, str], content: str) -> dict[str, Any]:
    """One step of a normalizer."""
    return {"type": "Replace", "pattern": dict(pattern), "content": content}


def character_class(characters: Iterable[str]) -> str:
    """A regular expression for any one of the characters."""
    return "[" + "".join(re.escape(character) for character in sorted(characters)) + "]"


def frame() -> dict[str, Any]:
    """Puts `<s>` before and `</s>` after."""

    def special(name: str) -> dict[str, Any]:
        return {"SpecialToken": {"id": name, "type_id": 0}}

    def text(name: str) -> dict[str, Any]:
        return {"Sequence": {"id": name, "type_id": 0}}

    return {
        "type": "TemplateProcessing",
        "single": [special("<s>"), text("A"), special("</s>")],
        "pair": [special("<s>"), text("A"), special("</s>"), text("B"), special("</s>")],
        "special_tokens": {
            name: {"id": name, "ids": [SPECIAL.index(name)], "tokens": [name]} for name in ("<s>", "</s>")
        },
    }
