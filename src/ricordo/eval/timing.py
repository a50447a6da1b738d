"""How things are timed: percentiles, warm-up, and the machine they were measured on."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

import numpy as np

from ricordo.stores.sqlite.database import SQLITE_VERSION

__all__ = ["WARM_UP", "Machine", "Spread", "describe_machine", "resident_mib", "spread", "timed"]

T = TypeVar("T")
R = TypeVar("R")

WARM_UP = 20
"""What is done first and not counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """Half of all measurements were at most `p50`, nineteen of twenty at most `p95`; in the unit measured."""

    p50: float
    p95: float
    count: int

    def __str__(self) -> str:
        return f"{self.p50:.2f} / {self.p95:.2f}"


def spread(values: Sequence[float]) -> Spread:
    """Nearest-rank percentiles, so that each is a value that was measured."""
    ordered = sorted(values)
    if not ordered:
        return Spread(p50=0.0, p95=0.0, count=0)
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.95)]
    return Spread(p50=at[0], p95=at[1], count=len(ordered))


async def timed(
    items: Sequence[T], call: Callable[[T], Awaitable[R]], *, warm_up: int = WARM_UP
) -> list[tuple[R, float]]:
    """Every item's result with its milliseconds, one after the other, after a warm-up that is not counted."""
    for item in items[:warm_up]:
        await call(item)
    measured = []
    for item in items:
        begin = time.perf_counter()
        result = await call(item)
        measured.append((result, (time.perf_counter() - begin) * 1000))
    return measured


@dataclass(frozen=True, kw_only=True, slots=True)
class Machine:
    """What the numbers depend on."""

    system: str
    processor: str
    cores: int
    memory_gib: float
    python: str
    sqlite: str
    numpy: str
    blas: str
    onnxruntime: str
    threads: str


def describe_machine() -> Machine:
    """This machine and the libraries that do the work."""
    return Machine(
        system=platform.platform(terse=True),
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_gib=_memory_gib(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        sqlite=SQLITE_VERSION,
        numpy=np.__version__,
        blas=_blas(),
        onnxruntime=_version("onnxruntime"),
        threads=", ".join(f"{name}={os.environ.get(name, 'unset')}" for name in _THREAD_SETTINGS),
    )


_THREAD_SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RICORDO_THREADS")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _memory_gib() -> float:
    """0 where the system does not tell."""
    if not hasattr(os, "sysconf"):
        return 0.0
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)


def _blas() -> str:
    found = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{found['name']} {found['version']}"


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def resident_mib() -> float:
    """Memory this process holds in RAM now, in MiB; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
