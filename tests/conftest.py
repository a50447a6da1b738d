"""What every test shares: a scrubbed environment, the anyio backend, the public data sets where they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("RICORDO_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Monkeypatched because the settings of whoever runs the tests must not reach them.
    for name in list(os.environ):
        if name.startswith("RICORDO_") and name != "RICORDO_TEST_DATA":
            monkeypatch.delenv(name)
    monkeypatch.setenv("RICORDO_HOME", str(tmp_path / "home"))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of public test data."""
    if not DATA.is_dir():
        pytest.skip(f"the public test data is not here: {DATA} (set RICORDO_TEST_DATA)")
    return DATA
