"""How fast the pages and REST answer: `python benchmarks/web.py [--store URL] [--clients N] [--seconds S] [--json]`.

Prints, and asserts nothing. First each page and endpoint is asked for one after the other, over the loopback, and what
the models took is taken off; beside it stands what the server's processor spent on one, models and all, which another
program on the machine does not lengthen as it does the time. Then many clients at once ask for pages in turn, as fast
as they are answered. Passages are not embedded, for that would take the model an hour: their vectors are random
directions, which costs search the same. Filling takes minutes; `--store` names one that was filled so before.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import quote, urlsplit

import anyio
import httpx2
from notes import memories, questions
from speed import MODEL, TimedEmbedder, fill

from ricordo.eval.timing import Machine, Spread, describe_machine, spread
from ricordo.models import load_embedder

CHUNKS, CLIENTS, SECONDS = 100_000, 200, 60.0
TARGET_MS = 100.0
ASKED = 40
WARM_UP = 40
PATIENCE = 300.0
MODELS = ("embed", "rerank")
SERVER_TIMING = re.compile(r"(\w+);dur=([\d.]+)")
QUESTIONS = 40
LOOKUPS = ("/timeline", "/api/stats", "/", "/sources")


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """How long an address takes outside the models, and the processor's milliseconds for one answer, where known."""

    outside: Spread
    processor_ms: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Crowd:
    """Many clients at once: answers, those that were none, answers a second, and milliseconds."""

    clients: int
    seconds: float
    answers: int
    errors: int
    rate: float
    latency: Spread


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """What was measured, on what."""

    machine: Machine
    chunks: int
    pages: Mapping[str, Page]
    crowd: Crowd | None


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--chunks", type=int, default=CHUNKS)
    parser.add_argument("--store", help="a store that is filled already")
    parser.add_argument("--clients", type=int, default=CLIENTS, help="0: no crowd")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ricordo-bench-") as folder:
        url = chosen.store or filled(Path(folder), chosen.chunks)
        report = measure(url, chosen.clients, chosen.seconds)
    print(json.dumps(asdict(report), indent=2) if chosen.json else "\n".join(markdown(report)))


def filled(folder: Path, chunks: int) -> str:
    """A new store with so many chunks."""
    url = f"sqlite:///{folder}/memory.db"
    embedder = TimedEmbedder(load_embedder(MODEL) or sys.exit("the model is missing"), random_passages=True)
    anyio.run(fill, url, chunks, embedder)
    return url


def measure(url: str, clients: int, seconds: float) -> Report:
    """Serve a store in a process of its own, and ask."""
    stored = list(memories(QUESTIONS))
    asked = [question.text for question in questions(QUESTIONS, stored)]
    with subprocess.Popen(
        [sys.executable, "-m", "ricordo", "--store", url, "--embedder", MODEL, "serve", "--port", "0", "--json"],
        stdout=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        try:
            told = _told(server)
            parts = urlsplit(told["url"])
            base = f"{parts.scheme}://{parts.netloc}"
            headers = {"Authorization": f"Bearer {told['token']}"}
            chunks = httpx2.get(f"{base}/api/stats", headers=headers, timeout=60).json()["chunks"]
            pages = _one_by_one(base, headers, _addresses(asked, [memory.id for memory in stored]), server.pid)
            crowd = anyio.run(_at_once, base, headers, asked, clients, seconds) if clients else None
        finally:
            server.terminate()
    return Report(machine=describe_machine(), chunks=chunks, pages=pages, crowd=crowd)


def _told(server: subprocess.Popen[str]) -> dict[str, str]:
    """The link and the token, as the command prints them."""
    text = ""
    for line in server.stdout or ():
        text += line
        if line.startswith("}"):
            break
    found: dict[str, str] = json.loads(text)
    return found


def _addresses(asked: Sequence[str], ids: Sequence[str]) -> dict[str, list[str]]:
    return {
        "page: search": [f"/?query={quote(text)}" for text in asked],
        "page: the latest": ["/"],
        "page: a memory": [f"/memory/{memory_id}" for memory_id in ids],
        "page: timeline": ["/timeline"],
        "page: timeline, a year": [f"/timeline?span={year}" for year in (2024, 2025, 2026)],
        "page: sources": ["/sources"],
        "page: statistics": ["/statistics"],
        "page: why, word by word": [
            f"/why?query={quote(text)}&id={memory}" for text, memory in zip(asked, ids, strict=True)
        ],
        "REST: recall": [f"/api/recall?query={quote(text)}" for text in asked],
        "REST: show": [f"/api/show/{memory_id}" for memory_id in ids],
        "REST: timeline": ["/api/timeline"],
        "REST: sources": ["/api/sources"],
        "REST: survey": ["/api/survey"],
        "REST: stats": ["/api/stats"],
    }


def _one_by_one(
    base: str, headers: Mapping[str, str], addresses: Mapping[str, Sequence[str]], server: int
) -> dict[str, Page]:
    """What each takes, once it was asked for."""
    found = {}
    with httpx2.Client(base_url=base, headers=headers, timeout=PATIENCE) as client:
        for name, paths in addresses.items():
            for path in islice(cycle(paths), WARM_UP):
                client.get(path).raise_for_status()
            used, spent = _processor_ms(server), []
            for path in islice(cycle(paths), ASKED):
                begin = time.perf_counter()
                answer = client.get(path).raise_for_status()
                spent.append((time.perf_counter() - begin) * 1000 - _inference(answer))
            by_now = _processor_ms(server)
            each = (by_now - used) / ASKED if by_now is not None and used is not None else None
            found[name] = Page(outside=spread(spent), processor_ms=each)
    return found


def _processor_ms(process: int) -> float | None:
    """The processor's time that a process has used, where the system tells of it as Linux does."""
    try:
        told = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except OSError:
        return None
    user, system = told.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) * 1000 / os.sysconf("SC_CLK_TCK")


def _inference(answer: httpx2.Response) -> float:
    """What the models took, as the answer tells; 0 where it does not, as that of `why`, which has them read a text."""
    if answer.url.path == "/api/recall":
        return sum(float(answer.json()["timings_ms"].get(stage, 0.0)) for stage in MODELS)
    told = SERVER_TIMING.findall(answer.headers.get("server-timing", ""))
    return sum(float(spent) for stage, spent in told if stage in MODELS)


async def _at_once(base: str, headers: Mapping[str, str], asked: Sequence[str], clients: int, seconds: float) -> Crowd:
    """Every client asks for the next page as soon as it has the last."""
    searches = [f"/?query={quote(text)}" for text in asked]
    # Two of three are searches, all different; the others are looked up.
    paths = [path for pair in zip(searches, cycle(LOOKUPS), searches[::-1], strict=False) for path in pair]
    spent: list[float] = []
    errors = 0

    async def ask(number: int, client: httpx2.AsyncClient, end: float) -> None:
        nonlocal errors
        for path in islice(cycle(paths), number % len(paths), None):
            if time.perf_counter() > end:
                return
            begin = time.perf_counter()
            try:
                answer = await client.get(path)
                errors += answer.status_code != 200
            except httpx2.HTTPError:
                errors += 1
            spent.append((time.perf_counter() - begin) * 1000)

    limits = httpx2.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx2.AsyncClient(base_url=base, headers=dict(headers), timeout=PATIENCE, limits=limits) as client:
        begin = time.perf_counter()
        async with anyio.create_task_group() as group:
            for number in range(clients):
                group.start_soon(ask, number, client, begin + seconds)
        took = time.perf_counter() - begin
    return Crowd(
        clients=clients, seconds=took, answers=len(spent) - errors, errors=errors,
        rate=(len(spent) - errors) / took, latency=spread(spent),
    )  # fmt: skip


def markdown(report: Report) -> list[str]:
    """A table of the pages, and a line on the crowd."""
    return [
        f"{report.machine}",
        "",
        f"| at {report.chunks:,} chunks | p50 / p95, ms, outside the models | target | processor, ms, models too |",
        "|---|---|---|---|",
        *(
            f"| {name} | {page.outside} | {TARGET_MS:.0f} | "
            + ("|" if page.processor_ms is None else f"{page.processor_ms:.0f} |")
            for name, page in report.pages.items()
        ),
        *(["", _of_crowd(crowd)] if (crowd := report.crowd) else []),
    ]


def _of_crowd(crowd: Crowd) -> str:
    return (
        f"{crowd.clients} clients for {crowd.seconds:.0f} s: {crowd.answers:,} answers, {crowd.errors} errors, "
        f"{crowd.rate:.0f} a second, {crowd.latency} ms (p50 / p95)"
    )


if __name__ == "__main__":
    main()
