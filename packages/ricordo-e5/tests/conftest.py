"""Makes the builder importable, and builds once for all tests of the real model."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

pytest.importorskip("onnx", reason="building the model needs onnx")
