"""The models that packages ship; only outside CI may a package be absent."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar, cast

import pytest

from ricordo.errors import ModelError
from ricordo.models import load_embedder
from ricordo.protocols import Embedder

__all__ = ["if_installed", "opened"]

T = TypeVar("T")


def if_installed(make: Callable[[], T]) -> T:
    """What is made of a model; skips where its files are not here, but in CI, where they must be."""
    try:
        return make()
    except ModelError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


def opened(name: str = "multilingual-e5-small") -> Embedder:
    """The real model."""
    return cast(Embedder, if_installed(lambda: load_embedder(name)))
