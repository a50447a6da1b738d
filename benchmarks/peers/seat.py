"""One peer in a process of its own: `python seat.py JOB.json`. Needs nothing but the peer and, for vectors, numpy.

A job says `peer`, `step`, `tasks` (each with `folder`, `store`, `now`), `vectors` (whether it takes any), `url`,
`model`, `patience_s`, and `result`, the file that what was measured goes to. The step `fill` writes every task into its
store. The step `ask` opens the first store, and times that to the first answer; then it asks the questions of the first
task with a stop-watch, and those of the others. Who is not through with a task's questions in the seconds that patience
lasts leaves the rest, which are drawn by lot, unanswered.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]

__all__ = ["Record", "Seat", "Store"]

LIMIT = 10
WARM_UP = 20
SEED = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """A text to remember; `when` is an ISO date with time."""

    id: str
    text: str
    when: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Seat:
    """Where a store lies, and what a peer may want to know to fill and to open it."""

    store: Path
    folder: Path
    url: str
    model: str
    now: str | None


class Store(Protocol):
    """An open store. `model_s` sums the seconds that a model within it took, `model_mib` is the memory of the model."""

    @property
    def model_s(self) -> float: ...

    @property
    def model_mib(self) -> float: ...

    def ask(self, question: str, vector: Vector | None, limit: int) -> list[str]:
        """The ids of the best records, best first."""
        ...

    def close(self) -> None: ...


class PeerModule(Protocol):
    """What the module `peer_NAME` holds."""

    def fill(self, seat: Seat, records: Sequence[Record], vectors: Vector | None) -> float:
        """Make the store and write all of it; gives the seconds of that which a model took."""
        ...

    def open(self, seat: Seat) -> Store: ...


def main() -> None:
    """Do the step of the job."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    found = {"fill": fill, "ask": ask}[job["step"]](job)
    Path(job["result"]).write_text(json.dumps(found), encoding="utf-8")


def fill(job: dict[str, Any]) -> dict[str, Any]:
    """Seconds for each task."""
    peer = peer_of(job)
    done = []
    for seat in seats(job):
        records = [Record(**each) for each in read(seat.folder / "records.json")]
        vectors = loaded(job, seat.folder / "passages.npy")
        begin = time.perf_counter()
        model_s = peer.fill(seat, records, vectors)
        done.append({"seconds": time.perf_counter() - begin, "model_s": model_s})
    return {"tasks": done}


def ask(job: dict[str, Any]) -> dict[str, Any]:
    """The first answer, all answers of the first task with their milliseconds, and the answers of the others."""
    first, *others = seats(job)
    questions = read(first.folder / "questions.json")
    vectors = vectors_of(job, first)
    begin = time.perf_counter()
    peer = peer_of(job)
    store = peer.open(first)
    store.ask(questions[0], vectors[0], LIMIT)
    start_s = time.perf_counter() - begin - store.model_s
    for question, vector in zip(questions[:WARM_UP], vectors, strict=False):
        store.ask(question, vector, LIMIT)
    answers, times = timed(store, questions, vectors, job["patience_s"])
    resident = resident_mib() - store.model_mib
    store.close()
    rest = [asked(peer, job, seat) for seat in others]
    return {"start_s": start_s, "resident_mib": resident, "times": times, "answers": [answers, *rest]}


def timed(
    store: Store, questions: Sequence[str], vectors: Sequence[Any], patience_s: float
) -> tuple[list[list[str] | None], list[list[float]]]:
    """Answers, None for what was not asked, and for each answer the milliseconds in all and those of a model within."""
    answers: list[list[str] | None] = [None] * len(questions)
    times = []
    deadline = time.perf_counter() + patience_s
    for number in Random(SEED).sample(range(len(questions)), len(questions)):
        before, begin = store.model_s, time.perf_counter()
        if begin > deadline:
            break
        answers[number] = store.ask(questions[number], vectors[number], LIMIT)
        times.append([(time.perf_counter() - begin) * 1000, (store.model_s - before) * 1000])
    return answers, times


def asked(peer: PeerModule, job: dict[str, Any], seat: Seat) -> list[list[str] | None]:
    """The answers of one more task."""
    questions = read(seat.folder / "questions.json")
    store = peer.open(seat)
    answers, _ = timed(store, questions, vectors_of(job, seat), job["patience_s"])
    store.close()
    return answers


def peer_of(job: dict[str, Any]) -> PeerModule:
    """The peer's module, with whatever it imports."""
    module: Any = import_module(f"peer_{job['peer']}")
    found: PeerModule = module
    return found


def seats(job: dict[str, Any]) -> list[Seat]:
    """One for each task."""
    return [
        Seat(
            store=Path(task["store"]),
            folder=Path(task["folder"]),
            url=job["url"],
            model=job["model"],
            now=task["now"],
        )
        for task in job["tasks"]
    ]


def vectors_of(job: dict[str, Any], seat: Seat) -> Sequence[Any]:
    """One for each question, or as many times None."""
    vectors = loaded(job, seat.folder / "questions.npy")
    return [None] * len(read(seat.folder / "questions.json")) if vectors is None else list(vectors)


def loaded(job: dict[str, Any], file: Path) -> Vector | None:
    """The vectors of a file, if the peer takes any; numpy is then loaded before anything is timed."""
    if not job["vectors"]:
        return None
    import numpy as np

    found: Vector = np.load(file)
    return found


def read(file: Path) -> Any:  # noqa: ANN401 - JSON of many shapes
    """A file of JSON."""
    return json.loads(file.read_text(encoding="utf-8"))


def resident_mib() -> float:
    """Memory this process holds now, in MiB; its peak where the system tells no more."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return peak_mib()
    return pages * resource.getpagesize() / 2**20


def peak_mib() -> float:
    """The most memory this process held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


if __name__ == "__main__":
    main()
