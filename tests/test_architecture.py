"""Rules about the code itself: sizes, directions of imports, homes of third-party packages, public names."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ricordo

PACKAGE = Path(ricordo.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
MODULE_LINES = 350
FUNCTION_LINES = 40

NOUNS = {"errors", "exchange", "memory", "protocols", "query", "settings"}
EDGES = {"adapters", "cli", "render", "__main__", "demo", "eval", "hooks", "keeper", "mcp", "web"}
IMPLEMENTATIONS = {"sources", "models", "stores", "testing"}
# The facade, and what equips it, import the lazy tables.
TABLES = {"engine", "equipment", "cli"}
# Pure modules without state, by which sources read the dates in files, and know what to pass over.
READ_BY_SOURCES = {"dates", "folders", "occasions", "timeparse"}
HOMES: dict[str, str | tuple[str, ...]] = {
    "httpx2": "models",
    "onnxruntime": "models",
    "tokenizers": "models",
    "sqlite3": "stores/sqlite",
    "psycopg": "stores/postgres",
    "pgvector": "stores/postgres",
    "click": "cli",
    "matplotlib": "eval/plots",
    "agents": "adapters",
    "anthropic": "adapters",
    "langchain_core": "adapters",
    "langgraph": "adapters",
    "llama_index": "adapters",
    "pydantic_ai": "adapters",
    "mcp": "mcp",
    "mcp_types": "mcp",
    "jinja2": "web",
    "rich": "render",
    "starlette": ("web", "mcp/http"),
    "uvicorn": ("web", "mcp/http"),
    "markdown_it": "sources",
    "mdit_py_plugins": "sources",
    "yaml": "sources",
    "charset_normalizer": "sources",
    "bs4": "sources",
    "mammoth": "sources",
    "markdownify": "sources",
    "pypdf": "sources",
    "watchfiles": "watch",
    "Stemmer": "stems",
    "pymorphy3": "stems",
    "platformdirs": "settings",
    "tzlocal": "settings",
}


def name_of(module: Path) -> str:
    return module.relative_to(PACKAGE).as_posix()


def noun_of(module: Path) -> str:
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module == "ricordo")


def own_imports(module: Path) -> set[str]:
    parts = (name.split(".") for name in imports(module))
    return {name[1] for name in parts if name[0] == "ricordo" and len(name) > 1} - {noun_of(module)}


def functions(module: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_a_module_is_short_enough_to_be_read_at_once(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= MODULE_LINES


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_a_function_fits_on_a_screen(module: Path) -> None:
    for function in functions(module):
        documentation = ast.get_docstring(function, clean=False)
        lines = (function.end_lineno or 0) - function.lineno + 1
        lines -= documentation.count("\n") + 1 if documentation else 0
        assert lines <= FUNCTION_LINES, f"{function.name} has {lines} lines"


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_imports_point_down_only(module: Path) -> None:
    noun, imported = noun_of(module), own_imports(module)
    if noun in EDGES:
        return
    assert not imported & EDGES, "only edges import edges"
    if noun not in TABLES:
        assert not imported & {"engine", "sync"} or noun in {"sync", "__init__"}
    if noun in NOUNS:
        assert imported <= NOUNS
    if noun in IMPLEMENTATIONS:
        pure = READ_BY_SOURCES if noun == "sources" else set()
        assert imported <= NOUNS | pure, "an implementation knows nouns, protocols and errors only"
    elif noun not in TABLES:
        assert not imported & IMPLEMENTATIONS, "implementations are reached through the engine's lazy tables"


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_a_third_party_package_has_one_home(module: Path) -> None:
    for name in imports(module):
        home = HOMES.get(name.split(".")[0])
        assert home is None or name_of(module).startswith(home), f"{name} belongs to {home}"


def test_the_public_names_are_these() -> None:
    assert sorted(ricordo.__all__) == ricordo.__all__
    assert ricordo.__all__ == [
        "AsOf",
        "Chunk",
        "ConfigError",
        "Context",
        "Engine",
        "EventTime",
        "Filters",
        "Hit",
        "InvalidInput",
        "Memory",
        "MissingExtra",
        "ModelError",
        "NotFound",
        "Notice",
        "Origin",
        "Query",
        "Recall",
        "Remembered",
        "RicordoError",
        "SchemaTooNew",
        "Settings",
        "SourceError",
        "StoreBusy",
        "StoreError",
        "TimeRange",
        "Timeline",
        "open",
    ]
    assert all(getattr(ricordo, name) is not None for name in ricordo.__all__)


def test_importing_ricordo_loads_nothing_heavy() -> None:
    code = "import ricordo, sys; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = set(done.stdout.split())
    assert not loaded & {"numpy", "onnxruntime", "tokenizers", "psycopg", "sqlite3", "mcp", "rich", "yaml"}
