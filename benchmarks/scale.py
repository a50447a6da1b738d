"""What a store costs as it grows: `python benchmarks/scale.py [--only STORE] [--json] [SIZE…]`.

Texts are generated, and so are vectors and token vectors: no model is part of any number. Vectors lie in clusters, as
those of texts do: subjects within fields, and around each subject a cloud of few dimensions. Questions are further
draws of the same kind, so that they have near neighbours and none is stored.

Each store is filled as a move fills it, in batches of 1,000: on PostgreSQL the index over vectors is made at the end.
Then it is asked through the engine, and the index is held against a comparison with every vector.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import anyio
import numpy as np
from notes import Question, memories, questions
from numpy.typing import NDArray
from speed import PIECES, POSTGRES, SQLITE, URLS, new_folder, table

import ricordo
from ricordo.eval.timing import Machine, Spread, describe_machine, resident_mib, spread, timed
from ricordo.memory import Memory
from ricordo.protocols import Encoded, Floors, Store, TokenVectors
from ricordo.query import EVERYTHING, Variant
from ricordo.remember import Made, Writer
from ricordo.stores import open_store
from ricordo.stores.postgres.address import Address, directory
from ricordo.stores.postgres.database import Database
from ricordo.stores.postgres.embedded import EmbeddedStore
from ricordo.stores.postgres.server import EmbeddedServer
from ricordo.stores.postgres.store import PostgresStore
from ricordo.testing import WholeChunker

DIMENSION = 384
FIELDS, SUBJECTS, CLOUD = 64, 64, 48
MOST_TOKENS = 126
SIZES = {SQLITE: (1_000, 10_000, 100_000, 200_000), POSTGRES: (1_000, 10_000, 100_000, 1_000_000)}
BATCH = 1_000
QUESTIONS = 210
COMPARED = 50
WRITTEN = 50
NEAREST = 10
TARGETS_MS = {(SQLITE, 100_000): 20.0, (POSTGRES, 100_000): 10.0, (POSTGRES, 1_000_000): 25.0}


class Clusters:
    """Unit vectors `(n, 384) float32`: a field, a subject within it, and a cloud of 48 dimensions around that."""

    def __init__(self) -> None:
        random = np.random.default_rng(11)
        self._fields = _unit(random.standard_normal((FIELDS, DIMENSION), np.float32))
        self._subjects = _unit(random.standard_normal((FIELDS * SUBJECTS, DIMENSION), np.float32))
        self._directions = _unit(random.standard_normal((CLOUD, DIMENSION), np.float32))

    def draw(self, count: int, random: np.random.Generator) -> NDArray[np.float32]:
        subjects = random.integers(len(self._subjects), size=count)
        cloud = _unit(random.standard_normal((count, CLOUD), np.float32) @ self._directions)
        return _unit(self._fields[subjects // SUBJECTS] + self._subjects[subjects] + cloud)


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    made: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


class GeneratedEmbedder:
    """Draws vectors in place of reading texts."""

    fingerprint = "generated/384"
    token_fingerprint = "generated/384/tokens"
    dimension = DIMENSION
    max_tokens = MOST_TOKENS
    floors = Floors(recall=0.0, context=0.8)

    def __init__(self) -> None:
        self.clusters = Clusters()
        self._random = np.random.default_rng(5)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [min(round(PIECES * len(text.split())), MOST_TOKENS) for text in texts]

    def pieces(self, text: str) -> tuple[tuple[str, int], ...]:
        return tuple((word, 1) for word in text.split())

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.clusters.draw(len(texts), self._random)

    embed_queries = embed_passages

    def encode_passages(self, texts: Sequence[str]) -> Encoded:
        tokens = tuple(
            TokenVectors(ids=np.zeros(count, np.int32), rows=self.clusters.draw(count, self._random))
            for count in self.count_tokens(texts)
        )
        return Encoded(vectors=self.embed_passages(texts), tokens=tokens)

    encode_queries = encode_passages

    def made(self, chunk_ids: Sequence[str], texts: Sequence[str]) -> dict[str, Made]:
        """What a store is given for these chunks; token vectors as packed bits, which are as good as random."""
        bits = DIMENSION // 8
        vectors = self.embed_passages(texts)
        return {
            chunk_id: Made(vector=vector, tokens=self._random.bytes(bits * count))
            for chunk_id, vector, count in zip(chunk_ids, vectors, self.count_tokens(texts), strict=True)
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """How a store was filled: seconds of writing, of making the index over vectors, and of generating the input."""

    writing_s: float
    index_s: float
    generating_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """The vectors' arm against a comparison with every vector: its share of the ten nearest, and both in ms."""

    recall: float
    searched: Spread
    exact: Spread


@dataclass(frozen=True, kw_only=True, slots=True)
class Scaled:
    """What was measured at one size in one store. Times in milliseconds, without a model."""

    store: str
    chunks: int
    loaded: Loaded
    recalled: Spread
    words: Spread
    vectors: Spread
    remembered: Spread
    compared: Compared
    memory_mib: float
    bytes_each: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """Everything measured."""

    machine: Machine
    sizes: list[Scaled]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", help=f"numbers of chunks (default {SIZES})")
    parser.add_argument("--only", choices=tuple(SIZES), help="measure one store")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    found = []
    for store, usual in SIZES.items():
        if options.only in (None, store):
            for size in options.sizes or usual:
                with new_folder() as folder:
                    found.append(anyio.run(at_size, size, store, folder))
    report = Report(machine=describe_machine(), sizes=found)
    print(json.dumps(asdict(report), indent=2) if options.json else "\n".join(markdown(report)))


async def at_size(size: int, store: str, folder: Path) -> Scaled:
    """Fill a store, ask it, write to it."""
    url, embedder = URLS[store].format(folder), GeneratedEmbedder()
    loaded, stored = await load(url, size, embedder)
    asked = questions(QUESTIONS, stored)
    del stored
    before = resident_mib()
    async with ricordo.open(url, embedder=embedder) as memory:
        recalls = [recall for recall, _ in await timed(asked, lambda one: _ask(memory, one))]
        held = served_mib(folder) if store == POSTGRES else resident_mib() - before
        stats = await memory.stats()
        compared = await compare(url, embedder)
        written = await timed(range(WRITTEN), lambda number: memory.remember(f"Note {number}, the last of all."))
    assert stats.chunks > 0.999 * size, f"{stats.chunks} chunks, not {size}"
    return Scaled(
        store=store,
        chunks=size,
        loaded=loaded,
        recalled=spread([recall.timings["total"] - recall.timings["embed"] for recall in recalls]),
        words=spread([recall.timings["words"] for recall in recalls]),
        vectors=spread([recall.timings["vectors"] for recall in recalls]),
        remembered=spread([milliseconds for _, milliseconds in written]),
        compared=compared,
        memory_mib=held,
        bytes_each=stats.size_bytes / stats.chunks,
    )


async def _ask(memory: ricordo.Engine, question: Question) -> ricordo.Recall:
    return await memory.recall(question.text, filters=question.filters)


async def load(url: str, size: int, embedder: GeneratedEmbedder) -> tuple[Loaded, list[Memory]]:
    """Fill a new store; some of what it holds is given back, to ask about."""
    store = open_store(url)
    await store.open()
    writer = Writer(store=store, chunker=WholeChunker(), embedder=embedder, namespace="default")
    sample: list[Memory] = []
    begin = time.perf_counter()
    if isinstance(store, PostgresStore):
        async with store.loading():
            generating = await _fill(writer, size, sample)
            filled = time.perf_counter()
    else:
        generating = await _fill(writer, size, sample)
        filled = time.perf_counter()
    ended = time.perf_counter()
    await store.close()
    writing = filled - begin - generating
    return Loaded(writing_s=writing, index_s=ended - filled, generating_s=generating), sample


async def _fill(writer: Writer, size: int, sample: list[Memory]) -> float:
    """Write notes, a chunk each; seconds that their generation took."""
    assert isinstance(writer.embedder, GeneratedEmbedder)
    notes, generating, begin = memories(size), 0.0, time.perf_counter()
    for batch in _batches(notes):
        chunks = writer.cut(batch)
        made = writer.embedder.made([chunk.id for chunk in chunks], [chunk.text for chunk in chunks])
        generating += time.perf_counter() - begin
        await writer.write(batch, chunks, made=made)
        sample += batch[:10]
        begin = time.perf_counter()
    return generating


def _batches(notes: Iterator[Memory]) -> Iterator[list[Memory]]:
    while batch := list(islice(notes, BATCH)):
        yield batch


async def compare(url: str, embedder: GeneratedEmbedder) -> Compared:
    """Ask the vectors' arm as it searches at this size, and one that compares every vector."""
    usual, exact = open_store(url), open_store(url)
    if isinstance(exact, EmbeddedStore):
        server = Address(conninfo=EmbeddedServer(directory(url)).conninfo, label=url)
        exact = PostgresStore(Database(server), exact_rows=sys.maxsize)
    vectors = embedder.embed_queries([""] * COMPARED)
    variants = [Variant(text="", vector=row, fingerprint=embedder.fingerprint, floor=0.0) for row in vectors]
    found = []
    for store in (usual, exact):
        await store.open()
        found.append(await timed(variants, lambda one, store=store: _nearest(store, one), warm_up=5))  # type: ignore[misc]
        await store.close()
    shares = [len(set(near) & set(true)) / NEAREST for (near, _), (true, _) in zip(*found, strict=True)]
    searched, compared = (spread([milliseconds for _, milliseconds in each]) for each in found)
    return Compared(recall=sum(shares) / len(shares), searched=searched, exact=compared)


async def _nearest(store: Store, variant: Variant) -> tuple[str, ...]:
    return await store.by_vector("default", variant, EVERYTHING, NEAREST)


def served_mib(folder: Path) -> float:
    """Memory that the processes of the server in this folder hold, shared pages counted once; 0 where none can tell."""
    held = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.fsencode(folder) in (process / "cmdline").read_bytes() + os.fsencode((process / "cwd").readlink()):
                lines = (process / "smaps_rollup").read_text().splitlines()
                held += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except OSError:  # it ended, or is not ours
            continue
    return held / 1024


def markdown(report: Report) -> list[str]:
    """The report as Markdown."""
    machine = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in asdict(report.machine).items())
    lines = [f"Measured on: {machine}.", "", "p50 / p95 in milliseconds, warm, one after another, without a model.", ""]
    for store in SIZES:
        if sizes := [sized for sized in report.sizes if sized.store == store]:
            lines += [*table([store, *(f"{sized.chunks:,} chunks" for sized in sizes)], list(_rows(sizes))), ""]
    return lines


def _rows(sizes: Sequence[Scaled]) -> Iterator[list[str]]:
    server = sizes[0].store == POSTGRES
    yield ["loaded, chunks/s", *(f"{one.chunks / one.loaded.writing_s:,.0f}" for one in sizes)]
    if server:
        yield ["HNSW index made, seconds", *(f"{one.loaded.index_s:,.1f}" if indexed(one) else "–" for one in sizes)]
    yield ["recall, outside the model", *(str(one.recalled) for one in sizes)]
    yield ["target of its p50", *(_target(one) for one in sizes)]
    yield ["of it words", *(str(one.words) for one in sizes)]
    yield ["of it vectors, which run beside them", *(str(one.vectors) for one in sizes)]
    yield ["remember, one memory", *(str(one.remembered) for one in sizes)]
    yield ["ten nearest vectors, as searched", *(str(one.compared.searched) for one in sizes)]
    if server:
        yield ["ten nearest, every vector compared", *(str(one.compared.exact) for one in sizes)]
        yield ["recall@10 of the search against that", *(f"{one.compared.recall:.3f}" for one in sizes)]
    holder = "server" if server else "process, for the vectors"
    yield [f"memory of the {holder}, MiB", *(f"{one.memory_mib:,.0f}" for one in sizes)]
    yield ["disk, bytes a chunk", *(f"{one.bytes_each:,.0f}" for one in sizes)]


def indexed(one: Scaled) -> bool:
    """Whether so many vectors are searched by an index."""
    return one.chunks > 10_000


def _target(one: Scaled) -> str:
    target = TARGETS_MS.get((one.store, one.chunks))
    return "" if target is None else f"≤ {target:g}"


if __name__ == "__main__":
    main()
