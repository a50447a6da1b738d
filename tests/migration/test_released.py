"""Stores as released versions wrote them are opened, brought up to date, and hold what they held."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from ricordo import sync
from ricordo.stores.sql import load_migrations
from ricordo.stores.sqlite.database import PACKAGE
from ricordo.testing import HashEmbedder

STORES = sorted((Path(__file__).parent / "stores").glob("*.db.gz"))
VERSIONS = [int(file.name.removesuffix(".db.gz").removeprefix("schema-")) for file in STORES]


def test_every_schema_that_was_ever_released_is_kept() -> None:
    assert sorted(VERSIONS) == list(range(1, len(load_migrations(PACKAGE)) + 1))


@pytest.mark.parametrize("file", STORES, ids=lambda file: file.name)
def test_a_store_of_an_older_version_holds_what_it_held(file: Path, tmp_path: Path) -> None:
    path, latest = tmp_path / "memory.db", len(load_migrations(PACKAGE))
    path.write_bytes(gzip.decompress(file.read_bytes()))
    held = file.with_name(file.name.replace(".db.gz", ".jsonl")).read_text(encoding="utf-8").splitlines()

    with sync.open(f"sqlite:///{path}", embedder=HashEmbedder()) as memory:
        assert list(memory.export(everything=True)) == held
        assert memory.check() == ()
        assert memory.stats().schema_version == latest
        found = memory.recall("pool")
        assert [hit.text for hit in found][:1] == ["The pool is 60"]
        assert found.hits[0].arms.keys() >= {"words", "vectors"}

    copies = list(tmp_path.glob("memory.db.schema-*.backup"))
    assert len(copies) == (not file.name.startswith(f"schema-{latest}."))
