"""Misspelt words of a question: what may be meant by them, and when nothing is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ricordo
from ricordo.across import across
from ricordo.analyzer import STANDARD, analyze_question
from ricordo.engine import Engine
from ricordo.explain import explain
from ricordo.query import EVERYTHING, Filters, Probe, Query, Recall, WordMatches
from ricordo.spelling import (
    Correction,
    Edit,
    Unknown,
    candidates,
    corrected,
    edits,
    is_better,
    nearest,
    unknown_words,
)
from ricordo.testing import HashEmbedder, InMemoryStore

ALL = frozenset(Edit)
TOLD = (
    "Vera is the lead of project Harvest, and of the migration",
    "the code of Amber was chosen in May",
    "клиент и заказчик Байкала живёт в Твери",
    "заказчики платят за проект в марте",
)


def probe(question: str) -> Probe:
    terms = analyze_question(question)
    return Probe(query=Query(text=question), terms=terms.weights, identifiers=terms.identifiers, wordings=(question,))


def holding(*lexemes: str) -> WordMatches:
    frequency = dict.fromkeys(lexemes, 1)
    return WordMatches(matches=(), chunks=9, mean_length=5, mean_context_length=0, document_frequency=frequency)


def unknown(word: str, *, named: bool = False) -> Unknown:
    return Unknown(written=word, word=word, named=named)


def candidate(spelling: str, edit: Edit, lexeme: str | None = None) -> Correction:
    return Correction(spelling=spelling, edit=edit, lexeme=lexeme or spelling)


def spellings(word: str, *allowed: Edit) -> dict[str, Edit]:
    return {each.spelling: each.edit for each in candidates(word, frozenset(allowed or ALL))}


# --- which words ---


@pytest.mark.parametrize(
    ("question", "held", "found"),
    [
        ("harvest laed", ["harvest"], ["laed"]),
        ("¿Maastrich, tratado?", ["tratado"], ["Maastrich"]),
        ("кто зкаазчик байкала?", ["≋байкал"], ["зкаазчик"]),
        ("the keys of laed", ["≈key"], ["laed"]),
        ("what did thsi cost, the ox", ["cost"], ["thsi"]),
        ("who led it and where", [], []),
        ("is ABC-1234 in get_laed or laed.md?", [], []),
        ("лaed on two scripts", ["scripts"], []),
        ("сервер", ["server"], []),
    ],
)
def test_a_word_is_unknown_that_no_memory_holds_in_any_form(question: str, held: list[str], found: list[str]) -> None:
    assert [each.written for each in unknown_words(probe(question), holding(*held), STANDARD)] == found


def test_a_capital_makes_a_name_but_at_the_beginning() -> None:
    found = unknown_words(probe("Porject Vladmir and laed"), holding(), STANDARD)

    assert {each.word: each.named for each in found} == {"porject": False, "vladmir": True, "laed": False}


# --- which spellings ---


def test_all_that_is_one_edit_away_is_tried_but_another_first_letter() -> None:
    found = spellings("laed")

    assert [each for each, edit in found.items() if edit is Edit.SWAP] == ["aled", "lead", "lade"]
    assert [each for each, edit in found.items() if edit is Edit.DELETE] == ["led", "lad", "lae"]
    assert (found["laked"], found["land"]) == (Edit.INSERT, Edit.SUBSTITUTE)
    assert {each[0] for each, edit in found.items() if edit is not Edit.SWAP} == {"l"}


def test_accents_are_tried_where_a_word_has_one() -> None:
    assert "graduação" in spellings("gradução")
    assert "graduaçao" not in spellings("graduacao")


def test_russian_is_looked_for_by_its_stems_too() -> None:
    found = candidates("зкаазчик", frozenset({Edit.SWAP}))

    assert candidate("заказчик", Edit.SWAP) in found
    assert candidate("заказчик", Edit.SWAP, "≈заказчик") in found


words = st.one_of(
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=12),
    st.text("абвгдежзийклмнопрстуфхцчшщъыьэюя", min_size=4, max_size=12),
)


@given(word=words, data=st.data())
def test_every_edit_is_undone_by_an_edit(word: str, data: st.DataObject) -> None:
    edited = data.draw(st.sampled_from([each.spelling for each in candidates(word, ALL)]))

    assert word in spellings(edited)


@given(word=words)
def test_each_spelling_is_tried_once_and_never_the_word_itself(word: str) -> None:
    tried = [each.lexeme for each in candidates(word, ALL) if each.as_written]

    assert len(set(tried)) == len(tried)
    assert word not in tried
    assert all(abs(len(each) - len(word)) <= 1 for each in tried)


@pytest.mark.parametrize(
    ("word", "pieces", "allowed"),
    [
        (unknown("place"), 1, ""),
        (unknown("laed"), 2, "SWAP"),
        (unknown("porject"), 2, "SWAP INSERT DELETE"),
        (unknown("cohose"), 3, "SWAP INSERT DELETE SUBSTITUTE"),
        (unknown("discplinas"), 2, "SWAP INSERT DELETE SUBSTITUTE"),
        (unknown("maastrich", named=True), 3, "SWAP INSERT"),
        (unknown("drove"), None, ""),
        (unknown("porject"), None, ""),
        (unknown("migartion"), None, "SWAP INSERT DELETE"),
    ],
)
def test_what_may_be_done_to_a_word_depends_on_how_well_it_is_known(
    word: Unknown, pieces: int | None, allowed: str
) -> None:
    assert edits(word, pieces) == {Edit[name] for name in allowed.split()}


@pytest.mark.parametrize(
    ("word", "pieces", "meant", "count"),
    [
        ("porject", 2, candidate("project", Edit.SWAP), 1),
        ("beriods", 3, candidate("beroids", Edit.SWAP), 3),
        ("arpnet", 3, candidate("arpanet", Edit.INSERT), 3),
        ("elclusively", 4, candidate("exclusively", Edit.SUBSTITUTE), 2),
        ("зкаазчик", 4, candidate("заказчик", Edit.SWAP, "≈заказчик"), 1),
    ],
)
def test_what_is_better_known_is_meant(word: str, pieces: int, meant: Correction, count: int) -> None:
    assert is_better(unknown(word), pieces, meant, count)


@pytest.mark.parametrize(
    ("word", "pieces", "other", "count"),
    [
        ("losing", 2, candidate("losting", Edit.INSERT), 2),
        ("columbia", 3, candidate("colombia", Edit.SUBSTITUTE), 3),
        ("drover", 3, candidate("driver", Edit.SUBSTITUTE), 2),
        ("топливного", 3, candidate("топливого", Edit.DELETE, "≈топлив"), 2),
    ],
)
def test_another_word_is_not_meant(word: str, pieces: int, other: Correction, count: int) -> None:
    assert not is_better(unknown(word), pieces, other, count)


def test_a_swap_comes_before_other_edits_and_what_is_frequent_before_what_is_rare() -> None:
    tried = [candidate("led", Edit.DELETE), candidate("lead", Edit.SWAP)]
    others = [candidate(each, Edit.INSERT) for each in ("anchors", "anchory", "anchora")]

    assert nearest(tried, {"led": 90, "lead": 1}) == ("lead",)
    assert nearest(others, {"anchors": 2, "anchory": 3, "anchora": 1}) == ("anchory", "anchors")
    assert nearest(tried, {}) == ()


def test_a_misspelt_function_word_is_nothing_to_look_for() -> None:
    assert nearest([candidate("what", Edit.SWAP), candidate("waits", Edit.INSERT)], {"waits": 5}) == ()


def test_a_correction_is_looked_for_beside_the_word_and_read_in_its_place() -> None:
    asked = probe("Who is the Laed of laedership?")
    found = corrected(asked, {"Laed": ("Lead",)}, STANDARD)

    assert found.probe.query == asked.query
    assert found.probe.wordings == ("Who is the Lead of laedership?",)
    assert asked.terms.items() <= found.probe.terms.items()
    assert 0 < found.probe.terms["≈lead"] < asked.terms["≈laed"]
    assert found.notice.code == "respelt"
    assert found.notice.message == "'Laed' is in no memory of 'default'; 'Lead' was looked for as well"


def test_two_corrections_are_both_looked_for_and_the_first_is_read() -> None:
    found = corrected(probe("отчетеу"), {"отчетеу": ("отчете", "отчету")}, STANDARD)

    assert found.probe.wordings == ("отчете",)
    assert {"отчетеу", "отчете", "отчету"} <= found.probe.terms.keys()
    assert found.notice.message.endswith("'отчете' and 'отчету' were looked for as well")


# --- the whole way, on every store ---


class WellRead(HashEmbedder):
    """A model that knows some words whole, and others in as many pieces as they have letters."""

    known = frozenset(["lead", "chosen", "заказчик", "tread", "marta", "Brian", "brain", "November", "november"])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [1 if text in self.known else max(1, len(text)) for text in texts]


@pytest.fixture(params=["memory", "sqlite", "embedded", "tcp"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    servers = {"embedded": "embedded_url", "tcp": "postgres_url"}
    if request.param in servers:
        return str(request.getfixturevalue(servers[request.param]))
    return {"memory": "memory:", "sqlite": f"sqlite:///{tmp_path / 'memory.db'}"}[request.param]


async def told(memory: Engine) -> None:
    for text in TOLD:
        await memory.remember(text)


def respelt(found: Recall) -> list[str]:
    return [notice.message for notice in found.notices if notice.code == "respelt"]


@pytest.mark.anyio
async def test_every_store_finds_what_is_meant(url: str) -> None:
    async with ricordo.open(url, embedder=WellRead()) as memory:
        await told(memory)
        swapped, russian = await memory.recall("laed of harvest"), await memory.recall("кто зкаазчик?")
        missing, right = await memory.recall("when was it chsen?"), await memory.recall("lead of harvest")

    assert (swapped.hits[0].text, respelt(swapped)) == (
        TOLD[0],
        ["'laed' is in no memory of 'default'; 'lead' was looked for as well"],
    )
    assert {hit.text for hit in russian if "words" in hit.arms} == set(TOLD[2:])
    assert [hit.text for hit in missing if "words" in hit.arms] == [TOLD[1]]
    assert len(respelt(missing)) == 1
    assert (right.hits[0].text, respelt(right)) == (TOLD[0], [])


@pytest.fixture
async def by_words() -> AsyncIterator[Engine]:
    async with ricordo.open(CountingStore(), embedder="none") as memory:
        await told(memory)
        yield memory


class CountingStore(InMemoryStore):
    """A store that counts how often it was asked for words, and for how many at most."""

    asked, most = 0, 0

    async def by_words(self, namespace: str, terms: Sequence[str], filters: Filters, limit: int) -> WordMatches:
        self.asked += 1
        self.most = max(self.most, len(set(terms)))
        return await InMemoryStore.by_words(self, namespace, terms, filters, limit)


@pytest.mark.anyio
async def test_without_a_model_only_what_is_hardly_another_word_is_taken(by_words: Engine) -> None:
    swapped, other = await by_words.recall("migartion"), await by_words.recall("mitigation")
    short = await by_words.recall("porject")
    russian = await by_words.recall("зкаазчик")

    assert len(respelt(swapped)) == 1
    assert {hit.text for hit in swapped} == {TOLD[0]}
    assert {hit.text for hit in russian} == set(TOLD[2:])
    assert (respelt(other), other.hits) == ([], ())
    assert (respelt(short), short.hits) == ([], ())


@pytest.mark.anyio
async def test_a_question_costs_no_more_where_every_word_is_known(by_words: Engine) -> None:
    store = by_words.reader.store
    assert isinstance(store, CountingStore)

    async def asked(question: str) -> int:
        before = store.asked
        await by_words.recall(question)
        return store.asked - before

    assert await asked("who is the lead of harvest?") == 1
    assert await asked("who is the elephant of harvest?") == 2
    assert await asked("who is the migartion of harvest?") == 3
    assert await asked("elephants paint wonderful pictures somewhere") == 1


@pytest.mark.anyio
async def test_what_the_model_knows_whole_is_no_mistake() -> None:
    async with ricordo.open(InMemoryStore(), embedder=WellRead()) as memory:
        await memory.remember("Maria lives in Tver, near the trade fair, and has a brain")
        found = await memory.recall("does marta tread there?")
        name = await memory.recall("where is Brian?")

    assert (respelt(found), respelt(name)) == ([], [])


@pytest.mark.anyio
async def test_a_misspelt_month_is_a_time_all_the_same(by_words: Engine) -> None:
    for month, said in ((5, "May"), (11, "November")):
        await by_words.remember(f"the drill of {said} went well", event_timestamp=datetime(2025, month, 3, tzinfo=UTC))

    found = await by_words.recall("the drill in Novemebr 2025")

    assert found.time is not None
    assert (found.time.text, found.time.applied) == ("in November 2025", "filter")
    assert [hit.text for hit in found] == ["the drill of November went well"]


@pytest.mark.anyio
async def test_each_namespace_says_what_it_took_a_word_for() -> None:
    store, asked = InMemoryStore(), []
    for namespace, text in (("a", "the migration"), ("b", "the migartion"), ("c", "the migarion")):
        async with ricordo.open(store, embedder="none", namespace=namespace) as memory:
            await memory.remember(text)
            asked.append(await memory.recall("migartion"))

    assert [notice.message for notice in across(asked, 10).notices if notice.code == "respelt"] == [
        "'migartion' is in no memory of 'a'; 'migration' was looked for as well",
        "'migartion' is in no memory of 'c'; 'migarion' was looked for as well",
    ]


@pytest.mark.anyio
async def test_context_takes_words_as_they_are_spelt(by_words: Engine) -> None:
    found = await by_words.reader.context(Query(text="the migartion", namespace=by_words.namespace))

    assert (found.hits, respelt(found)) == ((), [])


@pytest.mark.anyio
async def test_an_answer_is_explained_by_the_words_it_was_found_by(by_words: Engine) -> None:
    (hit,) = (await by_words.recall("migartion")).hits
    why = await explain(by_words.reader, Query(text="migartion", namespace=by_words.namespace), hit.id)

    assert "migration" in [each.term for each in why.terms]


@pytest.mark.anyio
async def test_a_misspelt_month_is_a_time_where_an_answer_is_explained() -> None:
    async with ricordo.open("memory:", embedder=WellRead()) as memory:
        told = await memory.remember("the drill of November", event_timestamp=datetime(2025, 11, 3, tzinfo=UTC))
        query = Query(text="the drill in Novemebr 2025", namespace=memory.namespace)
        why = await explain(memory.reader, query, told.id)

    assert [meeting.asked for meeting in why.meetings] == ["drill"]


@pytest.mark.anyio
async def test_an_empty_namespace_has_no_misspelt_words(by_words: Engine) -> None:
    found = await by_words.reader.recall(Query(text="migartion", namespace="empty", filters=EVERYTHING))

    assert respelt(found) == []
