"""What installing ricordo in an assistant, and taking it out again, changes in which files."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ricordo.clients.assistants import Assistant, Machine, Scope
from ricordo.clients.entries import NAME, Invocation, is_own_server, same_server
from ricordo.clients.files import Ledger, Record, digest, made_folders, read, remove, write
from ricordo.clients.jsonc import Malformed
from ricordo.clients.jsonfile import JsonHooks
from ricordo.errors import InvalidInput

__all__ = ["Change", "handlers", "plan_install", "plan_uninstall"]

Taker = Callable[[str, str], str]
"""(text, what must stay as it was there) → the text without what is ours."""

BLANK_DOCUMENTS = ("", "{}")
HOOKS = JsonHooks()


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A file as it is and as it is to be; None where there is none, or is to be none. `what` is put in or taken out."""

    path: Path
    what: str
    before: str | None
    after: str | None
    record: Record | None = None
    """To be kept, so that the file can become again what it was."""
    folders: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "created"
        return "removed" if self.after is None else "changed"

    def diff(self) -> str:
        """The change as a unified diff, empty where there is none."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(),
            (self.after or "").splitlines(),
            str(self.path),
            str(self.path),
            lineterm="",
        )
        return "\n".join(lines)

    def apply(self, ledger: Ledger) -> None:
        """Make the change. Raises InvalidInput; then the file is as it was."""
        if self.status == "unchanged":
            return
        if self.record is not None:
            ledger.keep(self.path, self.record)
        if self.after is None:
            remove(self.path, self.folders)
        else:
            write(self.path, self.after)
        if self.record is None:
            ledger.drop(self.path)


def plan_install(
    assistant: Assistant, scope: Scope, machine: Machine, invocation: Invocation, ledger: Ledger
) -> Iterator[Change]:
    """The changes that put the server and the hooks in; files that have them already come as unchanged.

    Raises InvalidInput for a file that cannot be read or understood, or that has an entry of our name that is not ours.
    """
    path = assistant.file(scope, machine)
    with _naming(path):
        yield _server_in(assistant, path, invocation, ledger)
    hook_file = assistant.hook_file(scope, machine)
    if hook_file is not None:
        with _naming(hook_file):
            yield _hooks_in(assistant, hook_file, invocation, ledger)


def plan_uninstall(assistant: Assistant, scope: Scope, machine: Machine, ledger: Ledger) -> Iterator[Change]:
    """The changes that take the server and the hooks out: a file that nobody touched since becomes what it was.

    Raises InvalidInput for a file that cannot be read or understood.
    """
    path = assistant.file(scope, machine)
    with _naming(path):
        yield _out(path, "server", assistant.shape.taken, ledger)
    hook_file = assistant.hook_file(scope, machine)
    if hook_file is not None:
        with _naming(hook_file):
            yield _out(hook_file, "hooks", HOOKS.taken, ledger)


def handlers(assistant: Assistant, invocation: Invocation) -> dict[str, dict[str, object]]:
    """The hooks of an assistant by its own names of the events."""
    return {
        name: {"type": "command", "command": invocation.hook(event), "timeout": seconds}
        for name, (event, seconds) in assistant.events.items()
    }


def _server_in(assistant: Assistant, path: Path, invocation: Invocation, ledger: Ledger) -> Change:
    text, shape = read(path), assistant.shape
    there = shape.found(text or "")
    wanted = invocation.server(assistant.extra)
    if there is not None and not is_own_server(there):
        raise Malformed(
            _line_of_name(text or ""), f"an entry called {NAME} is there that runs something else; rename it"
        )
    if same_server(there, wanted):
        return Change(path=path, what="server", before=text, after=text)
    before = _original(text, ledger.find(path), shape.taken)
    return _put(path, "server", text, before, shape.put(before or "", {**(there or {}), **wanted}), ledger)


def _hooks_in(assistant: Assistant, path: Path, invocation: Invocation, ledger: Ledger) -> Change:
    text = read(path)
    wanted = handlers(assistant, invocation)
    if HOOKS.found(text or "") == {name: [handler["command"]] for name, handler in wanted.items()}:
        return Change(path=path, what="hooks", before=text, after=text)
    before = _original(text, ledger.find(path), HOOKS.taken)
    return _put(path, "hooks", text, before, HOOKS.put(before or "", wanted), ledger)


def _put(path: Path, what: str, text: str | None, before: str | None, after: str, ledger: Ledger) -> Change:
    known = ledger.find(path)
    folders = known.folders if known is not None and before is None else made_folders(path)
    record = Record(before=before, after=digest(after), folders=folders)
    return Change(path=path, what=what, before=text, after=after, record=record)


def _out(path: Path, what: str, taken: Taker, ledger: Ledger) -> Change:
    text, record = read(path), ledger.find(path)
    if text is None or taken(text, text) == text:
        return Change(path=path, what=what, before=text, after=text)
    folders = record.folders if record is not None else ()
    return Change(path=path, what=what, before=text, after=_original(text, record, taken), folders=folders)


def _original(text: str | None, record: Record | None, taken: Taker) -> str | None:
    """What a file was, or would be now, without ricordo: by the record where nobody touched it since."""
    if text is None:
        return None
    if record is not None and record.after == digest(text):
        return record.before
    bare = taken(text, (record.before or "") if record is not None else "")
    made = record is not None and record.before is None
    return None if made and "".join(bare.split()) in BLANK_DOCUMENTS else bare


def _line_of_name(text: str) -> int:
    return text.count("\n", 0, max(text.find(NAME), 0)) + 1


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the file in what is wrong with it."""
    try:
        yield
    except Malformed as error:
        raise InvalidInput(f"{path}:{error.line}: {error.what}; nothing was changed") from error
