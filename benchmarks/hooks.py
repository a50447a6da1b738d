"""How long a person waits for a hook: with the keeper and without, and for setting a transcript aside.

python benchmarks/hooks.py [RUNS] [NOTES]
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
from notes import memories, questions

from ricordo.engine import open as open_memory
from ricordo.keeper.control import look, stopped
from ricordo.keeper.place import place_for
from ricordo.memory import Memory, Origin
from ricordo.settings import load_settings
from ricordo.testing import ListSource

RUNS = 20
NOTES = 1_000
LIMIT_MS = 300
WARMING = 60.0


def main() -> None:
    """Fill a store, then time hooks as an assistant runs them."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    notes = int(sys.argv[2]) if len(sys.argv) > 2 else NOTES
    with tempfile.TemporaryDirectory(prefix="r-") as folder:
        environment = {
            **os.environ,
            "RICORDO_HOME": folder,
            "RICORDO_STORE": f"sqlite:///{folder}/memory.db",
            "XDG_RUNTIME_DIR": folder,
        }
        stored = list(memories(notes))
        anyio.run(_fill, environment["RICORDO_STORE"], stored)
        prompts = [question.text for question in questions(runs, stored)]
        print(f"{notes:,} notes, {runs} runs each; milliseconds from start to end of the process, p50 and p95")
        _show("python -c pass", [_timed([sys.executable, "-c", "pass"], environment) for _ in range(runs)])
        # With time enough, so that what it would take is seen and not when it is stopped.
        without = {**environment, "RICORDO_KEEPER": "off", "RICORDO_HOOK_MS": "60000"}
        _show("prompt-submit by words alone", _hooks("prompt-submit", prompts, without))
        _keep(environment)
        place = place_for(load_settings({}, environment), environment)
        try:
            _show(f"prompt-submit by the keeper (target {LIMIT_MS})", _hooks("prompt-submit", prompts, environment))
            _show("session-start by the keeper", _hooks("session-start", prompts, environment))
            _show("stop: a transcript is set aside", _hooks("stop", prompts, environment))
            print(f"the keeper: {look(place)}")
        finally:
            stopped(place)


async def _fill(store: str, notes: Sequence[Memory]) -> None:
    async with open_memory(store) as memory:
        await memory.ingest([ListSource(Origin(kind="notes", uri="notes:"), notes)])


def _keep(environment: Mapping[str, str]) -> None:
    """Have a keeper run and its model loaded."""
    place = place_for(load_settings({}, environment), environment)
    subprocess.Popen([sys.executable, "-m", "ricordo", "keep"], env=dict(environment)).returncode = 0
    deadline = time.monotonic() + WARMING
    while look(place).model in (None, "loading") and time.monotonic() < deadline:
        time.sleep(0.2)


def _hooks(event: str, prompts: Sequence[str], environment: Mapping[str, str]) -> list[float]:
    command = [sys.executable, "-m", "ricordo", "hook", event]
    payload = {"cwd": "/", "transcript_path": str(Path(environment["RICORDO_HOME"]) / "session.jsonl")}
    return [_timed(command, environment, json.dumps({**payload, "prompt": prompt}).encode()) for prompt in prompts]


def _timed(command: Sequence[str], environment: Mapping[str, str], data: bytes = b"") -> float:
    begin = time.perf_counter()
    subprocess.run(command, input=data, stdout=subprocess.DEVNULL, env=dict(environment), check=True)
    return (time.perf_counter() - begin) * 1000


def _show(what: str, spent: Sequence[float]) -> None:
    print(f"{what:<48} {statistics.median(spent):7.0f} {sorted(spent)[int(len(spent) * 0.95) - 1]:7.0f}")


if __name__ == "__main__":
    main()
