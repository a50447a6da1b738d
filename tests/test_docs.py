"""The documentation is true: every block runs, every name is described, every link leads somewhere."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import fields
from importlib import resources
from itertools import groupby, pairwise
from pathlib import Path

import click
import pytest
from markdown_it.token import Token

import ricordo
from documentation import (
    MARKDOWN,
    PAGES,
    README,
    ROOT,
    blocks,
    is_operator,
    name_of,
    outcomes,
    read,
    session,
    shell_words,
    steps,
)
from refresh_docs import REFERENCE, reference
from ricordo import errors, protocols, sync, testing
from ricordo.analyzer import lexemes
from ricordo.cli import main, program
from ricordo.demo import QUESTIONS, Question
from ricordo.settings import Settings, load_settings
from ricordo.stems import LEMMA, lemmas

PAGE_LINES = 220
LANGUAGES = {"console", "json", "jsonl", "markdown", "python", "sh", "text", "toml"}
COMMAND = re.compile(r"[a-z]+(?:-[a-z]+)*")
OPTION = re.compile(r"--?[a-z][\w-]*")
NOTICE = re.compile(r'Notice\(\s*code="(\w+)"')
ADDRESS = re.compile(r"[a-z]+:")
PACKAGE = Path(ricordo.__file__).parent
HAS_LEMMAS = bool(lemmas("слово"))

every_page = pytest.mark.parametrize("page", PAGES, ids=name_of)


@pytest.mark.skipif(sys.platform == "win32", reason="the blocks are written for a POSIX shell")
@every_page
def test_every_block_says_what_happens(page: Path, tmp_path: Path) -> None:
    with session(tmp_path / "home", real=page == README) as reader:
        for block, text in outcomes(page, reader):
            assert block.text == text, f"{name_of(page)}:{block.line}; python tests/refresh_docs.py writes it anew"


@every_page
def test_every_block_is_of_a_language_that_is_looked_at(page: Path) -> None:
    assert {block.language for block in blocks(read(page))} <= LANGUAGES


@every_page
def test_data_in_blocks_can_be_read(page: Path, tmp_path: Path) -> None:
    for block in blocks(read(page)):
        if block.language == "json":
            json.loads(block.text)
        elif block.language == "jsonl":
            for line in block.text.splitlines():
                json.loads(line)
        elif block.language == "toml":
            tomllib.loads(block.text)
            (tmp_path / "config.toml").write_text(block.text, encoding="utf-8")
            load_settings({}, {"RICORDO_HOME": str(tmp_path)})


@every_page
def test_a_page_can_be_read_at_once(page: Path) -> None:
    if page != REFERENCE:
        assert len(read(page).splitlines()) <= PAGE_LINES


@every_page
def test_every_command_named_exists(page: Path) -> None:
    for words in _commands(page):
        command: click.Command = main
        while isinstance(command, click.Group) and (found := _first_name(words)):
            assert found in command.commands, f"{name_of(page)} names {' '.join(words)!r}"
            command = command.commands[found]
            words = words[words.index(found) + 1 :]
        known = {name for option in command.get_params(click.Context(command)) for name in option.opts}
        unknown = {word for word in words if OPTION.fullmatch(word)} - known - {"--help", "-h"}
        assert not unknown, f"{name_of(page)} names {unknown} of {command.name}"


def _commands(page: Path) -> Iterator[list[str]]:
    """The words of every `ricordo …` in the page's blocks and code spans."""
    lines = [span for token in MARKDOWN.parse(read(page)) for span in _spans(token.children or [])]
    for block in blocks(read(page)):
        if block.language == "sh":
            lines += block.text.splitlines()
        elif block.language == "console":
            lines += [step.command for step in steps(block.text)]
    for line in lines:
        if "ricordo " in line:
            for operator, words in groupby(shell_words(line), is_operator):
                command = list(words)
                if not operator and command[0] == "ricordo":
                    yield command[1:]


def _spans(tokens: Sequence[Token]) -> Iterator[str]:
    return (token.content for token in tokens if token.type == "code_inline")


def _first_name(words: list[str]) -> str | None:
    """The first word that is neither an option nor the value of one."""
    options = main.get_params(click.Context(main))
    takes_value = {name for option in options if not getattr(option, "is_flag", False) for name in option.opts}
    for before, word in pairwise(["", *words]):
        if not word.startswith("-") and before not in takes_value:
            return word if COMMAND.fullmatch(word) else None
    return None


@every_page
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in _links(page):
        if ADDRESS.match(target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{name_of(page)} links to {target}"
        if anchor:
            assert anchor in _anchors(file), f"{name_of(page)} links to {target}"


def test_every_picture_is_shown_and_what_is_shown_is_there() -> None:
    shown = {
        (page.parent / target).resolve() for page in PAGES for target in _pictures(page) if not ADDRESS.match(target)
    }
    assert [picture for picture in sorted(shown) if not picture.exists()] == []
    assert set((ROOT / "docs" / "images").glob("*.png")) <= shown


def _links(page: Path) -> Iterator[str]:
    return _targets(page, "link_open", "href")


def _pictures(page: Path) -> Iterator[str]:
    return _targets(page, "image", "src")


def _targets(page: Path, kind: str, attribute: str) -> Iterator[str]:
    for token in MARKDOWN.parse(read(page)):
        for part in token.children or []:
            if part.type == kind:
                yield str(part.attrs[attribute])


def _anchors(page: Path) -> set[str]:
    tokens = MARKDOWN.parse(read(page))
    headings = (after.content for token, after in pairwise(tokens) if token.type == "heading_open")
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_reached_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / target.partition("#")[0]).resolve() for target in _links(index)}
    assert {page for page in PAGES if page.is_relative_to(index.parent)} - {index} <= linked


def test_the_reference_of_commands_is_what_the_program_says() -> None:
    assert read(REFERENCE) == reference(), "python tests/refresh_docs.py docs/reference/command-line.md writes it anew"


def test_every_setting_is_described_with_its_default() -> None:
    page = read(ROOT / "docs" / "reference" / "settings.md")
    defaults = Settings()
    for name in (entry.name for entry in fields(Settings)):
        row = next((line for line in page.splitlines() if line.startswith(f"| `{name}` |")), "")
        assert f"`RICORDO_{name.upper()}`" in row, f"settings.md has no row for {name}"
        assert name == "store" or f"`{getattr(defaults, name)}`" in row, f"the default of {name}"


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("errors.md", errors.__all__),
        ("errors.md", [code for _, code, _ in program.ERRORS]),
        ("python.md", ricordo.__all__),
        ("python.md", [name for name in vars(ricordo.Engine) if not name.startswith("_")]),
        ("protocols.md", ["Source", "Chunker", "Embedder", "Reranker", "Store", *testing.__all__]),
        ("json.md", [code for file in PACKAGE.rglob("*.py") for code in NOTICE.findall(read(file))]),
        ("sqlite.md", re.findall(r"CREATE (?:VIRTUAL )?TABLE (\w+)", read(PACKAGE / "stores/sqlite/sql/schema.sql"))),
        ("export.md", [field.name for field in fields(ricordo.Memory)]),
    ],
)  # fmt: skip
def test_every_name_is_described(page: str, names: list[str]) -> None:
    text = read(ROOT / "docs" / "reference" / page)
    assert [name for name in names if f"`{name}" not in text and f".{name}(" not in text] == []


def test_the_rules_of_the_analyzer_are_what_it_does() -> None:
    page = read(ROOT / "docs" / "reference" / "analyzer.md")
    rows = re.findall(r"^\| `(.+?)` \| (`.+`) \|", page, re.MULTILINE)
    assert len(rows) > 10
    for written, shown in rows:
        # Without the extra `russian` there are no lemmas.
        expected = [lexeme for lexeme in shown.strip("`").split("`, `") if HAS_LEMMAS or lexeme[0] != LEMMA]
        assert list(lexemes(written)) == expected


def test_every_promise_of_a_seam_is_listed() -> None:
    text = read(ROOT / "docs" / "reference" / "protocols.md")
    for seam in (protocols.Source, protocols.Chunker, protocols.Embedder, protocols.Reranker, protocols.Store):
        promised = [name for name in vars(seam) if not name.startswith("_")]
        assert [name for name in promised if f"`{name}" not in text] == [], seam.__name__


@pytest.mark.parametrize(
    "code", [program.FOUND, program.NOTHING, program.WRONG_USE, program.UNUSABLE, program.INTERRUPTED]
)
def test_every_exit_code_is_described(code: int) -> None:
    assert f"| {code} |" in read(ROOT / "docs" / "reference" / "exit-codes.md")


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.note)
def test_no_page_comes_before_the_notes_of_the_demonstration(question: Question, demonstration: sync.Engine) -> None:
    found = [Path(hit.origin.uri).name for hit in demonstration.recall(question.text, limit=3)]
    assert question.note not in found or found[0] == question.note


@pytest.fixture(scope="module")
def demonstration() -> Iterator[sync.Engine]:
    """What `make demo` reads, by words alone."""
    notes = resources.files("ricordo.demo") / "notes"
    with resources.as_file(notes) as folder, sync.open("memory:", namespace="demo", embedder="none") as memory:
        memory.ingest([folder, *PAGES])
        yield memory
