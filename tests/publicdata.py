"""Where the public test data lies, if it is here."""

from __future__ import annotations

import os
from pathlib import Path

DATA = Path(os.environ.get("RICORDO_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
