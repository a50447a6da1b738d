"""Vectors of what is stored already are made where they are missing, and dropped on request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ricordo
from ricordo.embedding import Embedding, drop, embed, named, shortest_name
from ricordo.errors import InvalidInput, ModelError
from ricordo.memory import Memory, told
from ricordo.protocols import Embedder, Encoded, Store
from ricordo.query import EVERYTHING, Variant
from ricordo.remember import Writer
from ricordo.stores import open_store
from ricordo.testing import HashEmbedder, InMemoryStore, WholeChunker

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HASH, TOKENS = HashEmbedder.fingerprint, HashEmbedder.token_fingerprint


class Other(HashEmbedder):
    """Another model, as far as a store can tell; it counts what it reads, and can break down."""

    fingerprint = "other/1/64"
    token_fingerprint = "other/1/64/tokens"

    def __init__(self, lasts: int = 10**9) -> None:
        self.read = 0
        self.lasts = lasts

    def encode_passages(self, texts: Sequence[str]) -> Encoded:
        self.read += len(texts)
        if self.read > self.lasts:
            raise ModelError("out of order")
        return super().encode_passages(texts)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    urls = {"memory": "memory:", "sqlite": f"sqlite:///{tmp_path / 'store.db'}"}
    opened = open_store(urls.get(request.param) or request.getfixturevalue("postgres_url"))
    await opened.open()
    yield opened
    await opened.close()


def writer(store: Store, embedder: Embedder | None, namespace: str = "a", *, token_vectors: bool = True) -> Writer:
    return Writer(
        store=store, chunker=WholeChunker(), embedder=embedder, namespace=namespace, token_vectors=token_vectors
    )


async def write(by: Writer, *texts: str) -> list[Memory]:
    memories = [told(text, now=NOW) for text in texts]
    await by.write(memories, by.cut(memories))
    return memories


async def counts(store: Store) -> dict[str, int]:
    stats = await store.stats()
    return {**stats.embedders, **stats.token_embedders}


async def finds(store: Store, embedder: Embedder, text: str) -> bool:
    """Whether a text is among those that are found by its own vector."""
    (vector,) = embedder.embed_queries([text])
    variant = Variant(text="", vector=vector, fingerprint=embedder.fingerprint, floor=0.9)
    ids = await store.by_vector("a", variant, EVERYTHING, 99)
    return text in [chunk.text for chunk, _ in await store.get("a", ids)]


async def test_what_was_written_without_an_embedder_gets_vectors_and_token_vectors(store: Store) -> None:
    await write(writer(store, None), *(f"note {number}" for number in range(150)))
    told_of: list[Embedding] = []
    embedded = await embed(writer(store, HashEmbedder()), tell=told_of.append)

    assert (embedded.chunks, embedded.fingerprint, embedded.token_fingerprint) == (150, HASH, TOKENS)
    assert [(each.chunks, each.total) for each in told_of] == [(64, 150), (128, 150), (150, 150)]
    assert await counts(store) == {HASH: 150, TOKENS: 150}
    assert await finds(store, HashEmbedder(), "note 7")


async def test_what_is_there_is_not_read_again(store: Store) -> None:
    other = Other()
    await write(writer(store, other), "one", "two")
    await write(writer(store, None), "three")

    assert (await embed(writer(store, other))).chunks == 1
    assert (await embed(writer(store, other))).chunks == 0
    assert other.read == 3


async def test_token_vectors_alone_are_made_too_and_only_where_they_are_kept(store: Store) -> None:
    await write(writer(store, HashEmbedder(), token_vectors=False), "one", "two")
    assert (await embed(writer(store, HashEmbedder(), token_vectors=False))).chunks == 0
    assert await counts(store) == {HASH: 2}
    assert (await embed(writer(store, HashEmbedder()))).chunks == 2
    assert await counts(store) == {HASH: 2, TOKENS: 2}


async def test_the_first_set_serves_while_the_second_is_built(store: Store) -> None:
    await write(writer(store, HashEmbedder()), *(f"note {number}" for number in range(100)))
    with pytest.raises(ModelError):
        await embed(writer(store, Other(lasts=64)))

    assert await counts(store) == {HASH: 100, TOKENS: 100, "other/1/64": 64, "other/1/64/tokens": 64}
    assert await finds(store, HashEmbedder(), "note 7")


async def test_building_goes_on_where_it_was_broken_off(store: Store) -> None:
    await write(writer(store, None), *(f"note {number}" for number in range(100)))
    with pytest.raises(ModelError):
        await embed(writer(store, Other(lasts=64)))
    other = Other()

    assert (await embed(writer(store, other))).chunks == other.read == 36
    assert await finds(store, other, "note 7")


async def test_what_is_told_while_it_runs_is_read_in_the_same_run(store: Store) -> None:
    class Interrupted(Writer):
        __slots__ = ()

        async def fill(self, chunk_ids: Sequence[str]) -> None:
            await super().fill(chunk_ids)
            await write(writer(self.store, HashEmbedder()), "told meanwhile")

    await write(writer(store, None), "one")
    meanwhile = Interrupted(store=store, chunker=WholeChunker(), embedder=Other(), namespace="a")

    assert (await embed(meanwhile)).chunks == 2


async def test_what_is_forgotten_before_its_page_is_written_stays_forgotten(store: Store) -> None:
    memories = await write(writer(store, None), *(f"note {number}" for number in range(100)))
    ids = [memory.id for memory in memories[:50]]
    gone = await store.unread("a", Other.fingerprint, None)
    await store.forget("a", ids, NOW)
    await writer(store, Other()).fill(gone)

    assert await counts(store) == {"other/1/64": 50, "other/1/64/tokens": 50}
    assert await store.check() == ()


async def test_only_the_namespaces_named_are_looked_at(store: Store) -> None:
    await write(writer(store, None, "a"), "one")
    await write(writer(store, None, "b"), "two")
    await embed(writer(store, HashEmbedder(), "b"))

    assert await store.unread("a", HASH, None) != ()
    assert await store.unread("b", HASH, TOKENS) == ()


async def test_a_model_is_dropped_by_its_name_with_its_token_vectors(store: Store) -> None:
    for embedder in (HashEmbedder(), Other()):
        await write(writer(store, embedder), "one", "two")
    dropped = await drop(writer(store, HashEmbedder()), "other")

    assert dropped.chunks == {"other/1/64": 2, "other/1/64/tokens": 2}
    assert await counts(store) == {HASH: 2, TOKENS: 2}


async def test_what_is_in_force_or_unknown_is_not_dropped(store: Store) -> None:
    await write(writer(store, HashEmbedder()), "one")
    for name, message in (("hash-words", "is in force"), ("hash", "no vectors here are by 'hash'")):
        with pytest.raises(InvalidInput, match=message):
            await drop(writer(store, HashEmbedder()), name)
    assert await counts(store) == {HASH: 1, TOKENS: 1}


async def test_token_vectors_that_are_not_kept_any_more_can_be_dropped_alone(store: Store) -> None:
    await write(writer(store, HashEmbedder()), "one")

    assert (await drop(writer(store, HashEmbedder(), token_vectors=False), TOKENS)).chunks == {TOKENS: 1}
    assert await counts(store) == {HASH: 1}


async def test_the_facade_changes_models_in_one_namespace_or_in_all() -> None:
    store = InMemoryStore()
    async with ricordo.open(store, namespace="a", embedder=HashEmbedder()) as memory:
        await memory.remember("the port is 8080")
        await write(writer(store, None, "b"), "elsewhere")
        second = ricordo.open(store, namespace="a", embedder=Other())
        async with second:
            assert (await second.embed()).chunks == 1
            assert (await second.embed(everything=True)).chunks == 1
            assert (await second.drop_vectors("hash-words", everything=True)).chunks == {HASH: 1, TOKENS: 1}
            hit = (await second.recall("port 8080")).hits[0]
    assert "vectors" in hit.arms


async def test_vectors_cannot_be_made_without_an_embedder() -> None:
    async with ricordo.open(InMemoryStore(), embedder="none") as memory:
        with pytest.raises(InvalidInput, match="name one with --embedder"):
            await memory.embed()


parts = st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=4).map("/".join)


@given(parts, st.lists(parts, max_size=4))
def test_the_shortest_name_names_the_set_and_no_other(fingerprint: str, others: list[str]) -> None:
    name = shortest_name(fingerprint, others)

    assert named(name, [fingerprint]) == {fingerprint}
    if name != fingerprint:
        assert not named(name, others)
