from __future__ import annotations

import json

import pytest
from tokenizers import Tokenizer

from ricordo_e5_build.scripts import spells
from ricordo_e5_build.source import read
from ricordo_e5_build.tokenizer import tokenizer_json
from ricordo_e5_build.vocabulary import choose
from synthetic import source_file


@pytest.mark.parametrize("text", ["naïve", "Ёж", "Ωμέγα", "№ 5 €", "👍🏽", "«—»", "ạ̈", "x²", "Đặng", "\ufffd"])
def test_the_kept_scripts_are_spelled(text: str) -> None:
    assert spells(text)


@pytest.mark.parametrize("text", ["日", "かな", "한국", "שלום", "سلام", "हिन्दी", "ไทย", "ქართული", "Հայ", "ﷺ", "𠀀"])
def test_other_scripts_are_not(text: str) -> None:
    assert not spells(f"a{text}")


def test_trimming_keeps_the_order_and_leads_back_to_the_old_ids() -> None:
    source = read(source_file())
    trimmed = choose(source, full=False)
    assert trimmed.pieces[4:] == ("▁", "a", "b", "▁ab", "ж", "▁жук", "😀", ".")
    assert [source.pieces[old] for old in trimmed.kept] == list(trimmed.pieces)
    assert [source.scores[old] for old in trimmed.kept] == list(trimmed.scores)


def test_the_full_vocabulary_lacks_the_mask_alone() -> None:
    source = read(source_file())
    assert choose(source, full=True).pieces == source.pieces[:-1]


def test_the_tokenizer_frames_a_text_and_finds_its_best_pieces() -> None:
    assert tokens("ab жук") == ["<s>", "▁ab", "▁жук", "</s>"]


def test_the_tokenizer_normalises_as_the_model_was_trained() -> None:
    assert tokens("a\u200bb\nb\x02") == tokens("a b b")
    assert tokens("ａ") == tokens("a")
    assert normalised("e\u0301 ½ ～") == "é 1⁄2 ～"


def test_text_never_spells_a_special_token() -> None:
    encoding = tokenizer().encode("<s> </s> <pad> <unk> <mask>")
    assert encoding.special_tokens_mask == [1] + [0] * (len(encoding) - 2) + [1]
    assert not set(encoding.ids[1:-1]) & {0, 1, 2}


def test_the_same_vocabulary_gives_the_same_file() -> None:
    assert written() == written()
    assert json.loads(written())["added_tokens"] == []


def written() -> bytes:
    source = read(source_file())
    return tokenizer_json(choose(source, full=False), source.normalisation)


def tokenizer() -> Tokenizer:
    return Tokenizer.from_str(written().decode())


def tokens(text: str) -> list[str]:
    found: list[str] = tokenizer().encode(text).tokens
    return [token.rstrip() for token in found]


def normalised(text: str) -> str:
    found: str = tokenizer().normalizer.normalize_str(text)
    return found
