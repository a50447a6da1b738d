"""Every promise in the documentation names tests that exist, and every page of promises leads to them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from documentation import ROOT

PROMISES = ROOT / "docs" / "explanation" / "promises.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
PAGES = ("durability", "namespaces", "forgetting", "threat-model")


def names_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_promise_names_tests_that_exist() -> None:
    rows = [line for line in PROMISES.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    promises = [row for row in rows if row != "| promise | held by |"]

    assert len(promises) > 20
    for row in promises:
        named = NAMED.findall(row)
        assert named, row
        for file, test in named:
            assert test in names_in(ROOT / file), f"{file} has no {test}"


@pytest.mark.parametrize("page", PAGES)
def test_every_page_that_promises_leads_to_the_tests(page: str) -> None:
    assert "promises.md" in (ROOT / "docs" / "explanation" / f"{page}.md").read_text(encoding="utf-8")
