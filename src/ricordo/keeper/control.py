"""Looking at the keeper, and ending it."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass

from ricordo.keeper.client import Unanswered, ask, leave, process_of
from ricordo.keeper.place import Place

__all__ = ["KeeperState", "look", "stopped"]

PATIENCE = 1.0
FAREWELL = 3.0
STEP = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class KeeperState:
    """What a keeper is doing: `running`, or what is the matter with it as `Unanswered` has it, or `stopped` just now.

    `process` is told by the system; `model` is `loading`, `none`, or a fingerprint; `waiting` transcripts are queued.
    """

    state: str
    why: str = ""
    process: int | None = None
    model: str | None = None
    answers: int = 0
    seconds: int = 0
    waiting: int = 0


def look(place: Place) -> KeeperState:
    """What the keeper says of itself."""
    try:
        said = ask(place, {"ask": "hello"}, PATIENCE)
    except Unanswered as trouble:
        return KeeperState(state=trouble.state, why=trouble.why, process=process_of(place))
    return KeeperState(
        state="running",
        process=_number(said.get("process")),
        model=str(said.get("model")),
        answers=_number(said.get("answers")),
        seconds=_number(said.get("seconds")),
        waiting=_number(said.get("waiting")),
    )


def stopped(place: Place) -> KeeperState:
    """End the keeper: it is asked, and one that does not answer is ended by the system."""
    process = process_of(place)
    before = look(place)
    if before.state in ("absent", "foreign"):
        return before
    if not leave(place) and process is not None:
        os.kill(process, signal.SIGKILL)
    deadline = time.monotonic() + FAREWELL
    while process_of(place) is not None and time.monotonic() < deadline:
        time.sleep(STEP)
    return KeeperState(state="stopped", process=process)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
