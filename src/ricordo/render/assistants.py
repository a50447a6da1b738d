"""What is done for assistants, at the edge: files that were changed, entries to be put in by hand, the keeper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from ricordo.clients.assistants import Assistant, Machine, Scope
from ricordo.clients.changes import Change, handlers
from ricordo.clients.entries import Invocation
from ricordo.clients.jsonfile import JsonHooks
from ricordo.keeper.control import KeeperState
from ricordo.render.documents import Document, document
from ricordo.render.layouts import DIM, layout
from ricordo.render.phrases import below_home, safe
from ricordo.render.reports import View

__all__ = ["Installation", "Snippets"]

DIFF_STYLES = {"+": "green", "-": "red", "@": DIM}
NOTHING_TO_DO = {False: "everything is there already", True: "nothing of ricordo is there"}
TROUBLE = {
    "absent": "no keeper is running; hooks start one when they need it",
    "hung": "a keeper is there and does not answer; ricordo keep --stop ends it",
    "foreign": "something else listens where the keeper should",
    "outdated": "a keeper of an earlier version was there; it was asked to leave",
    "warming": "a keeper is starting",
    "faulty": "a keeper is there and answers nonsense; ricordo keep --stop ends it",
    "stopped": "the keeper has left",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Installation:
    """What was changed for an assistant, or would be, and what to bear in mind."""

    assistant: Assistant
    changes: tuple[Change, ...]
    dry_run: bool
    taken_out: bool = False
    backups: Mapping[Path, Path] = field(default_factory=dict)
    cautions: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Snippets:
    """What an assistant's configuration needs, to be put in by hand."""

    assistant: Assistant
    scope: Scope
    machine: Machine
    invocation: Invocation

    def __iter__(self) -> Iterator[tuple[Path, str]]:
        """Each file and what belongs into it, as it would be if there were nothing else."""
        entry = self.invocation.server(self.assistant.extra)
        yield self.assistant.file(self.scope, self.machine), self.assistant.shape.put("", entry)
        hook_file = self.assistant.hook_file(self.scope, self.machine)
        if hook_file is not None:
            yield hook_file, JsonHooks().put("", handlers(self.assistant, self.invocation))


@document.register
def _(done: Installation) -> Document:
    return {
        "assistant": done.assistant.name,
        "dry_run": done.dry_run,
        "files": [
            {
                "path": str(change.path),
                "holds": change.what,
                "status": change.status,
                "backup": str(done.backups[change.path]) if change.path in done.backups and not done.dry_run else None,
                "diff": change.diff(),
            }
            for change in done.changes
        ],
        "notes": list(done.cautions),
    }


@document.register
def _(snippets: Snippets) -> Document:
    return {
        "assistant": snippets.assistant.name,
        "files": [{"path": str(path), "text": text} for path, text in snippets],
    }


@document.register
def _(keeper: KeeperState) -> Document:
    return {
        "state": keeper.state,
        "why": keeper.why or None,
        "process": keeper.process,
        "model": keeper.model,
        "answers": keeper.answers,
        "seconds": keeper.seconds,
        "waiting": keeper.waiting,
    }


@layout.register
def _(done: Installation, view: View) -> RenderableType:
    changed = any(change.status != "unchanged" for change in done.changes)
    lines: list[Text] = []
    for change in done.changes:
        if done.dry_run and change.status != "unchanged":
            lines += [Text(safe(line), DIFF_STYLES.get(line[:1], "")) for line in change.diff().splitlines()]
        else:
            lines.append(Text(f"{change.status}: {_shown(change.path)}"))
    for path, backup in done.backups.items():
        if not done.dry_run:
            lines.append(Text(f"as it was, {path.name} is in {_shown(backup)}", DIM))
    if not changed:
        lines.append(Text(f"{done.assistant.title}: {NOTHING_TO_DO[done.taken_out]}"))
    elif done.dry_run:
        lines.append(Text("nothing was changed", DIM))
    else:
        what = "taken out; what is remembered stays" if done.taken_out else done.assistant.after
        lines.append(Text(f"{done.assistant.title}: {what}"))
    return Group(*lines, *(Text(f"note: {safe(caution)}") for caution in done.cautions))


@layout.register
def _(snippets: Snippets, view: View) -> RenderableType:
    lines = [line for path, text in snippets for line in (f"{_shown(path)}:", safe(text))]
    return Group(*(Text(line, no_wrap=True, overflow="ignore") for line in lines))


@layout.register
def _(keeper: KeeperState, view: View) -> RenderableType:
    if keeper.state != "running":
        why = f" ({safe(keeper.why)})" if keeper.why and keeper.state != "absent" else ""
        return Text(f"{TROUBLE[keeper.state]}{why}")
    model = {"loading": "the model is being loaded", "none": "by words alone"}.get(
        keeper.model or "", keeper.model or ""
    )
    waiting = f", {keeper.waiting} transcripts waiting" if keeper.waiting else ""
    return Text(
        f"process {keeper.process}, for {keeper.seconds // 60} min: {keeper.answers} answers, {safe(model)}{waiting}"
    )


def _shown(path: Path) -> str:
    return safe(below_home(path.as_posix()))
