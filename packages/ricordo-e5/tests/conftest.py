"""Makes the builder importable, and builds once for all tests of the real model."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

pytest.importorskip("onnx", reason="building the model needs onnx")


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when the library is loaded
    import onnxruntime

    made = onnxruntime.SessionOptions

    def options() -> onnxruntime.SessionOptions:
        found = made()
        found.intra_op_num_threads = 1
        return found

    with pytest.MonkeyPatch.context() as patch:
        # Patched because tests run in a process for each core, where threads beside it wait for each other at every
        # layer; the builder lets a model have the whole machine.
        patch.setattr(onnxruntime, "SessionOptions", options)
        yield
