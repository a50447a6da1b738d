"""One peer's turn: its environment, filling, asking, and what came of it. Whatever goes wrong is its row."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from environments import Environment, NotInstalled, environment
from material import Material
from peerlist import Peer

from ricordo.eval.metrics import Outcome as Ranks
from ricordo.eval.metrics import outcome

__all__ = ["Entrant", "Outcome", "contend"]

SEAT = Path(__file__).with_name("seat.py")
STEP_S = 1800
"""What a step may take; then it has failed, and the table says so."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entrant:
    """A peer, the folder that its environment lies in, and where it gets vectors.

    After `patience_s` the rest of a store's questions is not asked, and the table says how many were.
    """

    peer: Peer
    cache: Path
    url: str
    model: str
    patience_s: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """What was measured. Times and sizes are of the timed task; `times` are (in all, in a model) in milliseconds."""

    fill_s: float
    fill_model_s: float
    start_s: float
    resident_mib: float
    store_mib: float
    times: tuple[tuple[float, float], ...]
    ranks: dict[str, tuple[Ranks, ...]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """A peer's row: what was measured, or why nothing was."""

    peer: Peer
    version: str = ""
    installed_mib: float = 0.0
    measured: Measured | None = None
    failure: str | None = None
    seconds: float = 0.0


class Failed(RuntimeError):
    """A step ended badly; the message is the peer's own last word."""


def contend(entrant: Entrant, material: Material, folder: Path) -> Outcome:
    """Install, fill, ask."""
    begin = time.perf_counter()
    peer = entrant.peer
    home: Environment | None = None
    try:
        home = environment(peer, entrant.cache)
        measured = _measured(entrant, home, material, folder / "stores" / peer.name)
    except (NotInstalled, Failed) as error:
        version, size = (home.version, home.mib) if home else ("", 0.0)
        seconds = time.perf_counter() - begin
        return Outcome(peer=peer, version=version, installed_mib=size, failure=str(error), seconds=seconds)
    return Outcome(
        peer=peer,
        version=home.version,
        installed_mib=home.mib,
        measured=measured,
        seconds=time.perf_counter() - begin,
    )


def _measured(entrant: Entrant, home: Environment, material: Material, folder: Path) -> Measured:
    folder.mkdir(parents=True)
    tasks = [
        {"folder": str(task.folder), "store": str(folder / str(number)), "now": task.now}
        for number, task in enumerate(material.tasks)
    ]
    job = {
        "peer": entrant.peer.name,
        "tasks": tasks,
        "vectors": entrant.peer.vectors,
        "url": entrant.url,
        "model": entrant.model,
        "patience_s": entrant.patience_s,
    }
    filled = _step(home, {**job, "step": "fill"}, folder)
    size = sum(file.stat().st_size for file in (folder / "0").rglob("*") if file.is_file())
    asked = _step(home, {**job, "step": "ask"}, folder)
    return Measured(
        fill_s=filled["tasks"][0]["seconds"],
        fill_model_s=filled["tasks"][0]["model_s"],
        start_s=asked["start_s"],
        resident_mib=asked["resident_mib"],
        store_mib=size / 2**20,
        times=tuple((total, model) for total, model in asked["times"]),
        ranks=_ranks(material, asked["answers"]),
    )


def _ranks(material: Material, answers: list[list[list[str] | None]]) -> dict[str, tuple[Ranks, ...]]:
    """Outcomes of what was asked, by benchmark, and by benchmark and category."""
    found: dict[str, list[Ranks]] = {}
    for task, given in zip(material.tasks, answers, strict=True):
        for question, ids in zip(task.collection.questions, given, strict=True):
            if ids is None:
                continue
            ranks = outcome(ids, question.relevant)
            for key in (task.benchmark, f"{task.benchmark}/{question.category}"):
                found.setdefault(key, []).append(ranks)
    return {key: tuple(ranks) for key, ranks in found.items()}


def _step(home: Environment, job: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Run the seat on a job. Nothing that a peer keeps for itself leaves the folder. Raises Failed."""
    result, paper, log = (folder / f"{job['step']}.{kind}" for kind in ("result", "json", "log"))
    paper.write_text(json.dumps({**job, "result": str(result)}), encoding="utf-8")
    surroundings = {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    surroundings |= {"RICORDO_HOME": str(folder / "ricordo"), "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    with log.open("wb") as output:
        try:
            done = subprocess.run(
                [home.python, SEAT, paper], stdout=output, stderr=subprocess.STDOUT, env=surroundings, timeout=STEP_S
            )
        except subprocess.TimeoutExpired as error:
            raise Failed(f"did not {job['step']} within {STEP_S / 60:.0f} minutes") from error
    if done.returncode != 0:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["no word"]
        sys.stderr.write("\n".join(lines[-20:]) + "\n")
        raise Failed(f"could not {job['step']}: {lines[-1]}")
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return found
