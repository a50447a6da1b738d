"""Every promise of `protocols.Store`, for every store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import numpy as np
import pytest

from ricordo.bm25 import rank
from ricordo.errors import InvalidInput, NotFound, StoreError
from ricordo.memory import Chunk, EventOrigin, Memory, Origin, Reading, told
from ricordo.protocols import Batch, Claim, Entry, Store, Tombstone
from ricordo.query import EVERYTHING, AsOf, Aspects, Filters, TimeRange, Variant
from ricordo.stores import open_store

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MODEL = "model-a/2"
TOKENS = "model-a/2/tokens"
FILE = Origin(kind="text", uri="file:///notes/a.txt", title="a")


@pytest.fixture(params=["memory", "sqlite", "embedded", "tcp"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    servers = {"embedded": "embedded_url", "tcp": "postgres_url"}
    if request.param in servers:
        url = request.getfixturevalue(servers[request.param])
    else:
        url = {"memory": "memory:", "sqlite": f"sqlite:///{tmp_path / 'store.db'}"}[request.param]
    opened = open_store(url)
    await opened.open()
    yield opened
    await opened.close()


def memory(text: str, **fields: object) -> Memory:
    return replace(told(text, now=NOW), **fields)  # type: ignore[arg-type]


def from_file(text: str, position: int = 0, **fields: object) -> Memory:
    plain = Memory(text=text, origin=FILE, created_at=NOW, updated_at=NOW, position=position)
    return replace(plain, **fields)  # type: ignore[arg-type]


def chunk_of(item: Memory, text: str | None = None) -> Chunk:
    return Chunk(
        memory_id=item.id,
        origin_uri=item.origin.uri,
        text=text or item.text,
        context=item.context,
        group=item.group,
        speaker=item.speaker,
    )


def entry(item: Memory, vector: tuple[float, ...] | None = None) -> Entry:
    chunk = chunk_of(item)
    row = None if vector is None else np.array(vector, np.float32) / np.float32(np.linalg.norm(vector))
    return Entry(
        chunk=chunk,
        lexemes=tuple(chunk.text.lower().split()),
        context_lexemes=tuple(chunk.context.lower().split()),
        vector=row,
    )


def batch(*items: Memory, vectors: Mapping[str, tuple[float, ...]] | None = None, **fields: object) -> Batch:
    entries = tuple(entry(item, (vectors or {}).get(item.text)) for item in items)
    return replace(Batch(memories=items, entries=entries, fingerprint=MODEL), **fields)  # type: ignore[arg-type]


def reading(*items: Memory, revision: str = "1") -> Reading:
    return Reading(origin=FILE, revision=revision, memory_ids=frozenset(item.id for item in items))


def variant(*numbers: float, floor: float = -1.0, fingerprint: str = MODEL) -> Variant:
    row = np.array(numbers, np.float32) / np.float32(np.linalg.norm(numbers))
    return Variant(text="", vector=row, fingerprint=fingerprint, floor=floor)


async def words(store: Store, *terms: str, namespace: str = "a", filters: Filters = EVERYTHING) -> list[str]:
    found = await store.by_words(namespace, terms, filters, 100)
    ids = [chunk_id for chunk_id, score in rank(dict.fromkeys(terms, 1.0), found) if score > 0]
    return [chunk.text for chunk, _ in await store.get(namespace, ids)]


async def near(store: Store, wanted: Variant, filters: Filters = EVERYTHING, limit: int = 100) -> list[str]:
    ids = await store.by_vector("a", wanted, filters, limit)
    return [chunk.text for chunk, _ in await store.get("a", ids)]


# --- remembering ---


async def test_what_is_added_comes_back_whole(store: Store) -> None:
    item = from_file(
        "the key is sk-proj-abc123",
        event_timestamp=NOW - timedelta(days=3, microseconds=1),
        context="Keys › Old",
        group="Keys",
        speaker="Mira",
        position=7,
        tags=("key", "secret"),
        metadata={"n": 1, "deep": {"list": [1, None, "ü"]}},
    )
    await store.add("a", batch(item))

    assert await store.memory("a", item.id) == item
    assert await store.get("a", [chunk_of(item).id]) == ((chunk_of(item), item),)


async def test_adding_twice_adds_nothing(store: Store) -> None:
    item = memory("once", event_timestamp=NOW)
    first = await store.add("a", batch(item, vectors={"once": (1, 0)}))
    second = await store.add("a", batch(item, vectors={"once": (1, 0)}))

    assert (first.memories, first.chunks) == (frozenset({item.id}), 1)
    assert (second.memories, second.chunks) == (frozenset(), 0)
    assert (await store.stats()).memories == 1
    assert await near(store, variant(1, 0)) == ["once"]


async def test_a_repeated_chunk_in_one_batch_is_stored_once(store: Store) -> None:
    item = memory("twice")
    added = await store.add("a", Batch(memories=(item,), entries=(entry(item), entry(item))))

    assert added.chunks == 1


async def test_missing_names_the_chunks_without_a_vector_of_that_model(store: Store) -> None:
    seen, unseen = memory("seen"), memory("unseen")
    await store.add("a", batch(seen, unseen, vectors={"seen": (1, 0)}))
    ids = [chunk_of(seen).id, chunk_of(unseen).id, "never-added"]

    assert await store.missing("a", ids, MODEL) == {chunk_of(unseen).id, "never-added"}
    assert await store.missing("a", ids, "model-b/2") == frozenset(ids)
    assert await store.missing("b", ids, MODEL) == frozenset(ids)


async def test_a_vector_can_come_later(store: Store) -> None:
    item = memory("late")
    await store.add("a", batch(item))
    assert await near(store, variant(1, 0)) == []
    await store.add("a", batch(item, vectors={"late": (1, 0)}))

    assert await near(store, variant(1, 0)) == ["late"]


# --- another embedder ---

OTHER = "model-b/2"


async def test_chunks_are_unread_until_they_have_vectors_and_the_token_vectors_wanted(store: Store) -> None:
    first, second = memory("first"), memory("second")
    await store.add("a", batch(first, second, vectors={"first": (1, 0)}))
    one, two = chunk_of(first).id, chunk_of(second).id

    assert await store.unread("a", MODEL, None) == (two,)
    assert await store.unread("a", MODEL, TOKENS) == tuple(sorted([one, two]))
    assert await store.unread("b", MODEL, None) == ()
    tokens = tuple(replace(entry(item), tokens=b"12345678") for item in (first, second))
    await store.add_vectors("a", Batch(entries=tokens, token_fingerprint=TOKENS))
    assert await store.unread("a", MODEL, TOKENS) == (two,)


async def test_a_second_set_of_vectors_stands_beside_the_first(store: Store) -> None:
    item = memory("beside")
    await store.add("a", batch(item, vectors={"beside": (1, 0)}))
    await store.add_vectors("a", Batch(entries=(entry(item, (0, 1)),), fingerprint=OTHER))
    await store.add_vectors("a", Batch(entries=(entry(item, (1, 1)),), fingerprint=OTHER))

    assert await near(store, variant(1, 0, floor=0.9)) == ["beside"]
    assert await near(store, variant(0, 1, floor=0.9, fingerprint=OTHER)) == ["beside"]
    assert (await store.stats()).embedders == {MODEL: 1, OTHER: 1}


async def test_vectors_of_what_was_forgotten_meanwhile_are_not_written(store: Store) -> None:
    gone, kept = memory("gone"), memory("kept")
    await store.add("a", batch(gone, kept))
    await store.forget("a", [gone.id], NOW)
    made = tuple(replace(entry(item, (1, 0)), tokens=b"12345678") for item in (gone, kept))
    await store.add_vectors("a", Batch(entries=made, fingerprint=MODEL, token_fingerprint=TOKENS))

    stats = await store.stats()
    assert (stats.chunks, stats.embedders, stats.token_embedders) == (1, {MODEL: 1}, {TOKENS: 1})
    assert await near(store, variant(1, 0)) == ["kept"]


async def test_dropped_vectors_are_gone_and_those_of_others_stay(store: Store) -> None:
    item = memory("dropped")
    for namespace in ("a", "b"):
        await store.add(namespace, batch(item, vectors={"dropped": (1, 0)}))
    await store.add_vectors("a", Batch(entries=(entry(item, (0, 1)),), fingerprint=OTHER))
    assert await near(store, variant(1, 0)) == ["dropped"]

    assert await store.drop_vectors("a", MODEL) == 1
    assert await store.drop_vectors("a", MODEL) == 0
    assert await near(store, variant(1, 0)) == []
    assert await near(store, variant(0, 1, fingerprint=OTHER)) == ["dropped"]
    assert len(await store.by_vector("b", variant(1, 0), EVERYTHING, 9)) == 1
    assert await words(store, "dropped") == ["dropped"]
    assert await store.check() == ()


async def test_dropped_token_vectors_are_gone(store: Store) -> None:
    items = await conversation(store, 2)
    assert await store.drop_vectors("work", TOKENS) == 3

    stats = await store.stats()
    assert (stats.embedders, stats.token_embedders) == ({MODEL: 3}, {})
    assert await store.unread("work", MODEL, None) == ()
    assert chunk_of(items[0]).id in await store.unread("work", MODEL, TOKENS)


async def test_vectors_can_be_made_again_after_they_were_dropped(store: Store) -> None:
    items = [memory(f"again {index}") for index in range(3)]
    await store.add("a", batch(*items, vectors={item.text: (1, 0) for item in items}))
    assert len(await near(store, variant(1, 0))) == 3
    await store.drop_vectors("a", MODEL)
    await store.add_vectors("a", Batch(entries=(entry(items[1], (0, 1)),), fingerprint=MODEL))

    assert await near(store, variant(1, 0)) == ["again 1"]
    assert await near(store, variant(1, 0, floor=0.5)) == []


# --- origins ---


async def test_a_reading_is_known_when_its_batch_closes_it(store: Store) -> None:
    one, two = from_file("one", 0), from_file("two", 1)
    await store.add("a", batch(one))
    assert await store.reading("a", FILE.uri) is None
    await store.add("a", batch(two, readings=(reading(one, two),)))

    known = await store.reading("a", FILE.uri)
    assert known is not None
    assert (known.revision, known.memories, known.chunks) == ("1", 2, 2)
    assert await store.reading("b", FILE.uri) is None


async def test_what_an_origin_no_longer_says_is_forgotten_without_a_tombstone(store: Store) -> None:
    old, kept, new = from_file("old"), from_file("kept", 1), from_file("new", 2)
    await store.add("a", batch(old, kept, readings=(reading(old, kept),)))
    added = await store.add("a", batch(new, readings=(reading(kept, new, revision="2"),)))

    assert added.forgotten == {old.id}
    assert sorted(await words(store, "old", "kept", "new")) == ["kept", "new"]
    assert await store.tombstones("a", [old.id]) == frozenset()


async def test_an_origin_that_says_nothing_any_more_is_still_known(store: Store) -> None:
    only = from_file("only")
    await store.add("a", batch(only, readings=(reading(only),)))
    await store.add("a", Batch(readings=(reading(revision="2"),)))

    known = await store.reading("a", FILE.uri)
    assert known is not None
    assert (known.revision, known.memories) == ("2", 0)


async def test_a_chunk_moves_with_its_text_to_another_memory_of_its_origin(store: Store) -> None:
    before, after = from_file("shared passage"), from_file("new top. shared passage")
    moved = Entry(chunk=chunk_of(after, "shared passage"), lexemes=("shared", "passage"))
    await store.add("a", batch(before, vectors={"shared passage": (1, 0)}, readings=(reading(before),)))
    added = await store.add("a", Batch(memories=(after,), entries=(moved,), readings=(reading(after, revision="2"),)))

    assert (added.chunks, added.forgotten) == (0, frozenset({before.id}))
    ((_, owner),) = await store.get("a", [moved.chunk.id])
    assert owner.id == after.id
    assert await near(store, variant(1, 0)) == ["shared passage"]


async def test_re_reading_refreshes_what_surrounds_the_text(store: Store) -> None:
    item = from_file("same text", tags=("old",))
    await store.add("a", batch(item))
    fresh = replace(item, tags=("new",), position=4, event_timestamp=NOW, updated_at=NOW + timedelta(days=1))
    await store.add("a", batch(fresh))

    assert await store.memory("a", item.id) == fresh


async def test_telling_again_changes_nothing_unless_it_is_written_over(store: Store) -> None:
    item = memory("the port is 8080", tags=("old",))
    await store.add("a", batch(item))
    fresh = replace(item, tags=("new",), metadata={"buried": True})
    await store.add("a", batch(fresh))
    assert await store.memory("a", item.id) == item

    await store.add("a", Batch(memories=(fresh,), over=True))
    assert await store.memory("a", item.id) == fresh


# --- words ---


async def test_asked_for_no_terms_a_store_tells_its_statistics_alone(store: Store) -> None:
    await store.add("a", batch(memory("baikal pipeline"), memory("a lake of ours, deep")))
    found = await store.by_words("a", (), EVERYTHING, 1)

    assert (found.matches, found.chunks) == ((), 2)
    assert found.mean_length > 0


async def test_words_are_found_with_the_counts_that_bm25_needs(store: Store) -> None:
    twice = memory("baikal pipeline baikal", context="notes on baikal")
    await store.add("a", batch(twice, memory("another thing")))
    found = await store.by_words("a", ["baikal", "absent"], EVERYTHING, 10)

    (match,) = found.matches
    assert (match.length, match.context_length) == (3, 3)
    assert match.counts["baikal"] == 2
    assert match.context_counts["baikal"] == 1
    assert found.chunks == 2
    assert found.mean_length == 2.5
    assert found.mean_context_length == 3  # of those that have a context
    assert found.document_frequency["baikal"] == 1
    assert found.document_frequency.get("absent", 0) == 0


@pytest.mark.parametrize(
    "lexeme",
    ['"', "'", "c++", "a*b", "and", "near(x", "^x", "-x", "{x}:", "x:y", "(", ")", "\\", "%", "≈run", "😀", "日本"],
)
async def test_no_lexeme_is_an_operator(store: Store, lexeme: str) -> None:
    await store.add("a", batch(memory(f"{lexeme} alone"), memory("something else")))

    assert await words(store, lexeme) == [f"{lexeme} alone"]


async def test_an_identifier_is_found_among_its_near_duplicates(store: Store) -> None:
    await store.add("a", batch(*(memory(f"sk-proj-abc12{digit}") for digit in range(10))))

    assert await words(store, "sk-proj-abc127") == ["sk-proj-abc127"]


async def test_rare_terms_bring_the_candidates_of_a_large_namespace(store: Store) -> None:
    many = [memory(f"common note number{index}") for index in range(2500)]
    await store.add("a", batch(*many, memory("common needle")))
    found = await store.by_words("a", ["common", "needle"], EVERYTHING, 10)
    ranked = rank({"common": 1.0, "needle": 1.0}, found)

    ((best, _),) = await store.get("a", [ranked[0][0]])
    assert best.text == "common needle"
    assert found.document_frequency["common"] == 2501


# --- vectors ---


async def test_vectors_are_ranked_by_cosine_and_cut_at_the_floor(store: Store) -> None:
    vectors = {"east": (1.0, 0.0), "north-east": (1.0, 1.0), "north": (0.0, 1.0), "west": (-1.0, 0.0)}
    await store.add("a", batch(*(memory(text) for text in vectors), vectors=vectors))

    assert await near(store, variant(1, 0.1)) == ["east", "north-east", "north", "west"]
    assert await near(store, variant(1, 0.1), limit=2) == ["east", "north-east"]
    assert await near(store, variant(1, 0.1, floor=0.5)) == ["east", "north-east"]


async def test_equal_vectors_come_back_in_the_order_of_their_ids(store: Store) -> None:
    items = [memory(f"same {index}") for index in range(40)]
    await store.add("a", batch(*items, vectors={item.text: (3, 4) for item in items}))

    found = await store.by_vector("a", variant(3, 4), EVERYTHING, 10)
    assert list(found) == sorted(chunk_of(item).id for item in items)[:10]


async def test_vectors_of_two_models_are_never_compared(store: Store) -> None:
    await store.add("a", batch(memory("ours"), vectors={"ours": (1, 0)}))

    assert await store.by_vector("a", variant(1, 0, fingerprint="model-b/2"), EVERYTHING, 10) == ()


async def test_what_was_added_after_a_search_is_found_by_the_next(store: Store) -> None:
    for index in range(5):
        await store.add("a", batch(memory(f"n{index}"), vectors={f"n{index}": (1, index)}))
        assert len(await near(store, variant(1, 0))) == index + 1


# --- filters ---


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(time=TimeRange(start=NOW)), ["late"]),
        (Filters(time=TimeRange(end=NOW)), ["early"]),
        (Filters(time=TimeRange(start=NOW - timedelta(days=9), end=NOW + timedelta(days=9))), ["early", "late"]),
        (Filters(tags=("x",)), ["early", "late"]),
        (Filters(tags=("x", "y")), ["late"]),
        (Filters(metadata={"project": "tide"}), ["late"]),
        (Filters(metadata={"project": "tide", "n": 2}), ["late"]),
        (Filters(metadata={"project": "tide", "n": 3}), []),
        (Filters(metadata={"absent": None}), []),
        (Filters(origin="file:///notes/"), ["from file"]),
        (Filters(kinds=("text",)), ["from file"]),
        (Filters(kinds=("told", "markdown"), tags=("x",)), ["early", "late"]),
        (Filters(kinds=("text", "told")), ["early", "from file", "late", "undated"]),
        (Filters(kinds=("Text", "tex", "file:")), []),
        (Filters(kinds=("told",), origin="file:///notes/"), []),
    ],
)
async def test_every_arm_applies_every_filter_before_it_ranks(
    store: Store, filters: Filters, expected: list[str]
) -> None:
    items = (
        memory("early", event_timestamp=NOW - timedelta(days=1), tags=("x",)),
        memory("late", event_timestamp=NOW, tags=("y", "x"), metadata={"project": "tide", "n": 2}),
        memory("undated"),
        from_file("from file"),
    )
    shared = tuple(replace(entry(item, (1, 0)), lexemes=("shared",)) for item in items)
    await store.add("a", Batch(memories=items, entries=shared, fingerprint=MODEL))

    assert sorted(await words(store, "shared", filters=filters)) == expected
    assert sorted(await near(store, variant(1, 0), filters)) == expected


async def test_a_timeline_is_of_the_kinds_that_are_asked_for(store: Store) -> None:
    items = (memory("told", event_timestamp=NOW), from_file("read", event_timestamp=NOW - timedelta(days=1)))
    await store.add("a", batch(*items))

    async def told(*kinds: str) -> list[str]:
        return [item.text for item in await store.timeline("a", Filters(kinds=kinds), 9)]

    assert (await told("told"), await told("text"), await told("mail")) == (["told"], ["read"], [])
    assert await told("text", "told") == await told() == ["read", "told"]


async def test_a_filtered_vector_search_returns_all_that_pass(store: Store) -> None:
    crowd = [memory(f"near {index}") for index in range(300)]
    far = [memory(f"far {index}", tags=("wanted",)) for index in range(5)]
    vectors = {item.text: (1.0, 0.0) for item in crowd} | {item.text: (0.0, 1.0) for item in far}
    await store.add("a", batch(*crowd, *far, vectors=vectors))

    assert len(await near(store, variant(1, 0), Filters(tags=("wanted",)), limit=5)) == 5


# --- namespaces ---


async def test_namespaces_do_not_leak(store: Store) -> None:
    secret, other = memory("secret plan"), memory("other plan")
    await store.add("a", batch(secret, vectors={"secret plan": (1, 0)}))
    await store.add("b", batch(other, vectors={"other plan": (1, 0)}))
    await store.add("b", Batch(memories=(secret,), entries=(entry(secret),)))
    await store.forget("b", [secret.id], NOW)

    assert await words(store, "plan") == ["secret plan"]
    assert await words(store, "plan", namespace="b") == ["other plan"]
    assert await near(store, variant(1, 0)) == ["secret plan"]
    found = await store.by_words("b", ["secret"], EVERYTHING, 10)
    assert (found.matches, found.chunks, found.document_frequency.get("secret", 0)) == ((), 1, 0)
    assert await store.get("b", [chunk_of(secret).id]) == ()
    with pytest.raises(NotFound):
        await store.memory("b", secret.id)
    assert await store.history("b", secret.id) == ()


async def test_an_unknown_namespace_is_empty(store: Store) -> None:
    assert await words(store, "x", namespace="nobody") == []
    assert await store.forget("nobody", ["x"], NOW) == frozenset()
    assert (await store.stats()).namespaces == {}


# --- versions ---


async def test_a_superseded_memory_gives_way_but_stays_in_its_history(store: Store) -> None:
    first = memory("port 8080")
    second = told("port 9090", now=NOW + timedelta(days=1), supersedes=first)
    third = told("port 7070", now=NOW + timedelta(days=2), supersedes=second)
    await store.add("a", batch(first, vectors={"port 8080": (1, 0)}))
    assert await near(store, variant(1, 0)) == ["port 8080"]
    await store.add("a", batch(second, vectors={"port 9090": (1, 0)}))
    await store.add("a", batch(third, vectors={"port 7070": (1, 0)}))

    assert await words(store, "port") == ["port 7070"]
    assert await near(store, variant(1, 0)) == ["port 7070"]
    assert len(await words(store, "port", filters=Filters(superseded=True))) == 3
    assert len(await near(store, variant(1, 0), Filters(superseded=True))) == 3
    history = await store.history("a", second.id)
    assert [version.text for version in history] == ["port 8080", "port 9090", "port 7070"]
    assert [version.superseded_by for version in history] == [second.id, third.id, None]
    assert history[0].updated_at == second.updated_at


async def test_a_memory_is_replaced_once(store: Store) -> None:
    first = memory("port 8080")
    await store.add("a", batch(first))
    await store.add("a", batch(told("port 9090", now=NOW, supersedes=first)))
    with pytest.raises(InvalidInput, match="revised in the meantime"):
        await store.add("a", batch(told("port 7070", now=NOW, supersedes=first)))

    assert await words(store, "port") == ["port 9090"]


async def test_two_new_versions_of_one_memory_are_refused_in_one_batch_too(store: Store) -> None:
    first = told("port 8080", now=NOW)
    await store.add("a", batch(first))
    rivals = [told(text, now=NOW, supersedes=first) for text in ("port 9090", "port 7070")]

    with pytest.raises(InvalidInput, match="revised in the meantime"):
        await store.add("a", batch(*rivals))
    assert (await store.memory("a", first.id)).superseded_by is None


async def test_a_memory_that_comes_before_what_replaced_it_is_current_until_then(store: Store) -> None:
    first = memory("port 8080")
    second = told("port 9090", now=NOW + timedelta(days=1), supersedes=first)
    third = told("port 7070", now=NOW + timedelta(days=2), supersedes=second)
    first = replace(first, superseded_by=second.id, updated_at=second.updated_at)
    second = replace(second, superseded_by=third.id, updated_at=third.updated_at)
    await store.add("a", batch(first, vectors={"port 8080": (1, 0)}))
    assert await words(store, "port") == await near(store, variant(1, 0)) == ["port 8080"]
    assert await store.check() == ()
    rest = batch(second, third, vectors={"port 9090": (1, 0), "port 7070": (1, 0)})
    await store.add("a", replace(rest, memories=(first, second, third)))

    assert await words(store, "port") == await near(store, variant(1, 0)) == ["port 7070"]
    assert await store.history("a", first.id) == (first, second, third)
    assert await store.check() == ()


async def test_what_replaced_a_memory_marks_it_though_it_names_another(store: Store) -> None:
    line, newer = from_file("port 8080"), memory("port 9090", supersedes="f" * 24)
    line = replace(line, superseded_by=newer.id, updated_at=NOW + timedelta(days=1))
    await store.add("a", batch(line))
    await store.add("a", replace(batch(newer), memories=(line, newer)))

    assert await words(store, "port") == ["port 9090"]
    assert await store.memory("a", line.id) == line


async def test_what_was_forgotten_hides_nothing(store: Store) -> None:
    first, second = memory("port 8080"), memory("port 9090")
    await store.bury("a", [Tombstone(memory_id=second.id, forgotten_at=NOW)])
    await store.add("a", batch(replace(first, superseded_by=second.id), second, vectors={"port 8080": (1, 0)}))

    assert await words(store, "port") == await near(store, variant(1, 0)) == ["port 8080"]
    assert await store.check() == ()


async def test_of_two_that_are_here_a_copy_does_not_say_which_is_current(store: Store) -> None:
    first, second = memory("port 8080"), memory("port 9090")
    await store.add("a", batch(first, second))
    await store.add("a", batch(replace(first, superseded_by=second.id), second))

    assert sorted(await words(store, "port")) == ["port 8080", "port 9090"]


# --- forgetting ---


async def test_forgetting_removes_all_versions_and_leaves_tombstones(store: Store) -> None:
    first = memory("old secret")
    second = told("new secret", now=NOW, supersedes=first)
    await store.add("a", batch(first, vectors={"old secret": (1, 0)}))
    await store.add("a", batch(second, memory("kept"), vectors={"new secret": (1, 0), "kept": (1, 0)}))
    await near(store, variant(1, 0))

    assert await store.forget("a", [first.id, "unknown"], NOW) == {first.id, second.id}
    await store.purge()
    assert await words(store, "secret", "kept", filters=Filters(superseded=True)) == ["kept"]
    assert await near(store, variant(1, 0), Filters(superseded=True)) == ["kept"]
    assert await store.tombstones("a", [first.id, second.id, "other"]) == {first.id, second.id}
    found = await store.by_words("a", ["secret"], EVERYTHING, 10)
    assert (found.chunks, found.document_frequency.get("secret", 0)) == (1, 0)


async def test_telling_again_lifts_the_tombstone(store: Store) -> None:
    item = memory("back again")
    await store.add("a", batch(item))
    await store.forget("a", [item.id], NOW)
    added = await store.add("a", batch(item, anew=True))

    assert added.memories == {item.id}
    assert await store.tombstones("a", [item.id]) == frozenset()
    assert await words(store, "back") == ["back again"]


async def test_what_is_read_or_imported_stays_forgotten(store: Store) -> None:
    gone, kept = memory("gone"), memory("kept")
    await store.add("a", batch(gone, kept))
    await store.forget("a", [gone.id], NOW)
    added = await store.add("a", batch(gone, kept, memory("new"), vectors={"gone": (1, 0), "new": (1, 0)}))

    assert len(added.memories) == 1
    assert sorted(await words(store, "gone", "kept", "new")) == ["kept", "new"]
    assert await near(store, variant(1, 0)) == ["new"]
    assert await store.tombstones("a", [gone.id]) == {gone.id}


async def test_a_forgotten_origin_is_read_again(store: Store) -> None:
    item = from_file("only line")
    await store.add("a", batch(item, readings=(reading(item),)))
    await store.forget("a", [item.id], NOW)

    assert await store.reading("a", FILE.uri) is None


async def test_tombstones_can_be_written_alone(store: Store) -> None:
    await store.bury("a", [Tombstone(memory_id="gone", forgotten_at=NOW)])

    assert await store.tombstones("a", ["gone"]) == {"gone"}


async def test_a_tombstone_from_elsewhere_removes_what_it_marks_and_no_more(store: Store) -> None:
    first, other = memory("the pool is 20"), memory("another pool")
    second = memory("the pool is 60", supersedes=first.id, created_at=NOW + timedelta(hours=2))
    await store.add("a", batch(first, other, second, vectors={"the pool is 20": (1, 0)}))
    forgotten_at = NOW + timedelta(hours=1)
    marks = [Tombstone(memory_id=item.id, forgotten_at=forgotten_at) for item in (first, second)]

    assert await store.bury("a", marks) == {first.id}

    assert await store.tombstones("a", [first.id, second.id]) == {first.id}
    assert sorted(await words(store, "pool")) == ["another pool", "the pool is 60"]
    assert await near(store, variant(1, 0)) == []
    assert await store.check() == ()


async def test_what_a_tombstone_removed_had_replaced_is_current_again(store: Store) -> None:
    first = memory("the pool is 20")
    second = memory("the pool is 60", supersedes=first.id)
    await store.add("a", batch(first, second))

    await store.bury("a", [Tombstone(memory_id=second.id, forgotten_at=NOW)])

    assert await words(store, "pool") == ["the pool is 20"]
    assert await store.check() == ()


# --- asking for one ---


async def test_the_beginning_of_an_id_is_enough_when_it_is_the_only_one(store: Store) -> None:
    items = [memory(f"m{index}") for index in range(40)]
    await store.add("a", batch(*items))

    assert await store.memory("a", items[0].id[:20].upper()) == items[0]
    for prefix, error in (("", InvalidInput), ("zz", NotFound), ("%", NotFound)):
        with pytest.raises(error):
            await store.memory("a", prefix)
    crowded = next(digit for digit in "0123456789abcdef" if sum(item.id[0] == digit for item in items) > 1)
    with pytest.raises(InvalidInput):
        await store.memory("a", crowded)


async def test_get_keeps_the_order_of_the_ids_and_leaves_out_the_unknown(store: Store) -> None:
    items = [memory(f"m{index}") for index in range(5)]
    await store.add("a", batch(*items))
    ids = [chunk_of(item).id for item in reversed(items)]

    found = await store.get("a", [ids[0], "unknown", *ids[1:]])
    assert [chunk.id for chunk, _ in found] == ids


# --- the whole store ---


async def test_dump_gives_everything_versions_before_what_replaced_them(store: Store) -> None:
    first = memory("v1")
    second = told("v2", now=NOW, supersedes=first)
    gone = memory("gone")
    await store.add("a", batch(first, gone))
    await store.add("a", batch(second))
    await store.add("b", batch(memory("elsewhere")))
    await store.forget("a", [gone.id], NOW)

    everything = [(name, getattr(item, "text", "†")) async for name, item in store.dump()]
    assert sorted(everything) == [("a", "v1"), ("a", "v2"), ("a", "†"), ("b", "elsewhere")]
    assert [getattr(item, "text", "†") async for _, item in store.dump("a")] == ["v1", "v2", "†"]


async def test_entries_come_back_as_they_can_be_added_elsewhere(store: Store) -> None:
    one, two = memory("lake lake pipeline", context="notes on lake"), memory("other")
    await store.add("a", batch(one, two, vectors={one.text: (1, 0)}))
    (found,) = await store.entries("a", [one.id, "unknown"], MODEL)

    given = entry(one, (1, 0))
    assert found.chunk == given.chunk
    assert sorted(found.lexemes) == sorted(given.lexemes)
    assert sorted(found.context_lexemes) == sorted(given.context_lexemes)
    assert found.vector is not None
    assert found.vector.tolist() == [1, 0]
    for model in (None, "model-b/2"):
        assert [entry.vector for entry in await store.entries("a", [one.id, two.id], model)] == [None, None]
    assert await store.entries("b", [one.id], MODEL) == ()


async def test_stats_count_the_whole_store(store: Store) -> None:
    await store.add("a", batch(memory("x"), memory("y"), vectors={"x": (1, 0)}))
    await store.add("b", batch(memory("z")))
    stats = await store.stats()

    assert (stats.memories, stats.chunks) == (3, 3)
    assert stats.namespaces == {"a": 2, "b": 1}
    assert stats.embedders == {MODEL: 1}


async def test_a_whole_store_has_no_faults(store: Store) -> None:
    item = memory("fine")
    await store.add("a", batch(item, memory("also"), vectors={"fine": (1, 0), "also": (0, 1)}))
    await store.forget("a", [item.id], NOW)

    assert await store.check() == ()


async def test_a_closed_store_says_so(store: Store) -> None:
    await store.close()

    with pytest.raises(StoreError, match="not open"):
        await store.add("a", batch(memory("x")))


# --- time ---

MARCH, APRIL, JUNE = (datetime(2025, month, 1, tzinfo=UTC) for month in (3, 4, 6))


def happened(text: str, start: datetime | None, end: datetime | None = None) -> Memory:
    return memory(text, event_timestamp=start, event_end=end, event_grain="month" if end else None)


async def found(store: Store, filters: Filters) -> set[str]:
    matches = await store.by_words("work", ["port"], filters, 50)
    by_words = {match.chunk_id for match in matches.matches}
    by_vector = set(await store.by_vector("work", variant(1, 0), filters, 50))
    assert by_words == by_vector
    return {chunk.text for chunk, _ in await store.get("work", sorted(by_words))}


async def test_an_event_comes_back_as_it_was_given(store: Store) -> None:
    item = memory(
        "port", event_timestamp=MARCH, event_end=APRIL, event_grain="month", event_origin=EventOrigin.INFERRED
    )
    await store.add("work", batch(item))

    assert (await store.memory("work", item.id)).event == item.event


async def test_an_event_is_found_by_any_time_it_overlaps(store: Store) -> None:
    items = [
        happened("port in march", MARCH, APRIL),
        happened("port on one day", JUNE),
        happened("port some time", None),
    ]
    await store.add("work", batch(*items, vectors={item.text: (1, 0) for item in items}))
    middle = MARCH + timedelta(days=10)

    assert await found(store, Filters(time=TimeRange(start=middle, end=middle + timedelta(days=1)))) == {
        "port in march"
    }
    assert await found(store, Filters(time=TimeRange(start=APRIL, end=JUNE))) == set()
    assert await found(store, Filters(time=TimeRange(start=JUNE))) == {"port on one day"}
    assert await found(store, Filters(time=TimeRange(end=MARCH))) == set()
    assert await found(store, Filters(time=TimeRange(end=JUNE))) == {"port in march"}
    assert await found(store, Filters(undated=True)) == {"port some time"}


async def versions(store: Store, *events: datetime | None) -> None:
    """A line of versions, told a day after one another, each with its event time."""
    previous: Memory | None = None
    for number, event in enumerate(events):
        item = told(f"port {number}", now=NOW + timedelta(days=number), supersedes=previous)
        item = replace(item, event_timestamp=event)
        await store.add("work", batch(item, vectors={item.text: (1, 0)}))
        previous = item


@pytest.mark.parametrize(
    ("moment", "expected"),
    [(MARCH - timedelta(days=1), set()), (MARCH, {"port 0"}), (APRIL, {"port 0"}), (JUNE, {"port 1"})],
)
async def test_the_version_that_was_true_at_a_moment_is_found(
    store: Store, moment: datetime, expected: set[str]
) -> None:
    await versions(store, MARCH, JUNE)

    assert await found(store, Filters(as_of=AsOf(moment=moment))) == expected


async def test_a_version_without_an_event_holds_from_when_it_was_told(store: Store) -> None:
    await versions(store, None, None, None)
    moments = [NOW - timedelta(days=900), NOW + timedelta(days=1), NOW + timedelta(days=9)]

    texts = [await found(store, Filters(as_of=AsOf(moment=moment))) for moment in moments]
    assert texts == [{"port 0"}, {"port 1"}, {"port 2"}]


@pytest.mark.parametrize(("days", "expected"), [(-1, set()), (0, {"port 0"}), (1, {"port 1"}), (5, {"port 2"})])
async def test_the_version_that_was_known_at_a_moment_is_found(store: Store, days: int, expected: set[str]) -> None:
    await versions(store, MARCH, APRIL, JUNE)
    moment = NOW + timedelta(days=days, hours=1)

    assert await found(store, Filters(as_of=AsOf(moment=moment, known=True))) == expected


async def test_the_timeline_ends_with_the_latest_events(store: Store) -> None:
    items = [happened("port c", JUNE), happened("port a", MARCH), happened("port b", APRIL), happened("port", None)]
    await store.add("work", batch(*items))
    await store.add("home", batch(happened("port of another", JUNE)))

    assert [item.text for item in await store.timeline("work", EVERYTHING, 2)] == ["port b", "port c"]
    early = Filters(time=TimeRange(end=JUNE))
    assert [item.text for item in await store.timeline("work", early, 9)] == ["port a", "port b"]


# --- candidates ---


async def conversation(store: Store, turns: int) -> list[Memory]:
    items = [from_file(f"turn {number} port", number, group="session", speaker="Ana") for number in range(turns)]
    other = from_file("turn of another session", 1, group="other")
    entries = tuple(
        replace(entry(item, (1, number)), tokens=bytes([number] * 8)) for number, item in enumerate([*items, other])
    )
    await store.add(
        "work",
        Batch(memories=(*items, other), entries=entries, fingerprint=MODEL, token_fingerprint=TOKENS),
    )
    return items


async def test_candidates_come_with_their_neighbours_counts_and_vectors(store: Store) -> None:
    items = await conversation(store, 5)
    aspects = Aspects(terms=("turn", "2"), fingerprint=MODEL, token_fingerprint=TOKENS, reach=1)
    candidates = await store.candidates("work", [chunk_of(items[2]).id], aspects)

    by_text = {candidate.chunk.text: candidate for candidate in candidates}
    assert sorted(by_text) == ["turn 1 port", "turn 2 port", "turn 3 port"]
    middle = by_text["turn 2 port"]
    assert (middle.place, middle.match.counts, middle.match.length) == (2, {"turn": 1, "2": 1}, 3)
    assert (middle.chunk.group, middle.chunk.speaker, middle.tokens) == ("session", "Ana", bytes([2] * 8))
    assert middle.vector is not None
    assert np.allclose(middle.vector, np.array([1, 2]) / np.sqrt(5), atol=1e-3)


async def test_candidates_without_reach_come_alone_and_without_what_was_not_asked_for(store: Store) -> None:
    items = await conversation(store, 3)
    ids = [chunk_of(item).id for item in items[:2]]
    candidates = await store.candidates("work", [*ids, "0" * 24], Aspects(terms=("port",)))

    assert {candidate.chunk.id for candidate in candidates} == set(ids)
    assert {(candidate.vector, candidate.tokens) for candidate in candidates} == {(None, None)}
    assert await store.candidates("home", ids, Aspects(terms=("port",), reach=3)) == ()


async def test_token_vectors_are_missed_counted_moved_and_forgotten(store: Store) -> None:
    items = await conversation(store, 2)
    ids = [chunk_of(item).id for item in items]

    assert await store.missing("work", [*ids, "0" * 24], TOKENS) == {"0" * 24}
    assert (await store.stats()).token_embedders == {TOKENS: 3}
    given = await store.entries("work", [items[1].id], TOKENS)
    assert [(each.tokens, each.vector) for each in given] == [(bytes([1] * 8), None)]
    await store.forget("work", [items[0].id], NOW)
    assert (await store.stats()).token_embedders == {TOKENS: 2}


# --- from above ---


async def test_a_survey_counts_origins_times_and_tags(store: Store) -> None:
    said = memory("said", event_timestamp=NOW + timedelta(minutes=7), tags=("a", "b"))
    page = from_file("read", tags=("b",), updated_at=NOW + timedelta(hours=2))
    await store.add("a", batch(said, memory("said too"), page, readings=(reading(page),)))
    await store.add("b", batch(memory("elsewhere", tags=("c",))))

    found = await store.survey("a")

    assert (found.current, found.superseded, found.undated) == (3, 0, 2)
    assert [(held.origin, held.memories, held.read) for held in found.origins] == [
        (FILE, 1, True),
        (Origin(kind="told", uri="told"), 2, False),
    ]
    assert (found.origins[0].first, found.origins[0].last) == (NOW, NOW + timedelta(hours=2))
    assert (found.events, found.learned) == ({NOW: 1}, {NOW: 3})
    assert found.tags == {"a": 1, "b": 2}


async def test_a_survey_counts_old_versions_apart(store: Store) -> None:
    old = memory("old", event_timestamp=NOW, tags=("x",))
    await store.add("a", batch(old))
    await store.add("a", batch(told("new", now=NOW, supersedes=old)))

    found = await store.survey("a")

    assert (found.current, found.superseded, found.undated) == (1, 1, 1)
    assert (found.events, found.tags, found.origins[0].memories) == ({}, {}, 2)


@pytest.mark.parametrize(
    "moment", ["1969-12-31T23:59:59+00:00", "0001-01-01T00:00:00+00:00", "2026-03-29T01:14:59+05:45"]
)
async def test_a_survey_counts_by_quarters_of_an_hour_at_any_time(store: Store, moment: str) -> None:
    event = datetime.fromisoformat(moment).astimezone(UTC)
    await store.add("a", batch(memory("then", event_timestamp=event)))

    (start,) = (await store.survey("a")).events

    assert start <= event < start + timedelta(minutes=15)
    assert (start.minute % 15, start.second, start.microsecond) == (0, 0, 0)


async def test_a_survey_of_nothing_is_empty(store: Store) -> None:
    found = await store.survey("nowhere")

    assert (found.current, found.origins, found.events, found.tags) == (0, (), {}, {})


async def test_a_memory_that_two_origins_say_at_once_has_its_chunks_once(store: Store) -> None:
    first = from_file("said in both", id="a" * 24)
    second = replace(first, origin=Origin(kind="text", uri="file:///notes/copy.txt", title="copy"))
    await store.add("a", batch(first, vectors={"said in both": (1, 0)}))
    added = await store.add("a", batch(second, vectors={"said in both": (1, 0)}))

    assert (added.memories, added.chunks) == (frozenset(), 0)
    assert (await store.memory("a", first.id)).origin == FILE
    assert (await store.stats()).chunks == 1
    assert await store.check() == ()


# --- work that waits ---


def claim_of(claimant: str, seconds: float = 60, now: datetime = NOW) -> Claim:
    return Claim(claimant=claimant, now=now, until=now + timedelta(seconds=seconds))


async def test_what_waits_is_claimed_by_one(store: Store) -> None:
    assert await store.enqueue("a", ["3", "1", "2", "1"]) == 3
    assert await store.enqueue("a", ["2", "4"]) == 1
    first = await store.claim("a", claim_of("first"), 3)
    second = await store.claim("a", claim_of("second"), 3)

    assert (len(first), len(second)) == (3, 1)
    assert sorted((*first, *second)) == ["1", "2", "3", "4"]
    assert await store.claim("a", claim_of("third"), 3) == ()
    assert await store.waiting("a") == 4


async def test_a_claimant_keeps_what_it_has_and_is_given_what_is_missing(store: Store) -> None:
    await store.enqueue("a", ["1", "2", "3"])
    held = await store.claim("a", claim_of("first"), 2)
    again = await store.claim("a", claim_of("first", now=NOW + timedelta(days=1)), 2)
    await store.settle("a", "first", held[:1])

    assert again == held
    assert await store.claim("a", claim_of("second", now=NOW + timedelta(days=1)), 0) == ()
    assert set(held[1:]) < set(await store.claim("a", claim_of("first"), 2))
    assert await store.waiting("a") == 2


async def test_what_a_claimant_lets_run_out_is_for_others(store: Store) -> None:
    await store.enqueue("a", ["1"])
    await store.claim("a", claim_of("dead", seconds=60), 1)

    assert await store.claim("a", claim_of("heir", now=NOW + timedelta(seconds=59)), 1) == ()
    assert await store.claim("a", claim_of("heir", now=NOW + timedelta(seconds=60)), 1) == ("1",)
    assert await store.claim("a", claim_of("dead", now=NOW + timedelta(seconds=61)), 1) == ()
    await store.settle("a", "dead", ["1"])
    assert await store.waiting("a") == 1
    await store.settle("a", "heir", ["1"])
    assert await store.waiting("a") == 0


async def test_work_waits_in_its_namespace_alone(store: Store) -> None:
    await store.enqueue("a", ["1", "long " * 2000])
    await store.enqueue("b", ["1"])

    assert await store.claim("c", claim_of("me"), 9) == ()
    assert await store.claim("b", claim_of("me"), 9) == ("1",)
    await store.settle("b", "me", ["1"])
    assert [await store.waiting(name) for name in "abc"] == [2, 0, 0]
    assert await store.claim("a", claim_of("me"), 9) == ("1", "long " * 2000)


async def test_claimants_that_come_at_once_are_given_each_item_once(store: Store) -> None:
    items = [f"{number:02}" for number in range(40)]
    await store.enqueue("a", items)
    given: list[str] = []

    async def take(name: str) -> None:
        given.extend(await store.claim("a", claim_of(name), 5))

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(take, str(number))
    # Those who looked where others were claiming may have been given less, but nothing twice.
    given.extend(await store.claim("a", claim_of("last"), 40))
    assert sorted(given) == items
