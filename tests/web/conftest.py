from __future__ import annotations

from collections.abc import Iterator

import pytest

from website import Site, running


@pytest.fixture
def site() -> Iterator[Site]:
    with running() as site:
        yield site
