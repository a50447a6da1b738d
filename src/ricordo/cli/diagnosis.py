"""What `ricordo doctor` looks at."""

from __future__ import annotations

import platform
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec

import anyio
import numpy as np

from ricordo.cli.connections import connections
from ricordo.cli.options import Options
from ricordo.cli.vectorsets import vector_sets
from ricordo.engine import open
from ricordo.errors import InvalidInput, MissingExtra, ModelError, StoreError
from ricordo.models import AUTO, NONE, choose_embedder, load_embedder
from ricordo.models.inventory import makers
from ricordo.protocols import Embedder, Fault, Stats
from ricordo.render.phrases import megabytes, size_advice
from ricordo.render.reports import Diagnosis, Finding, Setting
from ricordo.secrets import redact
from ricordo.settings import Settings, setting_origins, without_password
from ricordo.stores.sqlite.database import SQLITE_VERSION

__all__ = ["diagnose"]

FLOAT_BYTES = 4
UNIT_LENGTH = 1e-3


def diagnose(options: Options, repaired: Sequence[str] = ()) -> Diagnosis:
    """Look at everything; what is wrong becomes a finding, after what was repaired. Raises ConfigError alone."""
    settings = options.settings
    origins = setting_origins(options.given)
    return Diagnosis(
        settings={name: Setting(value=_shown(getattr(settings, name)), origin=origins[name]) for name in origins},
        findings=(
            *(Finding(name="repair", status="ok", message=what) for what in repaired),
            *_findings(options),
        ),
    )


def _shown(value: str | int | float) -> str | int | float:
    return without_password(value) if isinstance(value, str) else value


def _findings(options: Options) -> Iterator[Finding]:
    settings = options.settings
    yield Finding(name="versions", status="ok", message=f"Python {platform.python_version()}, SQLite {SQLITE_VERSION}")
    embedder, found = _embedder(settings)
    yield found
    yield _russian()
    yield from _store(options, embedder)
    yield from connections(settings)


def _embedder(settings: Settings) -> tuple[Embedder | None, Finding]:
    """The embedder in force, after it has embedded something."""
    name = "embedder"
    try:
        if settings.embedder == AUTO:
            choice = choose_embedder(threads=settings.threads)
            embedder, reason = choice.embedder, choice.reason
        else:
            embedder, reason = load_embedder(settings.embedder, threads=settings.threads), "it is set to none"
        if embedder is None:
            return None, Finding(name=name, status="note", message=f"memories are found by words alone: {reason}")
        return embedder, _round_trip(embedder)
    except (ModelError, InvalidInput) as error:
        return None, Finding(name=name, status="fault", message=str(error))


def _round_trip(embedder: Embedder) -> Finding:
    begin = time.perf_counter()
    vectors = embedder.embed_passages(["One sentence, there and back."])
    milliseconds = (time.perf_counter() - begin) * 1000
    if vectors.shape != (1, embedder.dimension) or abs(float(np.linalg.norm(vectors)) - 1) > UNIT_LENGTH:
        message = f"{embedder.fingerprint} made no unit vector of {embedder.dimension} dimensions"
        return Finding(name="embedder", status="fault", message=message, mend="install ricordo again")
    return Finding(
        name="embedder", status="ok", message=f"{embedder.fingerprint}, loaded and used in {milliseconds:.0f} ms"
    )


def _russian() -> Finding:
    if find_spec("pymorphy3") is None:
        return Finding(
            name="Russian",
            status="note",
            message="pymorphy3 is not installed: words are matched by their stems, not by their lemmas",
            mend="pip install 'ricordo[russian]'",
        )
    return Finding(name="Russian", status="ok", message="pymorphy3 finds the lemmas of words")


def _store(options: Options, embedder: Embedder | None) -> Iterator[Finding]:
    try:
        stats, faults, secrets = anyio.run(_look, options)
    except (StoreError, MissingExtra, InvalidInput) as error:
        yield Finding(name="store", status="fault", message=str(error))
        return
    size = f"{stats.memories:,} memories in {stats.chunks:,} chunks, {megabytes(stats.size_bytes)}"
    yield Finding(name="store", status="ok", message=f"{stats.store}: {size}, schema version {stats.schema_version}")
    for fault in faults:
        yield Finding(name="store", status="fault", message=fault.what, mend=fault.mend)
    yield _secrets(secrets)
    yield from _vectors(stats, embedder)
    yield from vector_sets(stats, embedder, makers(), tokens_stored=options.settings.token_vectors == "stored")


async def _look(options: Options) -> tuple[Stats, tuple[Fault, ...], dict[str, int]]:
    # Models have been looked at already, and must not keep the store from being looked at.
    async with open(settings=replace(options.settings, embedder=NONE), clock=options.clock) as memory:
        secrets: Counter[str] = Counter()
        async for line in memory.export(everything=True):
            secrets.update(redact(line).counts)
        return await memory.stats(), await memory.check(), dict(secrets)


def _secrets(counts: dict[str, int]) -> Finding:
    """How much looks like a secret, by rule; never what."""
    if not counts:
        return Finding(name="secrets", status="ok", message="nothing looks like a key, a token or a card number")
    found = ", ".join(f"{count:,} {rule}" for rule, count in sorted(counts.items()))
    return Finding(
        name="secrets",
        status="note",
        message=f"some memories hold what looks like secrets: {found}",
        mend="if they should not, forget them, or read their files again with `ricordo ingest --redact`",
    )


def _vectors(stats: Stats, embedder: Embedder | None) -> Iterator[Finding]:
    if embedder is not None and stats.store.startswith("sqlite:"):
        count = stats.embedders.get(embedder.fingerprint, 0)
        size = megabytes(count * embedder.dimension * FLOAT_BYTES)
        yield Finding(
            name="vectors", status="ok", message=f"{count:,} vectors take up to {size} of memory once searched"
        )
    advice = size_advice(stats.store, stats.chunks)
    if advice:
        yield Finding(name="size", status="note", message=advice)
