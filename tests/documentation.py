"""The blocks of the documentation, and a session in which a page's blocks are run in order, as a reader would.

`python` blocks share one set of names and may await; a `text` block right below one is its output. `console`
blocks hold commands after `$ ` and their output. A block with `title="notes/keys.md"` is that file. `sh` blocks
are commands that a test cannot run (they install, or wait for somebody); they and `text`, `json`, `jsonl`,
`toml` and `markdown` are only looked at.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import io
import os
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from pathlib import Path
from types import CodeType

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt

from ricordo import equipment
from ricordo.cli import main
from ricordo.models import Choice, choose_embedder

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = (README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))

MARKDOWN = MarkdownIt("commonmark").enable("table")
TITLE = re.compile(r'\btitle="([^"]+)"')

READER = "/home/mira"
NOW = "2026-11-16T09:30:00Z"
"""The reader of the documentation, and when she reads: every command is told that this is now."""

OPERATORS = "|<>;&()"

# What differs from run to run. Whatever else a command prints must be printed as the page says.
SHORT_ID = 8
ID = re.compile(r"\b[0-9a-f]{24}\b|\b[0-9a-f]{8}\b")
VARYING = (
    (re.compile(r"\bin [\d,]+ ms"), "in N ms"),
    (re.compile(r'("(?:total|embed|words|vectors|rerank|evidence|hits)": )\d+\.\d+'), r"\1N"),
    (re.compile(r"[\d,]+ KiB"), "N KiB"),
    (re.compile(r'("size_bytes": )\d+'), r"\1N"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A fenced block: its language, its text, the line it begins on, the file it is, if any."""

    language: str
    text: str
    line: int
    title: str | None = None
    below: bool = False
    """Whether nothing stands between it and the block before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A command of a `console` block and the output that the page shows."""

    command: str
    output: str


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page, those in lists too."""
    end = -1
    for token in MARKDOWN.parse(text):
        if token.type != "fence" or token.map is None:
            continue
        title = TITLE.search(token.info)
        yield Block(
            language=token.info.split(" ")[0],
            text=token.content,
            line=token.map[0] + 1,
            title=title[1] if title else None,
            below=end >= 0 and not "".join(text.splitlines()[end : token.map[0]]).strip(),
        )
        end = token.map[1]


def steps(text: str) -> Iterator[Step]:
    """The commands of a `console` block. A line that begins with `> ` continues the one above."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        first, *lines = part.strip("\n").split("\n")
        more = list(takewhile(lambda line: line.startswith("> "), lines))
        command = "\n".join([first, *(line[2:] for line in more)])
        yield Step(command=command, output="\n".join(lines[len(more) :]))


@dataclass(slots=True)
class Session:
    """What one page's reader has before her: a home folder, a terminal in it, and Python."""

    home: Path
    real: bool = False
    """Whether every command is a process of its own, as it is for a reader, rather than a call."""
    exact: bool = False
    """Whether ids must be those of the page, or may stand for others: those of files depend on where they are."""
    names: dict[str, object] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    """Ids on the page → ids in this home."""

    def write(self, block: Block) -> None:
        path = self.home / str(block.title)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")

    def translated(self, command: str) -> str:
        """The command with the ids that are here."""
        return ID.sub(lambda found: self.ids.get(found[0][:SHORT_ID], found[0]), command)

    def shell(self, command: str) -> str:
        """Run a command; its output, standard error included, as she would see it."""
        arguments = None if self.real else _plain_arguments(command)
        output = _in_process(arguments) if arguments is not None else _in_shell(command, self.home)
        return output.replace(self.home.as_posix(), READER).strip("\n")

    def python(self, block: Block, page: str) -> str:
        """Run a block; what it prints."""
        code = compile(
            "\n" * block.line + block.text, page, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
        )
        printed = io.StringIO()
        with redirect_stdout(printed):
            _run(code, self.names)
        return printed.getvalue().replace(self.home.as_posix(), READER).strip("\n")

    def agrees(self, shown: str, found: str) -> bool:
        """Whether two outputs are the same but for what differs from run to run."""
        pairs = zip(ID.findall(shown), ID.findall(found), strict=False)
        agreed = [self._same_id(here[:SHORT_ID], there[:SHORT_ID]) for here, there in pairs]
        return all(agreed) and _comparable(shown) == _comparable(found)

    def _same_id(self, here: str, there: str) -> bool:
        known = self.ids.setdefault(here, there)
        if self.exact:
            return here == there
        return known == there and list(self.ids.values()).count(there) == 1


@contextmanager
def session(home: Path, *, real: bool = False, exact: bool = False) -> Iterator[Session]:
    """A session in an empty home folder, which is the current folder while it lasts."""
    home = home.resolve()
    home.mkdir(parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        # Patched because the settings and the terminal of whoever runs the tests must not show in an output.
        for name in [name for name in os.environ if name.startswith(("RICORDO_", "COLUMNS", "FORCE_COLOR"))]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("RICORDO_HOME", str(home / "ricordo"))
        patch.setenv("RICORDO_TZ", "UTC")
        patch.setenv("RICORDO_HOOK_MS", "120000")  # a hook on a busy machine would rather say nothing
        patch.setenv("COLUMNS", "80")
        patch.setenv("PATH", f"{_programs(home)}{os.pathsep}{os.environ['PATH']}")
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        patch.chdir(home)
        patch.syspath_prepend(str(home))
        # Patched because loading the model anew for every command would take most of the time.
        patch.setattr(equipment, "choose_embedder", _loaded_once)
        yield Session(home=home, real=real, exact=exact)


@cache
def _loaded_once(threads: int) -> Choice:
    return choose_embedder(threads=threads)


def _programs(home: Path) -> Path:
    """A folder with the commands `ricordo`, which is told the time, and `python`."""
    folder = home / ".programs"
    folder.mkdir()
    for name, call in (("ricordo", f"-m ricordo --now {NOW}"), ("python", "")):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {call} "$@"\n', encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return folder


def shell_words(command: str) -> list[str]:
    """The words and operators of a command, comments left out."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=OPERATORS)
    lexer.whitespace_split = True
    return list(lexer)


def _plain_arguments(command: str) -> list[str] | None:
    """The arguments of a `ricordo` that needs no shell; None for any other command."""
    words = shell_words(command)
    needs_shell = any(is_operator(word) for word in words) or any(sign in command for sign in "$~*")
    return words[1:] if words[0] == "ricordo" and not needs_shell else None


def is_operator(word: str) -> bool:
    return set(word) <= set(OPERATORS)


def _in_process(arguments: list[str]) -> str:
    return CliRunner().invoke(main, ["--now", NOW, *arguments], catch_exceptions=False).output


def _in_shell(command: str, home: Path) -> str:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode()


def _run(code: CodeType, names: dict[str, object]) -> None:
    waiting = eval(code, names)
    if inspect.iscoroutine(waiting):
        asyncio.run(waiting)


def _comparable(output: str) -> str:
    for pattern, sign in VARYING:
        output = pattern.sub(sign, output)
    # Lines are folded where an id or a path ends, which is not where the page's did.
    return " ".join(ID.sub("ID", output).split())


def outcomes(page: Path, reader: Session) -> Iterator[tuple[Block, str]]:
    """Run a page's blocks in order: each block that shows an output, and what it would have to say.

    An output that agrees with what the page shows is left as it is there.
    """
    before, printed = "", ""
    for block in blocks(read(page)):
        if block.title:
            reader.write(block)
        if block.language == "python" and not (block.title or "").endswith(".py"):
            printed = reader.python(block, f"{name_of(page)}:{block.line}")
        elif block.language == "text" and block.below and before == "python":
            shown = block.text.strip("\n")
            yield block, f"{shown if reader.agrees(shown, printed) else printed}\n"
        elif block.language == "console":
            yield block, "\n".join(_run_step(step, reader) for step in steps(block.text)) + "\n"
        before = block.language


def _run_step(step: Step, reader: Session) -> str:
    command = reader.translated(step.command)
    found = reader.shell(command)
    output = step.output if reader.agrees(step.output.strip("\n"), found) else found
    shown = (command if reader.exact else step.command).replace("\n", "\n> ")
    return f"$ {shown}\n{output}" if output else f"$ {shown}"
