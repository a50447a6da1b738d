"""Where the public test data and samples lie, if they are here."""

from __future__ import annotations

import os
from pathlib import Path

DATA = Path(os.environ.get("RICORDO_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
SAMPLES = Path(os.environ.get("RICORDO_TEST_SAMPLES", Path(__file__).parents[2] / "shared" / "samples"))
