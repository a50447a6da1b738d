"""What every embedder promises, held against the real model and the hashing double."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event
from typing import cast

import anyio
import numpy as np
import pytest
from anyio import to_thread
from numpy.typing import NDArray

from packagedmodels import opened
from ricordo.models.catalog import PACKAGED
from ricordo.protocols import Embedder
from ricordo.testing import HashEmbedder

MAKERS: dict[str, Callable[[], Embedder]] = {"hash": HashEmbedder}
MAKERS.update({name: partial(opened, name) for name in PACKAGED})

TEXTS = (
    "Project Baikal is our internal ML pipeline",
    "the staging database moved to port 6432",
    "Mira is allergic to hazelnuts, but not to almonds",
    "встреча с Анной перенесена на четверг",
    "release v2.4.1-rc3",
    "ok",
    "On Tuesday we agreed to keep the old queue for two more weeks, because the invoices of the first quarter still "
    "go through it and nobody wants to touch them before the audit is over.",
)
ODD = ("", "   ", "\n", "🌲🌲🌲", "\0", "x" * 5000, "٣")


@pytest.fixture(scope="module", params=sorted(MAKERS))
def maker(request: pytest.FixtureRequest) -> str:
    return cast(str, request.param)


@pytest.fixture(scope="module")
def embedder(maker: str) -> Embedder:
    return MAKERS[maker]()


def cosines(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    products: NDArray[np.float32] = (left * right).sum(axis=1)
    return products


def long_text(embedder: Embedder) -> str:
    words = ("invoice", "harbour", "lantern", "orchid", "granite", "violin", "saffron", "glacier")
    return " ".join(words[number * number % 8] for number in range(embedder.max_tokens * 5 // 4))


def test_one_unit_row_of_float32_for_each_text(embedder: Embedder) -> None:
    for rows in (embedder.embed_passages(TEXTS), embedder.embed_queries(TEXTS)):
        assert rows.shape == (len(TEXTS), embedder.dimension)
        assert rows.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


def test_no_texts_are_no_rows(embedder: Embedder) -> None:
    assert embedder.embed_passages([]).shape == (0, embedder.dimension)
    assert embedder.embed_queries([]).dtype == np.float32
    assert embedder.count_tokens([]) == []


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_odd_texts_have_unit_vectors_too(embedder: Embedder, text: str) -> None:
    assert np.linalg.norm(embedder.embed_passages([text])) == pytest.approx(1.0, abs=1e-5)
    assert embedder.count_tokens([text])[0] >= 0


def test_rows_are_in_the_order_of_the_texts(embedder: Embedder) -> None:
    there, back = embedder.embed_passages(TEXTS), embedder.embed_passages(TEXTS[::-1])
    np.testing.assert_allclose(there, back[::-1], atol=1e-5)


def test_a_text_has_the_same_vector_alone_and_in_any_company(embedder: Embedder) -> None:
    together = embedder.embed_passages([*TEXTS, long_text(embedder), *TEXTS])
    alone = np.concatenate([embedder.embed_passages([text]) for text in TEXTS])
    np.testing.assert_allclose(together[: len(TEXTS)], alone, atol=1e-5)
    np.testing.assert_allclose(together[-len(TEXTS) :], alone, atol=1e-5)


def test_another_process_makes_the_same_vectors(embedder: Embedder, maker: str) -> None:
    home, made = ("models", f"load_embedder({maker!r})") if maker in PACKAGED else ("testing", "HashEmbedder()")
    script = (
        f"from ricordo.{home} import *\n"
        "import json, sys\n"
        f"embedder = {made}\n"
        "print(json.dumps(embedder.embed_passages(json.load(sys.stdin)).tolist()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=json.dumps(TEXTS), capture_output=True, text=True, check=True
    )
    np.testing.assert_array_equal(np.array(json.loads(done.stdout), np.float32), embedder.embed_passages(TEXTS))


def test_threads_share_an_embedder_that_is_not_yet_loaded(maker: str) -> None:
    fresh = MAKERS[maker]()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: fresh.embed_passages(TEXTS), range(16)))
    for answer in answers:
        np.testing.assert_allclose(answer, answers[0], atol=1e-5)


def test_the_end_of_a_long_text_is_read(embedder: Embedder) -> None:
    text = long_text(embedder)
    assert embedder.count_tokens([text])[0] > embedder.max_tokens
    ending = "the password of the greenhouse is under the third flowerpot"
    plain, ended, wanted = embedder.embed_passages([text, f"{text} {ending}", ending])
    assert not np.allclose(plain, ended, atol=1e-3)
    assert ended @ wanted > plain @ wanted


def test_tokens_are_counted_without_special_tokens(embedder: Embedder) -> None:
    empty, one, three = embedder.count_tokens(["", "house", "house garden river"])
    assert (empty, one, three) == (0, 1, 3)


def test_the_floor_for_what_was_not_asked_for_is_the_stricter(embedder: Embedder) -> None:
    assert 0.0 < embedder.floors.recall <= embedder.floors.context < 1.0


def test_fingerprints_differ() -> None:
    embedders = [make() for make in MAKERS.values()]
    fingerprints = [name for each in embedders for name in (each.fingerprint, each.token_fingerprint)]
    assert len(set(fingerprints)) == len(fingerprints)


@pytest.mark.parametrize("name", sorted(PACKAGED))
def test_the_runtime_keeps_no_device_id_and_no_events_to_send(name: str, tmp_path: Path) -> None:
    code = f"from ricordo.models import load_embedder; load_embedder({name!r}).embed_queries(['a question'])"
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    environment = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"} | home
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)

    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


# --- token vectors ---


def test_token_vectors_come_with_the_same_vectors(embedder: Embedder) -> None:
    for encode, embed in (
        (embedder.encode_passages, embedder.embed_passages),
        (embedder.encode_queries, embedder.embed_queries),
    ):
        encoded = encode(TEXTS)
        np.testing.assert_allclose(encoded.vectors, embed(TEXTS), atol=1e-5)
        assert len(encoded.tokens) == (len(TEXTS) if embedder.token_fingerprint else 0)


def test_tokens_are_unit_rows_with_ids_in_the_order_of_the_text(embedder: Embedder) -> None:
    for tokens in embedder.encode_passages([*TEXTS, long_text(embedder)]).tokens:
        assert tokens.rows.dtype == np.float32
        assert tokens.ids.dtype == np.int32
        assert tokens.rows.shape == (len(tokens.ids), embedder.dimension)
        np.testing.assert_allclose(np.linalg.norm(tokens.rows, axis=1), 1.0, atol=1e-4)


def test_a_word_has_the_same_token_ids_in_a_question_and_in_a_passage(embedder: Embedder) -> None:
    asked, said = (encode(["harbour lantern"]).tokens for encode in (embedder.encode_queries, embedder.encode_passages))
    for question, passage in zip(asked, said, strict=True):
        np.testing.assert_array_equal(question.ids, passage.ids)
        assert len(question.ids) >= 2


def test_token_vectors_are_the_same_alone_and_in_any_company(embedder: Embedder) -> None:
    together = embedder.encode_passages([*TEXTS, long_text(embedder)]).tokens
    for text, tokens in zip(TEXTS, together, strict=False):
        (alone,) = embedder.encode_passages([text]).tokens
        np.testing.assert_allclose(tokens.rows, alone.rows, atol=1e-4)


def test_a_text_that_says_nothing_has_no_tokens(embedder: Embedder) -> None:
    for tokens in embedder.encode_passages(["", "  "]).tokens:
        assert tokens.rows.shape == (0, embedder.dimension)
    assert embedder.encode_passages([]).vectors.shape == (0, embedder.dimension)


@pytest.mark.anyio
@pytest.mark.parametrize("name", sorted(PACKAGED))
async def test_whoever_cancels_does_not_wait_for_the_model(name: str) -> None:
    fresh, started, finished = MAKERS[name](), Event(), Event()

    def embed() -> None:
        started.set()
        fresh.embed_passages([long_text(fresh)] * 2)
        finished.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(partial(to_thread.run_sync, embed, abandon_on_cancel=True))
        assert await to_thread.run_sync(started.wait, 60)
        tasks.cancel_scope.cancel()
    assert not finished.is_set()
    assert await to_thread.run_sync(finished.wait, 60)
    assert fresh.embed_queries(TEXTS).shape == (len(TEXTS), fresh.dimension)


@pytest.mark.parametrize("name", sorted(PACKAGED))
def test_a_model_puts_a_paraphrase_nearer_than_something_else(name: str) -> None:
    embedder = MAKERS[name]()
    questions = embedder.embed_queries(["What can't Mira eat?", "Which port does the test database listen on?"])
    passages = embedder.embed_passages([TEXTS[2], TEXTS[1]])
    floor = embedder.floors.recall
    assert (cosines(questions, passages) > floor).all()
    assert (cosines(questions, passages) > cosines(questions, passages[::-1]) + 0.05).all()
