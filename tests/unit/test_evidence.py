"""Evidence: named numbers about candidates, on the scale of their pool, weighed and summed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.analyzer import analyze_question, content, lexemes
from ricordo.bm25 import Bm25, idf, rank, saturated
from ricordo.evidence import UNSCALED, Model, judge, load_model, measure, scaled
from ricordo.exchange import TokenVectors
from ricordo.memory import Chunk
from ricordo.proximity import Sought
from ricordo.query import Candidate, WordMatch, WordMatches
from ricordo.scene import KINDS, NOBODY, Asked, Scene, build_scene
from ricordo.tokenvectors import pack

DIMENSION = 64
RNG = np.random.default_rng(7)


def unit(rows: int = 1) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    found = RNG.standard_normal((rows, DIMENSION)).astype(np.float32)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found


def candidate(
    text: str, place: int = 0, *, group: str | None = None, speaker: str | None = None, bare: bool = False
) -> Candidate:
    words = lexemes(text)
    chunk = Chunk(memory_id=f"m{place}", origin_uri="test:a", text=text, group=group, speaker=speaker, id=f"c{place}")
    match = WordMatch(chunk_id=chunk.id, length=len(words), counts={word: words.count(word) for word in words})
    if bare:
        return Candidate(chunk=chunk, place=place, match=match)
    return Candidate(chunk=chunk, place=place, match=match, vector=unit()[0], tokens=pack(unit(4)))


def asked(question: str, candidates: list[Candidate], *, bare: bool = False) -> Asked:
    terms = analyze_question(question)
    held = {term: sum(term in each.match.counts for each in candidates) for term in terms.weights}
    statistics = WordMatches(
        matches=(),
        chunks=len(candidates),
        mean_length=sum(each.match.length for each in candidates) / len(candidates),
        mean_context_length=0.0,
        document_frequency=held,
    )
    words = tuple(question.split())
    tokens = TokenVectors(ids=np.arange(len(words), dtype=np.int32), rows=unit(len(words)), words=words)
    return Asked(
        text=question,
        terms=terms.weights,
        identifiers=terms.identifiers,
        statistics=statistics,
        lexemes=lambda word: tuple(term for term in analyze_question(word).weights if term in terms.weights) or None,
        vector=None if bare else unit()[0],
        tokens=None if bare else tokens,
    )


def scene_of(
    question: str, candidates: list[Candidate], pool: set[str] | None = None, *, bare: bool = False
) -> tuple[Scene, Asked]:
    about = asked(question, candidates, bare=bare)
    return build_scene(about, candidates, dict.fromkeys(pool or {each.chunk.id for each in candidates}, 0.03)), about


TURNS = [
    candidate("Ana: shall we go to the coast?", 0, group="s1", speaker="Ana"),
    candidate("Ben: yes, in July", 1, group="s1", speaker="Ben"),
    candidate("Ana: the car is sold", 2, group="s1", speaker="Ana"),
    candidate("Ben: I bought a boat", 3, group="s2", speaker="Ben"),
]


def test_neighbours_and_sessions_are_those_of_the_same_group() -> None:
    scene, _ = scene_of("coast", TURNS)

    assert scene.before.tolist() == [NOBODY, 0, 1, NOBODY]
    assert scene.after.tolist() == [1, 2, NOBODY, NOBODY]
    assert scene.session.tolist() == [0, 0, 0, 1]


def test_a_gap_parts_neighbours() -> None:
    scene, _ = scene_of("coast", [TURNS[0], TURNS[2]])

    assert scene.before.tolist() == [NOBODY, NOBODY]
    assert scene.session.tolist() == [0, 0]


def test_sections_of_a_page_stand_alone() -> None:
    scene, _ = scene_of("coast", [candidate(f"section {number}", number, group="Page") for number in range(3)])

    assert set(scene.session.tolist()) == {NOBODY}


def test_what_stands_beside_a_member_of_the_pool_joins_it() -> None:
    scene, about = scene_of("when do we go to the coast?", TURNS, {"c0"})

    assert scene.pooled.tolist() == [True, True, False, False]
    assert set(judge(scene, about, load_model())) == {"c0", "c1"}


def test_an_answer_is_raised_by_the_question_before_it() -> None:
    scene, about = scene_of("coast", TURNS)
    found = measure(scene, about)

    assert found["after a question"].tolist()[1:3] == [1.0, 0.0]
    assert np.isnan(found["after a question"][[0, 3]]).all()
    assert scene.frequencies[1].sum() == 0 < found["words with what precedes"][1]


def test_who_is_named_in_the_question_speaks_for_himself() -> None:
    scene, about = scene_of("What did Ben buy?", TURNS)
    found = measure(scene, about)

    assert found["speaker named"].tolist() == [0, 1, 0, 1]
    assert found["other speaker named"].tolist() == [1, 0, 1, 0]


def test_a_memory_that_stands_alone_has_only_evidence_of_its_own() -> None:
    scene, about = scene_of("boat", [candidate("the boat is blue", 0), candidate("the car is red", 1)])
    found = measure(scene, about)

    assert not {"words of the session", "tokens of the session"} & found.keys()
    assert np.isnan(found["tokens after"]).all()
    assert np.argmax(found["words"]) == np.argmax(found["words with what precedes"]) == 0
    assert np.allclose(found["tokens"], found["tokens with what precedes"])
    assert about.vector is not None
    assert found["vector with what precedes"] == pytest.approx(scene.vectors @ about.vector)


def test_words_that_are_met_in_one_place_count_for_more_than_words_met_all_over() -> None:
    about = asked("green door", [candidate("a", 0), candidate("b", 1)])
    assert about.tokens is not None
    green, door, other = about.tokens.rows[0], about.tokens.rows[1], unit(1)[0]
    page = np.stack([other] * 80)
    together, apart = page.copy(), page.copy()
    together[[40, 41]] = apart[[2, 70]] = green, door
    pool = [
        replace(candidate(f"page {number}", number), tokens=pack(rows)) for number, rows in enumerate((together, apart))
    ]
    found = measure(build_scene(about, pool, {"c0": 0.03, "c1": 0.03}), about)

    assert found["tokens"][0] == pytest.approx(found["tokens"][1])
    assert found["tokens in one place"][0] == pytest.approx(found["tokens"][0])
    assert found["tokens in one place"][1] < found["tokens"][1] - 0.1


def test_a_turn_a_note_and_a_page_are_weighed_each_as_what_it_is() -> None:
    texts = [TURNS[0], candidate("the boat is blue", 5), candidate("the boat is blue. " * 30, 6)]
    scene, about = scene_of("which boat is blue?", texts)
    model = Model(weights={kind: {"words": weight} for kind, weight in zip(KINDS, (1, 2, 3), strict=True)}, spreads={})
    words, parts = measure(scene, about)["words"], judge(scene, about, model)

    assert scene.kinds.max(axis=1) == pytest.approx(1)
    kinds = {
        each.chunk.id: KINDS[kind] for each, kind in zip(scene.candidates, scene.kinds.argmax(axis=1), strict=True)
    }
    assert kinds == {"c0": "conversation", "c5": "note", "c6": "page"}
    for place, each in enumerate(scene.candidates):
        weight = model.weights[kinds[each.chunk.id]]["words"]
        assert parts[each.chunk.id]["words"] == pytest.approx(weight * (words[place] - words.mean()))


def test_no_text_counts_for_more_by_a_letter() -> None:
    texts = [candidate("x" * length, place) for place, length in enumerate((1, 120, 239, 240, 241, 480, 3000))]
    scene, _ = scene_of("x?", texts)

    assert scene.kinds.sum(axis=1) == pytest.approx(1)
    assert scene.kinds[:, KINDS.index("page")] == pytest.approx([0, 0, 0.5, 0.5, 0.5, 1, 1], abs=0.005)


def test_what_a_whole_pool_is_about_is_taken_off_its_vectors() -> None:
    person, trait = np.eye(2, DIMENSION, dtype=np.float32)
    drawn = candidate("Vera moved to Turin", 0), candidate("Vera sleeps late", 1), candidate("Vera has a cat", 2)
    pool = [
        replace(each, vector=0.97 * person + share * trait)
        for each, share in zip(drawn, (-0.05, 0.05, -0.05), strict=True)
    ]
    scene, about = scene_of("Is Vera an early bird?", pool)
    found = measure(scene, replace(about, vector=0.95 * person + 0.3 * trait))["vector told apart"]

    assert found.argmax() == 1
    assert found[1] > 0 > max(found[0], found[2])


def test_what_all_that_names_a_person_is_about_is_taken_off_that_alone() -> None:
    person, trait, other = np.eye(3, DIMENSION, dtype=np.float32)
    of_vera = [
        replace(candidate(f"Vera {does}", place), vector=0.97 * person + share * trait)
        for place, (does, share) in enumerate([("moved", -0.05), ("has a cat", -0.05), ("sleeps late", 0.05)])
    ]
    of_others = [
        replace(candidate(f"Oscar {does}", place), vector=0.97 * other + 0.2 * trait)
        for place, does in enumerate(("cooks", "runs", "sings", "reads", "paints", "swims"), start=3)
    ]
    scene, about = scene_of("Is Vera an early bird?", [*of_vera, *of_others])
    vera = Sought(("vera",), 2.0, frozenset({"vera"}))
    asked_so = replace(about, vector=person, as_passage=0.95 * person + 0.3 * trait, words=(vera,))
    found = measure(scene, asked_so)["vector told apart among like"]
    among_all = measure(scene, replace(asked_so, words=()))["vector told apart among like"]

    assert found.argmax() == 2
    assert found[2] - found[0] > 1.3 * (among_all[2] - among_all[0]) > 0
    assert np.isnan(measure(scene, replace(asked_so, as_passage=None))["vector told apart among like"]).all()


def test_what_holds_the_rest_of_a_question_shows_what_an_answer_looks_like() -> None:
    raven, anchor, baikal, window, bird = np.eye(5, DIMENSION, dtype=np.float32)
    of_raven = [
        replace(candidate(f"Raven {does}", place), vector=(raven + share) / np.linalg.norm(raven + share))
        for place, (does, share) in enumerate([("has wings", bird), ("goes out every Wednesday", window)])
    ]
    of_others = [
        replace(candidate(f"deploy window of {name}", place), vector=(subject + window) / np.sqrt(2))
        for place, (name, subject) in enumerate((("Anchor", anchor), ("Baikal", baikal)), start=2)
    ]
    whole = replace(candidate("deploy window of Raven", 4), vector=(raven + window) / np.sqrt(2))
    scene, about = scene_of("Raven deploy window", [*of_raven, *of_others, whole])
    words = tuple(Sought((word,), 2.0, frozenset({word})) for word in ("raven", "deploy", "window"))
    found = measure(scene, replace(about, vector=raven, as_passage=raven, words=words))["vector towards the rest"]

    assert found[1] > found[0] + 0.3
    assert np.isnan(found[4])


def test_the_words_of_a_question_that_stand_together_count_for_more() -> None:
    near, far = candidate("the deploy window is on Monday", 0), candidate("deploy it. Then open a window", 1)
    scene, about = scene_of("deploy window", [near, far, candidate("Ana: deploy window", 2, group="s", speaker="Ana")])
    words = (Sought(("deploy",), 2.0), Sought(("window",), 2.0))
    found = measure(scene, replace(about, words=words))["words near each other"]

    assert found[:2].tolist() == [2.0, 0.4]
    assert np.isnan(found[2])


def test_a_note_that_answers_is_not_put_behind_the_chat_around_it() -> None:
    note = candidate("the backup server stands in Kazan", 9)
    turns = [
        candidate(f"Ana: chat number {number} about the weather?", number, group="s", speaker="Ana")
        for number in range(6)
    ]
    by_words = [replace(each, vector=None, tokens=None) for each in (note, *turns)]
    scene, about = scene_of("Where does the backup server stand?", by_words)
    parts = judge(scene, about, load_model())

    assert max(parts, key=lambda each: sum(parts[each].values())) == "c9"


def test_without_vectors_words_are_left() -> None:
    texts = [candidate("the boat is blue", 0, bare=True), candidate("the car is red", 1, bare=True)]
    scene, about = scene_of("which boat is blue?", texts, bare=True)
    parts = judge(scene, about, load_model())

    assert sum(parts["c0"].values()) > sum(parts["c1"].values())


def test_the_parts_of_a_score_have_names() -> None:
    scene, about = scene_of("What did Ben buy?", TURNS)
    model = load_model()
    parts = judge(scene, about, model)

    assert set().union(*parts.values()) <= model.features
    assert all(math.isfinite(part) for each in parts.values() for part in each.values())


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=30), st.floats(0.01, 10))
def test_a_feature_counts_by_how_far_it_lies_from_its_mean(numbers: list[float], spread: float) -> None:
    column = scaled({"words": np.array(numbers)}, {"words": spread})["words"]

    assert column == pytest.approx((np.array(numbers) - np.mean(numbers)) / spread)


def test_similarities_count_the_same_however_wide_their_model_makes_them() -> None:
    narrow = np.linspace(0.80, 0.86, 60)
    wide = np.linspace(0.0, 0.6, 60)
    columns = [scaled({"vector x": each}, {"vector x": 0.0175})["vector x"] for each in (narrow, wide)]

    assert columns[0] == pytest.approx(columns[1], rel=0.1)


def test_what_is_unknown_speaks_neither_for_nor_against() -> None:
    column = scaled({"words": np.array([1.0, np.nan, 3.0])}, {"words": 1.0})["words"]

    assert column[1] == 0
    assert column[0] == -column[2]


def test_a_pool_of_one_has_no_scale_to_stand_out_on() -> None:
    assert scaled({"words": np.array([5.0])}, {"words": 1.0})["words"].tolist() == [0.0]


def test_shares_are_taken_as_they_are() -> None:
    assert scaled({"identifiers": np.array([0.0, 1.0])}, {})["identifiers"].tolist() == [0.0, 1.0]
    assert "identifiers" in UNSCALED


def test_the_weights_that_ship_name_features_there_are() -> None:
    scene, about = scene_of("What did Ben buy?", TURNS)
    model = load_model()

    assert model.features <= measure(scene, about).keys()
    assert model.features - UNSCALED <= model.spreads.keys()


@given(
    st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=12), min_size=1, max_size=8),
    st.sampled_from([Bm25(), Bm25(k1=0.9, b=0.4), Bm25(k1=0, b=0), Bm25(k1=2, b=1)]),
)
def test_bm25_over_arrays_is_bm25(texts: list[list[str]], parameters: Bm25) -> None:
    terms = {"a": 1.0, "b": 0.5, "c": 2.0}
    matches = tuple(
        WordMatch(chunk_id=str(number), length=len(text), counts={word: text.count(word) for word in set(text)})
        for number, text in enumerate(texts)
    )
    frequency = {term: sum(term in text for text in texts) for term in terms}
    mean = sum(map(len, texts)) / len(texts)
    found = WordMatches(
        matches=matches, chunks=len(texts), mean_length=mean, mean_context_length=0.0, document_frequency=frequency
    )
    frequencies = np.array([[match.counts.get(term, 0) for term in terms] for match in matches], np.float64)
    values = np.array([weight * idf(len(texts), frequency[term]) for term, weight in terms.items()])
    scores = saturated(frequencies, np.array([len(text) for text in texts], np.float64), mean, parameters) @ values

    expected = dict(rank(terms, found, parameters))
    assert [float(score) for score in scores] == pytest.approx([expected[match.chunk_id] for match in matches])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The staging database moved to port 6432.", "staging database has moved to the port 6432", True),
        ("staging moved to port 6432", "staging moved to port 6433", False),
        ("the pool went from 20 to 60", "the pool went from 60 to 20", False),
        ("we deploy on Friday", "we do not deploy on Friday", False),
        ("Миграция завершена", "миграция была завершена", True),
        ("la migración terminó", "La migración no terminó", False),
    ],
)
def test_content_is_what_a_text_says_whatever_its_forms(one: str, other: str, *, same: bool) -> None:
    assert (content(one) == content(other)) is same
