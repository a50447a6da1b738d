"""The harness asks the engine itself, and its reports hold what they promise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from ricordo.errors import InvalidInput
from ricordo.eval.analyzers import ANALYZERS
from ricordo.eval.datasets import EPOCH, Collection, Dataset, Question
from ricordo.eval.harness import TIMES, WITH_TIMES, Plan, Run, Step, evaluate
from ricordo.eval.jsonfile import Node
from ricordo.eval.metrics import MEASURES
from ricordo.eval.plots import draw
from ricordo.eval.report import Report, compared, document, markdown
from ricordo.eval.timing import spread
from ricordo.exchange import Encoded
from ricordo.memory import Memory, Origin
from ricordo.recall import Reader
from ricordo.settings import Settings
from ricordo.testing import HashEmbedder, InMemoryStore, OverlapReranker
from tinymodels import write_cross_encoder

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PAPER = Origin(kind="paper", uri="paper:1")


def said(text: str) -> Memory:
    return Memory(text=text, origin=PAPER, created_at=EPOCH, updated_at=EPOCH)


OWLS, ROOKS = said("Owls hunt by night."), said("Rooks nest in tall trees.")


def asked(name: str, text: str, memory: Memory, category: str = "") -> Question:
    return Question(id=name, text=text, relevant=frozenset([memory.id]), category=category)


BIRDS = Dataset(
    name="birds",
    collections=(
        Collection(
            name="one",
            memories=(OWLS, ROOKS),
            questions=(
                asked("1", "who hunts at night", OWLS, "who"),
                asked("2", "where do rooks nest?", ROOKS, "where"),
            ),
        ),
        Collection(name="two", memories=(ROOKS,), questions=(asked("3", "owls", OWLS, "who"),)),
    ),
    settings={"file": "birds.json"},
)


def ran(dataset: Dataset = BIRDS, **choices: object) -> Run:
    plan = {"settings": Settings(embedder="none"), "embedder": HashEmbedder()} | choices
    return anyio.run(evaluate, dataset, Plan(**plan))  # type: ignore[arg-type]  # choices are a test's own


def report(run: Run) -> Report:
    return Report(run=run, made_at=NOW)


# --- harness ---


def test_each_rung_asks_every_question() -> None:
    run = ran()

    assert list(run.answers) == ["plain words", "words", "vectors", "rrf", "evidence", "late interaction", "all"]
    assert all(len(answers) == 3 for answers in run.answers.values())


def test_a_cross_encoder_stands_apart_from_what_is_before_it(tmp_path: Path) -> None:
    settings = Settings(embedder="none", reranker=f"local:{write_cross_encoder(tmp_path / 'cross')}")
    rungs = ["plain words", "words", "vectors", "rrf", "evidence", "late interaction", "variety", "no time", "all"]
    reader = Reader(store=InMemoryStore(), embedder=HashEmbedder(), reranker=OverlapReranker())

    assert list(ran(settings=settings, ladder=WITH_TIMES).answers) == rungs
    assert [rung.name for rung in WITH_TIMES if rung.of(reader).reranker] == ["no time", "all"]


def test_a_rung_can_leave_times_unread() -> None:
    old, new = (
        Memory(
            text=f"The owl was seen by {who}.", origin=PAPER, created_at=EPOCH, updated_at=EPOCH, event_timestamp=when
        )
        for who, when in (("Ana", datetime(2025, 5, 3, tzinfo=UTC)), ("Bob", datetime(2026, 2, 20, tzinfo=UTC)))
    )
    question = asked("1", "who saw the owl in May 2025?", old)
    owls = Dataset(
        name="owls", collections=(Collection(name="o", memories=(old, new), questions=(question,)),), now=NOW
    )
    ranks = {name: answers[0].outcome.ranks for name, answers in ran(owls, ladder=TIMES).answers.items()}

    assert list(ranks) == ["no time", "all"]
    assert ranks["all"] == (1,)
    assert ranks["no time"] != ranks["all"]


def test_each_collection_has_a_namespace_of_its_own() -> None:
    ranks = {answer.question.id: answer.outcome.ranks for answer in ran().whole}

    assert ranks == {"1": (1,), "2": (1,), "3": ()}


def test_without_an_embedder_there_are_no_vectors_to_measure() -> None:
    run = ran(embedder=None)

    assert list(run.answers) == ["plain words", "words", "all"]
    assert run.embedder == "none"


def test_what_was_embedded_stays_in_a_store_that_is_named(tmp_path: Path) -> None:
    embedder = Counting()
    url = f"sqlite:///{tmp_path / 'kept.db'}"

    ran(store=url, embedder=embedder)
    ran(store=url, embedder=embedder)

    assert embedder.memories == 3


class Counting(HashEmbedder):
    """A hashing embedder that keeps count of the memories it is given to read."""

    def __init__(self) -> None:
        super().__init__()
        self.memories = 0

    def encode_passages(self, texts: Sequence[str]) -> Encoded:
        self.memories += sum(text in {OWLS.text, ROOKS.text} for text in texts)
        return super().encode_passages(texts)


def test_progress_is_told_to_its_end() -> None:
    steps: list[Step] = []
    anyio.run(evaluate, BIRDS, Plan(settings=Settings(embedder="none")), steps.append)

    ends = {step.doing: step.done == step.total for step in steps}
    assert all(ends.values())
    assert {"remembering one", "asking one: words", "asking two: all"} <= set(ends)


# --- analyzers ---


def test_the_plain_analyzer_takes_words_as_they_stand() -> None:
    plain = ANALYZERS["plain"]

    assert plain.lexemes("The owls, an owl") == ("the", "owls", "an", "owl")
    assert plain.question("owl owl OWLS").weights == {"owl": 2.0, "owls": 1.0}


def test_a_snowball_analyzer_stems_and_drops_english_stop_words() -> None:
    assert [lexeme[-3:] for lexeme in ANALYZERS["snowball-english"].lexemes("The owls of an owl")] == ["owl", "owl"]


# --- reports ---


def test_the_document_has_every_measure_overall_by_category_and_by_rung() -> None:
    found = json.loads(json.dumps(document(report(ran()))))

    assert found["dataset"] == "birds"
    assert found["n"] == 3
    assert list(found["metrics"]) == ["recall@1", "recall@5", "recall@10", "hit@10", "mrr", "ndcg@10"]
    assert found["metrics"]["mrr"] == pytest.approx(2 / 3)
    assert {name: each["n"] for name, each in found["by_category"].items()} == {"who": 2, "where": 1}
    assert all(set(metrics) == set(MEASURES) for metrics in found["ladder"].values())
    assert set(found["latency_ms"]["total"]) == {"p50", "p95"}
    assert found["settings"]["file"] == "birds.json"
    assert found["settings"]["embedder"] == HashEmbedder().fingerprint


def test_categories_count_alike_in_their_own_mean() -> None:
    found = document(report(ran()))

    assert found["macro"] == pytest.approx({name: 0.75 for name in MEASURES})


def test_the_time_of_each_rung_is_told_beside_that_of_the_first() -> None:
    found = json.loads(json.dumps(document(report(ran()))))

    assert list(found["latency_by_ladder"]) == list(found["ladder"])
    assert found["latency_by_ladder"]["plain words"]["ratio"] == 1.0


def test_the_tables_show_rungs_categories_and_settings() -> None:
    text = markdown(report(ran()))

    for shown in (
        "## birds",
        "3 questions",
        "| plain words |",
        "| who ",
        "| mean of these |",
        "| total ",
        "birds.json",
    ):
        assert shown in text


def told() -> Node:
    return Node(document(report(ran())), "run")


def test_a_run_is_drawn_in_three_small_pictures_that_name_what_they_show(tmp_path: Path) -> None:
    drawn = {file.stem: file.read_text(encoding="utf-8") for file in draw(told(), tmp_path / "plots")}

    named = {
        "recall": (">plain words<", ">recall@10<"),
        "latency": (">total<", ">milliseconds, p50 and p95<"),
        "categories": (">who<", ">rrf<"),
    }
    assert drawn.keys() == named.keys()
    for name, words in named.items():
        assert all(word in drawn[name] for word in words)
        assert len(drawn[name]) < 60_000


def test_a_run_compared_with_itself_does_not_differ(tmp_path: Path) -> None:
    run = ran()
    file = tmp_path / "run.json"
    file.write_text(json.dumps(document(report(run))), encoding="utf-8")

    assert all(each.mean == 0 for each in compared(run, file).values())


def test_a_run_of_other_questions_cannot_be_compared(tmp_path: Path) -> None:
    run = ran()
    file = tmp_path / "run.json"
    file.write_text(json.dumps(document(report(run)) | {"questions": {"1": {"ranks": [1], "relevant": 1}}}))

    with pytest.raises(InvalidInput, match="with 1 questions, of which 1 are among the 3"):
        compared(run, file)


def test_percentiles_are_values_that_were_measured() -> None:
    measured = spread([float(number) for number in range(100, 0, -1)])

    assert (measured.p50, measured.p95, measured.count) == (51.0, 96.0, 100)
