"""The same memories in both stores are ranked the same."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np
import pytest
from anyio.from_thread import start_blocking_portal
from numpy.typing import NDArray

from postgres_servers import TcpServer, fresh_database, tell
from publicdata import DATA
from ricordo.analyzer import STANDARD
from ricordo.bm25 import rank
from ricordo.memory import Memory, Origin
from ricordo.protocols import Store
from ricordo.query import EVERYTHING, Filters, Query, TimeRange, Variant, WordMatches
from ricordo.recall import Reader
from ricordo.remember import Writer
from ricordo.stores import open_store
from ricordo.testing import HashEmbedder, WholeChunker
from trustworthy import LONG

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MEMORIES = 2000
QUESTIONS = 500
TAGS = ("work", "home", "idea", "todo")
VOCABULARY = (
    "lake project pipeline meeting budget gateway timeout backup river kitchen invoice teacher holiday doctor",
    "озеро проект встреча бюджет шлюз резервная копия река кухня счёт учитель отпуск врач поезд дорога ключ",
    "lago proyecto reunión presupuesto puerta copia río cocina factura maestro vacaciones médico tren calle",
    "projeto reunião orçamento cópia cozinha fatura professor férias médico trem estrada chave praia escola",
)


class SumEmbedder(HashEmbedder):
    """A text is the sum of its words, each a random direction: as with real models, no two texts tie by design."""

    fingerprint = "sum-words/1/64"

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.array([np.sum([direction(word) for word in text.split()], axis=0) for text in texts], np.float32)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


@cache
def direction(word: str) -> NDArray[np.float32]:
    return np.random.default_rng(zlib.crc32(word.encode())).standard_normal(SumEmbedder.dimension).astype(np.float32)


EMBEDDER = SumEmbedder()


def generated(random_: random.Random) -> Iterator[str]:
    """Texts of a few words of one language with a common word, a number and sometimes an identifier."""
    languages = [words.split() for words in VOCABULARY]
    while True:
        words = random_.choices(random_.choice(languages), k=random_.randint(3, 30))
        words += [f"{random_.choice('abcxyz')}{random_.randint(1, 400)}", str(random_.randint(1, 99))]
        if random_.random() < 0.1:
            words.append(f"sk-proj-{random_.randint(0, 99999):05}")
        random_.shuffle(words)
        yield " ".join(words)


def published() -> Iterator[str]:
    """Sentences of the public question sets, where they are."""
    for name in ("xquad.en", "xquad.ru", "xquad.es", "faquad.pt"):
        file = DATA / f"{name}.json"
        for article in json.loads(file.read_text(encoding="utf-8"))["data"] if file.exists() else ():
            for paragraph in article["paragraphs"]:
                yield from (part for part in paragraph["context"].split(". ") if len(part) > 20)


def memories() -> list[Memory]:
    random_ = random.Random(7)
    real = list(published())
    random_.shuffle(real)
    texts = dict.fromkeys(real[: MEMORIES // 2])
    for text in generated(random_):
        if len(texts) == MEMORIES:
            break
        texts[text] = None
    origins = [Origin(kind="text", uri=f"file:///{'ab'[number % 2]}/{number}.txt") for number in range(40)]
    plain = [
        Memory(text=text, origin=random_.choice(origins), created_at=NOW, updated_at=NOW, position=position)
        for position, text in enumerate(texts)
    ]
    return [
        replace(
            memory,
            context=random_.choice(("", "", "Notes on the lake project", "Дом и кухня")),
            event_timestamp=NOW - timedelta(hours=random_.randint(0, 9000)) if random_.random() < 0.8 else None,
            tags=tuple(sorted(random_.sample(TAGS, k=random_.randint(0, 2)))),
            metadata={"project": random_.choice(("tide", "moon"))},
            id="",
        )
        for memory in plain
    ]


def filters(random_: random.Random) -> Filters:
    start = NOW - timedelta(hours=random_.randint(0, 9000))
    return random_.choice(
        (
            EVERYTHING,
            EVERYTHING,
            EVERYTHING,
            Filters(time=TimeRange(start=start)),
            Filters(time=TimeRange(start=start, end=start + timedelta(days=60))),
            Filters(tags=(random_.choice(TAGS),)),
            Filters(metadata={"project": "tide"}),
            Filters(origin="file:///a/"),
            Filters(kinds=("told",)),
        )
    )


def questions(texts: Sequence[str]) -> list[tuple[str, Filters]]:
    random_ = random.Random(11)
    asked = []
    for _ in range(QUESTIONS):
        words = random_.choice(texts).split()
        asked.append((" ".join(random_.sample(words, k=min(len(words), random_.randint(1, 6)))), filters(random_)))
    return asked


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Both stores with the same memories, and what is asked of them."""

    sqlite: Store
    postgres: Store
    questions: Sequence[tuple[str, Filters]]


async def fill(url: str) -> None:
    store, remembered = open_store(url), memories()
    await store.open()
    writer = Writer(store=store, chunker=WholeChunker(), embedder=EMBEDDER, namespace="a")
    for start in range(0, MEMORIES, 250):
        page = remembered[start : start + 250]
        await writer.write(page, writer.cut(page))
    await store.close()


@pytest.fixture(scope="module")
def filled(tcp_postgres: TcpServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The addresses of both stores, filled once: nothing is written to them after."""
    with fresh_database(tcp_postgres.conninfo()) as name, start_blocking_portal() as portal:
        urls = (f"sqlite:///{tmp_path_factory.mktemp('parity') / 'store.db'}", tcp_postgres.url(name))
        for url in urls:
            portal.call(fill, url)
        yield urls


@pytest.fixture
async def pair(filled: tuple[str, str]) -> AsyncIterator[Pair]:
    stores = [open_store(url) for url in filled]
    for store in stores:
        await store.open()
    yield Pair(sqlite=stores[0], postgres=stores[1], questions=questions([memory.text for memory in memories()]))
    for store in stores:
        await store.close()


def scores(terms: dict[str, float], found: WordMatches) -> dict[str, float]:
    return {chunk_id: round(score, 9) for chunk_id, score in rank(terms, found)}


async def test_words_have_the_same_scores_and_order_in_both_stores(pair: Pair) -> None:
    same = 0
    for text, wanted in pair.questions:
        terms = dict(STANDARD.question(text).weights)
        one = scores(terms, await pair.sqlite.by_words("a", list(terms), wanted, 300))
        two = scores(terms, await pair.postgres.by_words("a", list(terms), wanted, 300))
        assert {key: one[key] for key in one.keys() & two.keys()} == {key: two[key] for key in one.keys() & two.keys()}
        same += list(one)[:50] == list(two)[:50]

    tell(f"words: the first fifty are the same for {same / QUESTIONS:.1%} of {QUESTIONS} questions")
    assert same == QUESTIONS


async def test_vectors_have_the_same_order_in_both_stores(pair: Pair) -> None:
    same = 0
    for text, wanted in pair.questions:
        (row,) = EMBEDDER.embed_queries([text])
        variant = Variant(text=text, vector=row, fingerprint=EMBEDDER.fingerprint, floor=0.05)
        one = await pair.sqlite.by_vector("a", variant, wanted, 50)
        two = await pair.postgres.by_vector("a", variant, wanted, 50)
        assert len(one) == len(two)
        same += one == two

    tell(f"vectors: the first fifty are the same for {same / QUESTIONS:.1%} of {QUESTIONS} questions")
    assert same >= 0.99 * QUESTIONS


async def test_recall_gives_the_same_ten_from_both_stores(pair: Pair) -> None:
    # What it makes of words and vectors is the same for both stores; those are held to all questions above.
    same, asked = 0, pair.questions if LONG else pair.questions[::5]
    for text, wanted in asked:
        query = Query(text=text, namespace="a", filters=wanted)
        one, two = [
            [hit.chunk.id for hit in await Reader(store=store, embedder=EMBEDDER).recall(query)]
            for store in (pair.sqlite, pair.postgres)
        ]
        same += one == two

    tell(f"recall: the first ten are the same for {same / len(asked):.1%} of {len(asked)} questions")
    assert same >= 0.99 * len(asked)
