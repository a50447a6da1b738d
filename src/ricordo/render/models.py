"""Models at the edge: how they stand, what came of fetching and checking them, and how fast they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ricordo.cli.modelbench import Measured
from ricordo.models.download import Arrived
from ricordo.models.inventory import Standing
from ricordo.models.specs import ModelSpec
from ricordo.render.documents import Document, document
from ricordo.render.layouts import layout
from ricordo.render.phrases import flat, megabytes, safe
from ricordo.render.reports import View

__all__ = ["Benched", "Catalogue", "Checked", "Fetched", "Removed", "Shown"]

STYLES = {"here": "green", "absent": "dim", "damaged": "bold red"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Catalogue:
    """All models, and the name of the embedder that is in force."""

    standings: tuple[Standing, ...]
    in_force: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """One model."""

    standing: Standing


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """Models after their files were read and held against their hashes."""

    standings: tuple[Standing, ...]

    @property
    def whole(self) -> bool:
        return all(standing.state == "here" for standing in self.standings)


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetched:
    """The files of a model that are here now."""

    name: str
    files: tuple[Arrived, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Removed:
    """Whether there was anything of the model to delete."""

    name: str
    removed: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Benched:
    """Models measured on this machine."""

    measured: tuple[Measured, ...]


# --- JSON ---


def facts_of(standing: Standing) -> Document:
    """What there is to say of a model."""
    spec = standing.spec
    facts: Document = {
        "name": spec.name,
        "kind": "embedder" if isinstance(spec, ModelSpec) else "reranker",
        "packaging": spec.model.packaging,
        "state": standing.state,
        "size_bytes": standing.size,
        "problem": standing.problem,
        "quantisation": spec.quantisation,
        "max_tokens": spec.max_tokens,
        "languages": list(spec.languages),
        "files": [_file(file.name, file.sha256, file.licence, file.work, file.path()) for file in spec.files],
    }
    return facts | (_of_encoder(spec) if isinstance(spec, ModelSpec) else {})


def _file(name: str, sha256: str | None, licence: str, work: str, path: object) -> Document:
    return {
        "name": name,
        "sha256": sha256,
        "licence": licence,
        "work": work,
        "path": None if path is None else str(path),
    }


def _of_encoder(spec: ModelSpec) -> Document:
    return {
        "dimension": spec.dimension,
        "pooling": spec.pooling,
        "normalisation": spec.normalisation,
        "query_prefix": spec.query_prefix,
        "passage_prefix": spec.passage_prefix,
        "token_layers": list(spec.tokens.layers) if spec.tokens else [],
        "tokens_centred": bool(spec.tokens and spec.tokens.centred),
        "floors": {"recall": spec.floors.recall, "context": spec.floors.context},
        "fingerprint": spec.fingerprint if all(file.sha256 for file in spec.files) else None,
        "token_fingerprint": spec.token_fingerprint if all(file.sha256 for file in spec.files) else None,
    }


@document.register
def _(catalogue: Catalogue) -> Document:
    rows = [facts_of(standing) for standing in catalogue.standings]
    return {"models": [{**row, "in_force": row["name"] == catalogue.in_force} for row in rows]}


@document.register
def _(shown: Shown) -> Document:
    return facts_of(shown.standing)


@document.register
def _(checked: Checked) -> Document:
    rows = [{"name": each.spec.name, "state": each.state, "problem": each.problem} for each in checked.standings]
    return {"ok": checked.whole, "models": rows}


@document.register
def _(fetched: Fetched) -> Document:
    files = [
        {"name": file.name, "path": str(file.path), "sha256": file.sha256, "size_bytes": file.size}
        | {"downloaded": file.downloaded}
        for file in fetched.files
    ]
    return {"name": fetched.name, "files": files}


@document.register
def _(removed: Removed) -> Document:
    return {"name": removed.name, "removed": removed.removed}


@document.register
def _(benched: Benched) -> Document:
    return {"models": [asdict(each) for each in benched.measured]}


# --- text ---


@layout.register
def _(catalogue: Catalogue, view: View) -> RenderableType:
    rows = [
        (
            "*" if standing.spec.name == catalogue.in_force else "",
            flat(standing.spec.name),
            "embedder" if isinstance(standing.spec, ModelSpec) else "reranker",
            Text(standing.state, STYLES[standing.state]),
            standing.spec.model.packaging,
            megabytes(standing.size) if standing.size else "",
            standing.spec.model.licence,
        )
        for standing in catalogue.standings
    ]
    note = "* the embedder in force; `ricordo models fetch NAME` brings a model of the hub here"
    return Group(_table(("", "model", "kind", "state", "from", "size", "licence"), rows), Text(note, "dim"))


@layout.register
def _(shown: Shown, view: View) -> RenderableType:
    facts = facts_of(shown.standing)
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", overflow="fold")
    table.add_column(ratio=1, overflow="fold")
    for name, value in facts.items():
        if name != "files" and value not in (None, "", [], 0):
            table.add_row(name.replace("_", " "), Text(_said(value)))
    for file in shown.standing.spec.files:
        table.add_row("file", Text(flat(str(file.path() or file.name))))
        table.add_row("", Text(f"{file.licence}, {file.work}, sha256 {file.sha256 or 'not known yet'}", "dim"))
    return table


def _said(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    return flat(str(value))


@layout.register
def _(checked: Checked, view: View) -> RenderableType:
    lines = [
        Text.assemble(
            (standing.state, STYLES[standing.state]),
            f"  {flat(standing.spec.name)}",
            f": {safe(standing.problem)}" if standing.problem else "",
        )
        for standing in checked.standings
    ]
    return Group(*lines) if lines else Text("no model is here")


@layout.register
def _(fetched: Fetched, view: View) -> RenderableType:
    lines = [
        f"{'downloaded' if file.downloaded else 'here already'}: {file.path} ({megabytes(file.size)})"
        for file in fetched.files
    ]
    return Group(*(Text(flat(line)) for line in lines))


@layout.register
def _(removed: Removed, view: View) -> RenderableType:
    return Text(f"{'removed' if removed.removed else 'nothing to remove'}: {flat(removed.name)}")


@layout.register
def _(benched: Benched, view: View) -> RenderableType:
    head = ("model", "threads", "load s", "query p50/p95 ms", "short/s", "long/s", "MaxSim 50 ms", "resident MB")
    rows = [
        (
            flat(each.name),
            str(each.threads),
            f"{each.load_seconds:.2f}",
            f"{each.query_p50_ms:.1f}/{each.query_p95_ms:.1f}",
            _speed(each.short_per_second, each.short_tokens),
            _speed(each.long_per_second, each.long_tokens),
            "" if each.maxsim_ms is None else f"{each.maxsim_ms:.2f}",
            "" if each.resident_mb is None else f"{each.resident_mb:.0f}",
        )
        for each in benched.measured
    ]
    note = "short and long: passages a second in batches, best of four (tokens in the mean); resident: the most held"
    return Group(_table(head, rows), Text(note, "dim"))


def _speed(texts: float, tokens: float | None) -> str:
    return f"{texts:.0f}" if tokens is None else f"{texts:.0f} ({tokens:.0f} tok)"


def _table(head: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in head:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
