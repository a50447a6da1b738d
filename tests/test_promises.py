"""Every promise in the documentation names tests that exist, and every page of promises leads to them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from documentation import ROOT

PROMISES = ROOT / "docs" / "explanation" / "promises.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
ABOUT = re.compile(
    r"^#+ .*(durab|power cut|crash|upgrade|back up|forget|take it back|namespace|whose memor|tenant|protect)",
    re.IGNORECASE | re.MULTILINE,
)
"""Headings below which something is promised."""
IN_A_TABLE = "watch.md"
DOCS = ROOT / "docs"
PAGES = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if page != PROMISES
    and page.parent.name not in ("reference", "benchmarks")  # what there is, and what was measured
    and (page.name == IN_A_TABLE or ABOUT.search(page.read_text(encoding="utf-8")))
]


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


def test_the_pages_that_promise_are_found() -> None:
    named = {page.relative_to(DOCS).as_posix() for page in PAGES}

    assert named >= {f"explanation/{name}.md" for name in ("durability", "forgetting", "namespaces", "postgresql")}
    assert named >= {"explanation/threat-model.md", "how-to/back-up-and-move.md", "watch.md", "web.md"}


def test_every_file_that_holds_a_promise_is_run_by_make_test_trust() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ntest-trust:")[2].partition("\n\n")[0]
    run = [ROOT / path for path in re.findall(r"tests/[\w/.]+", recipe)]
    named = {ROOT / file for file, _ in NAMED.findall(PROMISES.read_text(encoding="utf-8"))}

    assert [path for path in run if not path.exists()] == []
    assert [file for file in named if not {file, *file.parents} & set(run)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_that_promises_leads_to_the_tests(page: Path) -> None:
    assert "promises.md" in page.read_text(encoding="utf-8")
