from __future__ import annotations

import numpy as np
import pytest

from ricordo_e5_build.source import SourceError, read
from synthetic import HIDDEN, LAYERS, PIECES, source_file


def test_the_reader_finds_sizes_pieces_and_scores() -> None:
    source = read(source_file())
    assert (source.sizes.hidden, source.sizes.layers, source.sizes.heads) == (HIDDEN, LAYERS, 1)
    assert source.pieces == PIECES
    assert source.scores[5] == -5.0


def test_a_code_point_that_becomes_nul_is_left_out_of_the_normalisation() -> None:
    table = read(source_file()).normalisation
    assert table["½"] == "1⁄2"
    assert table["\x02"] == ""
    assert "\uc6bd" not in table


def test_a_block_is_scale_times_nibble_less_eight_lower_halves_first() -> None:
    source = read(source_file())
    form, count, offset, size = source.directory["l0.q.w"]
    raw = source.content[offset : offset + 18]
    scale = np.frombuffer(raw, "<f2", 1).astype(np.float32)[0]
    values = source.blocks("l0.q.w", HIDDEN).values()[0]
    assert values[0] == scale * ((raw[2] & 15) - 8)
    assert values[16] == scale * ((raw[2] >> 4) - 8)
    assert values[31] == scale * ((raw[17] >> 4) - 8)
    assert (form, count, size) == (1, HIDDEN * HIDDEN, HIDDEN * HIDDEN // 32 * 18)


@pytest.mark.parametrize("length", [3, 40, 200, 700])
def test_a_file_cut_short_is_refused(length: int) -> None:
    with pytest.raises(SourceError):
        read(source_file()[:length])


def test_another_kind_of_file_is_refused() -> None:
    with pytest.raises(SourceError, match="not an E5S1"):
        read(b"GGUF" + source_file()[4:])


def test_a_tensor_beyond_the_end_is_refused() -> None:
    source = read(source_file()[:-1])
    with pytest.raises(SourceError, match=r"l1\.oln\.b lies beyond"):
        source.floats("l1.oln.b")


def test_a_tensor_of_another_form_is_refused() -> None:
    source = read(source_file())
    with pytest.raises(SourceError, match="not a tensor of floats"):
        source.floats("l0.q.w")
    with pytest.raises(SourceError, match="no tensor"):
        source.blocks("l9.q.w", HIDDEN)
